#include "controller/cli/watch_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "controller/cli/job_views.h"
#include "controller/cli/text_width.h"

namespace shakedown::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const absl::Time kNow = absl::FromUnixSeconds(kStart + 60 + 75);

std::string AsText(const std::vector<Line>& lines) {
  std::string text;
  for (const Line& line : lines) absl::StrAppend(&text, Text(line), "\n");
  return text;
}

v1::JobView Middle() {
  v1::JobView job = MakeJob(2);
  job.set_remaining_s(700);
  End(*job.mutable_boots(0), v1::OUTCOME_MEASURED);
  End(*job.mutable_boots(1), v1::OUTCOME_PANICKED, "BUG: kernel NULL pointer dereference",
      "one\ntwo\nthree\nfour\nfive\nsix\nseven\n");
  SetRunning(*job.mutable_boots(2), "latt 2/3", 0.456F);
  return job;
}

TEST(DrawJobTest, Golden) {
  EXPECT_EQ(AsText(DrawJob(Middle(), {.columns = 80, .rows = 40}, kNow)),
            "Job 17: CFS against EEVDF\n"
            "[##############----------] 2 of 4 boots, about 12 min left\n"
            "A  debian-6.1\n"
            "B  debian-6.12\n"
            "block  A                           B                           \n"
            "1      measured 3:05               panicked 3:05               \n"
            "2      latt 2/3 45%                queued                      \n"
            "17.2A on vm1: latt 2/3 45%, 1:15 so far\n"
            "17.1B debian-6.12: panicked: BUG: kernel NULL pointer dereference\n"
            "    | two\n"
            "    | three\n"
            "    | four\n"
            "    | five\n"
            "    | six\n"
            "    | seven\n");
}

TEST(DrawJobTest, ShowsBuildsThatAreNotDone) {
  v1::JobView job = MakeJob(1);
  v1::BuildView& build = *job.mutable_builds(1);
  build.set_state(v1::WORK_STATE_RUNNING);
  build.set_phase("compile");
  build.set_progress(0.43F);
  build.set_agent("host1");
  for (v1::BootView& boot : *job.mutable_boots()) boot.set_state(v1::WORK_STATE_WAITING);
  const std::string text = AsText(DrawJob(job, {.columns = 80, .rows = 24}, kNow));
  EXPECT_THAT(text, HasSubstr("build debian-6.12: compile 43% on host1\n"));
  EXPECT_THAT(text, Not(HasSubstr("build debian-6.1:")));
  EXPECT_THAT(text, HasSubstr("waiting"));
}

TEST(DrawJobTest, UsesSignsWhenItIsTooWide) {
  v1::JobView job = MakeJob(1, 8);
  End(*job.mutable_boots(0), v1::OUTCOME_MEASURED);
  End(*job.mutable_boots(1), v1::OUTCOME_HUNG);
  End(*job.mutable_boots(2), v1::OUTCOME_FARM_FAILED);
  SetRunning(*job.mutable_boots(3), "boot", 0);
  const std::string text = AsText(DrawJob(job, {.columns = 80, .rows = 50}, kNow));
  EXPECT_THAT(text, HasSubstr("block  A B C D E F G H "));
  EXPECT_THAT(text, HasSubstr("1      + X ? > . . . . "));
  EXPECT_THAT(text, HasSubstr("X the kernel failed"));
}

TEST(DrawJobTest, FitsAnyScreen) {
  v1::JobView job = MakeJob(1000, 5);
  for (int i = 0; i < 2500; ++i) {
    End(*job.mutable_boots(i), i % 3 == 0 ? v1::OUTCOME_HUNG : v1::OUTCOME_MEASURED, "why",
        "tail\ntail\ntail\ntail\n");
  }
  SetRunning(*job.mutable_boots(2500), "latt 1/3", 0.5F);
  for (size_t rows = 2; rows < 60; ++rows) {
    for (const size_t columns : {10, 40, 80, 200}) {
      const std::vector<Line> lines = DrawJob(job, {.columns = columns, .rows = rows}, kNow);
      EXPECT_LT(lines.size(), std::max<size_t>(rows, 4));
    }
  }
  const std::string text = AsText(DrawJob(job, {.columns = 120, .rows = 24}, kNow));
  EXPECT_THAT(text, HasSubstr("blocks before"));
  EXPECT_THAT(text, HasSubstr("\n501    latt 1/3 50%"));
  EXPECT_THAT(text, HasSubstr("blocks to come"));
}

TEST(DrawJobTest, TheFarmsWordsDoNotReachTheTerminal) {
  v1::JobView job = Middle();
  job.mutable_spec()->set_title("\x1b]0;x\x07 a\nb");
  job.mutable_boots(1)->set_console_tail("\x1b[2J\x1b[Hgone\r\nnext");
  job.mutable_boots(1)->set_reason("\x1b[31mred");
  job.mutable_boots(2)->set_phase("\x1b[5mblink");
  for (const Line& line : DrawJob(job, {.columns = 80, .rows = 40}, kNow)) {
    for (const char c : Text(line)) EXPECT_FALSE(absl::ascii_iscntrl(c)) << Text(line);
  }
}

std::vector<std::string> Changes(const v1::JobView* before, const v1::JobView& after) {
  std::vector<std::string> texts;
  for (const Line& line : JobChanges(before, after)) texts.push_back(Text(line));
  return texts;
}

