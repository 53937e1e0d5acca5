// From jobs to regressions and what people make of them, over gRPC and a real database.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "controller/plan/text.h"
#include "controller/service/job_keeper.h"
#include "controller/service/regression_keeper.h"
#include "controller/service/test_farm.h"
#include "proto/wire/ids.h"
#include "shakedown/v1/history.grpc.pb.h"

namespace shakedown::service {
namespace {

using fakes::ScriptedAgent;
using ::testing::HasSubstr;
using ::testing::Not;
using FarmStub = v1::FarmService::Stub;
using Stub = v1::HistoryService::Stub;

constexpr int kKernels = 12;  // t-6.1 to t-6.12.

int MinorOf(const std::string& kernel) {
  const std::vector<std::string> parts = absl::StrSplit(kernel, '.');
  int minor = 0;
  EXPECT_TRUE(absl::SimpleAtoi(parts.back(), &minor)) << kernel;
  return minor;
}

class HistoryTest : public testing::Test {
 protected:
  HistoryTest() : agent_(farm_.Agent("host1", {"vm1"})) {
    for (int i = 1; i <= kKernels; ++i) {
      v1::AddKernelRequest add;
      add.mutable_kernel()->set_name(absl::StrCat("t-6.", i));
      add.set_from("alpha");
      add.add_config_options(absl::StrCat("NR_CPUS=", i));
      EXPECT_TRUE(farm_.Call(&FarmStub::AddKernel, add).ok());
    }
    stub_ = v1::HistoryService::NewStub(
        grpc::CreateChannel(farm_.address(), grpc::InsecureChannelCredentials()));
    agent_.on_build = [this](const v1::BuildOrder& order) {
      v1::BuildResult built = agent_.Built(order);
      const int minor = MinorOf(order.kernel().kernel().name());
      built.set_source_version(absl::StrCat("linux-source-6.", minor, " 6.", minor, ".4-1"));
      return built;
    };
    agent_.on_boot = [this](const v1::BootOrder& order) { return Boot(order); };
  }

  // Seconds of make.real by kernel, with some noise from boot to boot.
  v1::BootResult Boot(const v1::BootOrder& order) {
    const double noise = 1 + 0.001 * (++boots_ * 7 % 5);
    v1::BootResult result =
        ScriptedAgent::Measured(order, noise * seconds_(MinorOf(order.kernel())));
    auto& facts = *result.mutable_fingerprint()->mutable_facts();
    facts["cpu.microcode"] = microcode_;
    return result;
  }

  // Every kernel from t-6.`first` on in one job.
  v1::JobSpec AllKernels(uint32_t blocks = 1, int first = 1) {
    v1::JobSpec spec;
    for (int i = first; i <= kKernels; ++i) {
      *spec.add_variants() = plan::ParseVariant(absl::StrCat("t-6.", i)).value();
    }
    *spec.add_loads() = plan::ParseLoad("make").value();
    spec.set_blocks(blocks);
    spec.set_order_seed(1);  // Which boot gets which noise.
    return spec;
  }

  int64_t RunJob(const v1::JobSpec& spec) {
    const int64_t job = farm_.Submit(spec).value();
    EXPECT_TRUE(agent_.Run([&] { return farm_.Ended(job); }).ok());
    return job;
  }

  template <typename Request, typename Response>
  absl::StatusOr<Response> Ask(grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&,
                                                            Response*),
                               const Request& request, const std::string& token = "") {
    grpc::ClientContext context;
    TestFarm::Prepare(context, token.empty() ? farm_.user_token() : token);
    Response response;
    const absl::Status status =
        TestFarm::FromGrpc((stub_.get()->*method)(&context, request, &response));
    if (!status.ok()) return status;
    return response;
  }

