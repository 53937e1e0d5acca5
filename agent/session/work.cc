#include "agent/session/work.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "proto/wire/sanitise.h"
#include "proto/wire/status.h"

namespace shakedown::agent {
namespace {

constexpr size_t kReasonLimit = 1000;
constexpr size_t kErrorLimit = 8 << 10;

WorkKey KeyOf(const v1::BootOrder& order) {
  return {WorkKind::kBoot, order.attempt_id(), order.epoch()};
}
WorkKey KeyOf(const v1::BuildOrder& order) {
  return {WorkKind::kBuild, order.build_id(), order.epoch()};
}

// What a boot reads, kept on the disk while this object lives.
struct BootFiles {
  KernelFiles paths;
  std::vector<CachedFile> kept;
};

absl::StatusOr<BootFiles> Fetch(const Machine& machine, const v1::BootOrder& order,
                                ArtefactCache& cache, InputCache& inputs, const WorkHooks& hooks) {
  BootFiles files;
  const auto get = [&](const v1::Artefact& artefact, std::string& path) -> absl::Status {
    ASSIGN_OR_RETURN(CachedFile file, cache.Get(artefact, hooks.cancel));
    path = file.path();
    files.kept.push_back(std::move(file));
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(get(order.image(), files.paths.image));
  if (order.has_initramfs()) RETURN_IF_ERROR(get(order.initramfs(), files.paths.initramfs));
  if (order.has_modules() && machine.Info().wants_modules) {
    RETURN_IF_ERROR(get(order.modules(), files.paths.modules));
  }
  for (const v1::Input& input : order.inputs()) {
    hooks.progress(absl::StrCat("unpacking ", input.name()), 0);
    ASSIGN_OR_RETURN(CachedFile disk, inputs.Get(input, hooks.cancel));
    files.paths.input_disks.push_back(disk.path());
    files.kept.push_back(std::move(disk));
  }
  return files;
}

absl::StatusOr<v1::BootResult> FetchAndBoot(Machine& machine, const v1::BootOrder& order,
                                            const std::vector<v1::BootOrder>& block,
                                            ArtefactCache& cache, InputCache& inputs,
                                            const WorkHooks& hooks) {
  const BootHooks boot_hooks{.progress = hooks.progress,
                             .live = hooks.live,
                             .console = hooks.log,
                             .dark = hooks.dark,
                             .told = hooks.told,
                             .cancel = hooks.cancel,
                             .stop = hooks.stop};
  ASSIGN_OR_RETURN(const bool begun, machine.HasBegun(order, boot_hooks));
  if (begun) return machine.RunBoot(order, {}, boot_hooks);
  hooks.progress("fetching", 0);
  ASSIGN_OR_RETURN(const BootFiles files, Fetch(machine, order, cache, inputs, hooks));
  for (const v1::BootOrder& next : block) {
    // One that fails tries again when its turn comes.
    if (hooks.cancel->load() ||
        absl::IsUnavailable(Fetch(machine, next, cache, inputs, hooks).status()))
      break;
  }
  if (hooks.cancel->load()) return absl::CancelledError("cancelled before it was booted");
  return machine.RunBoot(order, files.paths, boot_hooks);
}

// Copies what the slot made to where it stays until the farm has it.
absl::Status KeepOutputs(const BuildOutcome& outcome, ArtefactCache& cache,
                         std::vector<CachedFile>& outputs) {
  const v1::BuildResult& result = outcome.result;
  const auto keep = [&](const v1::Artefact& artefact, const std::string& path) -> absl::Status {
    ASSIGN_OR_RETURN(CachedFile file, cache.Add(artefact, path));
    outputs.push_back(std::move(file));
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(keep(result.image(), outcome.image_path));
  if (result.has_initramfs()) {
    RETURN_IF_ERROR(keep(result.initramfs(), outcome.initramfs_path));
  }
  if (result.has_modules()) RETURN_IF_ERROR(keep(result.modules(), outcome.modules_path));
  return result.has_config() ? keep(result.config(), outcome.config_path) : absl::OkStatus();
}

// A text field that is not UTF-8 would be refused at the other end, again and again.
template <typename Result>
bool SurvivesTheWire(const Result& result) {
  return Result().ParseFromString(result.SerializeAsString());
}

}  // namespace

v1::BootResult FailedBoot(const WorkKey& key, v1::Outcome outcome, absl::string_view reason) {
  v1::BootResult result;
  result.set_attempt_id(key.id);
  result.set_epoch(key.epoch);
  result.set_outcome(outcome);
  result.set_reason(PrintableLine(reason, kReasonLimit));
  return result;
}

v1::BuildResult FailedBuild(const WorkKey& key, v1::BuildResult::Status status,
                            absl::string_view reason) {
  v1::BuildResult result;
  result.set_build_id(key.id);
  result.set_epoch(key.epoch);
  result.set_status(status);
  result.set_error(PrintableLine(reason, kErrorLimit - 3));
  return result;
}

std::string FarmFailed(const WorkKey& key, absl::string_view reason) {
  return key.kind == WorkKind::kBoot
             ? FailedBoot(key, v1::OUTCOME_FARM_FAILED, reason).SerializeAsString()
             : FailedBuild(key, v1::BuildResult::STATUS_FARM_FAILED, reason).SerializeAsString();
}

std::string HandedBack(const WorkKey& key, absl::string_view reason) {
  return key.kind == WorkKind::kBoot
             ? FailedBoot(key, v1::OUTCOME_CANCELLED, reason).SerializeAsString()
             : FailedBuild(key, v1::BuildResult::STATUS_CANCELLED, reason).SerializeAsString();
}

std::optional<v1::BootResult> PerformBoot(Machine& machine, const v1::BootOrder& order,
                                          const std::vector<v1::BootOrder>& block,
                                          ArtefactCache& cache, InputCache& inputs,
                                          const WorkHooks& hooks) {
  const WorkKey key = KeyOf(order);
  absl::StatusOr<v1::BootResult> result = FetchAndBoot(machine, order, block, cache, inputs, hooks);
  if (!result.ok()) {
    if (IsSuspended(result.status())) return std::nullopt;
    const bool stopped = hooks.stop != nullptr && hooks.stop->load();
    if (machine.Info().outlives_agent && stopped && absl::IsCancelled(result.status())) {
      return std::nullopt;  // While fetching: nothing is given up.
    }
    const std::string problem = machine.Problem();
    if (!problem.empty()) return FailedBoot(key, v1::OUTCOME_CANCELLED, problem);
    const bool cancelled = hooks.cancel->load() && absl::IsCancelled(result.status());
    return FailedBoot(key, cancelled ? v1::OUTCOME_CANCELLED : v1::OUTCOME_FARM_FAILED,
                      cancelled ? "cancelled" : result.status().message());
  }
  result->set_attempt_id(key.id);
  result->set_epoch(key.epoch);
  for (const v1::Input& input : order.inputs()) {
    (*result->mutable_fingerprint()->mutable_facts())[absl::StrCat("input.", input.name())] =
        input.archive().sha256();
  }
  if (result->outcome() == v1::OUTCOME_UNSPECIFIED || !SurvivesTheWire(*result)) {
    return FailedBoot(key, v1::OUTCOME_FARM_FAILED,
                      absl::StrCat("machine ", order.machine(),
                                   " gave a result without an outcome or with text that is not "
                                   "UTF-8"));
  }
  return *std::move(result);
}

PerformedBuild PerformBuild(BuildSlot& slot, const v1::BuildOrder& order, ArtefactCache& cache,
                            const WorkHooks& hooks) {
  const WorkKey key = KeyOf(order);
  BuildHooks build_hooks;
  build_hooks.progress = hooks.progress;
  build_hooks.log = hooks.log;
  build_hooks.cancel = hooks.cancel;
  std::vector<CachedFile> inputs;
  build_hooks.fetch_artefact = [&](const std::string& sha256) -> absl::StatusOr<std::string> {
    v1::Artefact artefact;
    artefact.set_sha256(sha256);
    ASSIGN_OR_RETURN(CachedFile file, cache.Get(artefact, hooks.cancel));
    inputs.push_back(file);
    return file.path();
  };
  const BuildOutcome outcome = slot.Run(order, build_hooks);
  PerformedBuild performed;
  performed.result = outcome.result;
  performed.result.set_build_id(key.id);
  performed.result.set_epoch(key.epoch);
  if (!SurvivesTheWire(performed.result)) {
    performed.result = FailedBuild(key, v1::BuildResult::STATUS_FARM_FAILED,
                                   "the build slot gave a result with text that is not UTF-8");
  }
  if (performed.result.status() != v1::BuildResult::STATUS_BUILT) return performed;
  const absl::Status kept = KeepOutputs(outcome, cache, performed.outputs);
  if (!kept.ok()) {
    performed.outputs.clear();
    performed.result = FailedBuild(key, v1::BuildResult::STATUS_FARM_FAILED, kept.message());
  }
  return performed;
}

}  // namespace shakedown::agent
