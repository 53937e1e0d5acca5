#include "controller/plan/next_step.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "controller/plan/make_plan.h"
#include "controller/plan/stopping.h"
#include "controller/plan/views.h"

namespace shakedown::plan {
namespace {

constexpr uint32_t kAnyNumber = std::numeric_limits<uint32_t>::max();

Fate FateOf(const v1::PlannedBlock& block, const LastAttempts& last) {
  bool open = false, begun = false, cancelled = false, disturbed = false, lost = false;
  for (const uint32_t variant : block.variants()) {
    const auto found = last.find({block.block(), variant});
    if (found == last.end()) continue;
    const v1::BootView& boot = *found->second;
    if (boot.state() != v1::WORK_STATE_ENDED) {
      open = true;
      begun = begun || boot.state() == v1::WORK_STATE_RUNNING || !boot.machine().empty();
      continue;
    }
    cancelled = cancelled || boot.outcome() == v1::OUTCOME_CANCELLED;
    disturbed = disturbed || boot.outcome() == v1::OUTCOME_DISTURBED;
    // One that neither started nor had a machine had no kernel to boot, and a machine that can not
    // be set up as the job wants can not be the next time: another block would fare no better.
    lost = lost || (boot.outcome() == v1::OUTCOME_FARM_FAILED &&
                    (boot.has_started() || !boot.machine().empty()) &&
                    !absl::StartsWith(boot.reason(), "setup: "));
  }
  if (open) return begun ? Fate::kOpen : Fate::kUnbegun;
  if (cancelled) return Fate::kCancelled;
  if (disturbed) return Fate::kDisturbed;
  return lost ? Fate::kLost : Fate::kDone;
}

bool Any(const JobNow& now, Fate fate) {
  return std::any_of(now.blocks.begin(), now.blocks.end(),
                     [&](const BlockNow& block) { return block.fate == fate; });
}

// How many blocks more end within the budget, one after the other.
uint32_t Fitting(const JobNow& now) {
  if (now.spec.budget_s() == 0 || !now.spent_s) return kAnyNumber;
  const double left = static_cast<double>(now.spec.budget_s()) - *now.spent_s;
  if (left <= 0) return 0;
  if (now.block_s <= 0) return kAnyNumber;
  return static_cast<uint32_t>(std::min(std::floor(left / now.block_s), 1e6));
}

std::string BudgetText(const JobNow& now) {
  return absl::StrCat("time budget of ", SpanText(now.spec.budget_s()), " spent");
}

uint32_t Planned(const JobNow& now) {
  return static_cast<uint32_t>(
      std::count_if(now.blocks.begin(), now.blocks.end(),
                    [](const BlockNow& block) { return block.planned.replaces() == 0; }));
}

uint32_t Done(const JobNow& now) {
  return static_cast<uint32_t>(
      std::count_if(now.blocks.begin(), now.blocks.end(), [](const BlockNow& block) {
        return block.planned.replaces() == 0 && block.fate != Fate::kCancelled;
      }));
}

// Disturbed and lost blocks that no other repeats.
std::vector<const BlockNow*> Unrepeated(const JobNow& now) {
  std::set<uint32_t> repeated;
  for (const BlockNow& block : now.blocks) repeated.insert(block.planned.replaces());
  std::vector<const BlockNow*> blocks;
  for (const BlockNow& block : now.blocks) {
    const bool ours = block.fate == Fate::kDisturbed || block.fate == Fate::kLost;
    if (ours && repeated.count(block.planned.block()) == 0) blocks.push_back(&block);
  }
  return blocks;
}

uint32_t RepeatsLeft(const JobNow& now) {
  const uint32_t planned = Planned(now);
  const uint32_t used = static_cast<uint32_t>(now.blocks.size()) - planned;
  return MostRepeats(planned) - std::min(MostRepeats(planned), used);
}

uint32_t NextNumber(const JobNow& now, size_t added) {
  return static_cast<uint32_t>(now.blocks.size() + added + 1);
}

std::vector<v1::PlannedBlock> Repetitions(const JobNow& now,
                                          const std::vector<const BlockNow*>& lost, size_t count) {
  std::vector<v1::PlannedBlock> blocks;
  for (size_t i = 0; i < count; ++i) {
    v1::PlannedBlock& block = blocks.emplace_back(lost[i]->planned);
    block.set_replaces(block.block());
    block.set_block(NextNumber(now, i));
  }
  return blocks;
}

// The next `count` of the order that the seed gives.
std::vector<v1::PlannedBlock> More(const JobNow& now, uint32_t count) {
  const uint32_t planned = Planned(now);
  const v1::Plan order = MakeOrder(now.spec, now.order_seed, planned + count);
  std::vector<v1::PlannedBlock> blocks;
  for (uint32_t i = 0; i < count; ++i) {
    v1::PlannedBlock& block = blocks.emplace_back(order.blocks(static_cast<int>(planned + i)));
    block.set_block(NextNumber(now, i));
  }
  return blocks;
}

// Blocks to the next number at which the job is looked at; 0: it has had its last.
uint32_t ToNextLook(const JobNow& now) {
  const uint32_t planned = Planned(now);
  for (const uint32_t look : LooksOf(now.spec)) {
    if (look > planned) return look - planned;
  }
  return 0;
}

bool IsLook(const JobNow& now) {
  const std::vector<uint32_t> looks = LooksOf(now.spec);
  return std::count(looks.begin(), looks.end(), Planned(now)) > 0;
}

// "; blocks 3 and 7 were lost and are not repeated: …" when that is so.
std::string LeftOut(const JobNow& now) {
  std::vector<uint32_t> numbers;
  for (const BlockNow* block : Unrepeated(now)) numbers.push_back(block->planned.block());
  if (numbers.empty()) return "";
  const std::string why = RepeatsLeft(now) == 0
                              ? absl::StrCat(MostRepeats(Planned(now)), " repetitions are the most")
                              : "time ran out";
  return absl::StrCat("; not repeated: block", numbers.size() == 1 ? " " : "s ",
                      absl::StrJoin(numbers, ", "), " (", why, ")");
}

std::string BlocksText(uint32_t n) { return absl::StrCat(n, n == 1 ? " block" : " blocks"); }

class Decider {
 public:
  Decider(const JobNow& now, LookSays look) : now_(now), look_(look) {}

