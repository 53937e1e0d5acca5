// Bisects to their end on a real database: what is found, failures, restarts, several controllers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "controller/plan/text.h"
#include "controller/service/bisect_keeper.h"
#include "controller/service/test_farm.h"
#include "db/store/bisects.h"
#include "db/store/kernels.h"
#include "proto/wire/ids.h"

namespace shakedown::service {
namespace {

using fakes::ScriptedAgent;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const store::Principal kAda = {.role = store::Role::kUser, .name = "ada"};

// k-6.1 to k-6.<n>: of one configuration, each of a version of its own.
void AddKernels(TestFarm& farm, int n) {
  const v1::Kernel alpha = store::GetKernel(farm.database(), "alpha").value();
  for (int i = 1; i <= n; ++i) {
    v1::Kernel kernel = alpha;
    kernel.set_name(absl::StrCat("k-6.", i));
    kernel.mutable_debian_source()->set_version(absl::StrCat("6.", i));
    ASSERT_TRUE(store::AddKernel(farm.database(), kernel, "ada").ok());
  }
}

v1::StartBisectRequest Request(int n) {
  v1::StartBisectRequest request;
  request.set_request_id(NewUuid());
  request.set_good("k-6.1");
  request.set_bad(absl::StrCat("k-6.", n));
  request.set_metric("make.real");
  *request.mutable_job()->add_loads() = plan::ParseLoad("make").value();
  return request;
}

// Boots of an agent whose make takes 20 s, and 10 % more from one kernel on.
class Machine {
 public:
  Machine(TestFarm& farm, int culprit) : farm_(farm), culprit_(culprit) {}

  v1::BootResult Boot(const v1::BootOrder& order) {
    ++boots;
    const std::string kernel = KernelOf(order);
    if (special.count(kernel) > 0) return special[kernel](order);
    const int version = std::stoi(kernel.substr(4));
    // Noise of about 1 %, never the same twice.
    const double noise = 1 + 0.01 * ((boots * 7919) % 21 - 10) / 10.0;
    return ScriptedAgent::Measured(order, (version >= culprit_ ? 22 : 20) * noise);
  }

  std::string KernelOf(const v1::BootOrder& order) {
    const BootName name = ParseBootName(order.name()).value();
    return farm_.Job(name.job).spec().variants(static_cast<int>(name.variant)).kernel();
  }

  int boots = 0;
  std::map<std::string, ScriptedAgent::BootScript> special;

 private:
  TestFarm& farm_;
  const int culprit_;
};

class BisectServiceTest : public testing::Test {
 protected:
  static constexpr int kKernels = 16;
  BisectServiceTest() : machine_(farm_, 11), agent_(farm_.Agent("host1", {"vm1"})) {
    AddKernels(farm_, kKernels);
    agent_.on_boot = [this](const auto& order) { return machine_.Boot(order); };
    // So that the farm has seen a machine.
    EXPECT_TRUE(agent_.Sync().ok());
  }
  int64_t Start(const v1::StartBisectRequest& request) {
    const auto view = farm_.bisects().StartBisect(kAda, request);
    EXPECT_TRUE(view.ok()) << view.status();
    return view.ok() ? view->bisect() : 0;
  }
  v1::BisectView View(int64_t bisect) { return farm_.bisects().GetBisect(bisect).value(); }
  v1::BisectView RunToEnd(int64_t bisect) {
    const absl::Status ran = agent_.Run([&] { return View(bisect).state() != "running"; });
    EXPECT_TRUE(ran.ok()) << ran;
    return View(bisect);
  }
  static std::string Answers(const v1::BisectView& view) {
    std::string text;
    for (const v1::BisectStep& step : view.steps()) {
      absl::StrAppend(&text, text.empty() ? "" : ", ", step.kernel(), " ",
                      v1::BisectAnswer_Name(step.answer()).substr(14));
    }
    return text;
  }

