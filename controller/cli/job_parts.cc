#include "controller/cli/job_parts.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "controller/cli/exit_code.h"
#include "controller/cli/words.h"
#include "proto/wire/sanitise.h"

namespace shakedown::cli {

Tone ToneOf(v1::Outcome outcome) {
  switch (FaultOf(outcome)) {
    case Fault::kNone:
      return Tone::kGood;
    case Fault::kKernel:
      return Tone::kBad;
    case Fault::kFarm:
      return Tone::kFarm;
    case Fault::kCancelled:
      return Tone::kDim;
  }
  return Tone::kPlain;
}

bool Failed(const v1::BootView& boot) {
  return boot.state() == v1::WORK_STATE_ENDED && boot.outcome() != v1::OUTCOME_MEASURED;
}

bool Failed(const v1::BuildView& build) {
  return build.state() == v1::WORK_STATE_ENDED && build.status() != "built";
}

std::string PhaseText(absl::string_view phase, float progress) {
  const std::string name = phase.empty() ? "running" : PrintableLine(phase, 60);
  return progress > 0 ? absl::StrCat(name, " ", Percent(progress)) : name;
}

std::string LeftText(const v1::JobView& job) {
  if (job.remaining_s() == 0) return "";
  // Nobody believes the seconds of a long estimate.
  uint64_t s = job.remaining_s();
  if (s > 120) s = (s + 59) / 60 * 60;
  return absl::StrCat(", about ", LengthText(absl::Seconds(static_cast<int64_t>(s))), " left");
}

std::string JobTitle(const v1::JobView& job) {
  const std::string title = PrintableLine(job.spec().title());
  return absl::StrCat("Job ", job.job(), title.empty() ? "" : ": ", title);
}

std::vector<Line> TailLines(absl::string_view text, size_t most) {
  const std::string printable = Printable(text);
  absl::string_view rest = printable;
  while (absl::ConsumeSuffix(&rest, "\n")) {
  }
  if (rest.empty() || most == 0) return {};
  const std::vector<absl::string_view> lines = absl::StrSplit(rest, '\n');
  std::vector<Line> tail;
  for (size_t i = lines.size() > most ? lines.size() - most : 0; i < lines.size(); ++i) {
    tail.push_back({{"    | ", Tone::kDim}, {PrintableLine(lines[i], 400)}});
  }
  return tail;
}

std::vector<Line> FailedBootLines(const v1::JobView& job, const v1::BootView& boot,
                                  size_t tail_lines) {
  std::vector<Line> lines;
  lines.push_back({{absl::StrCat(PrintableLine(boot.name()), " ",
                                 PrintableLine(VariantText(job.spec(), boot.variant())), ": ")},
                   {OutcomeWord(boot.outcome()), ToneOf(boot.outcome())}});
  const std::string reason = PrintableLine(boot.reason(), 400);
  if (!reason.empty()) lines.back().push_back({absl::StrCat(": ", reason)});
  for (Line& line : TailLines(boot.console_tail(), tail_lines)) lines.push_back(std::move(line));
  return lines;
}

std::vector<Line> FailedBuildLines(const v1::BuildView& build, size_t error_lines) {
  absl::string_view error = build.error();
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(error, absl::MaxSplits('\n', 1));
  std::vector<Line> lines;
  lines.push_back(
      {{absl::StrCat("build ", PrintableLine(build.kernel()), ": ")},
       {PrintableLine(build.status()), build.status() == "failed" ? Tone::kBad : Tone::kFarm}});
  const std::string first = PrintableLine(parts.first, 400);
  if (!first.empty()) lines.back().push_back({absl::StrCat(": ", first)});
  for (Line& line : TailLines(parts.second, error_lines)) lines.push_back(std::move(line));
  return lines;
}

}  // namespace shakedown::cli
