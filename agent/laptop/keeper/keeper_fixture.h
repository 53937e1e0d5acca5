// A keeper on a machine of fakes: transaction, host, seat, vigil, runner, clock.
#ifndef SHAKEDOWN_AGENT_LAPTOP_KEEPER_KEEPER_FIXTURE_H_
#define SHAKEDOWN_AGENT_LAPTOP_KEEPER_KEEPER_FIXTURE_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "agent/laptop/keeper/keeper.h"
#include "agent/laptop/keeper/noting_host.h"
#include "agent/runner/setup/fake_root.h"

namespace shakedown::laptop {

inline constexpr char kOneAttempt[] = "22222222-2222-4222-8222-222222222222";
inline constexpr char kOther[] = "33333333-3333-4333-8333-333333333333";

// The stages of boot_transaction.h without any disk; notes what it is asked.
class FakeTransaction : public BootTransaction {
 public:
  Standing Where() const override { return standing; }
  std::string Problem() const override { return problem; }
  absl::Status Install(const v1::BootOrder& order, const BootFiles& files) override {
    calls.push_back("install " + files.image);
    if (!fail.ok()) return fail;
    order_ = order;
    standing = {v1::BOOT_STAGE_INSTALLED, order.attempt_id(), order.epoch(), false};
    return absl::OkStatus();
  }
  absl::Status Leave() override {
    calls.push_back("leave");
    if (!fail.ok()) return fail;
    standing.stage = v1::BOOT_STAGE_LEAVING;
    return absl::OkStatus();
  }
  absl::Status RunnerOpened() override {
    calls.push_back("opened");
    if (!fail.ok()) return fail;
    standing.runner_was_open = true;
    return absl::OkStatus();
  }
  absl::Status KeepResult(const v1::BootResult& result) override {
    calls.push_back("keep");
    if (!fail.ok()) return fail;
    kept = result;
    return absl::OkStatus();
  }
  absl::StatusOr<v1::BootResult> Collect() override {
    calls.push_back("collect");
    if (!fail.ok()) return fail;
    return kept;
  }
  absl::Status Restore() override {
    calls.push_back("restore");
    if (!fail.ok()) return fail;
    if (standing.stage == v1::BOOT_STAGE_IN_TEST) return absl::OkStatus();  // A reboot.
    standing = {};
    order_ = {};
    return absl::OkStatus();
  }
  const v1::BootOrder& Order() const override { return order_; }

  // As after a reboot.
  void Stand(v1::BootStage stage, const v1::BootOrder& order) {
    order_ = order;
    standing = {stage, order.attempt_id(), order.epoch(), false};
  }

  Standing standing;
  std::string problem;
  absl::Status fail;
  v1::BootResult kept;
  std::vector<std::string> calls;

 private:
  v1::BootOrder order_;
};

class FakeSeat : public Seat {
 public:
  void Tell(const std::string& text) override { told.push_back(text); }
  absl::StatusOr<absl::Duration> Idle() override { return idle; }
  absl::StatusOr<std::vector<std::string>> Blockers() override { return blockers; }

  absl::StatusOr<absl::Duration> idle = absl::Hours(2);
  absl::StatusOr<std::vector<std::string>> blockers = std::vector<std::string>{};
  std::vector<std::string> told;
};

class FakeVigil : public Vigil {
 public:
  std::vector<std::string> Begin() override {
    ++begun;
    return {};
  }
  void Beat() override { ++beats; }
  void Ready(const std::string&) override {}
  int begun = 0, beats = 0;
};

// A runner whose end of the socket the test holds.
class FakePlace : public RunnerPlace {
 public:
  absl::StatusOr<Descriptor> Start(const std::vector<RunnerInput>& inputs,
                                   v1::Network network) override {
    if (!fail.ok()) return fail;
    int ends[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
    runner = Descriptor(ends[1]);
    started = inputs;
    links = network;
    lives = true;
    return Descriptor(ends[0]);
  }
  void End() override {
    ended += lives ? 1 : 0;
    lives = false;
    runner.Close();
  }

  absl::Status fail;
  Descriptor runner;
  std::vector<RunnerInput> started;
  v1::Network links = v1::NETWORK_AS_IS;
  bool lives = false;
  int ended = 0;
};

inline v1::BootOrder AnOrder() {
  v1::BootOrder order;
  order.set_attempt_id(kOneAttempt);
  order.set_name("17.3B");
  order.set_epoch(4);
  order.mutable_expected()->set_release("6.12.43");
  order.add_loads()->mutable_make()->set_jobs(2);
  order.set_boot_limit_s(100);
  order.set_run_limit_s(300);
  return order;
}

class KeeperTest : public testing::Test {
 protected:
  KeeperTest() : host(clock) {
    clock.Advance(absl::Hours(24 * 365 * 56));  // 2025: no test is about the epoch.
    Rules("");
    root.Put("/etc/shakedown/agent.conf", "name = x1\nserver = \"farm:1\"\n");
    state.emplace(*StateFile::Open(StatePath()));
  }

