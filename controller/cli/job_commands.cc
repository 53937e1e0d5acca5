// report, cancel, boots, logs: what is asked about one job.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "controller/cli/commands.h"
#include "controller/cli/exit_code.h"
#include "controller/cli/job_parts.h"
#include "controller/cli/note_lines.h"
#include "controller/cli/tables.h"
#include "controller/cli/watch_view.h"
#include "controller/cli/why_waits.h"
#include "controller/cli/words.h"
#include "proto/wire/ids.h"
#include "proto/wire/sanitise.h"
#include "proto/wire/status.h"

namespace shakedown::cli {
namespace {

// Eight digits tell any two of 10,000 builds apart, but for one case in a hundred.
constexpr size_t kLeastId = 8;
constexpr absl::Duration kLogPatience = absl::Minutes(2);

std::string Detail(const v1::JobView& job, const v1::BootView& boot,
                   const v1::ListMachinesResponse& machines) {
  if (boot.state() == v1::WORK_STATE_RUNNING) return PhaseText(boot.phase(), boot.progress());
  if (boot.state() == v1::WORK_STATE_ENDED) return PrintableLine(boot.reason(), 400);
  return WhyWaits(job, boot, machines);
}

std::vector<std::string> BootRow(const v1::JobView& job, const v1::BootView& boot,
                                 const v1::ListMachinesResponse& machines) {
  const bool ended = boot.state() == v1::WORK_STATE_ENDED;
  return {PrintableLine(boot.name()),
          PrintableLine(VariantText(job.spec(), boot.variant())),
          ended ? OutcomeWord(boot.outcome()) : WorkStateWord(boot.state()),
          PrintableLine(boot.machine()),
          TookText(boot.started(), boot.ended()),
          Detail(job, boot, machines)};
}

// For a job that waits; where they can not be had it is shown without.
v1::ListMachinesResponse MachinesFor(const Desk& desk, const v1::JobView& job) {
  if (job.state() != v1::JOB_STATE_ACTIVE) return {};
  return desk.farm.ListMachines().value_or(v1::ListMachinesResponse());
}

void PrintJob(const Desk& desk, const v1::JobView& job) {
  desk.screen.Print(absl::StrCat("state: ", JobStateWord(job.state()),
                                 job.end_reason().empty() ? "" : ": ",
                                 PrintableLine(job.end_reason(), 400), "\n"));
  const ScreenSize size = {.columns = desk.screen.size().columns, .rows = 0};
  for (const Line& line : DrawJob(job, size, desk.clock.Now())) desk.screen.Print(line);
  const v1::ListMachinesResponse machines = MachinesFor(desk, job);
  for (const v1::BootView& boot : job.boots()) {
    const std::string why = WhyWaits(job, boot, machines);
    if (why.empty()) continue;
    desk.screen.Print(absl::StrCat(PrintableLine(boot.name()), " waits: ", why, "\n"));
    return;  // The others wait for it.
  }
}

void PrintBoots(const Desk& desk, const v1::JobView& job) {
  const v1::ListMachinesResponse machines = MachinesFor(desk, job);
  std::vector<std::vector<std::string>> rows;
  for (const v1::BootView& boot : job.boots()) rows.push_back(BootRow(job, boot, machines));
  desk.screen.Print(PrintTable({{.header = "BOOT"},
                                {.header = "VARIANT", .may_shrink = true},
                                {.header = "STATE"},
                                {.header = "MACHINE", .may_shrink = true},
                                {.header = "TOOK", .align = Column::Align::kRight},
                                {.header = "DETAIL", .may_shrink = true}},
                               rows, desk.screen.size().columns));
}

int Show(const Desk& desk, int64_t number, bool json,
         void (*print)(const Desk& desk, const v1::JobView& job)) {
  v1::GetJobRequest request;
  request.set_job(number);
  const absl::StatusOr<v1::JobView> job = desk.farm.GetJob(request);
  if (!job.ok()) return Fail(desk.screen, job.status());
  if (json) {
    desk.screen.PrintJson(*job);
  } else {
    print(desk, *job);
  }
  return kOk;
}

bool IsIdPrefix(absl::string_view text) {
  return text.size() >= kLeastId && text.size() <= 36 &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return absl::ascii_isxdigit(c) || c == '-'; });
}

