// Subscriptions, events and deliveries on a real database, with a sender that only listens.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "controller/notify/signature.h"
#include "controller/service/notifier.h"
#include "controller/service/test_farm.h"
#include "db/store/outbox.h"

namespace shakedown::service {
namespace {

using fakes::ScriptedAgent;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kSecret[] = "0123456789abcdef-a secret";
const store::Principal kAda = {.role = store::Role::kUser, .name = "ada"};
const store::Principal kBob = {.role = store::Role::kUser, .name = "bob"};

constexpr std::chrono::seconds kPatience(20);

class ListeningSender : public notify::Sender {
 public:
  absl::Status SendPost(const notify::Post& post) override {
    std::unique_lock<std::mutex> lock(mutex_);
    posts.push_back(post);
    came_.notify_all();
    const bool all = came_.wait_for(lock, kPatience, [&] { return posts.size() >= wait_for; });
    return all ? answer : absl::UnavailableError("the others were not called meanwhile");
  }
  absl::Status SendMail(const notify::Mail& mail) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    mails.push_back(mail);
    return answer;
  }
  const std::string& mail_from() const override { return from_; }

  std::vector<notify::Post> posts;
  std::vector<notify::Mail> mails;
  absl::Status answer;
  size_t wait_for = 0;  // A post is answered once so many have come.

