#include "controller/service/store_controls.h"

#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "controller/compare/control.h"
#include "controller/service/no_throw.h"
#include "controller/service/report_data.h"
#include "controller/service/store_call.h"
#include "db/store/controls.h"
#include "db/store/notes.h"
#include "db/store/reports.h"
#include "proto/wire/status.h"

namespace shakedown::service {
namespace {

constexpr uint32_t kMostNotes = 200;

// On the job, its boots, and the kernels and machines that it is about.
absl::Status ReadNotes(store::Database& database, v1::ReportData& data) {
  std::set<std::string> subjects;
  for (const auto& variant : data.variants()) {
    subjects.insert(absl::StrCat("kernel:", variant.variant().kernel()));
  }
  for (const auto& boot : data.boots()) {
    if (!boot.view().machine().empty()) {
      subjects.insert(absl::StrCat("machine:", boot.view().machine()));
    }
  }
  ASSIGN_OR_RETURN(const std::vector<v1::NoteView> notes, FromStore([&] {
                     return store::NotesAbout(database, {subjects.begin(), subjects.end()},
                                              data.job().job(), kMostNotes);
                   }));
  for (const v1::NoteView& note : notes) {
    v1::ReportNote* added = data.add_notes();
    added->set_subject(note.subject());
    added->set_kind(note.kind());
    added->set_text(note.text());
    added->set_author(note.author());
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<v1::ReportData> ReadReportData(store::Database& database, int64_t job) {
  ASSIGN_OR_RETURN(const store::ReportData data,
                   FromStore([&] { return store::GetReportData(database, job); }));
  ASSIGN_OR_RETURN(const std::vector<v1::PastNoise> noise,
                   FromStore([&] { return store::NoiseBefore(database, job); }));
  v1::ReportData out = ToReportData(data);
  for (const v1::PastNoise& past : noise) *out.add_noise() = past;
  RETURN_IF_ERROR(ReadNotes(database, out));
  return out;
}

absl::Status StoreControl(store::Database& database, const v1::ReportData& data) {
  if (data.job().state() == v1::JOB_STATE_ACTIVE || !compare::ControlVariant(data)) {
    return absl::OkStatus();
  }
  const v1::ReportControl control = compare::JudgeControl(data);
  return FromStore([&] { return store::StoreControl(database, data.job().job(), control); });
}

absl::StatusOr<int> StoreOpenControls(store::Database& database) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> jobs,
                   FromStore([&] { return store::JobsWithOpenControl(database); }));
  absl::Status first;  // One job's trouble holds up no other's.
  for (const int64_t job : jobs) {
    ASSIGN_OR_RETURN(const v1::ReportData data, ReadReportData(database, job));
    const absl::Status stored = NoThrow("judging", [&] { return StoreControl(database, data); });
    if (!stored.ok() && first.ok()) {
      first = Annotate(stored, absl::StrCat("A/A control of job ", job));
    }
  }
  if (!first.ok()) return first;
  return static_cast<int>(jobs.size());
}

}  // namespace shakedown::service
