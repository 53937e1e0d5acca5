// explain, boot and queue against a DetailService over gRPC.
#include <gmock/gmock.h>

#include <string>

#include "controller/cli/exit_code.h"
#include "controller/cli/service_flow_testing.h"
#include "shakedown/v1/detail.grpc.pb.h"

namespace shakedown::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class FakeDetail : public v1::DetailService::Service {
 public:
  v1::ExplainRequest explained;
  v1::ListQueueRequest listed;
  v1::GetBootResponse boot;
  v1::ListQueueResponse queue;

 private:
  grpc::Status Explain(grpc::ServerContext*, const v1::ExplainRequest* request,
                       v1::ExplainResponse* response) override {
    explained = *request;
    if (request->metric() != "make.real") {
      return {grpc::StatusCode::NOT_FOUND, "metric \"make.reel\": not in the report of job 17"};
    }
    response->set_text("make.real, B against A\n  block 1: 10 s, 11 s\x1b[2J\n");
    return grpc::Status::OK;
  }
  grpc::Status GetBoot(grpc::ServerContext*, const v1::GetBootRequest* request,
                       v1::GetBootResponse* response) override {
    if (request->boot() != "17.3B") return {grpc::StatusCode::NOT_FOUND, "no such boot"};
    *response = boot;
    return grpc::Status::OK;
  }
  grpc::Status ListQueue(grpc::ServerContext*, const v1::ListQueueRequest* request,
                         v1::ListQueueResponse* response) override {
    listed = *request;
    *response = queue;
    return grpc::Status::OK;
  }
};

using DetailFlowTest = ServiceFlowTest<FakeDetail>;

v1::GetBootResponse MeasuredBoot() {
  v1::GetBootResponse boot;
  v1::BootView& view = *boot.mutable_view();
  view.set_name("17.3B");
  view.set_machine("x1");
  view.set_state(v1::WORK_STATE_ENDED);
  view.set_outcome(v1::OUTCOME_MEASURED);
  view.set_boot_ms(2500);
  boot.set_variant("debian-6.12 nohz=off");
  boot.add_loads("make jobs=4");
  boot.add_attempts("17.3B");
  boot.add_attempts("17.3B.2");
  v1::BootResult& result = *boot.mutable_result();
  result.mutable_identity()->set_release("6.12.57");
  result.mutable_identity()->set_command_line("quiet\x1b]0;owned\x07");
  (*result.mutable_fingerprint()->mutable_facts())["cpu.model"] = "a CPU";
  v1::LoadRun& run = *result.add_load_runs();
  run.set_duration_ms(61000);
  run.add_warnings("the disk was busy");
  run.add_series()->set_name("cpu.busy");
  for (const double value : {12.5, 10.0}) {
    v1::Measurement& measurement = *run.add_measurements();
    measurement.set_metric("make.real");
    measurement.set_unit("s");
    measurement.set_value(value);
    measurement.set_warmup(value == 12.5);
  }
  return boot;
}

TEST_F(DetailFlowTest, ExplainsAMetricOfAVariant) {
  EXPECT_EQ(Run({"explain", "17", "make.real", "B"}), kOk) << err_;
  EXPECT_EQ(service_.explained.job(), 17);
  EXPECT_EQ(service_.explained.metric(), "make.real");
  EXPECT_EQ(service_.explained.variant(), "B");
  EXPECT_THAT(out_, AllOf(HasSubstr("block 1: 10 s, 11 s"), Not(HasSubstr("\x1b"))));
  EXPECT_EQ(Run({"explain", "17", "make.real"}), kOk);
  EXPECT_EQ(service_.explained.variant(), "");
  EXPECT_EQ(Run({"explain", "17", "make.reel"}), kUsage);
  EXPECT_THAT(err_, HasSubstr("metric \"make.reel\": not in the report"));
  EXPECT_EQ(out_, "");
  EXPECT_EQ(Run({"explain", "17"}), kUsage);
}

TEST_F(DetailFlowTest, ShowsWhatABootWas) {
  service_.boot = MeasuredBoot();
  EXPECT_EQ(Run({"boot", "17.3B"}), kOk) << err_;
  for (const char* part :
       {"boot         17.3B\n", "variant      debian-6.12 nohz=off\n", "machine      x1\n",
        "state        measured\n", "up after     2.5 s\n", "attempts     17.3B, 17.3B.2\n",
        "release      6.12.57\n", "\nmake jobs=4  (", "make.real", "(12.5) 10\n",
        "note: the disk was busy\n", "telemetry    cpu.busy\n", "cpu.model  a CPU\n"}) {
    EXPECT_THAT(out_, HasSubstr(part));
  }
  EXPECT_THAT(out_, AllOf(Not(HasSubstr("\x1b")), Not(HasSubstr("\x07"))));
  EXPECT_EQ(Run({"boot", "17.3B", "--json"}), kOk);
  EXPECT_THAT(out_, HasSubstr("\"variant\": \"debian-6.12 nohz=off\""));
  EXPECT_EQ(Run({"boot", "17.9B"}), kUsage);
  EXPECT_THAT(err_, HasSubstr("no such boot"));
  EXPECT_EQ(Run({"boot"}), kUsage);
}

TEST_F(DetailFlowTest, SaysWhyTheQueueWaits) {
  EXPECT_EQ(Run({"queue"}), kOk);
  EXPECT_EQ(out_, "");
  EXPECT_THAT(err_, HasSubstr("the queue is empty"));
  EXPECT_EQ(service_.listed.limit(), 100u);
  v1::QueueEntry& first = *service_.queue.add_entries();
  first.set_position(1);
  first.set_job(17);
  first.set_title("CFS against\nEEVDF");
  first.set_submitter("ada");
  first.set_running(1);
  first.set_queued(2);
  first.set_waiting(1);
  v1::QueueEntry& second = *service_.queue.add_entries();
  second.set_position(2);
  second.set_job(18);
  second.set_queued(4);
  second.set_starts_in_s(7200);
  second.set_reason("x1 is busy\x1b[2J");
  EXPECT_EQ(Run({"queue", "--limit", "2"}), kOk) << err_;
  EXPECT_EQ(service_.listed.limit(), 2u);
  EXPECT_THAT(out_, AllOf(HasSubstr("CFS against EEVDF"), HasSubstr("  1/4"), HasSubstr("runs"),
                          HasSubstr("  0/4"), HasSubstr("2 h"), HasSubstr("x1 is busy")));
  EXPECT_THAT(out_, Not(HasSubstr("\x1b")));
  EXPECT_EQ(Run({"queue", "--json"}), kOk);
  EXPECT_THAT(out_, HasSubstr("\"startsInS\": \"7200\""));
  EXPECT_EQ(Run({"queue", "--limit", "0"}), kUsage);
}

}  // namespace
}  // namespace shakedown::cli