 private:
  std::mutex mutex_;
  std::condition_variable came_;
  const std::string from_ = "farm@example.org";
};

class NotifyServiceTest : public testing::Test {
 protected:
  static v1::PutSubscriptionRequest Webhook(const std::string& name) {
    v1::PutSubscriptionRequest request;
    request.set_name(name);
    request.add_events("job_end");
    request.set_webhook("https://example.org/hook");
    request.set_secret(kSecret);
    return request;
  }
  v1::SubscriptionView Put(const store::Principal& who, const v1::PutSubscriptionRequest& request) {
    const auto view = farm_.notify().PutSubscription(who, request);
    EXPECT_TRUE(view.ok()) << view.status();
    return view.value_or(v1::SubscriptionView());
  }
  v1::SubscriptionView View(const store::Principal& who, int i = 0) {
    return farm_.notify().ListSubscriptions(who)->subscriptions(i);
  }
  int64_t RunJob(uint32_t blocks = 1) {
    ScriptedAgent agent = farm_.Agent("host1", {"vm1"});
    const int64_t job = farm_.Submit(SmallJob(blocks)).value();
    EXPECT_TRUE(agent.Run([&] { return farm_.Ended(job); }).ok());
    return job;
  }
  void Announce() {
    const absl::Status announced = AnnounceWhatHappened(farm_.database(), absl::ZeroDuration());
    EXPECT_TRUE(announced.ok()) << announced;
  }
  int DeliverAll() { return Deliver(farm_.database(), sender_, 100).value(); }
  TestFarm farm_;
  ListeningSender sender_;
};

TEST_F(NotifyServiceTest, AJobsEndGoesToItsSubmitter) {
  v1::PutSubscriptionRequest request = Webhook("phone");
  Put(kAda, request);
  Put(kBob, request);
  const int64_t job = RunJob();
  Announce();
  EXPECT_EQ(DeliverAll(), 1) << "bob has no job";
  ASSERT_EQ(sender_.posts.size(), 1u);
  const notify::Post& post = sender_.posts[0];
  EXPECT_EQ(post.url, "https://example.org/hook");
  const auto body = nlohmann::json::parse(post.body);
  EXPECT_EQ(body["version"], 1);
  EXPECT_EQ(body["event"], "job_end");
  EXPECT_EQ(body["details"]["job"], job);
  EXPECT_EQ(body["details"]["state"], "done");
  EXPECT_EQ(body["details"]["submitter"], "ada");
  EXPECT_EQ(body["details"]["kernels"], (nlohmann::json{"alpha", "beta"}));
  EXPECT_EQ(body["details"]["machines"], nlohmann::json::array({"vm1"}));
  EXPECT_THAT(body["at"].get<std::string>(), testing::ContainsRegex("^20..-..-..T..:..:..Z$"));
  // Signed over its time and itself.
  ASSERT_EQ(post.headers.size(), 3u);
  EXPECT_EQ(post.headers[0].first, "X-Shakedown-Event-Id");
  EXPECT_EQ(post.headers[0].second, body["id"]);
  EXPECT_EQ(post.headers[2].second,
            notify::Sign(kSecret, std::stoll(post.headers[1].second), post.body));
  EXPECT_TRUE(View(kAda).has_last_sent());
  EXPECT_EQ(View(kAda).waiting(), 0u);
}

TEST_F(NotifyServiceTest, AnEventIsAnnouncedOnce) {
  Put(kAda, Webhook("phone"));
  RunJob();
  std::vector<std::thread> controllers;
  for (int i = 0; i < 3; ++i) controllers.emplace_back([&] { Announce(); });
  for (std::thread& controller : controllers) controller.join();
  Announce();
  std::vector<std::thread> deliverers;
  std::atomic<int> delivered = 0;
  for (int i = 0; i < 3; ++i) deliverers.emplace_back([&] { delivered += DeliverAll(); });
  for (std::thread& deliverer : deliverers) deliverer.join();
  EXPECT_EQ(delivered, 1);
}

TEST_F(NotifyServiceTest, VerdictsAreTold) {
  v1::PutSubscriptionRequest request = Webhook("worse-only");
  request.set_filter("verdict=worse");
  Put(kAda, request);
  request.set_name("better-only");
  request.set_filter("verdict=better");
  Put(kAda, request);
  ScriptedAgent agent = farm_.Agent("host1", {"vm1"});
  const int64_t job = farm_.Submit(SmallJob(8)).value();
  int n = 0;
  agent.on_boot = [&](const v1::BootOrder& order) {
    const bool challenger = order.name().back() == 'B';
    return ScriptedAgent::Measured(order, (challenger ? 23 : 20) + 0.01 * (++n % 7));
  };
  ASSERT_TRUE(agent.Run([&] { return farm_.Ended(job); }).ok());
  Announce();
  EXPECT_EQ(DeliverAll(), 1);
  const auto details = nlohmann::json::parse(sender_.posts.at(0).body)["details"];
  EXPECT_EQ(details["conclusion"], "worse");
  EXPECT_EQ(details["verdicts"][0]["metric"], "make.real");
  EXPECT_EQ(details["verdicts"][0]["kernel"], "beta");
  EXPECT_EQ(details["verdicts"][0]["verdict"], "worse");
  EXPECT_NEAR(details["verdicts"][0]["change_percent"].get<double>(), 15, 1);
}

TEST_F(NotifyServiceTest, MailIsWrittenForPeople) {
  v1::PutSubscriptionRequest request = Webhook("mail");
  request.clear_webhook();
  request.set_email("ada@example.org");
  Put(kAda, request);
  const int64_t job = RunJob();
  Announce();
  EXPECT_EQ(DeliverAll(), 1);
  ASSERT_EQ(sender_.mails.size(), 1u);
  EXPECT_EQ(sender_.mails[0].to, "ada@example.org");
  EXPECT_EQ(sender_.mails[0].from, "farm@example.org");
  EXPECT_THAT(sender_.mails[0].subject, HasSubstr(absl::StrCat("[shakedown] job ", job, " done")));
  EXPECT_THAT(sender_.mails[0].body, HasSubstr(absl::StrCat("shakedown report ", job)));
}

TEST_F(NotifyServiceTest, WhatCanNotBeReachedIsTriedLater) {
  Put(kAda, Webhook("phone"));
  RunJob();
  Announce();
  sender_.answer = absl::UnavailableError("no route");
  EXPECT_EQ(DeliverAll(), 1);
  EXPECT_EQ(DeliverAll(), 0) << "not before some time has passed";
  EXPECT_EQ(View(kAda).last_error(), "no route");
  EXPECT_EQ(View(kAda).waiting(), 1u);
}

TEST_F(NotifyServiceTest, ASlowReceiverHoldsUpNobody) {
  Put(kAda, Webhook("slow"));
  Put(kAda, Webhook("quick"));
  RunJob();
  Announce();
  sender_.wait_for = 2;  // The first one answers when the second one was called.
  EXPECT_EQ(DeliverAll(), 2);
  ASSERT_EQ(sender_.posts.size(), 2u);
  EXPECT_EQ(View(kAda, 0).waiting() + View(kAda, 1).waiting(), 0u);
}

TEST_F(NotifyServiceTest, ARefusalIsForGood) {
  Put(kAda, Webhook("phone"));
  RunJob();
  Announce();
  sender_.answer = absl::FailedPreconditionError("answered 410, want 2xx");
  EXPECT_EQ(DeliverAll(), 1);
  EXPECT_EQ(View(kAda).last_error(), "given up after 1 tries: answered 410, want 2xx");
}

TEST_F(NotifyServiceTest, ASickMachineIsToldOnce) {
  v1::PutSubscriptionRequest request = Webhook("machines");
  request.clear_events();
  request.add_events("machine_sick");
  request.set_filter("machine=vm*");
  Put(kBob, request);
  ScriptedAgent agent = farm_.Agent("host1", {"vm1", "lap1"});
  v1::SyncRequest sync = agent.Request(0);
  for (v1::MachineStatus& machine : *sync.mutable_machines()) machine.set_problem("no disk image");
  ASSERT_TRUE(agent.RawSync(sync).ok());
  ASSERT_TRUE(AnnounceWhatHappened(farm_.database()).ok());
  EXPECT_EQ(DeliverAll(), 0) << "may be a moment's trouble";
  for (int i = 0; i < 3; ++i) Announce();
  EXPECT_EQ(DeliverAll(), 1);
  const auto details = nlohmann::json::parse(sender_.posts.at(0).body)["details"];
  EXPECT_EQ(details["machine"], "vm1");
  EXPECT_EQ(details["kind"], "problem");
  EXPECT_EQ(details["detail"], "no disk image");
  // Well again, and sick anew: that is another event.
  ASSERT_TRUE(agent.RawSync(agent.Request(0)).ok());
  Announce();
  ASSERT_TRUE(agent.RawSync(sync).ok());
  Announce();
  EXPECT_EQ(DeliverAll(), 1);
}

TEST_F(NotifyServiceTest, AConfirmedRegressionIsTold) {
  v1::PutSubscriptionRequest request = Webhook("regressions");
  request.clear_events();
  request.add_events("regression_confirmed");
  Put(kBob, request);
  const store::Event event = RegressionConfirmedEvent({.regression = 3,
                                                       .metric = "latt.wakeup.avg",
                                                       .machine = "x1",
                                                       .good = "debian-6.1",
                                                       .bad = "debian-6.12",
                                                       .job = 17});
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(service::Announce(farm_.database(), event).ok());
  }
  EXPECT_EQ(DeliverAll(), 1);
  const auto body = nlohmann::json::parse(sender_.posts.at(0).body);
  EXPECT_EQ(body["details"]["bad"], "debian-6.12");
  EXPECT_EQ(body["subject"], "regression 3: latt.wakeup.avg on x1 since debian-6.12");
}