  Step Decide() const {
    const bool out_of_time = Any(now_, Fate::kCancelled);
    const uint32_t fits = out_of_time ? 0 : Fitting(now_);
    const std::vector<const BlockNow*> lost = Unrepeated(now_);
    const size_t repeats = std::min<size_t>({lost.size(), RepeatsLeft(now_), fits});
    if (repeats > 0) return Append(Repetitions(now_, lost, repeats), "");
    const uint32_t more = std::min(ToNextLook(now_), fits);
    // A number that is no look's: the time seemed to be over, and is not.
    if (more > 0 && !IsLook(now_)) return Append(More(now_, more), "");
    if (look_ == LookSays::kNotAsked) return Of(Step::Kind::kLook, "", "");
    return AfterLook(out_of_time, more);
  }

 private:
  Step Of(Step::Kind kind, std::string decision, std::string reason) const {
    return {kind, Done(now_), std::move(decision), std::move(reason), {}};
  }
  Step Append(std::vector<v1::PlannedBlock> blocks, std::string decision) const {
    Step step = Of(Step::Kind::kAppend, std::move(decision), "");
    step.blocks = std::move(blocks);
    return step;
  }
  Step Finish(std::string decision, const std::string& reason) const {
    return Of(Step::Kind::kFinish, std::move(decision), reason + LeftOut(now_));
  }

  Step AfterLook(bool out_of_time, uint32_t more) const {
    const uint32_t planned = Planned(now_);
    if (out_of_time) return Finish("time budget", BudgetText(now_));
    if (ToNextLook(now_) == 0) {
      return Finish(look_ == LookSays::kDecided ? "decided" : "last look",
                    LooksOf(now_.spec).size() == 1
                        ? absl::StrCat(planned == 1 ? "its " : "all its ", BlocksText(planned),
                                       planned == 1 ? " is done" : " are done")
                        : absl::StrCat("last look, after ", BlocksText(planned)));
    }
    if (look_ == LookSays::kDecided) {
      return Finish("decided",
                    absl::StrCat("all primary metrics decided after ", BlocksText(planned)));
    }
    if (look_ == LookSays::kNoComparison) {
      return Finish("nothing to compare",
                    absl::StrCat("nothing to compare after ", BlocksText(planned)));
    }
    if (more == 0) return Finish("time budget", BudgetText(now_));
    return Append(More(now_, more), "goes on");
  }

  const JobNow& now_;
  const LookSays look_;
};

}  // namespace

JobNow NowOf(const v1::JobView& view) {
  JobNow now;
  now.spec = view.spec();
  now.order_seed = view.plan().order_seed();
  const LastAttempts last = LastAttemptsOf(view);
  for (const v1::PlannedBlock& block : view.plan().blocks()) {
    now.blocks.push_back({block, FateOf(block, last)});
  }
  return now;
}

Step NextStep(const JobNow& now, LookSays look) {
  const bool unbegun = Any(now, Fate::kUnbegun);
  if (unbegun && Fitting(now) == 0) {
    return {Step::Kind::kCancel, Done(now), "", BudgetText(now), {}};
  }
  if (unbegun || Any(now, Fate::kOpen)) return {Step::Kind::kWait, Done(now), "", "", {}};
  return Decider(now, look).Decide();
}

}  // namespace shakedown::plan
