#include "agent/machine/laptop_machine.h"

#include <time.h>

#include <atomic>
#include <mutex>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "agent/machine/laptop_boot.h"
#include "agent/machine/laptop_client.h"
#include "proto/wire/ids.h"
#include "proto/wire/sanitise.h"
#include "proto/wire/status.h"

namespace shakedown::agent {
namespace {

constexpr absl::Duration kLookLimit = absl::Seconds(5);

absl::Status CheckOptions(const LaptopMachineOptions& options) {
  RETURN_IF_ERROR(CheckName("machine", options.name));
  for (const std::string& tag : options.tags) RETURN_IF_ERROR(CheckName("tag", tag));
  if (absl::StartsWith(options.socket, "/")) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("socket ", Quoted(options.socket), ": want an absolute path"));
}

class LaptopMachine : public Machine {
 public:
  LaptopMachine(LaptopMachineOptions options, Clock& clock)
      : options_(std::move(options)), clock_(clock), client_(options_.socket) {
    info_.name = options_.name;
    info_.tags = {"laptop"};
    info_.tags.insert(info_.tags.end(), options_.tags.begin(), options_.tags.end());
    info_.outlives_agent = true;
    info_.wants_modules = true;
  }

  const MachineInfo& Info() const override { return info_; }

  std::string Problem() const override {
    if (measuring_) return "";  // It has work, and asking costs time of the loads.
    const absl::StatusOr<v1::LaptopStatus> status = Look();
    return status.ok() ? status->problem() : PrintableLine(status.status().message(), 400);
  }

  std::map<std::string, std::string> Facts() const override {
    std::lock_guard<std::mutex> lock(mutex_);
    return {last_.facts().begin(), last_.facts().end()};
  }

  std::string Hands() const override {
    std::lock_guard<std::mutex> lock(mutex_);
    return last_.hands();
  }

  absl::StatusOr<bool> HasBegun(const v1::BootOrder& order, const BootHooks& hooks) override {
    return Named(LaptopBoot(order, options_, client_, hooks, clock_).HasBegun());
  }

  absl::StatusOr<v1::BootResult> RunBoot(const v1::BootOrder& order, const KernelFiles& files,
                                         const BootHooks& hooks) override {
    LaptopBoot boot(order, options_, client_, hooks, clock_);
    boot.measuring = [this](bool now) { measuring_ = now; };
    return Named(boot.Run(files));
  }

  absl::Status Concluded(const v1::BootOrder& order) override {
    return LaptopBoot(order, options_, client_, BootHooks(), clock_).Conclude();
  }

  absl::Status CleanUp(const std::set<std::string>& open) override {
    ASSIGN_OR_RETURN(const v1::LaptopStatus status, Look());
    if (status.stage() == v1::BOOT_STAGE_NONE || open.count(status.attempt_id()) > 0) {
      return absl::OkStatus();
    }
    v1::LaptopRequest request;
    request.mutable_restore()->set_attempt_id(status.attempt_id());
    ASSIGN_OR_RETURN(const LaptopAnswer answer, client_.Ask(request, absl::Minutes(1), nullptr));
    return answer.refusal;
  }

 private:
  absl::StatusOr<v1::LaptopStatus> Look() const {
    v1::LaptopRequest request;
    request.mutable_status();
    ASSIGN_OR_RETURN(const LaptopAnswer answer, client_.Ask(request, kLookLimit, nullptr));
    RETURN_IF_ERROR(answer.refusal);
    std::lock_guard<std::mutex> lock(mutex_);
    last_ = answer.status;
    return answer.status;
  }

  template <typename T>
  absl::StatusOr<T> Named(absl::StatusOr<T> value) const {
    if (value.ok()) return value;
    return Annotate(value.status(), absl::StrCat("machine ", options_.name));
  }

  const LaptopMachineOptions options_;
  Clock& clock_;
  const LaptopClient client_;
  MachineInfo info_;
  std::atomic<bool> measuring_ = false;
  mutable std::mutex mutex_;
  mutable v1::LaptopStatus last_;
};

}  // namespace

absl::Duration KernelUptime() {
  timespec now = {};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return absl::DurationFromTimespec(now);
}

absl::StatusOr<std::unique_ptr<Machine>> MakeLaptopMachine(LaptopMachineOptions options,
                                                           Clock& clock) {
  RETURN_IF_ERROR(CheckOptions(options));
  return std::make_unique<LaptopMachine>(std::move(options), clock);
}

}  // namespace shakedown::agent