  std::vector<v1::RegressionView> List() {
    const auto all = Ask(&Stub::ListRegressions, v1::ListRegressionsRequest());
    EXPECT_TRUE(all.ok()) << all.status();
    return {all->regressions().begin(), all->regressions().end()};
  }
  v1::RegressionView Get(int64_t regression) {
    v1::GetRegressionRequest get;
    get.set_regression(regression);
    return Ask(&Stub::GetRegression, get).value();
  }
  absl::StatusOr<v1::RegressionView> Set(int64_t regression, v1::RegressionState state,
                                         const std::string& why) {
    v1::SetRegressionRequest set;
    set.set_regression(regression);
    set.set_state(state);
    set.set_why(why);
    return Ask(&Stub::SetRegression, set);
  }
  // Goes on with what there is to do until the only regression is in that state.
  bool Becomes(v1::RegressionState state) {
    return agent_
        .Run([&] {
          const std::vector<v1::RegressionView> all = List();
          return all.size() == 1 && all[0].state() == state;
        })
        .ok();
  }
  v1::GetHistoryResponse History(const std::string& metric = "make.real") {
    v1::GetHistoryRequest get;
    get.set_metric(metric);
    return Ask(&Stub::GetHistory, get).value();
  }
  // As two controllers do it, until neither finds anything to do.
  void KeepAll(const RegressionOptions& options = {}, int controllers = 1) {
    std::vector<std::thread> threads;
    for (int i = 0; i < controllers; ++i) {
      threads.emplace_back([this, options] {
        for (int rounds = 0; rounds < 20; ++rounds) {
          const absl::StatusOr<int> jobs = KeepJobs(farm_.database());
          const absl::StatusOr<int> kept = KeepRegressions(farm_.database(), options);
          EXPECT_TRUE(kept.ok()) << kept.status();
          EXPECT_TRUE(jobs.ok()) << jobs.status();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  // The job's boots, with nothing running beside: it does not end.
  int64_t RunBoots(const v1::JobSpec& spec) {
    farm_.StopBackground();
    const int64_t job = farm_.Submit(spec).value();
    EXPECT_TRUE(agent_
                    .Run([&] {
                      const v1::JobView view = farm_.Job(job);
                      return std::all_of(view.boots().begin(), view.boots().end(), [](auto& boot) {
                        return boot.state() == v1::WORK_STATE_ENDED;
                      });
                    })
                    .ok());
    return job;
  }

  TestFarm farm_;
  ScriptedAgent agent_;
  std::unique_ptr<Stub> stub_;
  // From t-6.9 on everything takes 15 % longer.
  std::function<double(int minor)> seconds_ = [](int minor) { return minor >= 9 ? 23.0 : 20.0; };
  std::string microcode_ = "0x1";
  int boots_ = 0;
};

TEST_F(HistoryTest, AStepBecomesAConfirmedRegressionThatPeopleClose) {
  RunJob(AllKernels());
  ASSERT_TRUE(Becomes(v1::REGRESSION_STATE_CONFIRMED));
  const v1::RegressionView view = Get(List()[0].regression());
  EXPECT_EQ(view.good(), "t-6.8");
  EXPECT_EQ(view.bad(), "t-6.9");
  EXPECT_EQ(view.good_version(), "6.8.4-1");
  EXPECT_NEAR(view.magnitude(), 0.15, 0.01);
  EXPECT_FALSE(view.improvement());
  EXPECT_EQ(view.confirm_verdict(), "worse");
  EXPECT_THAT(view.confirm_text(), HasSubstr("8 blocks"));
  const v1::JobView job = farm_.Job(view.confirm_job());
  EXPECT_EQ(job.submitter(), "farm");
  EXPECT_EQ(job.spec().stopping(), v1::STOPPING_RULE_LOOKS);
  EXPECT_EQ(job.spec().variants(0).kernel(), "t-6.8");
  EXPECT_EQ(job.spec().machines().names(0), "vm1");
  EXPECT_EQ(job.spec().primary_metrics(0), "make.real");
  for (const char* part :
       {"[REGRESSION] make.real", "A paired job has confirmed a regression", "t-6.9 (6.9.4-1)",
        "8 blocks", "seed", "shakedown reproduce ", "shakedown submit", "--baseline t-6.8",
        "cpu.microcode: 0x1", "emulated", "\n#regzbot introduced: v6.8.4..v6.9.4\n"}) {
    EXPECT_THAT(view.mail(), HasSubstr(part));
  }
  std::string states;
  for (const v1::RegressionEvent& event : view.events()) {
    EXPECT_EQ(event.by(), "farm");
    EXPECT_NE(event.why(), "");
    absl::StrAppend(&states, static_cast<int>(event.state()), " ");
  }
  EXPECT_EQ(states, "1 2 2 3 ") << "suspected, confirming, its job, confirmed";

  const auto acknowledged = Set(view.regression(), v1::REGRESSION_STATE_ACKNOWLEDGED, "bisecting");
  ASSERT_TRUE(acknowledged.ok()) << acknowledged.status();
  EXPECT_EQ(acknowledged->events(4).by(), "ada");
  EXPECT_EQ(acknowledged->events(4).why(), "bisecting");
  EXPECT_TRUE(Set(view.regression(), v1::REGRESSION_STATE_FIXED, "").ok());
  EXPECT_EQ(Set(view.regression(), v1::REGRESSION_STATE_ACKNOWLEDGED, "again").status().code(),
            absl::StatusCode::kFailedPrecondition);
  v1::ListRegressionsRequest open;
  open.set_open_only(true);
  EXPECT_EQ(Ask(&Stub::ListRegressions, open)->regressions_size(), 0);
  const auto reopened = Set(view.regression(), v1::REGRESSION_STATE_SUSPECTED, "it is back");
  EXPECT_EQ(reopened->state(), v1::REGRESSION_STATE_CONFIRMED);
  EXPECT_EQ(Set(view.regression(), v1::REGRESSION_STATE_SUSPECTED, "x").status().code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST_F(HistoryTest, AConfirmedRegressionIsAnnouncedOnceAndCanBeBisected) {
  v1::PutSubscriptionRequest wish;
  wish.set_name("mail");
  wish.add_events("regression_confirmed");
  wish.set_email("ada@example.org");
  const store::Principal ada{store::Role::kUser, "ada"};
  ASSERT_TRUE(farm_.notify().PutSubscription(ada, wish).ok());
  RunJob(AllKernels());
  ASSERT_TRUE(Becomes(v1::REGRESSION_STATE_CONFIRMED));
  EXPECT_EQ(farm_.notify().ListSubscriptions(ada)->subscriptions(0).waiting(), 1u);

  const int64_t regression = List()[0].regression();
  v1::StartBisectRequest request;
  request.set_request_id(NewUuid());
  request.set_regression(regression);
  const absl::StatusOr<v1::BisectView> bisect = farm_.bisects().StartBisect(ada, request);
  ASSERT_TRUE(bisect.ok()) << bisect.status();
  EXPECT_EQ(bisect->request().good(), "t-6.8");
  EXPECT_EQ(bisect->request().bad(), "t-6.9");
  EXPECT_EQ(bisect->request().metric(), "make.real");
  EXPECT_EQ(bisect->request().job().machines().names(0), "vm1");
  EXPECT_EQ(Get(regression).bisect(), bisect->bisect());
}

TEST_F(HistoryTest, HistoryShowsTheStepAndAKnownOneIsNotSuspectedAgain) {
  RunJob(AllKernels());
  ASSERT_TRUE(Becomes(v1::REGRESSION_STATE_CONFIRMED));
  const auto all = Ask(&Stub::ListSeries, v1::ListSeriesRequest());
  ASSERT_EQ(all->series_size(), 1);
  EXPECT_EQ(all->series(0).key().config_class(), "t");
  EXPECT_EQ(all->series(0).key().loads(), "make");
  EXPECT_EQ(all->series(0).points(), 12u);
  EXPECT_EQ(all->series(0).epochs(), 1u);
  const v1::GetHistoryResponse history = History();
  ASSERT_EQ(history.series_size(), 1);
  const v1::HistorySeries& series = history.series(0);
  ASSERT_EQ(series.points_size(), 12);
  EXPECT_EQ(series.points(9).kernel(), "t-6.10") << "versions, not text";
  EXPECT_EQ(series.points(0).boots(), 1u);
  EXPECT_EQ(series.points(7).boots(), 1u + 8u) << "with those of the paired job";
  EXPECT_FALSE(series.points(0).relative());
  ASSERT_EQ(series.changes_size(), 1);
  EXPECT_EQ(series.changes(0).index(), 8u);
  EXPECT_EQ(series.changes(0).level(), "alarm");
  EXPECT_EQ(series.changes(0).regression(), List()[0].regression());
  EXPECT_EQ(series.better(), "lower");
  RunJob(AllKernels());
  farm_.StopBackground();
  KeepAll();
  EXPECT_EQ(List().size(), 1u);
}

TEST_F(HistoryTest, WhatAPairedJobDoesNotSeeIsRefuted) {
  bool history = true;
  seconds_ = [&](int minor) { return history && minor >= 9 ? 23.0 : 20.0; };
  RunJob(AllKernels());
  history = false;
  ASSERT_TRUE(Becomes(v1::REGRESSION_STATE_REFUTED));
  const v1::RegressionView view = Get(List()[0].regression());
  EXPECT_EQ(view.confirm_verdict(), "same");
  EXPECT_THAT(view.mail(), HasSubstr("NOT CONFIRMED"));
  EXPECT_THAT(view.mail(), Not(HasSubstr("regzbot")));
  EXPECT_THAT(view.mail(), Not(HasSubstr("[REGRESSION]")));
}

TEST_F(HistoryTest, AnImprovementIsConfirmedAndNotMailedAsARegression) {
  seconds_ = [](int minor) { return minor >= 9 ? 17.0 : 20.0; };
  RunJob(AllKernels());
  ASSERT_TRUE(Becomes(v1::REGRESSION_STATE_CONFIRMED));
  const v1::RegressionView view = Get(List()[0].regression());
  EXPECT_TRUE(view.improvement());
  EXPECT_EQ(view.confirm_verdict(), "better");
  EXPECT_THAT(view.mail(), Not(HasSubstr("regzbot")));
}

TEST_F(HistoryTest, OtherMicrocodeIsAnotherEpochAndNoRegression) {
  microcode_ = "0x1";
  agent_.on_boot = [&](const v1::BootOrder& order) {
    microcode_ = MinorOf(order.kernel()) >= 9 ? "0x2" : "0x1";
    return Boot(order);
  };
  RunBoots(AllKernels());
  KeepAll();
  EXPECT_EQ(List().size(), 0u);
  const v1::HistorySeries series = History().series(0);
  EXPECT_EQ(series.changes_size(), 0);
  EXPECT_EQ(series.points(7).epoch() + series.points(8).epoch(), 3u);
  ASSERT_EQ(series.epoch_changes_size(), 1);
  EXPECT_THAT(series.epoch_changes(0), HasSubstr("cpu.microcode 0x"));
}

TEST_F(HistoryTest, TwoControllersDecideOnce) {
  RunBoots(AllKernels());
  KeepAll({}, 2);
  const std::vector<v1::RegressionView> all = List();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].state(), v1::REGRESSION_STATE_CONFIRMING);
  EXPECT_GT(all[0].confirm_job(), 0);
  EXPECT_EQ(farm_.Call(&FarmStub::ListJobs, v1::ListJobsRequest())->jobs_size(), 2);
  EXPECT_EQ(Get(all[0].regression()).events_size(), 3);
  EXPECT_EQ(History().series(0).points(0).boots(), 1u) << "each result is summarised once";
}

TEST_F(HistoryTest, WithoutABudgetNothingIsQueued) {
  RunBoots(AllKernels());
  KeepAll({.confirm_boots = 0});
  EXPECT_EQ(List()[0].state(), v1::REGRESSION_STATE_SUSPECTED);
  KeepAll({.confirm_boots = 15});
  EXPECT_EQ(List()[0].state(), v1::REGRESSION_STATE_SUSPECTED);
  KeepAll({.confirm_boots = 16});
  ASSERT_EQ(List()[0].state(), v1::REGRESSION_STATE_CONFIRMING);
  EXPECT_EQ(farm_.Job(List()[0].confirm_job()).spec().stopping(), v1::STOPPING_RULE_QUICK);
}

TEST_F(HistoryTest, TheBudgetIsTheDays) {
  // Two steps: one regression is confirmed, the other waits.
  seconds_ = [](int minor) { return minor >= 9 ? 26.0 : minor >= 5 ? 23.0 : 20.0; };
  RunBoots(AllKernels());
  KeepAll({.confirm_boots = 48}, 2);
  int confirming = 0;
  for (const v1::RegressionView& view : List()) {
    confirming += view.state() == v1::REGRESSION_STATE_CONFIRMING ? 1 : 0;
  }
  EXPECT_EQ(List().size(), 2u);
  EXPECT_EQ(confirming, 1);
}

TEST_F(HistoryTest, AJobThatWasCancelledTellsNothing) {
  RunBoots(AllKernels());
  KeepAll();
  v1::CancelJobRequest cancel;
  cancel.set_job(List()[0].confirm_job());
  ASSERT_TRUE(farm_.Call(&FarmStub::CancelJob, cancel).ok());
  KeepAll();
  const v1::RegressionView view = List()[0];
  EXPECT_EQ(view.state(), v1::REGRESSION_STATE_SUSPECTED);
  EXPECT_THAT(view.blocked(), HasSubstr("no verdict"));
  KeepAll();
  EXPECT_EQ(farm_.Call(&FarmStub::ListJobs, v1::ListJobsRequest())->jobs_size(), 2)
      << "not by itself again";
  ASSERT_TRUE(Set(view.regression(), v1::REGRESSION_STATE_SUSPECTED, "try again").ok());
  KeepAll();
  EXPECT_EQ(farm_.Call(&FarmStub::ListJobs, v1::ListJobsRequest())->jobs_size(), 3);
}

TEST_F(HistoryTest, FailuresAreCountedBesideTheNumbers) {
  agent_.on_boot = [&](const v1::BootOrder& order) {
    if (MinorOf(order.kernel()) == 12 && ++boots_ % 2 == 0) {
      return ScriptedAgent::Ended(order, v1::OUTCOME_PANICKED, "BUG");
    }
    return Boot(order);
  };
  seconds_ = [](int) { return 20.0; };
  RunBoots(AllKernels(4, 11));
  KeepAll();
  const v1::HistorySeries series = History().series(0);
  uint32_t failed = 0;
  for (const v1::HistoryPoint& point : series.points()) {
    failed += point.failed();
    if (point.kernel() == "t-6.12") continue;
    EXPECT_EQ(point.failed(), 0u);
  }
  EXPECT_GT(failed, 0u);
}

TEST_F(HistoryTest, QuestionsAreCheckedAndNamesAreOnlyNames) {
  seconds_ = [](int) { return 20.0; };
  RunBoots(AllKernels());
  KeepAll();
  v1::GetHistoryRequest history;
  EXPECT_EQ(Ask(&Stub::GetHistory, history).status().code(), absl::StatusCode::kInvalidArgument);
  history.set_metric("make.real'; DROP TABLE boot_summaries; --");
  EXPECT_EQ(Ask(&Stub::GetHistory, history).status().code(), absl::StatusCode::kNotFound);
  history.set_metric("make.real");
  history.add_kernels(std::string(200, '*'));
  EXPECT_EQ(Ask(&Stub::GetHistory, history)->series(0).points_size(), kKernels);
  history.set_kernels(0, "t-6.1?");
  history.set_since("6.11");
  EXPECT_EQ(Ask(&Stub::GetHistory, history)->series(0).points_size(), 2);
  history.set_until("t-6.11");
  EXPECT_EQ(Ask(&Stub::GetHistory, history)->series(0).points_size(), 1);
  history.set_kernels(0, std::string(201, '*'));
  EXPECT_EQ(Ask(&Stub::GetHistory, history).status().code(), absl::StatusCode::kInvalidArgument);
  v1::ListSeriesRequest list;
  list.set_metric("%");
  EXPECT_EQ(Ask(&Stub::ListSeries, list)->series_size(), 0);
  list.set_metric("make_real");
  EXPECT_EQ(Ask(&Stub::ListSeries, list)->series_size(), 0);
  list.set_metric("make.");
  EXPECT_EQ(Ask(&Stub::ListSeries, list)->series_size(), 1);
  list.set_limit(1001);
  EXPECT_EQ(Ask(&Stub::ListSeries, list).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Set(1, v1::REGRESSION_STATE_FIXED, "").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(Set(1, v1::REGRESSION_STATE_CONFIRMED, "I say so").status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Set(1, v1::REGRESSION_STATE_WONT_FIX, "").status().code(),
            absl::StatusCode::kInvalidArgument);
  const std::string agent = farm_.Token(store::Role::kAgent, "host2");
  EXPECT_EQ(Ask(&Stub::ListSeries, v1::ListSeriesRequest(), agent).status().code(),
            absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(Ask(&Stub::ListSeries, v1::ListSeriesRequest(), "sd_user_none").status().code(),
            absl::StatusCode::kUnauthenticated);
}

}  // namespace
}  // namespace shakedown::service
