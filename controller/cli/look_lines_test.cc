#include "controller/cli/look_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controller/cli/job_views.h"
#include "controller/cli/watch_view.h"

namespace shakedown::cli {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> Texts(const std::vector<Line>& lines) {
  std::vector<std::string> texts;
  for (const Line& line : lines) texts.push_back(Text(line));
  return texts;
}

// A job of three looks with `blocks` blocks planned, a budget of 4 h, its first boot begun.
v1::JobView Job(uint32_t blocks) {
  v1::JobView job = MakeJob(blocks);
  job.mutable_spec()->set_blocks(0);
  job.mutable_spec()->set_stopping(v1::STOPPING_RULE_LOOKS);
  job.mutable_spec()->set_budget_s(4 * 3600);
  for (uint32_t b = 1; b <= blocks; ++b) job.mutable_plan()->add_blocks()->set_block(b);
  job.set_next_look(blocks);
  SetRunning(*job.mutable_boots(0), "make", 0.5F);
  return job;
}

void AddLook(v1::JobView& job, const char* decision) {
  v1::LookView& look = *job.add_looks();
  look.set_look(1);
  look.set_after_blocks(8);
  look.set_text("make.real B inconclusive");
  look.set_decision(decision);
  look.mutable_at()->set_seconds(kStart + 60 + 3600);
}

TEST(StoppingTextTest, ScheduleAndTimeLeft) {
  const absl::Time now = absl::FromUnixSeconds(kStart + 60 + 1800);
  v1::JobView job = Job(8);
  EXPECT_EQ(StoppingText(job, now),
            "looks after 8, 16 and 24 blocks, the next after 8; time budget 4 h, 3 h 30 min left");
  EXPECT_EQ(StoppingText(MakeJob(2), now), "");
  job.set_state(v1::JOB_STATE_DONE);
  job.set_next_look(0);
  EXPECT_EQ(StoppingText(job, now), "looks after 8, 16 and 24 blocks; time budget 4 h");
}

TEST(StoppingTextTest, TimeIsNeverLessThanNone) {
  EXPECT_THAT(StoppingText(Job(8), absl::FromUnixSeconds(kStart + 60 + 5 * 3600)),
              HasSubstr("time budget 4 h, 0 min left"));
}

TEST(LookChangesTest, LooksBlocksAndRepetitionsAsTheyCome) {
  const v1::JobView before = Job(8);
  EXPECT_THAT(LookChanges(before, before), IsEmpty());
  v1::JobView after = Job(8);
  v1::PlannedBlock* repeat = after.mutable_plan()->add_blocks();
  repeat->set_block(9);
  repeat->set_replaces(3);
  EXPECT_THAT(Texts(LookChanges(before, after)), ElementsAre("block 9 repeats block 3"));
  const v1::JobView repeated = after;
  AddLook(after, "goes on");
  for (uint32_t b = 10; b <= 17; ++b) after.mutable_plan()->add_blocks()->set_block(b);
  EXPECT_THAT(Texts(LookChanges(repeated, after)),
              ElementsAre("look 1 after 8 blocks: make.real B inconclusive: goes on, time budget: "
                          "3 h left",
                          "goes on with blocks 10 to 17"));
  EXPECT_THAT(Texts(LookLines(after)),
              ElementsAre("look 1 after 8 blocks: make.real B inconclusive: goes on",
                          "block 9 repeats block 3"));
}

TEST(LookChangesTest, BlocksThatAreNotBegun) {
  const v1::JobView before = Job(8);
  v1::JobView after = before;
  for (v1::BootView& boot : *after.mutable_boots()) {
    if (boot.block() < 5) continue;
    boot.set_state(v1::WORK_STATE_ENDED);
    boot.set_outcome(v1::OUTCOME_CANCELLED);
    boot.set_reason("time budget of 4 h spent");
  }
  EXPECT_THAT(Texts(JobChanges(&before, after)),
              ElementsAre("blocks 5 to 8 are not begun: time budget of 4 h spent"));
}

TEST(EndLinesTest, SaysWhy) {
  v1::JobView job = Job(8);
  job.set_end_reason("all primary metrics decided after 8 blocks");
  EXPECT_THAT(Texts(EndLines(job)),
              ElementsAre("ended: all primary metrics decided after 8 blocks"));
  v1::JobView plain = MakeJob(2);
  plain.set_end_reason("all its 2 blocks are done");
  EXPECT_THAT(EndLines(plain), IsEmpty());
}

TEST(DrawJobTest, ShowsLooksAboveTheGrid) {
  v1::JobView job = Job(16);
  AddLook(job, "goes on");
  const std::vector<std::string> texts =
      Texts(DrawJob(job, {.columns = 80, .rows = 40}, absl::FromUnixSeconds(kStart + 60)));
  EXPECT_THAT(texts, Contains("look 1 after 8 blocks: make.real B inconclusive: goes on"));
  EXPECT_THAT(texts, Contains(HasSubstr("the next after 16")));
}

TEST(BlocksTextTest, OfEachRule) {
  v1::JobSpec spec;
  spec.set_blocks(5);
  EXPECT_EQ(BlocksText(spec), "5");
  spec.set_stopping(v1::STOPPING_RULE_QUICK);
  EXPECT_EQ(BlocksText(spec), "8");
  spec.set_stopping(v1::STOPPING_RULE_LOOKS);
  EXPECT_EQ(BlocksText(spec), "8 to 24");
}

}  // namespace
}  // namespace shakedown::cli