  TestFarm farm_;
  Machine machine_;
  ScriptedAgent agent_;
};

TEST_F(BisectServiceTest, FindsTheKernel) {
  const int64_t bisect = Start(Request(kKernels));
  const v1::BisectView view = RunToEnd(bisect);
  EXPECT_EQ(view.state(), "found") << view.text();
  EXPECT_EQ(view.culprit(), "k-6.11");
  EXPECT_GE(view.confidence(), 0.95);
  ASSERT_EQ(view.probabilities_size(), view.request().candidates_size());
  EXPECT_EQ(*std::max_element(view.probabilities().begin(), view.probabilities().end()),
            view.confidence());
  EXPECT_EQ(view.boots(), static_cast<uint32_t>(machine_.boots));
  EXPECT_LE(view.boots(), 100u);
  EXPECT_NEAR(view.change(), 0.0953, 0.01);
  EXPECT_TRUE(view.has_ended());
  ASSERT_GE(view.steps_size(), 5) << Answers(view);
  EXPECT_EQ(view.steps(0).kind(), "ends");
  EXPECT_EQ(view.steps(0).differences_size(), 8);
  const v1::BisectStep& last = view.steps(view.steps_size() - 1);
  EXPECT_EQ(last.kind(), "verify");
  EXPECT_EQ(last.kernel(), "k-6.11");
  EXPECT_EQ(last.base(), "k-6.10");
  EXPECT_GT(last.likelihood(), 19);
  ASSERT_EQ(last.jobs_size(), 1);
  EXPECT_EQ(farm_.Job(last.jobs(0)).submitter(), "ada");
  EXPECT_THAT(farm_.Job(last.jobs(0)).spec().title(),
              HasSubstr(absl::StrCat("bisect ", bisect, ", step ", last.step())));
}

TEST_F(BisectServiceTest, TheSameRequestIsTheSameBisect) {
  const v1::StartBisectRequest request = Request(kKernels);
  const int64_t bisect = Start(request);
  EXPECT_EQ(Start(request), bisect);
  EXPECT_NE(Start(Request(kKernels)), bisect);
  const auto list = farm_.bisects().ListBisects({}).value();
  EXPECT_EQ(list.bisects_size(), 2);
  EXPECT_EQ(list.bisects(1).bisect(), bisect);
  EXPECT_EQ(list.bisects(1).submitter(), "ada");
  v1::ListBisectsRequest page;
  page.set_limit(1);
  EXPECT_EQ(farm_.bisects().ListBisects(page)->bisects(0).bisect(), list.bisects(0).bisect());
  page.set_before(list.bisects(0).bisect());
  EXPECT_EQ(farm_.bisects().ListBisects(page)->bisects(0).bisect(), bisect);
  page.set_before(bisect);
  EXPECT_EQ(farm_.bisects().ListBisects(page)->bisects_size(), 0);
  EXPECT_EQ(View(bisect).request().candidates_size(), kKernels);
}

TEST_F(BisectServiceTest, ARestartInTheMiddleLosesNothing) {
  const int64_t bisect = Start(Request(kKernels));
  ASSERT_TRUE(agent_.Run([&] { return View(bisect).steps_size() >= 3; }).ok());
  farm_.StopBackground();
  const v1::BisectView before = View(bisect);
  // Whatever can be done without a keeper is done.
  for (int i = 0; i < 40; ++i) ASSERT_TRUE(agent_.Step().ok());
  EXPECT_EQ(View(bisect).steps_size(), before.steps_size());
  farm_.StartBackground();
  const v1::BisectView view = RunToEnd(bisect);
  EXPECT_EQ(view.culprit(), "k-6.11") << view.text();
  EXPECT_EQ(view.boots(), static_cast<uint32_t>(machine_.boots)) << "nothing was measured twice";
}

TEST_F(BisectServiceTest, ManyControllersDecideOnce) {
  const int64_t bisect = Start(Request(kKernels));
  std::atomic<bool> stop = false;
  std::vector<std::thread> others;
  for (int i = 0; i < 2; ++i) {
    others.emplace_back([&] {
      while (!stop) {
        const auto kept = KeepBisects(farm_.database(), farm_.farm(), farm_.fragments());
        EXPECT_TRUE(kept.ok() || absl::IsUnavailable(kept.status())) << kept.status();
      }
    });
  }
  const v1::BisectView view = RunToEnd(bisect);
  stop = true;
  for (std::thread& other : others) other.join();
  EXPECT_EQ(view.culprit(), "k-6.11") << view.text();
  EXPECT_EQ(view.boots(), static_cast<uint32_t>(machine_.boots));
  int64_t jobs = 0;
  for (const v1::BisectStep& step : view.steps()) jobs += step.jobs_size();
  v1::ListJobsRequest all;
  EXPECT_EQ(farm_.farm().ListJobs(all)->jobs_size(), jobs) << "no job was submitted twice";
}

TEST_F(BisectServiceTest, FarmFailuresNeverMoveIt) {
  // Every boot of one kernel is lost, until it has cost a whole job.
  int lost = 0;
  machine_.special["k-6.8"] = [&](const v1::BootOrder& order) {
    if (++lost <= 10) return ScriptedAgent::Ended(order, v1::OUTCOME_FARM_FAILED, "no network");
    return ScriptedAgent::Measured(order, 20 + 0.01 * (lost % 7));
  };
  v1::StartBisectRequest request = Request(kKernels);
  request.mutable_job()->set_max_attempts(1);
  const v1::BisectView view = RunToEnd(Start(request));
  EXPECT_EQ(view.culprit(), "k-6.11") << view.text() << ": " << Answers(view);
  EXPECT_GT(lost, 10);
  for (const v1::BisectStep& step : view.steps()) {
    if (step.kernel() != "k-6.8") continue;
    EXPECT_GT(step.jobs_size(), 1);
    EXPECT_EQ(step.answer(), v1::BISECT_ANSWER_GOOD);
    EXPECT_LE(step.differences_size(), 24);
  }
}

TEST_F(BisectServiceTest, WhatDoesNotBootIsAnInterval) {
  const auto panic = [](const v1::BootOrder& order) {
    return ScriptedAgent::Ended(order, v1::OUTCOME_PANICKED, "BUG: in pick_eevdf");
  };
  machine_.special["k-6.10"] = panic;
  machine_.special["k-6.11"] = panic;
  const v1::BisectView view = RunToEnd(Start(Request(kKernels)));
  EXPECT_EQ(view.state(), "cannot_say");
  EXPECT_EQ(view.culprit(), "");
  EXPECT_EQ(view.request().candidates(static_cast<int>(view.left_low())), "k-6.10");
  EXPECT_EQ(view.request().candidates(static_cast<int>(view.left_high())), "k-6.12");
  EXPECT_THAT(view.text(), HasSubstr("from k-6.10 to k-6.12"));
  EXPECT_THAT(Answers(view), HasSubstr("k-6.10 SKIP"));
}

TEST_F(BisectServiceTest, WhatDoesNotBuildIsSkipped) {
  agent_.on_build = [&](const v1::BuildOrder& order) {
    v1::BuildResult result = agent_.Built(order);
    if (order.kernel().kernel().name() != "k-6.8") return result;
    result.set_status(v1::BuildResult::STATUS_FAILED);
    result.set_error("fair.c:7: error");
    return result;
  };
  const v1::BisectView view = RunToEnd(Start(Request(kKernels)));
  EXPECT_EQ(view.culprit(), "k-6.11") << view.text();
  EXPECT_THAT(Answers(view), HasSubstr("k-6.8 SKIP"));
}

TEST_F(BisectServiceTest, TheSameBuildIsNotBooted) {
  // 6.5 to 6.10 change nothing that is built.
  agent_.on_build = [&](const v1::BuildOrder& order) {
    v1::BuildResult result = agent_.Built(order);
    const int version = std::stoi(order.kernel().kernel().name().substr(4));
    if (version >= 5 && version <= 10) result.set_build_key(std::string(64, 'a'));
    return result;
  };
  std::map<std::string, int> booted;
  agent_.on_boot = [&](const v1::BootOrder& order) {
    ++booted[machine_.KernelOf(order)];
    return machine_.Boot(order);
  };
  const v1::BisectView view = RunToEnd(Start(Request(kKernels)));
  EXPECT_EQ(view.culprit(), "k-6.11") << view.text();
  int of_the_same = 0;
  for (int i = 5; i <= 10; ++i) of_the_same += booted.count(absl::StrCat("k-6.", i)) > 0 ? 1 : 0;
  EXPECT_LE(of_the_same, 2) << Answers(view) << ": one, and the culprit's parent at the end";
}

TEST_F(BisectServiceTest, EndsThatAreTheSameAreRefused) {
  v1::StartBisectRequest request = Request(10);
  const v1::BisectView view = RunToEnd(Start(request));
  EXPECT_EQ(view.state(), "refused");
  EXPECT_THAT(view.text(), HasSubstr("k-6.1 and k-6.10 do not differ by 5.0 % or more"));
}

TEST_F(BisectServiceTest, CancelEndsItAndItsJob) {
  const int64_t bisect = Start(Request(kKernels));
  ASSERT_TRUE(agent_.Run([&] { return View(bisect).steps_size() >= 2; }).ok());
  const auto cancelled = farm_.bisects().CancelBisect(kAda, bisect);
  ASSERT_TRUE(cancelled.ok()) << cancelled.status();
  EXPECT_EQ(cancelled->state(), "cancelled");
  EXPECT_EQ(cancelled->text(), "cancelled by ada");
  const int64_t job = store::GetBisect(farm_.database(), bisect)->trials.back().job;
  if (job != 0) {
    ASSERT_TRUE(agent_.Run([&] { return farm_.Ended(job); }).ok());
    EXPECT_EQ(farm_.Job(job).state(), v1::JOB_STATE_CANCELLED);
  }
  EXPECT_TRUE(farm_.bisects().CancelBisect(kAda, bisect).ok()) << "again";
}

TEST_F(BisectServiceTest, ACancelledJobCancelsIt) {
  const int64_t bisect = Start(Request(kKernels));
  ASSERT_TRUE(agent_
                  .Run([&] {
                    const auto now = store::GetBisect(farm_.database(), bisect).value();
                    return !now.trials.empty() && now.trials.back().job != 0;
                  })
                  .ok());
  v1::CancelJobRequest cancel;
  cancel.set_job(store::GetBisect(farm_.database(), bisect)->trials.back().job);
  ASSERT_TRUE(farm_.farm().CancelJob(cancel).ok());
  const v1::BisectView view = RunToEnd(bisect);
  EXPECT_EQ(view.state(), "cancelled");
  EXPECT_THAT(view.text(), HasSubstr(absl::StrCat("its job ", cancel.job(), " was cancelled")));
}

TEST_F(BisectServiceTest, CommitsBecomeKernels) {
  v1::StartBisectRequest request = Request(kKernels);
  request.mutable_git()->set_location("/srv/linux");
  request.mutable_git()->set_like("alpha");
  const auto commit = [](int i) { return absl::StrCat(std::string(38, 'c'), 10 + i); };
  // The name has the first 12 digits: they must differ.
  for (int i = 0; i < 6; ++i) {
    std::string id = commit(i);
    id[11] = static_cast<char>('0' + i);
    request.add_candidates(id);
  }
  request.set_good(request.candidates(0));
  request.set_bad(request.candidates(5));
  agent_.on_boot = [&](const v1::BootOrder& order) {
    const std::string kernel = machine_.KernelOf(order);
    const double noise = 1 + 0.001 * (++machine_.boots % 11);
    return ScriptedAgent::Measured(order, (kernel.back() >= '4' ? 22 : 20) * noise);
  };
  const v1::BisectView view = RunToEnd(Start(request));
  EXPECT_EQ(view.culprit(), "alpha-gccccccccccc4") << view.text();
  const v1::Kernel kernel = store::GetKernel(farm_.database(), view.culprit()).value();
  EXPECT_EQ(kernel.git().commit(), request.candidates(4));
  EXPECT_EQ(kernel.git().location(), "/srv/linux");
  EXPECT_EQ(kernel.config().fragments(0), "guest.config");
  EXPECT_FALSE(kernel.has_debian_source());
}

TEST_F(BisectServiceTest, SaysWhatItWillTake) {
  const auto plan = farm_.bisects().PlanBisect(Request(kKernels));
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->candidates_size(), kKernels);
  ASSERT_EQ(plan->expected_size(), 3);
  EXPECT_THAT(plan->basis(), HasSubstr("guessed"));
  EXPECT_GT(plan->expected(0).boots(), plan->expected(2).boots()) << "small changes cost more";
  EXPECT_GE(plan->expected(2).found(), 0.95);
  EXPECT_EQ(farm_.bisects().ListBisects({})->bisects_size(), 0);
}

struct WrongCase {
  const char* name;
  std::function<void(v1::StartBisectRequest&)> change;
  const char* says;
};
TEST_F(BisectServiceTest, RefusesWhatItCanNotSearch) {
  const std::vector<WrongCase> cases = {
      {"Id", [](auto& r) { r.set_request_id("7"); }, "request_id \"7\": want a UUID"},
      {"Metric", [](auto& r) { r.set_metric("make.colour"); }, "metric \"make.colour\""},
      {"Kernel", [](auto& r) { r.set_bad("k-6.99"); }, "kernel k-6.99: no such kernel"},
      {"Same", [](auto& r) { r.set_bad(r.good()); }, "want two kernels"},
      {"Order", [](auto& r) { std::swap(*r.mutable_good(), *r.mutable_bad()); }, "not behind good"},
      {"First", [](auto& r) { r.add_candidates("k-6.2"); }, "want the first to be good"},
      {"Twice",
       [](auto& r) {
         for (const char* k : {"k-6.1", "k-6.2", "k-6.2", "k-6.16"}) r.add_candidates(k);
       },
       "candidate \"k-6.2\": is there twice"},
      {"Change", [](auto& r) { r.set_min_change(-1); }, "min_change -1: want a part above 0"},
      {"Blocks", [](auto& r) { r.mutable_job()->set_blocks(4); }, "job.blocks"},
      {"Loads", [](auto& r) { r.mutable_job()->clear_loads(); }, "load"},
      {"Machine", [](auto& r) { r.mutable_job()->mutable_machines()->add_names("mars"); },
       "machine \"mars\": no such machine"},
      {"Commit",
       [](auto& r) {
         r.mutable_git()->set_like("alpha");
         r.add_candidates("HEAD");
       },
       "commit \"HEAD\": want 40"},
      {"Place",
       [](auto& r) {
         r.mutable_git()->set_like("alpha");
         r.mutable_git()->set_location("here");
         r.add_candidates(std::string(40, 'a'));
       },
       "git.location"},
      {"Regression",
       [](auto& r) {
         r.clear_good(), r.clear_bad(), r.clear_metric();
         r.set_regression(3);
       },
       "regression 3"},
  };
  for (const WrongCase& wrong : cases) {
    v1::StartBisectRequest request = Request(kKernels);
    wrong.change(request);
    const auto view = farm_.bisects().StartBisect(kAda, request);
    ASSERT_FALSE(view.ok()) << wrong.name;
    EXPECT_THAT(std::string(view.status().message()), HasSubstr(wrong.says)) << wrong.name;
  }
  EXPECT_EQ(farm_.bisects().ListBisects({})->bisects_size(), 0);
}

TEST_F(BisectServiceTest, ARegressionIsEnough) {
  BisectApi api(farm_.database(), farm_.farm(), [](int64_t regression) {
    v1::StartBisectRequest request = Request(kKernels);
    request.clear_request_id();
    request.set_metric(regression == 3 ? "make.real" : "");
    return request;
  });
  v1::StartBisectRequest request;
  request.set_request_id(NewUuid());
  request.set_regression(3);
  const auto view = api.StartBisect(kAda, request);
  ASSERT_TRUE(view.ok()) << view.status();
  EXPECT_EQ(view->request().good(), "k-6.1");
  EXPECT_EQ(view->request().regression(), 3);
}

}  // namespace
}  // namespace shakedown::service
