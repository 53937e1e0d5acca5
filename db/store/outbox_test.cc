#include "db/store/outbox.h"

#include "absl/strings/str_cat.h"
#include "db/store/store_testing.h"

namespace shakedown::store {
namespace {

using ::testing::HasSubstr;

bool Always(const Subscription&, const Event&) { return true; }

class OutboxTest : public StoreTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    ASSERT_TRUE(PutSubscription(db(), {.owner = "ada",
                                       .name = "phone",
                                       .events = {"job_end"},
                                       .webhook = "https://example.org/",
                                       .secret = std::string("\0\xffsecret", 8)})
                    .ok());
  }
  static Event JobEnd(int job) {
    return {.key = absl::StrCat("job_end:", job),
            .kind = "job_end",
            .subject = "job done",
            .details = "{}"};
  }
  std::optional<Delivery> Claim() { return ClaimDelivery(db(), absl::Minutes(2)).value(); }
  v1::SubscriptionView View() { return ListSubscriptions(db(), "ada").value().at(0); }
  // As if so much time had passed for what waits.
  void Later(const std::string& span) {
    Sql(absl::StrCat("UPDATE outbox SET next_try = next_try - interval '", span,
                     "', created_at = created_at - interval '", span, "'"));
  }
  void Fail() {
    const auto delivery = Claim();
    ASSERT_TRUE(delivery.has_value());
    ASSERT_TRUE(DeliveryFailed(db(), delivery->id, "no route", false).ok());
  }
};

TEST_F(OutboxTest, AnEventIsAnnouncedOnce) {
  EXPECT_EQ(Announce(db(), JobEnd(1), Always).value(), 1);
  EXPECT_EQ(Announce(db(), JobEnd(1), Always).value(), 0);
  // Not to those who come later either.
  ASSERT_TRUE(
      PutSubscription(
          db(),
          {.owner = "bob", .name = "phone", .events = {"job_end"}, .email = "bob@example.org"})
          .ok());
  EXPECT_EQ(Announce(db(), JobEnd(1), Always).value(), 0);
  EXPECT_EQ(Announce(db(), JobEnd(2), Always).value(), 2);
  EXPECT_EQ(Announce(db(), JobEnd(3),
                     [](const Subscription& s, const Event&) { return s.owner == "bob"; })
                .value(),
            1);
  Event other = JobEnd(4);
  other.kind = "machine_sick";
  EXPECT_EQ(Announce(db(), other, Always).value(), 0) << "nobody asked for these";
}

TEST_F(OutboxTest, ADeliveryIsOnesAlone) {
  ASSERT_TRUE(Announce(db(), JobEnd(1), Always).ok());
  const auto delivery = Claim();
  ASSERT_TRUE(delivery.has_value());
  EXPECT_EQ(delivery->webhook, "https://example.org/");
  EXPECT_EQ(delivery->secret, std::string("\0\xffsecret", 8));
  EXPECT_FALSE(Claim().has_value());
  // Who claimed it died: somebody else sends it, under the same id.
  Later("3 minutes");
  const auto again = Claim();
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->event_id, delivery->event_id);
  ASSERT_TRUE(DeliverySent(db(), again->id).ok());
  Later("3 minutes");
  EXPECT_FALSE(Claim().has_value());
  EXPECT_TRUE(View().has_last_sent());
}

TEST_F(OutboxTest, TriesAgainAndGivesUpAfterADay) {
  ASSERT_TRUE(Announce(db(), JobEnd(1), Always).ok());
  Fail();
  EXPECT_EQ(View().last_error(), "no route");
  EXPECT_EQ(View().waiting(), 1u);
  Later("29 seconds");
  EXPECT_FALSE(Claim().has_value());
  Later("2 seconds");
  Fail();
  Later("31 seconds");
  EXPECT_FALSE(Claim().has_value()) << "twice as long";
  Later("30 seconds");
  Fail();
  Later("25 hours");
  Fail();
  EXPECT_EQ(View().last_error(), "given up after 4 tries: no route");
  EXPECT_EQ(View().waiting(), 0u);
  Later("25 hours");
  EXPECT_FALSE(Claim().has_value());
}

TEST_F(OutboxTest, WaitsAnHourAtMost) {
  ASSERT_TRUE(Announce(db(), JobEnd(1), Always).ok());
  Sql("UPDATE outbox SET tries = 500");
  Fail();
  EXPECT_EQ(Sql("SELECT next_try <= now() + interval '1 hour' FROM outbox"), "t");
}

TEST_F(OutboxTest, OldRowsGo) {
  ASSERT_TRUE(Announce(db(), JobEnd(1), Always).ok());
  ASSERT_TRUE(DeliverySent(db(), Claim()->id).ok());
  EXPECT_EQ(PruneOutbox(db()).value(), 0);
  Later("31 days");
  Sql("UPDATE announced_events SET at = at - interval '31 days'");
  EXPECT_EQ(PruneOutbox(db()).value(), 2);
}

TEST_F(OutboxTest, JobsThatEndAreFoundOnce) {
  const int64_t job = Submit({"a", "b"});
  EXPECT_TRUE(UnannouncedJobs(db()).value().empty());
  ASSERT_TRUE(CancelJob(db(), job).ok());
  EXPECT_THAT(UnannouncedJobs(db()).value(), testing::ElementsAre(job));
  ASSERT_TRUE(Announce(db(), JobEnd(static_cast<int>(job)), Always).ok());
  EXPECT_TRUE(UnannouncedJobs(db()).value().empty());
}

TEST_F(OutboxTest, JobsFromBeforeAreNot) {
  const int64_t job = Submit({"a", "b"});
  ASSERT_TRUE(CancelJob(db(), job).ok());
  Sql("UPDATE notify_start SET at = now() + interval '1 minute'");
  EXPECT_TRUE(UnannouncedJobs(db()).value().empty());
}

TEST_F(OutboxTest, SicknessSettlesFirst) {
  const std::vector<Sickness> sick = {{"vm1", "problem"}};
  EXPECT_TRUE(NoteSick(db(), sick, absl::Minutes(2))->empty());
  Sql("UPDATE sick_machines SET since = since - interval '3 minutes'");
  const auto due = NoteSick(db(), sick, absl::Minutes(2)).value();
  ASSERT_EQ(due.size(), 1u);
  EXPECT_THAT(due[0].key, HasSubstr("machine_sick:vm1:problem:"));
  ASSERT_TRUE(SicknessAnnounced(db(), due[0].sickness).ok());
  EXPECT_TRUE(NoteSick(db(), sick, absl::Minutes(2))->empty());
  EXPECT_TRUE(NoteSick(db(), {}, absl::Minutes(2))->empty());
  EXPECT_EQ(Sql("SELECT count(*) FROM sick_machines"), "0");
}

}  // namespace
}  // namespace shakedown::store
