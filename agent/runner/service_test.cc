#include "agent/runner/service.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <thread>

#include "absl/strings/match.h"
#include "agent/runner/loads/process_tree.h"
#include "gtest/gtest.h"

namespace shakedown::runner {
namespace {

// The agent's side of a socket; the service runs in a thread of the test.
class ServiceTest : public testing::Test {
 protected:
  void SetUp() override {
    signal(SIGPIPE, SIG_IGN);
    ASSERT_TRUE(AdoptOrphans().ok());
    int ends[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    fd_ = ends[0];
    LoadPlace place;
    place.scratch_parent = "/tmp";
    service_ = std::make_unique<Service>(std::make_unique<Port>(ends[1]), place, SystemClock());
    thread_ = std::thread([this] { status_ = service_->Run(); });
  }
  void TearDown() override {
    if (thread_.joinable()) {
      PowerOff();
      thread_.join();
    }
    close(fd_);
  }
  void SendBytes(const std::string& bytes) {
    ASSERT_EQ(write(fd_, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }
  void Ask(const v1::RunnerRequest& request) {
    SendBytes(EncodeFrame(request.SerializeAsString()));
  }
  void PowerOff() {
    v1::RunnerRequest request;
    request.mutable_power_off();
    Ask(request);
  }
  // The next event; an empty one after 30 s.
  v1::RunnerEvent Hear() {
    const absl::Duration until = SystemClock().Elapsed() + absl::Seconds(30);
    v1::RunnerEvent event;
    while (SystemClock().Elapsed() < until) {
      if (const std::optional<std::string> payload = frames_.Next()) {
        EXPECT_TRUE(event.ParseFromString(*payload));
        break;
      }
      pollfd fd = {fd_, POLLIN, 0};
      if (poll(&fd, 1, 100) <= 0) continue;
      char piece[4096];
      const ssize_t got = read(fd_, piece, sizeof piece);
      if (got > 0) frames_.Add(absl::string_view(piece, static_cast<size_t>(got)));
    }
    return event;
  }
  v1::RunnerEvent HearAnswer(uint64_t id) {
    for (int i = 0; i < 1000; ++i) {
      v1::RunnerEvent event = Hear();
      if (event.id() == id && !event.has_progress()) return event;
    }
    return {};
  }
  static v1::RunnerRequest RunSleep(uint64_t id) {
    v1::RunnerRequest request;
    request.set_id(id);
    request.mutable_run_load()->set_limit_s(60);
    v1::LattLoad& latt = *request.mutable_run_load()->mutable_load()->mutable_latt();
    latt.add_command("sleep");
    latt.add_command("50");
    return request;
  }
  int fd_ = -1;
  FrameReader frames_;
  std::unique_ptr<Service> service_;
  std::thread thread_;
  absl::Status status_ = absl::UnknownError("still running");
};

TEST_F(ServiceTest, HelloUntilTheFirstRequest) {
  const v1::RunnerEvent first = Hear();
  EXPECT_TRUE(first.has_hello());
  EXPECT_EQ(first.id(), 0u);
  EXPECT_EQ(first.hello().boot_id().size(), 36u);
  EXPECT_TRUE(Hear().has_hello());
  PowerOff();
  thread_.join();
  EXPECT_TRUE(status_.ok()) << status_;
}

TEST_F(ServiceTest, IdentifyThroughNoise) {
  SendBytes("SDF1 not a frame");
  v1::RunnerRequest request;
  request.set_id(7);
  request.mutable_identify()->add_tunables("kernel.ostype");
  Ask(request);
  const v1::RunnerEvent event = HearAnswer(7);
  ASSERT_TRUE(event.has_identified()) << event.failure().error();
  EXPECT_NE(event.identified().identity().release(), "");
  ASSERT_EQ(event.identified().identity().tunables_size(), 1);
  EXPECT_EQ(event.identified().identity().tunables(0).value(), "Linux");
  EXPECT_NE(event.identified().fingerprint().facts().at("memory_kib"), "");
}

TEST_F(ServiceTest, UnreadableTunableIsAFailureThatNamesIt) {
  v1::RunnerRequest request;
  request.set_id(8);
  request.mutable_identify()->add_tunables("kernel.no_such_thing");
  Ask(request);
  EXPECT_TRUE(absl::StrContains(HearAnswer(8).failure().error(), "kernel.no_such_thing"));
  request.set_id(9);
  v1::Tunable& tunable = *request.mutable_apply_tunables()->add_tunables();
  tunable.set_name("../etc/passwd");
  tunable.set_value("x");
  Ask(request);
  EXPECT_TRUE(absl::StrContains(HearAnswer(9).failure().error(), "../etc/passwd"));
}

// A machine that is busy beside the test may have no steady speed: that is said, in time.
TEST_F(ServiceTest, Calibrates) {
  v1::RunnerRequest request;
  request.set_id(6);
  request.mutable_calibrate();
  Ask(request);
  v1::RunnerEvent event;
  for (int i = 0; i < 3 && event.id() != 6; ++i) event = Hear();
  if (event.has_calibrated()) {
    EXPECT_GE(event.calibrated().loops_per_ms(), 1000u);
  } else {
    EXPECT_TRUE(absl::StrContains(event.failure().error(), "calibration: ")) << event.DebugString();
  }
}

TEST_F(ServiceTest, OneLoadAtATimeAndStop) {
  Ask(RunSleep(1));
  v1::RunnerEvent beat = Hear();
  while (!beat.has_progress()) beat = Hear();
  EXPECT_EQ(beat.id(), 1u);
  Ask(RunSleep(2));
  EXPECT_TRUE(absl::StrContains(HearAnswer(2).failure().error(), "busy"));
  v1::RunnerRequest stop;
  stop.set_id(3);
  stop.mutable_stop_load();
  Ask(stop);
  EXPECT_EQ(HearAnswer(1).failure().error(), "load 0 (latt): stopped");
  stop.set_id(4);
  Ask(stop);
  EXPECT_TRUE(absl::StrContains(HearAnswer(4).failure().error(), "no load runs"));
}

TEST_F(ServiceTest, PowerOffEndsTheLoad) {
  Ask(RunSleep(1));
  v1::RunnerEvent beat = Hear();
  while (!beat.has_progress()) beat = Hear();
  PowerOff();
  thread_.join();
  EXPECT_TRUE(status_.ok()) << status_;
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
}

TEST_F(ServiceTest, StrangeRequests) {
  SendBytes(EncodeFrame("\xff\xff not a message"));
  v1::RunnerEvent refusal = Hear();
  while (refusal.has_hello()) refusal = Hear();  // They too have the id 0.
  EXPECT_TRUE(absl::StrContains(refusal.failure().error(), "not a RunnerRequest"));
  v1::RunnerRequest empty;
  empty.set_id(5);
  Ask(empty);
  EXPECT_TRUE(absl::StrContains(HearAnswer(5).failure().error(), "does not know"));
}

}  // namespace
}  // namespace shakedown::runner