// The name as ReadLog wants it: a boot's as it is, the beginning of a build's id made whole.
absl::StatusOr<std::string> LogName(Farm& farm, const std::string& name) {
  if (ParseBootName(name).ok() || IsUuid(name)) return name;
  if (!IsIdPrefix(name)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "log ", Quoted(name), ": want a boot, e.g. 17.1B or 17.1B.2, or a build's id, at least ",
        kLeastId, " digits of it"));
  }
  v1::ListBuildsRequest request;
  request.set_limit(1000);
  ASSIGN_OR_RETURN(const v1::ListBuildsResponse builds, farm.ListBuilds(request));
  std::vector<std::string> found;
  for (const v1::BuildView& build : builds.builds()) {
    if (absl::StartsWith(build.build_id(), absl::AsciiStrToLower(name))) {
      found.push_back(build.build_id());
    }
  }
  if (found.size() == 1) return found.front();
  if (found.empty()) {
    return absl::NotFoundError(
        absl::StrCat("log ", Quoted(name), ": no build has such an id; see shakedown builds"));
  }
  return absl::InvalidArgumentError(
      absl::StrCat("log ", Quoted(name), ": ", found.size(), " builds begin so; want more digits"));
}

// Puts chunks on the screen in order, whatever the streams they came by.
class LogPrinter {
 public:
  LogPrinter(Screen& screen, bool raw) : screen_(screen), raw_(raw) {}

  void Add(const v1::LogChunk& chunk) {
    absl::string_view data = chunk.data();
    if (chunk.offset() > end_) {
      screen_.Note(absl::StrCat("[", chunk.offset() - end_, " bytes are not kept]"));
      end_ = chunk.offset();
    }
    // What a repeated stream gives twice.
    const uint64_t known = end_ - chunk.offset();
    data.remove_prefix(std::min<uint64_t>(known, data.size()));
    end_ += data.size();
    Put(data);
    screen_.Flush();
  }

  void Finish() {
    if (raw_) return;
    const std::string rest = filter_.Finish();
    screen_.Print(rest);
    if (!rest.empty()) ended_line_ = rest.back() == '\n';
    if (!ended_line_) screen_.Print("\n");
  }

  uint64_t end() const { return end_; }

 private:
  void Put(absl::string_view data) {
    if (raw_) return screen_.PrintRaw(data);
    const std::string text = filter_.Add(data);
    if (!text.empty()) ended_line_ = text.back() == '\n';
    screen_.Print(text);
  }

  Screen& screen_;
  bool raw_;
  TerminalFilter filter_;
  bool ended_line_ = true;
  uint64_t end_ = 0;
};

// Of a boot that has written nothing: why, as far as the farm knows. Empty: there is nothing to
// say.
std::string WhySilent(const Desk& desk, const std::string& name) {
  const absl::StatusOr<BootName> wanted = ParseBootName(name);
  if (!wanted.ok()) return "";
  v1::GetJobRequest request;
  request.set_job(wanted->job);
  const absl::StatusOr<v1::JobView> job = desk.farm.GetJob(request);
  if (!job.ok()) return "";
  const v1::BootView* boot = nullptr;
  for (const v1::BootView& one : job->boots()) {
    if (one.block() != wanted->block || one.variant() != wanted->variant) continue;
    if (wanted->attempt == 0 || one.attempt() == wanted->attempt) boot = &one;
  }
  if (boot == nullptr) return "";
  const std::string subject = absl::StrCat("boot ", PrintableLine(boot->name()));
  if (boot->state() == v1::WORK_STATE_ENDED) {
    const std::string reason = PrintableLine(boot->reason(), 400);
    return absl::StrCat(subject, " has no log: it ended ", OutcomeWord(boot->outcome()),
                        reason.empty() ? "" : ": ", reason);
  }
  if (boot->state() == v1::WORK_STATE_RUNNING) {
    return absl::StrCat(subject,
                        " has written nothing yet: ", PhaseText(boot->phase(), boot->progress()));
  }
  const std::string why = WhyWaits(*job, *boot, MachinesFor(desk, *job));
  return absl::StrCat(subject, " has not started", why.empty() ? "" : ": ", why);
}

}  // namespace