TEST(JobChangesTest, FirstTellsWhatHasHappened) {
  EXPECT_THAT(Changes(nullptr, Middle()),
              ElementsAre("Job 17: CFS against EEVDF: active, 2 variants, 2 blocks, 4 boots, about "
                          "12 min left",
                          "build debian-6.1: built, about 12 min left",
                          "build debian-6.12: built, about 12 min left",
                          "17.1A debian-6.1: measured in 3 min 5 s, about 12 min left",
                          "17.1B debian-6.12: panicked: BUG: kernel NULL pointer dereference",
                          "    | one", "    | two", "    | three", "    | four", "    | five",
                          "    | six", "    | seven", "17.2A debian-6.1: latt 2/3 on vm1"));
}

TEST(JobChangesTest, SameAgainSaysNothing) {
  const v1::JobView job = Middle();
  EXPECT_THAT(Changes(&job, job), IsEmpty());
}

TEST(JobChangesTest, ProgressAloneIsNoNewsOfABoot) {
  const v1::JobView before = Middle();
  v1::JobView after = before;
  after.mutable_boots(2)->set_progress(0.5F);
  EXPECT_THAT(Changes(&before, after), IsEmpty());
  after.mutable_boots(2)->set_phase("interbench 3/3");
  EXPECT_THAT(Changes(&before, after), ElementsAre("17.2A debian-6.1: interbench 3/3 on vm1"));
}

TEST(JobChangesTest, BuildsTellEveryTenth) {
  v1::JobView before = MakeJob(1);
  v1::BuildView& build = *before.mutable_builds(0);
  build.set_state(v1::WORK_STATE_RUNNING);
  build.set_phase("compile 512/1500");
  build.set_progress(0.41F);
  v1::JobView after = before;
  after.mutable_builds(0)->set_phase("compile 517/1500");
  after.mutable_builds(0)->set_progress(0.48F);
  EXPECT_THAT(Changes(&before, after), IsEmpty());
  after.mutable_builds(0)->set_progress(0.52F);
  EXPECT_THAT(Changes(&before, after), ElementsAre("build debian-6.1: compile 517/1500 52%"));
  after.mutable_builds(0)->set_state(v1::WORK_STATE_ENDED);
  after.mutable_builds(0)->set_status("failed");
  after.mutable_builds(0)->set_error("kernel/sched/fair.c:12:3: error: 'x' undeclared\n  x = 1;\n");
  EXPECT_THAT(
      Changes(&before, after),
      ElementsAre("build debian-6.1: failed: kernel/sched/fair.c:12:3: error: 'x' undeclared",
                  "    | x = 1;"));
}

TEST(JobChangesTest, ACancelledJobIsToldOnce) {
  const v1::JobView before = MakeJob(5);
  v1::JobView after = before;
  for (v1::BootView& boot : *after.mutable_boots()) {
    boot.set_state(v1::WORK_STATE_ENDED);
    boot.set_outcome(v1::OUTCOME_CANCELLED);
  }
  after.mutable_builds(0)->set_status("cancelled");
  EndJob(after, v1::JOB_STATE_CANCELLED);
  EXPECT_THAT(Changes(&before, after), IsEmpty());
}

TEST(JobChangesTest, ASecondAttemptIsNews) {
  const v1::JobView before = MakeJob(1);
  v1::JobView after = before;
  End(*after.mutable_boots(0), v1::OUTCOME_FARM_FAILED, "QEMU ended with signal 9");
  Again(after, after.boots(0));
  EXPECT_THAT(Changes(&before, after),
              ElementsAre("17.1A debian-6.1: farm_failed: QEMU ended with signal 9",
                          "17.1A.2 debian-6.1: queued again"));
}

std::vector<std::string> Summary(const v1::JobView& job) {
  std::vector<std::string> texts;
  for (const Line& line : JobSummary(job)) texts.push_back(Text(line));
  return texts;
}

TEST(JobSummaryTest, CountsAndTellsFailures) {
  v1::JobView job = MakeJob(2);
  for (v1::BootView& boot : *job.mutable_boots()) End(boot, v1::OUTCOME_MEASURED);
  End(*job.mutable_boots(3), v1::OUTCOME_HUNG, "silent for 120 s", "last words");
  End(*job.mutable_boots(0), v1::OUTCOME_FARM_FAILED, "lost");
  End(Again(job, job.boots(0)), v1::OUTCOME_MEASURED);
  EndJob(job);
  EXPECT_THAT(Summary(job),
              ElementsAre("Job 17: CFS against EEVDF: done after 23 min 4 s: 4 boots: 3 measured, "
                          "1 hung",
                          "1 attempt lost by the farm and tried again",
                          "17.2B debian-6.12: hung: silent for 120 s", "    | last words"));
}

TEST(JobSummaryTest, ACancelledJob) {
  v1::JobView job = MakeJob(1);
  End(*job.mutable_boots(0), v1::OUTCOME_MEASURED);
  job.mutable_boots(1)->set_state(v1::WORK_STATE_ENDED);
  job.mutable_boots(1)->set_outcome(v1::OUTCOME_CANCELLED);
  job.mutable_builds(1)->set_status("cancelled");
  EndJob(job, v1::JOB_STATE_CANCELLED);
  EXPECT_THAT(Summary(job), ElementsAre("Job 17: CFS against EEVDF: cancelled after 23 min 4 s: 2 "
                                        "boots: 1 measured, 1 cancelled"));
}

TEST(JobSummaryTest, DoesNotTellAThousandFailures) {
  v1::JobView job = MakeJob(1000);
  for (v1::BootView& boot : *job.mutable_boots()) End(boot, v1::OUTCOME_HUNG, "silent");
  EndJob(job);
  const std::vector<std::string> lines = Summary(job);
  EXPECT_EQ(lines.size(), 10);
  EXPECT_EQ(lines.back(), "… and 1992 more: shakedown boots 17");
}

}  // namespace
}  // namespace shakedown::cli
