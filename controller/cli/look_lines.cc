#include "controller/cli/look_lines.h"

#include <algorithm>
#include <optional>
#include <set>

#include "absl/strings/str_cat.h"
#include "controller/cli/words.h"
#include "controller/plan/stopping.h"
#include "proto/wire/sanitise.h"

namespace shakedown::cli {
namespace {

std::optional<absl::Time> StartOf(const v1::JobView& job) {
  int64_t first = 0;
  for (const v1::BootView& boot : job.boots()) {
    const int64_t start = boot.started().seconds();
    if (start > 0 && (first == 0 || start < first)) first = start;
  }
  if (first == 0) return std::nullopt;
  return absl::FromUnixSeconds(first);
}

// ", 2 h 10 min left"; empty without a budget or a start.
std::string BudgetLeft(const v1::JobView& job, absl::Time now) {
  const std::optional<absl::Time> start = StartOf(job);
  if (job.spec().budget_s() == 0 || !start) return "";
  const absl::Duration budget = absl::Seconds(static_cast<int64_t>(job.spec().budget_s()));
  const absl::Duration left = std::max(budget - (now - *start), absl::ZeroDuration());
  return absl::StrCat(plan::SpanText(static_cast<uint64_t>(absl::ToInt64Seconds(left))), " left");
}

Line LookLine(const v1::LookView& look) {
  return {
      {absl::StrCat("look ", look.look(), " after ", Count(look.after_blocks(), "block", "blocks"),
                    ": ", PrintableLine(look.text(), 400), ": ", PrintableLine(look.decision()))}};
}

Line RepeatLine(const v1::PlannedBlock& block) {
  return {
      {absl::StrCat("block ", block.block(), " repeats block ", block.replaces()), Tone::kFarm}};
}

// "4", "9 to 16".
std::string Numbers(uint32_t first, uint32_t last) {
  return first == last ? absl::StrCat("block ", first)
                       : absl::StrCat("blocks ", first, " to ", last);
}

// Planned blocks that came after the first `known`.
std::vector<Line> AddedLines(const v1::JobView& job, int known) {
  std::vector<Line> lines;
  uint32_t first = 0, last = 0;
  for (int i = known; i < job.plan().blocks_size(); ++i) {
    const v1::PlannedBlock& block = job.plan().blocks(i);
    if (block.replaces() != 0) {
      lines.push_back(RepeatLine(block));
    } else {
      if (first == 0) first = block.block();
      last = block.block();
    }
  }
  if (first > 0) lines.push_back({{absl::StrCat("goes on with ", Numbers(first, last))}});
  return lines;
}

std::set<uint32_t> CancelledBlocks(const v1::JobView& job) {
  std::set<uint32_t> blocks;
  for (const v1::BootView& boot : job.boots()) {
    if (boot.outcome() == v1::OUTCOME_CANCELLED && !boot.reason().empty()) {
      blocks.insert(boot.block());
    }
  }
  return blocks;
}

// The farm's word for why boots were cancelled.
std::string WhyCancelled(const v1::JobView& job) {
  for (const v1::BootView& boot : job.boots()) {
    if (boot.outcome() == v1::OUTCOME_CANCELLED && !boot.reason().empty()) {
      return PrintableLine(boot.reason(), 400);
    }
  }
  return "";
}

}  // namespace

uint32_t BlocksNow(const v1::JobView& job) {
  return std::max(job.spec().blocks(), static_cast<uint32_t>(job.plan().blocks_size()));
}

bool IsPlain(const v1::JobSpec& spec) {
  return spec.budget_s() == 0 && spec.stopping() != v1::STOPPING_RULE_QUICK &&
         spec.stopping() != v1::STOPPING_RULE_LOOKS;
}

std::string BlocksText(const v1::JobSpec& spec) {
  const uint32_t first = plan::FirstBlocks(spec);
  const uint32_t most = plan::MostBlocks(spec);
  return first == most ? absl::StrCat(first) : absl::StrCat(first, " to ", most);
}

std::string StoppingText(const v1::JobView& job, absl::Time now) {
  if (IsPlain(job.spec())) return "";
  std::string text = plan::StoppingText(job.spec());
  if (plan::LooksOf(job.spec()).size() > 1 && job.next_look() > 0) {
    absl::StrAppend(&text, ", the next after ", job.next_look());
  }
  if (job.spec().budget_s() > 0) {
    absl::StrAppend(&text, "; time budget ", plan::SpanText(job.spec().budget_s()));
    const std::string left = job.state() == v1::JOB_STATE_ACTIVE ? BudgetLeft(job, now) : "";
    if (!left.empty()) absl::StrAppend(&text, ", ", left);
  }
  return text;
}

std::vector<Line> LookLines(const v1::JobView& job) {
  std::vector<Line> lines;
  if (!IsPlain(job.spec())) {
    for (const v1::LookView& look : job.looks()) lines.push_back(LookLine(look));
  }
  for (const v1::PlannedBlock& block : job.plan().blocks()) {
    if (block.replaces() != 0) lines.push_back(RepeatLine(block));
  }
  return lines;
}

std::vector<Line> LookChanges(const v1::JobView& before, const v1::JobView& after) {
  std::vector<Line> lines;
  for (int i = before.looks_size(); i < after.looks_size() && !IsPlain(after.spec()); ++i) {
    const v1::LookView& look = after.looks(i);
    lines.push_back(LookLine(look));
    const std::string left = BudgetLeft(after, absl::FromUnixSeconds(look.at().seconds()));
    if (!left.empty()) lines.back().push_back({absl::StrCat(", time budget: ", left)});
  }
  for (Line& line : AddedLines(after, before.plan().blocks_size()))
    lines.push_back(std::move(line));
  const std::set<uint32_t> cancelled = CancelledBlocks(after);
  if (!cancelled.empty() && cancelled.size() > CancelledBlocks(before).size()) {
    lines.push_back(
        {{absl::StrCat(Numbers(*cancelled.begin(), *cancelled.rbegin()),
                       cancelled.size() == 1 ? " is" : " are", " not begun: ", WhyCancelled(after)),
          Tone::kFarm}});
  }
  return lines;
}

std::vector<Line> EndLines(const v1::JobView& job) {
  const bool repeated =
      std::any_of(job.plan().blocks().begin(), job.plan().blocks().end(),
                  [](const v1::PlannedBlock& block) { return block.replaces() != 0; });
  if (job.end_reason().empty() || (IsPlain(job.spec()) && !repeated)) return {};
  return {{{absl::StrCat("ended: ", PrintableLine(job.end_reason(), 400))}}};
}

}  // namespace shakedown::cli
