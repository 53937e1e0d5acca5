#include "agent/laptop/keeper/keeper.h"

#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "proto/wire/ids.h"
#include "proto/wire/sanitise.h"
#include "proto/wire/status.h"

namespace shakedown::laptop {
namespace {

constexpr size_t kMaxError = 1000;
constexpr int kMostInputs = 64;

std::string StageWord(v1::BootStage stage) {
  switch (stage) {
    case v1::BOOT_STAGE_NONE:
      return "not there";
    case v1::BOOT_STAGE_INSTALLED:
      return "installed";
    case v1::BOOT_STAGE_LEAVING:
      return "leaving";
    case v1::BOOT_STAGE_IN_TEST:
      return "in test";
    case v1::BOOT_STAGE_RETURNED:
      return "returned";
    default:
      return "nowhere";
  }
}

// Bytes of the files as they are now; what is no regular file is the transaction's to refuse.
uint64_t DiskBytes(const BootFiles& files) {
  uint64_t bytes = 0;
  std::vector<std::string> paths = files.inputs;
  paths.insert(paths.end(), {files.image, files.initramfs, files.modules});
  for (const std::string& path : paths) {
    struct stat about = {};
    if (!path.empty() && lstat(path.c_str(), &about) == 0 && S_ISREG(about.st_mode)) {
      bytes += static_cast<uint64_t>(about.st_size);
    }
  }
  return bytes;
}

// The transaction checks what it writes; here is what this daemon itself goes by.
absl::Status CheckOrder(const v1::InstallBoot& install) {
  const v1::BootOrder& order = install.order();
  if (!IsUuid(order.attempt_id())) {
    return absl::InvalidArgumentError(
        absl::StrCat("attempt ", Quoted(order.attempt_id()), ", want a UUID in lower case"));
  }
  if (order.name() == kTryBoot) {
    return absl::InvalidArgumentError(
        absl::StrCat("order named ", kTryBoot, ", which no farm's boot is"));
  }
  if (order.inputs_size() != install.input_paths_size() || order.inputs_size() > kMostInputs) {
    return absl::InvalidArgumentError(
        absl::StrCat(order.inputs_size(), " inputs, ", install.input_paths_size(),
                     " files of inputs, want as many, at most ", kMostInputs));
  }
  for (const v1::Input& input : order.inputs()) RETURN_IF_ERROR(CheckName("input", input.name()));
  return absl::OkStatus();
}

}  // namespace

Keeper::Keeper(KeeperParts parts, KeeperOptions options)
    : parts_(parts), options_(std::move(options)), started_(parts.clock.Elapsed()) {
  RememberRefusal();
  if (parts_.transaction.Where().stage == v1::BOOT_STAGE_IN_TEST) {
    gate_.emplace(parts_.transaction.Order());
    for (const std::string& problem : parts_.vigil.Begin()) Log(absl::StrCat("vigil: ", problem));
  }
  ContinueTriedBoot();
}

v1::LaptopReply Keeper::Handle(const v1::LaptopRequest& request, bool from_root) {
  v1::LaptopReply reply;
  const absl::Status done = fatal_.ok()
                                ? Do(request, from_root, reply)
                                : absl::UnavailableError(absl::StrCat("ends: ", fatal_.message()));
  if (!done.ok()) {
    reply.set_error(PrintableLine(done.message(), kMaxError));
    reply.set_error_code(static_cast<uint32_t>(done.code()));
    Log(absl::StrCat("refused: ", reply.error()));
  }
  *reply.mutable_status() = Status();
  return reply;
}

absl::Status Keeper::Do(const v1::LaptopRequest& request, bool from_root, v1::LaptopReply& reply) {
  switch (request.kind_case()) {
    case v1::LaptopRequest::kStatus:
      return absl::OkStatus();
    case v1::LaptopRequest::kInstall:
      return Install(request.install());
    case v1::LaptopRequest::kReboot:
      return Reboot(request.reboot().attempt_id());
    case v1::LaptopRequest::kOpenRunner:
      return OpenRunner(request.open_runner().attempt_id());
    case v1::LaptopRequest::kKeepResult:
      return KeepResult(request.keep_result().result());
    case v1::LaptopRequest::kRestore:
      return Restore(request.restore().attempt_id());
    case v1::LaptopRequest::kCollect:
      return Collect(request.collect().attempt_id(), *reply.mutable_collected());
    case v1::LaptopRequest::kOwner:
      if (from_root) return DoOwner(request.owner());
      return absl::PermissionDeniedError("owner's command: want root (sudo)");
    case v1::LaptopRequest::KIND_NOT_SET:
      break;
  }
  return absl::InvalidArgumentError("request of a kind this shakedown-laptop does not know");
}

absl::Status Keeper::Stands(v1::BootStage stage, const std::string& attempt_id) {
  const Standing standing = parts_.transaction.Where();
  if (standing.attempt_id != attempt_id) {
    return absl::FailedPreconditionError(
        absl::StrCat("boot ", Quoted(attempt_id), ": this machine has ",
                     standing.attempt_id.empty() ? "none" : standing.attempt_id));
  }
  if (standing.stage != stage) {
    return absl::FailedPreconditionError(absl::StrCat(
        "boot ", attempt_id, ": is ", StageWord(standing.stage), ", want it ", StageWord(stage)));
  }
  return absl::OkStatus();
}

absl::Status Keeper::NotTrying() const {
  if (parts_.transaction.Where().stage == v1::BOOT_STAGE_NONE ||
      parts_.transaction.Order().name() != kTryBoot) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(
      "a one-shot boot of the machine's own kernel is being tried, want its end");
}

// A path is the agent's word, opened by root: only below the agent's own folder.
absl::Status Keeper::CheckPaths(const BootFiles& files) const {
  if (options_.agent_state.empty()) return absl::OkStatus();
  std::vector<std::string> paths = {files.image, files.initramfs, files.modules};
  paths.insert(paths.end(), files.inputs.begin(), files.inputs.end());
  for (const std::string& path : paths) {
    const std::filesystem::path clean = std::filesystem::path(path).lexically_normal();
    if (path.empty() || absl::StartsWith(clean.native(), options_.agent_state + "/")) continue;
    return absl::PermissionDeniedError(
        absl::StrCat("file ", Quoted(path), ": want one below ", options_.agent_state));
  }
  return absl::OkStatus();
}

absl::Status Keeper::Install(const v1::InstallBoot& install) {
  RETURN_IF_ERROR(NotTrying());
  RETURN_IF_ERROR(CheckOrder(install));
  const std::string problem = Problem();
  if (!problem.empty()) return absl::FailedPreconditionError(problem);
  const BootFiles files{install.image_path(),
                        install.initramfs_path(),
                        install.modules_path(),
                        {install.input_paths().begin(), install.input_paths().end()}};
  RETURN_IF_ERROR(CheckPaths(files));
  const std::vector<std::string> refusals = OwnerRefusals(&install.order(), DiskBytes(files));
  if (!refusals.empty()) return absl::PermissionDeniedError(absl::StrJoin(refusals, "; "));
  RETURN_IF_ERROR(Of(parts_.transaction.Install(install.order(), files)));
  Log(absl::StrCat("boot ", install.order().name(), ": installed"));
  return absl::OkStatus();
}

absl::Status Keeper::Reboot(const std::string& attempt_id) {
  RETURN_IF_ERROR(NotTrying());
  RETURN_IF_ERROR(Stands(v1::BOOT_STAGE_INSTALLED, attempt_id));
  if (going_) return absl::OkStatus();  // Asked again: its answer was lost.
  const std::string problem = Problem();
  if (!problem.empty()) return absl::FailedPreconditionError(problem);
  // Again: what the rules say may have changed since the install.
  const std::vector<std::string> refusals = OwnerRefusals(&parts_.transaction.Order(), 0);
  if (!refusals.empty()) return absl::PermissionDeniedError(absl::StrJoin(refusals, "; "));
  return StartCountdown();
}

absl::Status Keeper::OpenRunner(const std::string& attempt_id) {
  RETURN_IF_ERROR(NotTrying());
  RETURN_IF_ERROR(Stands(v1::BOOT_STAGE_IN_TEST, attempt_id));
  if (parts_.transaction.Where().runner_was_open) {
    return absl::FailedPreconditionError(absl::StrCat(
        "boot ", attempt_id, ": its runner was opened before, want once: loads may have run"));
  }
  if (kept_at_) {
    return absl::FailedPreconditionError(
        absl::StrCat("boot ", attempt_id, ": its result is kept, want Restore"));
  }
  const v1::BootOrder& order = parts_.transaction.Order();
  std::vector<RunnerInput> inputs;
  for (int i = 0; i < order.inputs_size(); ++i) {
    inputs.push_back({order.inputs(i).name(), options_.input_image(static_cast<size_t>(i))});
  }
  // Without rules nothing is known of the network: the boot was allowed when they were there.
  const absl::StatusOr<OwnerFile> owner = ReadOwnerFile(options_.owner_path, options_.owner_uid);
  if (!owner.ok()) return owner.status();
  RETURN_IF_ERROR(Of(parts_.transaction.RunnerOpened()));
  ASSIGN_OR_RETURN(runner_, parts_.place.Start(inputs, owner->rules.network()));
  Log(absl::StrCat("boot ", order.name(), ": the runner is open"));
  return absl::OkStatus();
}

void Keeper::EndRunner() {
  runner_.Close();
  parts_.place.End();
}

absl::Status Keeper::KeepResult(const v1::BootResult& result) {
  RETURN_IF_ERROR(NotTrying());
  RETURN_IF_ERROR(Stands(v1::BOOT_STAGE_IN_TEST, result.attempt_id()));
  if (result.outcome() == v1::OUTCOME_UNSPECIFIED) {
    return absl::InvalidArgumentError("result without outcome");
  }
  RETURN_IF_ERROR(Of(parts_.transaction.KeepResult(result)));
  if (!kept_at_) kept_at_ = parts_.clock.Elapsed();
  return absl::OkStatus();
}

absl::Status Keeper::Restore(const std::string& attempt_id) {
  RETURN_IF_ERROR(NotTrying());
  const Standing standing = parts_.transaction.Where();
  if (standing.stage == v1::BOOT_STAGE_NONE) return absl::OkStatus();
  RETURN_IF_ERROR(Stands(standing.stage, attempt_id));
  if (standing.stage == v1::BOOT_STAGE_LEAVING) {
    return absl::FailedPreconditionError(absl::StrCat("boot ", attempt_id, ": is leaving"));
  }
  if (going_) EndCountdown("the agent took the boot back", absl::ZeroDuration());
  EndRunner();
  if (standing.stage == v1::BOOT_STAGE_IN_TEST) {
    home_again_ = parts_.clock.Elapsed() + kGrace;
    Log("home: asked by the agent");
  }
  return Of(parts_.transaction.Restore());
}

absl::Status Keeper::Collect(const std::string& attempt_id, v1::CollectedBoot& collected) {
  RETURN_IF_ERROR(NotTrying());
  RETURN_IF_ERROR(Stands(v1::BOOT_STAGE_RETURNED, attempt_id));
  absl::StatusOr<v1::BootResult> result = parts_.transaction.Collect();
  RETURN_IF_ERROR(Of(result.status()));
  *collected.mutable_result() = *std::move(result);
  return absl::OkStatus();
}

absl::Status Keeper::Of(absl::Status status) {
  if (absl::IsInternal(status) && fatal_.ok()) fatal_ = status;
  return status;
}

absl::Status Keeper::Remember(const std::function<void(v1::KeeperState&)>& change) {
  return parts_.state.Change(change);
}

absl::Duration Keeper::Uptime() const {
  return options_.uptime + (parts_.clock.Elapsed() - started_);
}

v1::BootResult Keeper::ResultOf(v1::Outcome outcome, const std::string& reason) const {
  const v1::BootOrder& order = parts_.transaction.Order();
  v1::BootResult result;
  result.set_attempt_id(order.attempt_id());
  result.set_epoch(order.epoch());
  result.set_outcome(outcome);
  result.set_reason(reason);
  return result;
}

void Keeper::Log(absl::string_view line) const {
  if (options_.log) options_.log(line);
}

}  // namespace shakedown::laptop
