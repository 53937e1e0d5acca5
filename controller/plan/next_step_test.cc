#include "controller/plan/next_step.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "absl/strings/str_cat.h"
#include "controller/plan/make_plan.h"

namespace shakedown::plan {
namespace {

constexpr uint64_t kSeed = 17;

// One letter a block: u(nbegun) o(pen) d(one) x disturbed l(ost) c(ancelled). The blocks are those
// of the order.
JobNow Now(v1::StoppingRule rule, const std::string& fates, uint32_t fixed = 0) {
  JobNow now;
  now.spec.set_stopping(rule);
  now.spec.set_blocks(fixed);
  now.order_seed = kSeed;
  for (int i = 0; i < 2; ++i) now.spec.add_variants()->set_kernel("k");
  const v1::Plan order = MakeOrder(now.spec, kSeed, static_cast<uint32_t>(fates.size()));
  for (size_t i = 0; i < fates.size(); ++i) {
    const std::string letters = "uodxlc";
    now.blocks.push_back(
        {order.blocks(static_cast<int>(i)), static_cast<Fate>(letters.find(fates[i]))});
  }
  if (fates.find_first_not_of('u') != std::string::npos) now.spent_s = 100;
  return now;
}

JobNow Fixed(const std::string& fates) {
  return Now(v1::STOPPING_RULE_FIXED, fates, static_cast<uint32_t>(fates.size()));
}
JobNow Looks(const std::string& fates) { return Now(v1::STOPPING_RULE_LOOKS, fates); }
JobNow Quick(const std::string& fates) { return Now(v1::STOPPING_RULE_QUICK, fates); }

// `now` with its last block a repetition of `block`.
JobNow Repeats(JobNow now, uint32_t block) {
  now.blocks.back().planned.set_replaces(block);
  if (now.spec.blocks() > 0) now.spec.set_blocks(now.spec.blocks() - 1);
  return now;
}

JobNow Budget(JobNow now, uint64_t budget_s, double spent_s, double block_s) {
  now.spec.set_budget_s(budget_s);
  now.spent_s = spent_s;
  now.block_s = block_s;
  return now;
}

std::string Text(const Step& step) {
  std::string text;
  switch (step.kind) {
    case Step::Kind::kWait:
      return "wait";
    case Step::Kind::kCancel:
      return absl::StrCat("cancel: ", step.reason);
    case Step::Kind::kLook:
      return absl::StrCat("look after ", step.after_blocks);
    case Step::Kind::kFinish:
      return absl::StrCat("finish (", step.decision, "): ", step.reason);
    case Step::Kind::kAppend:
      text = absl::StrCat("append (", step.decision, "):");
      for (const v1::PlannedBlock& block : step.blocks) {
        absl::StrAppend(&text, " ", block.block());
        if (block.replaces() != 0) absl::StrAppend(&text, "=", block.replaces());
      }
  }
  return text;
}

struct StepCase {
  std::string name;
  JobNow now;
  LookSays look;
  std::string want;
};
class NextStepTest : public testing::TestWithParam<StepCase> {};
TEST_P(NextStepTest, Table) {
  EXPECT_EQ(Text(NextStep(GetParam().now, GetParam().look)), GetParam().want);
}

constexpr LookSays kAsk = LookSays::kNotAsked;
const char kEight[] = "dddddddd";
const char kSixteen[] = "dddddddddddddddd";
const char kAll[] = "dddddddddddddddddddddddd";
const char kLastLook[] = "finish (last look): last look, after 24 blocks";

INSTANTIATE_TEST_SUITE_P(
    , NextStepTest,
    testing::ValuesIn<StepCase>({
        {"NothingHasBegun", Fixed("uu"), kAsk, "wait"},
        {"OneRuns", Fixed("dod"), kAsk, "wait"},
        {"FixedIsLookedAtOnce", Fixed("ddd"), kAsk, "look after 3"},
        {"FixedEndsWhateverItSays", Fixed("ddd"), LookSays::kOpen,
         "finish (last look): all its 3 blocks are done"},
        {"OneBlock", Fixed("d"), LookSays::kOpen, "finish (last look): its 1 block is done"},
        {"QuickHasOneLook", Quick(kEight), LookSays::kOpen,
         "finish (last look): all its 8 blocks are done"},
        {"QuickDecided", Quick(kEight), LookSays::kDecided,
         "finish (decided): all its 8 blocks are done"},
        {"FirstLook", Looks(kEight), kAsk, "look after 8"},
        {"DecidedAtTheFirst", Looks(kEight), LookSays::kDecided,
         "finish (decided): all primary metrics decided after 8 blocks"},
        {"OpenAtTheFirst", Looks(kEight), LookSays::kOpen,
         "append (goes on): 9 10 11 12 13 14 15 16"},
        {"WithoutPrimariesByBlocksAlone", Looks(kEight), LookSays::kNoPrimaries,
         "append (goes on): 9 10 11 12 13 14 15 16"},
        {"NothingToCompare", Looks(kEight), LookSays::kNoComparison,
         "finish (nothing to compare): nothing to compare after 8 blocks"},
        {"DecidedAtTheSecond", Looks(kSixteen), LookSays::kDecided,
         "finish (decided): all primary metrics decided after 16 blocks"},
        {"OpenAtTheSecond", Looks(kSixteen), LookSays::kOpen,
         "append (goes on): 17 18 19 20 21 22 23 24"},
        {"OpenAtTheLast", Looks(kAll), LookSays::kOpen, kLastLook},
        {"DecidedAtTheLast", Looks(kAll), LookSays::kDecided,
         "finish (decided): last look, after 24 blocks"},
        {"NoPrimariesAtTheLast", Looks(kAll), LookSays::kNoPrimaries, kLastLook},
        // Repetitions.
        {"DisturbedIsRepeatedAtTheEnd", Looks("ddxddddd"), kAsk, "append (): 9=3"},
        {"LostIsRepeatedBeforeTheLook", Looks("lddddddx"), LookSays::kDecided,
         "append (): 9=1 10=8"},
        {"NotWhileOthersRun", Looks("ddxddddo"), kAsk, "wait"},
        {"RepeatedIsRepeatedOnce", Repeats(Looks("ddxdddddd"), 3), kAsk, "look after 8"},
        {"ARepetitionMayBeDisturbedToo", Repeats(Looks("ddxdddddx"), 3), kAsk, "append (): 10=9"},
        {"OrderGoesOnBehindRepetitions", Repeats(Looks("ddxdddddd"), 3), LookSays::kOpen,
         "append (goes on): 10 11 12 13 14 15 16 17"},
        {"AtMostHalf", Quick("xxxxxddd"), kAsk, "append (): 9=1 10=2 11=3 12=4"},
        {"TwoAtLeast", Fixed("x"), kAsk, "append (): 2=1"},
        // Time.
        {"NoBudgetNoLimit", Budget(Looks(kEight), 0, 1e9, 1e9), LookSays::kOpen,
         "append (goes on): 9 10 11 12 13 14 15 16"},
        {"OnlyWhatFits", Budget(Looks(kEight), 1000, 700, 100), LookSays::kOpen,
         "append (goes on): 9 10 11"},
        {"NothingFits", Budget(Looks(kEight), 3600, 3550, 100), LookSays::kOpen,
         "finish (time budget): time budget of 1 h spent"},
        {"DecidedNeedsNoTime", Budget(Looks(kEight), 1000, 5000, 100), LookSays::kDecided,
         "finish (decided): all primary metrics decided after 8 blocks"},
        {"NoLookBetweenLooks", Budget(Looks("ddddddddddd"), 1000, 700, 100), LookSays::kOpen,
         "append (): 12 13 14"},
        {"TheLastLookIsWhereTimeEnds", Budget(Looks("ddddddddddd"), 1000, 950, 100), kAsk,
         "look after 11"},
        {"ThenItEnds", Budget(Looks("ddddddddddd"), 3600, 3550, 100), LookSays::kOpen,
         "finish (time budget): time budget of 1 h spent"},
        {"WhatWouldEndTooLateIsNotBegun", Budget(Fixed("dddou"), 3600, 3550, 100), kAsk,
         "cancel: time budget of 1 h spent"},
        {"WhatFitsWaits", Budget(Fixed("dddou"), 3600, 3400, 100), kAsk, "wait"},
        {"OfTheFirstThereIsNoEstimate",
         [] {
           JobNow now = Budget(Fixed("uu"), 60, 0, 100);
           now.spent_s.reset();
           return now;
         }(),
         kAsk, "wait"},
        {"CancelledIsLookedAt", Budget(Fixed("dddcc"), 3600, 3600, 100), kAsk, "look after 3"},
        {"CancelledEnds", Budget(Fixed("dddcc"), 3600, 3600, 100), LookSays::kOpen,
         "finish (time budget): time budget of 1 h spent"},
        {"CancelledGetsNoRepetition", Budget(Fixed("dxdcc"), 3600, 0, 1), LookSays::kOpen,
         "finish (time budget): time budget of 1 h spent; not repeated: block 2 (time ran out)"},
        {"NoTimeToRepeat", Budget(Fixed("dxd"), 3600, 3600, 100), LookSays::kOpen,
         "finish (last look): all its 3 blocks are done; not repeated: block 2 (time ran out)"},
    }),
    [](const auto& test) { return test.param.name; });

TEST(RepeatStepTest, RepetitionsEnd) {
  JobNow now = Quick("xxxxxdddxxxx");
  for (size_t i = 8; i < 12; ++i) now.blocks[i].planned.set_replaces(static_cast<uint32_t>(i - 7));
  EXPECT_EQ(Text(NextStep(now, LookSays::kOpen)),
            "finish (last look): all its 8 blocks are done; not repeated: blocks 5, 9, 10, 11, 12 "
            "(4 repetitions are the most)");
}

TEST(RepeatStepTest, TheOrderIsTheSeedsWhateverWasRepeated) {
  const v1::Plan whole = MakeOrder(Looks("").spec, kSeed, 24);
  const Step more = NextStep(Repeats(Looks("ddxdddddd"), 3), LookSays::kOpen);
  for (size_t i = 0; i < more.blocks.size(); ++i) {
    v1::PlannedBlock want = whole.blocks(static_cast<int>(8 + i));
    want.set_block(static_cast<uint32_t>(10 + i));
    EXPECT_EQ(more.blocks[i].SerializeAsString(), want.SerializeAsString());
  }
  const Step again = NextStep(Looks("ddxddddd"), LookSays::kNotAsked);
  v1::PlannedBlock want = whole.blocks(2);
  want.set_block(9);
  want.set_replaces(3);
  EXPECT_EQ(again.blocks[0].SerializeAsString(), want.SerializeAsString());
}

struct FateCase {
  const char* name;
  std::function<void(v1::BootView& a, v1::BootView& b)> set;
  Fate want;
};
class FateTest : public testing::TestWithParam<FateCase> {};
TEST_P(FateTest, OfABlock) {
  v1::JobView view;
  v1::PlannedBlock* block = view.mutable_plan()->add_blocks();
  block->set_block(1);
  for (uint32_t v : {0u, 1u}) {
    block->add_variants(v);
    v1::BootView* boot = view.add_boots();
    boot->set_block(1);
    boot->set_variant(v);
    boot->set_attempt(1);
    boot->set_state(v1::WORK_STATE_QUEUED);
  }
  GetParam().set(*view.mutable_boots(0), *view.mutable_boots(1));
  EXPECT_EQ(NowOf(view).blocks[0].fate, GetParam().want);
}

void End(v1::BootView& boot, v1::Outcome outcome, bool started = true) {
  boot.set_state(v1::WORK_STATE_ENDED);
  boot.set_outcome(outcome);
  if (started) boot.mutable_started()->set_seconds(1);
}

INSTANTIATE_TEST_SUITE_P(
    , FateTest,
    testing::ValuesIn<FateCase>({
        {"Queued", [](auto&, auto&) {}, Fate::kUnbegun},
        {"WaitsForABuild",
         [](auto& a, auto& b) {
           End(a, v1::OUTCOME_BUILD_FAILED, false);
           b.set_state(v1::WORK_STATE_WAITING);
         },
         Fate::kUnbegun},
        {"Running", [](auto& a, auto&) { a.set_state(v1::WORK_STATE_RUNNING); }, Fate::kOpen},
        {"BoundToAMachine",
         [](auto& a, auto& b) {
           End(a, v1::OUTCOME_MEASURED);
           b.set_machine("vm1");
         },
         Fate::kOpen},
        {"Measured",
         [](auto& a, auto& b) {
           End(a, v1::OUTCOME_MEASURED);
           End(b, v1::OUTCOME_MEASURED);
         },
         Fate::kDone},
        {"AKernelsOwnFailure",
         [](auto& a, auto& b) {
           End(a, v1::OUTCOME_PANICKED);
           End(b, v1::OUTCOME_LOAD_FAILED);
         },
         Fate::kDone},
        {"Disturbed",
         [](auto& a, auto& b) {
           End(a, v1::OUTCOME_PANICKED);
           End(b, v1::OUTCOME_DISTURBED);
         },
         Fate::kDisturbed},
        {"Lost",
         [](auto& a, auto& b) {
           End(a, v1::OUTCOME_FARM_FAILED);
           End(b, v1::OUTCOME_MEASURED);
         },
         Fate::kLost},
        {"AMachineThatCanNotBeSetUpIsNotRepeated",
         [](auto& a, auto& b) {
           End(a, v1::OUTCOME_FARM_FAILED);
           a.set_reason("setup: governor performance: no cpufreq on this machine");
           End(b, v1::OUTCOME_MEASURED);
         },
         Fate::kDone},
        {"ABuildThatNeverCameIsNotRepeated",
         [](auto& a, auto& b) {
           End(a, v1::OUTCOME_FARM_FAILED, false);
           End(b, v1::OUTCOME_MEASURED);
         },
         Fate::kDone},
        {"Cancelled",
         [](auto& a, auto& b) {
           End(a, v1::OUTCOME_DISTURBED);
           End(b, v1::OUTCOME_CANCELLED);
         },
         Fate::kCancelled},
    }),
    [](const auto& test) { return test.param.name; });

TEST(AttemptsTest, TheLastAttemptCounts) {
  v1::JobView view;
  v1::PlannedBlock* block = view.mutable_plan()->add_blocks();
  block->set_block(1);
  block->add_variants(0);
  for (uint32_t attempt : {1u, 2u}) {
    v1::BootView* boot = view.add_boots();
    boot->set_block(1);
    boot->set_attempt(attempt);
    End(*boot, attempt == 1 ? v1::OUTCOME_FARM_FAILED : v1::OUTCOME_MEASURED);
  }
  EXPECT_EQ(NowOf(view).blocks[0].fate, Fate::kDone);
}

}  // namespace
}  // namespace shakedown::plan