TEST_F(NotifyServiceTest, ATestGoesToOneSubscription) {
  Put(kAda, Webhook("one"));
  Put(kAda, Webhook("two"));
  v1::RemoveSubscriptionRequest test;
  test.set_name("two");
  ASSERT_TRUE(farm_.notify().TestSubscription(kAda, test).ok());
  EXPECT_EQ(View(kAda, 1).waiting(), 1u);
  EXPECT_EQ(DeliverAll(), 1);
  EXPECT_EQ(nlohmann::json::parse(sender_.posts.at(0).body)["event"], "test");
  EXPECT_TRUE(absl::IsNotFound(farm_.notify().TestSubscription(kBob, test).status()));
}

TEST_F(NotifyServiceTest, SubscriptionsAreTheirOwners) {
  Put(kAda, Webhook("phone"));
  EXPECT_EQ(farm_.notify().ListSubscriptions(kBob)->subscriptions_size(), 0);
  v1::RemoveSubscriptionRequest remove;
  remove.set_name("phone");
  EXPECT_TRUE(absl::IsNotFound(farm_.notify().RemoveSubscription(kBob, remove).status()));
  EXPECT_THAT(View(kAda).DebugString(), Not(HasSubstr("0123456789abcdef")))
      << "secrets are never answered";
  // Again: replaces.
  v1::PutSubscriptionRequest other = Webhook("phone");
  other.set_filter("machine=x1");
  EXPECT_EQ(Put(kAda, other).filter(), "machine=x1");
  EXPECT_EQ(farm_.notify().ListSubscriptions(kAda)->subscriptions_size(), 1);
  EXPECT_TRUE(farm_.notify().RemoveSubscription(kAda, remove).ok());
  EXPECT_EQ(farm_.notify().ListSubscriptions(kAda)->subscriptions_size(), 0);
}

