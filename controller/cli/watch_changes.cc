#include <algorithm>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "controller/cli/job_parts.h"
#include "controller/cli/look_lines.h"
#include "controller/cli/watch_view.h"
#include "controller/cli/words.h"
#include "proto/wire/sanitise.h"

namespace shakedown::cli {
namespace {

constexpr size_t kConsoleLines = 12;
constexpr size_t kErrorLines = 20;
// Failed boots told in full at the end; the others are counted.
constexpr size_t kMostTold = 8;

void Append(std::vector<Line>& to, std::vector<Line> from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

Line First(const v1::JobView& job) {
  const size_t boots = LastAttemptsOf(job).size();
  return {{absl::StrCat(JobTitle(job), ": ", JobStateWord(job.state()), ", ",
                        Count(job.spec().variants_size(), "variant", "variants"), ", ",
                        Count(BlocksNow(job), "block", "blocks"), ", ",
                        Count(boots, "boot", "boots"), LeftText(job))}};
}

// Builds report every tenth: the longest of them would else be silent for minutes.
int Tenth(float progress) { return static_cast<int>(std::clamp(progress, 0.0F, 1.0F) * 10); }

// A phase without its counter: "compile " of "compile 142/1500", which is another at every object.
std::string WithoutCounter(const std::string& phase) {
  return phase.substr(0, phase.find_first_of("0123456789"));
}

bool Same(const v1::BuildView& a, const v1::BuildView& b) {
  return a.state() == b.state() && a.status() == b.status() &&
         WithoutCounter(a.phase()) == WithoutCounter(b.phase()) &&
         Tenth(a.progress()) == Tenth(b.progress());
}

std::vector<Line> Tell(const v1::JobView& job, const v1::BuildView& build) {
  if (build.status() == "cancelled") return {};  // The job's state says it once for all.
  if (Failed(build)) return FailedBuildLines(build, kErrorLines);
  const std::string head = absl::StrCat("build ", PrintableLine(build.kernel()), ": ");
  if (build.state() == v1::WORK_STATE_ENDED) {
    const absl::Duration length = absl::Milliseconds(static_cast<int64_t>(build.duration_ms()));
    return {{{head},
             {"built", Tone::kGood},
             {build.duration_ms() > 0 ? absl::StrCat(" in ", LengthText(length)) : ""},
             {LeftText(job)}}};
  }
  if (build.state() == v1::WORK_STATE_RUNNING) {
    return {{{absl::StrCat(head, PhaseText(build.phase(), build.progress()),
                           build.agent().empty() ? "" : " on ", PrintableLine(build.agent()),
                           LeftText(job))}}};
  }
  return {{{absl::StrCat(head, WorkStateWord(build.state()))}}};
}

bool Same(const v1::BootView& a, const v1::BootView& b) {
  return a.state() == b.state() && a.outcome() == b.outcome() && a.phase() == b.phase() &&
         a.machine() == b.machine();
}

std::vector<Line> Tell(const v1::JobView& job, const v1::BootView& boot) {
  if (boot.outcome() == v1::OUTCOME_CANCELLED) return {};
  if (Failed(boot)) return FailedBootLines(job, boot, kConsoleLines);
  const std::string head =
      absl::StrCat(PrintableLine(boot.name()), " ",
                   PrintableLine(VariantText(job.spec(), boot.variant())), ": ");
  if (boot.state() == v1::WORK_STATE_ENDED) {
    return {
        {{head},
         {OutcomeWord(boot.outcome()), ToneOf(boot.outcome())},
         {absl::StrCat(" in ", LengthText(Between(boot.started(), boot.ended())), LeftText(job))}}};
  }
  if (boot.state() == v1::WORK_STATE_RUNNING) {
    return {{{absl::StrCat(head, PhaseText(boot.phase(), 0), boot.machine().empty() ? "" : " on ",
                           PrintableLine(boot.machine()))}}};
  }
  // Waiting and queued are what every boot is at first; news only for a new attempt.
  if (boot.attempt() <= 1) return {};
  return {{{absl::StrCat(head, WorkStateWord(boot.state()), " again")}}};
}

std::string OutcomeCounts(const LastAttempts& last) {
  std::map<v1::Outcome, size_t> counts;
  for (const auto& [key, boot] : last) {
    if (boot->state() == v1::WORK_STATE_ENDED) ++counts[boot->outcome()];
  }
  std::vector<std::string> words;
  for (const auto& [outcome, n] : counts)
    words.push_back(absl::StrCat(n, " ", OutcomeWord(outcome)));
  return words.empty() ? "none ended" : absl::StrJoin(words, ", ");
}

}  // namespace

std::vector<Line> JobChanges(const v1::JobView* before, const v1::JobView& after) {
  std::vector<Line> lines;
  std::map<std::string, const v1::BuildView*> builds;
  std::map<std::string, const v1::BootView*> boots;
  if (before == nullptr) {
    lines.push_back(First(after));
    const std::string stopping = StoppingText(after, absl::FromUnixSeconds(0));
    if (!stopping.empty()) lines.push_back({{stopping}});
    Append(lines, LookLines(after));
  } else {
    for (const v1::BuildView& build : before->builds()) builds[build.build_id()] = &build;
    for (const v1::BootView& boot : before->boots()) boots[boot.name()] = &boot;
  }
  for (const v1::BuildView& build : after.builds()) {
    const auto it = builds.find(build.build_id());
    if (it == builds.end() || !Same(*it->second, build)) Append(lines, Tell(after, build));
  }
  for (const v1::BootView& boot : after.boots()) {
    const auto it = boots.find(boot.name());
    if (it == boots.end() || !Same(*it->second, boot)) Append(lines, Tell(after, boot));
  }
  if (before != nullptr) Append(lines, LookChanges(*before, after));
  return lines;
}

std::vector<Line> JobSummary(const v1::JobView& job) {
  const LastAttempts last = LastAttemptsOf(job);
  const absl::Duration length = Between(job.submitted(), job.ended());
  std::vector<Line> lines;
  lines.push_back({{absl::StrCat(JobTitle(job), ": ", JobStateWord(job.state()),
                                 length > absl::ZeroDuration() ? " after " : "",
                                 length > absl::ZeroDuration() ? LengthText(length) : "", ": ",
                                 Count(last.size(), "boot", "boots"), ": ", OutcomeCounts(last)),
                    Tone::kBold}});
  Append(lines, EndLines(job));
  const size_t lost = static_cast<size_t>(job.boots_size()) - last.size();
  if (lost > 0) {
    lines.push_back(
        {{absl::StrCat(Count(lost, "attempt", "attempts"), " lost by the farm and tried again")}});
  }
  for (const v1::BuildView& build : job.builds()) {
    if (Failed(build) && build.status() != "cancelled") {
      Append(lines, FailedBuildLines(build, kErrorLines));
    }
  }
  size_t failed = 0;
  for (const auto& [key, boot] : last) {
    if (!Failed(*boot) || boot->outcome() == v1::OUTCOME_CANCELLED) continue;
    if (++failed <= kMostTold) Append(lines, FailedBootLines(job, *boot, kConsoleLines));
  }
  if (failed > kMostTold) {
    lines.push_back(
        {{absl::StrCat("… and ", failed - kMostTold, " more: shakedown boots ", job.job())}});
  }
  return lines;
}

}  // namespace shakedown::cli