  std::string StatePath() const { return root.path() + "/state.txtpb"; }
  void Rules(const std::string& text) {
    const std::string path = root.path() + "/etc/shakedown/owner.txtpb";
    root.Put("/etc/shakedown/owner.txtpb", "farms: \"farm:1\"\nany_kernel: true\n" + text);
    chmod(path.c_str(), 0644);
  }
  // As the daemon does at its start.
  Keeper& Start(absl::Duration uptime = absl::Hours(5)) {
    KeeperOptions options;
    options.root = root.path();
    options.owner_path = root.path() + "/etc/shakedown/owner.txtpb";
    options.owner_uid = getuid();
    options.config = root.path() + "/etc/shakedown/agent.conf";
    options.loader = "grub";
    options.zone = absl::UTCTimeZone();
    options.uptime = uptime;
    options.input_image = [](size_t index) { return absl::StrCat("/inputs/", index, ".img"); };
    state.emplace(*StateFile::Open(StatePath()));
    keeper = std::make_unique<Keeper>(
        KeeperParts{transaction, host, seat, vigil, place, *state, clock}, std::move(options));
    return *keeper;
  }
  Keeper& InTest(v1::BootOrder order = AnOrder()) {
    transaction.Stand(v1::BOOT_STAGE_IN_TEST, order);
    return Start(absl::Seconds(20));
  }

  v1::LaptopReply Ask(const v1::LaptopRequest& request, bool from_root = false) {
    return keeper->Handle(request, from_root);
  }
  v1::LaptopStatus Status() {
    v1::LaptopRequest request;
    request.mutable_status();
    return Ask(request).status();
  }
  v1::LaptopReply Install(const v1::BootOrder& order = AnOrder()) {
    v1::LaptopRequest request;
    *request.mutable_install()->mutable_order() = order;
    request.mutable_install()->set_image_path(root.path() + "/image");
    for (int i = 0; i < order.inputs_size(); ++i) request.mutable_install()->add_input_paths("/i");
    return Ask(request);
  }
  v1::LaptopReply Reboot(const std::string& attempt = kOneAttempt) {
    v1::LaptopRequest request;
    request.mutable_reboot()->set_attempt_id(attempt);
    return Ask(request);
  }
  v1::LaptopReply Open(const std::string& attempt = kOneAttempt) {
    v1::LaptopRequest request;
    request.mutable_open_runner()->set_attempt_id(attempt);
    return Ask(request);
  }
  v1::LaptopReply Keep(const std::string& attempt = kOneAttempt) {
    v1::LaptopRequest request;
    request.mutable_keep_result()->mutable_result()->set_attempt_id(attempt);
    request.mutable_keep_result()->mutable_result()->set_outcome(v1::OUTCOME_MEASURED);
    return Ask(request);
  }
  v1::LaptopReply Restore(const std::string& attempt = kOneAttempt) {
    v1::LaptopRequest request;
    request.mutable_restore()->set_attempt_id(attempt);
    return Ask(request);
  }
  v1::LaptopReply Collect(const std::string& attempt = kOneAttempt) {
    v1::LaptopRequest request;
    request.mutable_collect()->set_attempt_id(attempt);
    return Ask(request);
  }
  v1::LaptopReply Owner(v1::OwnerCommand command, bool from_root = true) {
    v1::LaptopRequest request;
    *request.mutable_owner() = std::move(command);
    return Ask(request, from_root);
  }
  v1::LaptopReply Pause(int64_t until = 0) {
    v1::OwnerCommand command;
    command.mutable_pause()->set_until(until);
    return Owner(command);
  }
  v1::LaptopReply Stop() {
    v1::OwnerCommand command;
    command.mutable_stop();
    return Owner(command);
  }
  // Second by second.
  void Pass(absl::Duration duration) {
    for (absl::Duration d; d < duration; d += absl::Seconds(1)) {
      clock.Advance(absl::Seconds(1));
      keeper->Tick();
    }
  }

  runner::FakeRoot root;
  FakeClock clock;
  NotingHost host;
  FakeTransaction transaction;
  FakeSeat seat;
  FakeVigil vigil;
  FakePlace place;
  std::optional<StateFile> state;
  std::unique_ptr<Keeper> keeper;
};

}  // namespace shakedown::laptop

#endif  // SHAKEDOWN_AGENT_LAPTOP_KEEPER_KEEPER_FIXTURE_H_