int Report(const Desk& desk, const ReportArgs& args) {
  v1::GetReportRequest request;
  request.set_job(args.job);
  request.set_json(args.json);
  request.set_format(args.format);
  request.set_asterisk(args.asterisk);
  request.set_layout(args.layout);
  request.set_baseline_first(args.baseline_first);
  request.set_all(args.all);
  const absl::StatusOr<v1::GetReportResponse> report = desk.farm.GetReport(request);
  if (!report.ok()) return Fail(desk.screen, report.status());
  const bool plain = args.format.empty() || args.format == "text";
  if ((args.json || !plain) && !desk.screen.terminal()) {
    desk.screen.PrintRaw(report->text());
  } else {
    desk.screen.Print(report->text());
  }
  if (!absl::EndsWith(report->text(), "\n")) desk.screen.Print("\n");
  return kOk;
}

int Reproduce(const Desk& desk, const ReproduceArgs& args) {
  v1::ReproduceRequest request;
  request.set_boot(args.boot);
  const absl::StatusOr<v1::ReproduceResponse> answer = desk.farm.Reproduce(request);
  if (!answer.ok()) return Fail(desk.screen, answer.status());
  // A file must have every byte; a terminal, only what can be seen.
  if (desk.screen.terminal()) {
    desk.screen.Print(answer->script());
  } else {
    desk.screen.PrintRaw(answer->script());
  }
  return kOk;
}

int Cancel(const Desk& desk, const CancelArgs& args) {
  v1::CancelJobRequest request;
  request.set_job(args.job);
  const absl::StatusOr<v1::CancelJobResponse> answer = desk.farm.CancelJob(request);
  if (!answer.ok()) return Fail(desk.screen, answer.status());
  v1::GetJobRequest get;
  get.set_job(args.job);
  const absl::StatusOr<v1::JobView> job = desk.farm.GetJob(get);
  if (job.ok() && job->state() == v1::JOB_STATE_DONE) {
    desk.screen.Print(absl::StrCat("Job ", args.job, " was done already.\n"));
    return kOk;
  }
  desk.screen.Print(absl::StrCat("Job ", args.job, " is cancelled. What was measured stays: ",
                                 "shakedown report ", args.job, "\n"));
  return kOk;
}

int ShowJob(const Desk& desk, const JobArgs& args) {
  const int code = Show(desk, args.job, args.json, PrintJob);
  if (code != kOk || args.json || desk.imports == nullptr) return code;
  v1::ListNotesRequest request;
  request.set_subject(absl::StrCat(args.job));
  const absl::StatusOr<v1::ListNotesResponse> notes = desk.imports->ListNotes(request);
  // A controller of before knows of no notes.
  if (absl::IsUnimplemented(notes.status())) return code;
  if (!notes.ok()) return Fail(desk.screen, notes.status());
  if (!notes->notes().empty()) {
    desk.screen.Print(absl::StrCat("\nWhat people saw\n", NoteLines(notes->notes())));
  }
  return code;
}

int Boots(const Desk& desk, const BootsArgs& args) {
  return Show(desk, args.job, args.json, PrintBoots);
}

int Logs(const Desk& desk, const LogsArgs& args) {
  const absl::StatusOr<std::string> name = LogName(desk.farm, args.name);
  if (!name.ok()) return Fail(desk.screen, name.status());
  v1::ReadLogRequest request;
  request.set_name(*name);
  request.set_follow(args.follow);
  desk.interrupt.listening = true;
  LogPrinter printer(desk.screen, args.raw);
  Patience patience(desk, kLogPatience);
  bool heard = false;
  bool told = false;
  const auto tell = [&] {
    if (std::exchange(told, true)) return;
    const std::string why = WhySilent(desk, *name);
    if (why.empty()) return;
    desk.screen.Note(args.follow ? absl::StrCat(why, "; waiting for its log") : why);
    desk.screen.Flush();
  };
  for (;;) {
    request.set_offset(printer.end());
    const absl::Status end = desk.farm.ReadLog(request, [&](const v1::LogChunk* chunk) {
      if (desk.interrupt.came) return Next::kStop;
      if (chunk == nullptr) {
        if (!heard && args.follow) tell();
        return Next::kGoOn;
      }
      heard = true;
      patience.Heard();
      printer.Add(*chunk);
      return Next::kGoOn;
    });
    // A stream that broke goes on at the byte it came to; one that never began is an error.
    const bool again = !end.ok() && heard && WorthAnotherTry(end) && !desk.interrupt.came;
    if (again && patience.Wait()) continue;
    printer.Finish();
    if (end.ok() && !heard) tell();
    if (desk.interrupt.came) return kInterrupted;
    return end.ok() ? kOk : Fail(desk.screen, end);
  }
}

}  // namespace shakedown::cli
