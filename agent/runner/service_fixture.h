// A service that a test talks with as the agent does.
#ifndef SHAKEDOWN_AGENT_RUNNER_SERVICE_FIXTURE_H_
#define SHAKEDOWN_AGENT_RUNNER_SERVICE_FIXTURE_H_

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "agent/runner/loads/process_tree.h"
#include "agent/runner/service.h"
#include "gtest/gtest.h"

namespace shakedown::runner {

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
    service_ =
        std::make_unique<Service>(std::make_unique<Port>(ends[1]), place, SystemClock(), root());
    thread_ = std::thread([this] { status_ = service_->Run(); });
  }
  // Stands before the paths of setup steps.
  virtual std::string root() const { return "/nonexistent"; }
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

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_SERVICE_FIXTURE_H_
