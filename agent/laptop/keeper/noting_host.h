// A machine for tests: nothing it is told happens to the one that runs them.
#ifndef SHAKEDOWN_AGENT_LAPTOP_KEEPER_NOTING_HOST_H_
#define SHAKEDOWN_AGENT_LAPTOP_KEEPER_NOTING_HOST_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "agent/laptop/boot/host.h"
#include "proto/wire/clock.h"

namespace shakedown::laptop {

class NotingHost : public Host {
 public:
  explicit NotingHost(FakeClock& clock) : clock_(clock) {}

  std::string BootId() override { return boot_id; }
  std::string CommandLine() override { return command_line; }
  std::string Release() override { return release; }
  absl::Time Now() override { return clock_.Now(); }
  absl::Status Reboot(RebootKind) override {
    ++reboots;
    return absl::OkStatus();
  }
  absl::StatusOr<std::string> Run(const Tool& tool) override {
    tools.push_back(absl::StrJoin(tool.argv, " "));
    return run ? run(tool) : absl::StatusOr<std::string>("");
  }
  Disk& disk() override { return *disk_; }

  std::string boot_id = "11111111-1111-4111-8111-111111111111";
  std::string command_line = "root=/dev/sda1 quiet", release = "6.1.0-owner";
  int reboots = 0;
  std::vector<std::string> tools;
  std::function<absl::StatusOr<std::string>(const Tool&)> run;

 private:
  FakeClock& clock_;
  std::unique_ptr<Disk> disk_ = MakeDisk();  // Its paths are below a test's folder.
};

}  // namespace shakedown::laptop

#endif  // SHAKEDOWN_AGENT_LAPTOP_KEEPER_NOTING_HOST_H_
