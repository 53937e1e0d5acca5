#include "agent/machine/laptop_boot.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "agent/machine/ended_boot.h"
#include "agent/machine/laptop_talk.h"
#include "proto/wire/sanitise.h"
#include "proto/wire/status.h"

namespace shakedown::agent {
namespace {

constexpr size_t kMostResult = 15 << 20;  // The daemon keeps 16 MiB at most, with what is around.
constexpr absl::Duration kQuick = absl::Seconds(30);
constexpr absl::Duration kInstall = absl::Minutes(10);  // A full disk's worth of modules, fsynced.
constexpr absl::Duration kDefaultBoot = absl::Minutes(5);

absl::Duration SecondsOr(uint32_t seconds, absl::Duration otherwise) {
  return seconds == 0 ? otherwise : absl::Seconds(seconds);
}

v1::LaptopRequest StatusRequest() {
  v1::LaptopRequest request;
  request.mutable_status();
  return request;
}

}  // namespace

LaptopBoot::LaptopBoot(const v1::BootOrder& order, const LaptopMachineOptions& options,
                       const LaptopClient& client, const BootHooks& hooks, Clock& clock)
    : order_(order), options_(options), client_(client), hooks_(hooks), clock_(clock) {}

absl::StatusOr<v1::BootResult> LaptopBoot::Run(const KernelFiles& files) {
  for (;;) {
    ASSIGN_OR_RETURN(const v1::LaptopStatus status, Look());
    ASSIGN_OR_RETURN(std::optional<v1::BootResult> result, Step(status, files));
    if (result) return *std::move(result);
  }
}

absl::StatusOr<bool> LaptopBoot::HasBegun() {
  ASSIGN_OR_RETURN(const v1::LaptopStatus status, Look());
  return IsOurs(status);
}

absl::Status LaptopBoot::Conclude() {
  ASSIGN_OR_RETURN(const LaptopAnswer now, client_.Ask(StatusRequest(), kQuick, nullptr));
  if (!IsOurs(now.status)) return absl::OkStatus();
  ASSIGN_OR_RETURN(const LaptopAnswer answer, AskToRestore(order_.attempt_id()));
  return answer.refusal;
}

bool LaptopBoot::IsOurs(const v1::LaptopStatus& status) const {
  return status.stage() != v1::BOOT_STAGE_NONE && status.attempt_id() == order_.attempt_id() &&
         status.epoch() == order_.epoch();
}

// Waits for a daemon that is away: it may be starting, as this process is.
absl::StatusOr<v1::LaptopStatus> LaptopBoot::Look() {
  const absl::Duration since = clock_.Elapsed();
  for (;;) {
    if (hooks_.Stopping()) return Suspended();
    absl::StatusOr<LaptopAnswer> answer = Ask(StatusRequest());
    if (answer.ok() && answer->refusal.ok()) return std::move(answer->status);
    if (IsSuspended(answer.status())) return answer.status();
    const absl::Status error = answer.ok() ? answer->refusal : answer.status();
    if (clock_.Elapsed() - since >= options_.daemon_limit) return error;
    if (hooks_.Cancelled() && !hooks_.Stopping()) return absl::CancelledError("cancelled");
    Say(PrintableLine(absl::StrCat("waiting: ", error.message()), 100), 0);
    clock_.Sleep(options_.poll);
  }
}

absl::StatusOr<LaptopAnswer> LaptopBoot::Ask(const v1::LaptopRequest& request) {
  absl::StatusOr<LaptopAnswer> answer = client_.Ask(
      request, request.has_install() ? kInstall : kQuick, [this] { return hooks_.Stopping(); });
  // What was asked is done or not: the next process looks.
  if (hooks_.Stopping() && absl::IsCancelled(answer.status())) return Suspended();
  return answer;
}

absl::StatusOr<LaptopAnswer> LaptopBoot::AskToRestore(const std::string& attempt_id) {
  v1::LaptopRequest request;
  request.mutable_restore()->set_attempt_id(attempt_id);
  return Ask(request);
}

LaptopBoot::Result LaptopBoot::Step(const v1::LaptopStatus& status, const KernelFiles& files) {
  if (status.stage() != v1::BOOT_STAGE_NONE && !IsOurs(status)) return ForgetOther(status);
  if (status.stage() != v1::BOOT_STAGE_LEAVING && status.stage() != v1::BOOT_STAGE_IN_TEST) {
    waits_since_.reset();
  }
  switch (status.stage()) {
    case v1::BOOT_STAGE_NONE:
      return Install(status, files);
    case v1::BOOT_STAGE_INSTALLED:
      begun_ = true;
      return Leave(status);
    case v1::BOOT_STAGE_LEAVING:
      begun_ = true;
      return WaitForReboot();
    case v1::BOOT_STAGE_IN_TEST:
      begun_ = true;
      return Measure(status);
    case v1::BOOT_STAGE_RETURNED:
      return Collect();
    default:
      return absl::InternalError(absl::StrCat("stage ", status.stage(), " is not known"));
  }
}

LaptopBoot::Result LaptopBoot::Install(const v1::LaptopStatus& status, const KernelFiles& files) {
  if (hooks_.Cancelled() && !hooks_.Stopping()) return Ended(v1::OUTCOME_CANCELLED, "cancelled");
  if (!status.problem().empty()) return Ended(v1::OUTCOME_CANCELLED, status.problem());
  if (begun_ || files.image.empty()) {
    return Ended(v1::OUTCOME_CANCELLED, "it was taken back on the machine itself");
  }
  Say("installing", 0.01f);
  v1::LaptopRequest request;
  v1::InstallBoot& install = *request.mutable_install();
  *install.mutable_order() = order_;
  install.set_image_path(files.image);
  install.set_initramfs_path(files.initramfs);
  install.set_modules_path(files.modules);
  for (const std::string& disk : files.input_disks) install.add_input_paths(disk);
  ASSIGN_OR_RETURN(const LaptopAnswer answer, Ask(request));
  if (answer.refusal.ok()) return std::nullopt;
  // What is wrong with the machine or the hour is nothing of the order's.
  if (!answer.status.problem().empty()) {
    return Ended(v1::OUTCOME_CANCELLED, answer.status.problem());
  }
  return answer.refusal;
}

LaptopBoot::Result LaptopBoot::Leave(const v1::LaptopStatus& status) {
  if (hooks_.Cancelled() && !hooks_.Stopping()) {
    return TakeBack(Ended(v1::OUTCOME_CANCELLED, "cancelled"));
  }
  if (!status.problem().empty()) {
    return TakeBack(Ended(v1::OUTCOME_CANCELLED, status.problem()));
  }
  if (asked_to_leave_) {
    return TakeBack(Ended(v1::OUTCOME_CANCELLED, "the machine did not leave its kernel"));
  }
  DarkForTest();
  Say("rebooting", 0.02f);
  if (hooks_.Stopping()) return Suspended();
  if (hooks_.Cancelled()) return std::nullopt;  // Heard while the farm was told.
  asked_to_leave_ = true;
  v1::LaptopRequest request;
  request.mutable_reboot()->set_attempt_id(order_.attempt_id());
  ASSIGN_OR_RETURN(const LaptopAnswer answer, Ask(request));
  if (answer.refusal.ok()) return std::nullopt;
  const std::string problem = answer.status.problem();
  return TakeBack(problem.empty() ? Ended(v1::OUTCOME_FARM_FAILED, answer.refusal.message())
                                  : Ended(v1::OUTCOME_CANCELLED, problem));
}

LaptopBoot::Result LaptopBoot::WaitForReboot() {
  if (!waits_since_) {
    waits_since_ = clock_.Elapsed();
    Say("rebooting", 0.02f);
    if (!asked_to_leave_) DarkForTest();  // An earlier process told of it.
  }
  const bool late = clock_.Elapsed() - *waits_since_ > options_.reboot_limit;
  const bool cancelled = hooks_.Cancelled() && !hooks_.Stopping() && !cancel_refused_;
  if (late || cancelled) {
    ASSIGN_OR_RETURN(const LaptopAnswer answer, AskToRestore(order_.attempt_id()));
    cancel_refused_ = !answer.refusal.ok();
    if (late) {
      return absl::DeadlineExceededError(absl::StrCat("the machine did not reboot within ",
                                                      absl::FormatDuration(options_.reboot_limit)));
    }
    if (answer.refusal.ok()) return Ended(v1::OUTCOME_CANCELLED, "cancelled");
  }
  clock_.Sleep(options_.poll);
  return std::nullopt;
}

LaptopBoot::Result LaptopBoot::Measure(const v1::LaptopStatus& status) {
  if (kept_) return GoHome();
  ASSIGN_OR_RETURN(v1::BootResult result, ResultInTest(status));
  auto& facts = *result.mutable_fingerprint()->mutable_facts();
  for (const auto& [name, value] : status.facts()) facts[name] = value;
  RETURN_IF_ERROR(Keep(std::move(result)));
  kept_ = true;
  return GoHome();
}

absl::StatusOr<v1::BootResult> LaptopBoot::ResultInTest(const v1::LaptopStatus& status) {
  if (status.runner_was_open()) {
    return Ended(v1::OUTCOME_FARM_FAILED, asked_for_runner_
                                              ? "the runner was lost before it could be heard"
                                              : "agent restarted while measuring");
  }
  if (hooks_.Cancelled() && !hooks_.Stopping()) return Ended(v1::OUTCOME_CANCELLED, "cancelled");
  asked_for_runner_ = true;
  v1::LaptopRequest request;
  request.mutable_open_runner()->set_attempt_id(order_.attempt_id());
  ASSIGN_OR_RETURN(LaptopAnswer answer, Ask(request));
  if (!answer.refusal.ok()) return Ended(v1::OUTCOME_FARM_FAILED, answer.refusal.message());
  LaptopTalk talk(order_, std::move(answer.connection),
                  {.uptime = options_.uptime(),
                   .silence = options_.silence_limit,
                   .tell = std::min(options_.tell_limit, absl::Seconds(10)),
                   .rest = options_.rest,
                   .read_rest = [this] { return ReadForRest(options_.root); }},
                  hooks_, clock_);
  if (measuring) measuring(true);
  absl::StatusOr<v1::BootResult> result = talk.Run();
  if (measuring) measuring(false);
  return result;
}

// The result is safe when this returns, or a smaller one is, or the daemon has long been away.
absl::Status LaptopBoot::Keep(v1::BootResult result) {
  if (const size_t size = result.ByteSizeLong(); size > kMostResult) {
    result = Ended(v1::OUTCOME_FARM_FAILED,
                   absl::StrCat("the result has ", size, " bytes, want at most ", kMostResult));
  }
  const absl::Duration since = clock_.Elapsed();
  v1::LaptopRequest request;
  *request.mutable_keep_result()->mutable_result() = std::move(result);
  for (;;) {
    const absl::StatusOr<LaptopAnswer> answer = Ask(request);
    if (IsSuspended(answer.status())) return answer.status();
    // Kept before, by a process that ended right after: that one counts.
    if (answer.ok() && (answer->refusal.ok() || absl::IsAlreadyExists(answer->refusal))) {
      return absl::OkStatus();
    }
    if (answer.ok() && request.keep_result().result().outcome() != v1::OUTCOME_FARM_FAILED) {
      *request.mutable_keep_result()->mutable_result() =
          Ended(v1::OUTCOME_FARM_FAILED,
                absl::StrCat("the result was not kept: ", answer->refusal.message()));
      continue;
    }
    // Home all the same: the daemon then says what it knows of the boot.
    if (answer.ok() || clock_.Elapsed() - since >= options_.daemon_limit) return absl::OkStatus();
    clock_.Sleep(options_.poll);
  }
}

LaptopBoot::Result LaptopBoot::GoHome() {
  if (!waits_since_ || clock_.Elapsed() - *waits_since_ > options_.reboot_limit) {
    if (!waits_since_) {
      Dark(SecondsOr(order_.boot_limit_s(), kDefaultBoot),
           absl::StrCat("reboots home after ", order_.name()));
    }
    Say("going home", 0.99f);
    ASSIGN_OR_RETURN(const LaptopAnswer answer, AskToRestore(order_.attempt_id()));
    if (answer.refusal.ok()) waits_since_ = clock_.Elapsed();
  }
  clock_.Sleep(options_.poll);
  return std::nullopt;
}

LaptopBoot::Result LaptopBoot::Collect() {
  Say("home again", 1);
  v1::LaptopRequest request;
  request.mutable_collect()->set_attempt_id(order_.attempt_id());
  ASSIGN_OR_RETURN(LaptopAnswer answer, Ask(request));
  RETURN_IF_ERROR(Annotate(answer.refusal, "what became of the boot"));
  v1::BootResult& result = *answer.collected.mutable_result();
  if (result.attempt_id() != order_.attempt_id() || result.epoch() != order_.epoch()) {
    return absl::InternalError(absl::StrCat("shakedown-laptop gave the result of attempt ",
                                            PrintableLine(result.attempt_id(), 100), " epoch ",
                                            result.epoch()));
  }
  result.set_reason(PrintableLine(result.reason(), kMostReason));
  return std::move(result);
}

// Of an order that has its result already, or whose journal is gone.
LaptopBoot::Result LaptopBoot::ForgetOther(const v1::LaptopStatus& status) {
  if (!waits_since_) waits_since_ = clock_.Elapsed();
  Say("ending an earlier boot", 0);
  ASSIGN_OR_RETURN(const LaptopAnswer answer, AskToRestore(status.attempt_id()));
  const bool reboots =
      status.stage() == v1::BOOT_STAGE_LEAVING || status.stage() == v1::BOOT_STAGE_IN_TEST;
  if (!reboots) {
    if (answer.refusal.ok()) return std::nullopt;
    return Ended(v1::OUTCOME_CANCELLED, answer.refusal.message());
  }
  if (clock_.Elapsed() - *waits_since_ > options_.reboot_limit) {
    return absl::DeadlineExceededError(absl::StrCat("the machine did not reboot within ",
                                                    absl::FormatDuration(options_.reboot_limit)));
  }
  clock_.Sleep(options_.poll);
  return std::nullopt;
}

LaptopBoot::Result LaptopBoot::TakeBack(v1::BootResult result) {
  ASSIGN_OR_RETURN(const LaptopAnswer answer, AskToRestore(order_.attempt_id()));
  RETURN_IF_ERROR(Annotate(answer.refusal, result.reason()));
  if (hooks_.dark) hooks_.dark(absl::ZeroDuration(), "");
  return result;
}

void LaptopBoot::DarkForTest() {
  Dark(SecondsOr(order_.boot_limit_s(), kDefaultBoot) +
           SecondsOr(order_.run_limit_s(), absl::Hours(1)),
       absl::StrCat("reboots into ", order_.expected().release(), " for ", order_.name()));
}

void LaptopBoot::Dark(absl::Duration duration, const std::string& reason) {
  if (hooks_.dark) hooks_.dark(duration, reason);
  if (hooks_.told) hooks_.told(options_.tell_limit);
}

v1::BootResult LaptopBoot::Ended(v1::Outcome outcome, absl::string_view reason) const {
  return EndedBoot(order_, outcome, reason);
}

void LaptopBoot::Say(absl::string_view phase, float fraction) const {
  if (hooks_.progress) hooks_.progress(phase, fraction);
}

}  // namespace shakedown::agent