TEST_F(NotifyServiceTest, RemovingOneRemovesWhatWaits) {
  Put(kAda, Webhook("phone"));
  RunJob();
  Announce();
  v1::RemoveSubscriptionRequest remove;
  remove.set_name("phone");
  ASSERT_TRUE(farm_.notify().RemoveSubscription(kAda, remove).ok());
  EXPECT_EQ(DeliverAll(), 0);
}

TEST_F(NotifyServiceTest, OnesNumberIsBounded) {
  for (int i = 0; i < store::kMostSubscriptions; ++i) Put(kAda, Webhook(absl::StrCat("s", i)));
  const auto more = farm_.notify().PutSubscription(kAda, Webhook("more"));
  EXPECT_TRUE(absl::IsResourceExhausted(more.status())) << more.status();
  EXPECT_TRUE(farm_.notify().PutSubscription(kAda, Webhook("s3")).ok()) << "replacing is fine";
  EXPECT_TRUE(farm_.notify().PutSubscription(kBob, Webhook("first")).ok());
}

TEST_F(NotifyServiceTest, RefusesWhatItCanNotSend) {
  struct Case {
    std::function<void(v1::PutSubscriptionRequest&)> change;
    const char* says;
  };
  const std::vector<Case> cases = {
      {[](auto& r) { r.set_name("../x"); }, "subscription"},
      {[](auto& r) { r.clear_events(); }, "events: want one to three"},
      {[](auto& r) { r.set_events(0, "rain"); }, "event \"rain\""},
      {[](auto& r) { r.set_email("ada@example.org"); }, "exactly one of both"},
      {[](auto& r) { r.clear_webhook(); }, "exactly one of both"},
      {[](auto& r) { r.set_webhook("http://example.org/"); }, "webhook \"http://example.org/\""},
      {[](auto& r) { r.set_secret("short"); }, "secret of 5 bytes: want 16 to 256"},
      {[](auto& r) { r.set_filter("colour=red"); }, "filter \"colour=red\""},
  };
  for (const Case& wrong : cases) {
    v1::PutSubscriptionRequest request = Webhook("phone");
    wrong.change(request);
    const auto view = farm_.notify().PutSubscription(kAda, request);
    EXPECT_TRUE(absl::IsInvalidArgument(view.status())) << view.status();
    EXPECT_THAT(std::string(view.status().message()), HasSubstr(wrong.says));
  }
  NotifyApi strict(farm_.database(), {});
  v1::PutSubscriptionRequest local = Webhook("phone");
  local.set_webhook("http://127.0.0.1:9/");
  EXPECT_TRUE(farm_.notify().PutSubscription(kAda, local).ok());
  EXPECT_THAT(std::string(strict.PutSubscription(kAda, local).status().message()),
              HasSubstr("--notify-private"));
  v1::PutSubscriptionRequest mail = Webhook("mail");
  mail.clear_webhook();
  mail.set_email("ada@example.org");
  EXPECT_TRUE(absl::IsFailedPrecondition(strict.PutSubscription(kAda, mail).status()));
}

}  // namespace
}  // namespace shakedown::service
