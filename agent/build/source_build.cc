#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "agent/build/build_context.h"
#include "agent/build/compile_log.h"
#include "agent/build/compiler_cache.h"
#include "agent/build/hostile_files.h"
#include "agent/build/image_identity.h"
#include "agent/build/initramfs.h"
#include "agent/build/modules_archive.h"
#include "agent/build/toolchain.h"
#include "kernels/recipe/config.h"
#include "kernels/recipe/keys.h"
#include "kernels/recipe/resolve.h"
#include "proto/wire/clock.h"
#include "proto/wire/digest.h"
#include "proto/wire/files.h"
#include "proto/wire/status.h"
#include "proto/wire/subprocess.h"

namespace shakedown::agent {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxConfig = 4 << 20;
constexpr size_t kMaxImage = 256 << 20;
constexpr size_t kMaxNotes = 1 << 20;
// Below this much free space a failed step is the disk's fault, whatever it printed.
constexpr uint64_t kLeastFree = 64 << 20;
// Objects of the guest configuration, until a build of the same source has been counted.
constexpr uint32_t kUsualObjects = 1500;
// Where the phases lie in the whole: unpacking, patching and configuring take 30 s of 5 min.
constexpr float kUnpacked = 0.10f, kConfigured = 0.12f, kCompiled = 0.97f;

absl::Status MakeFolder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  return error ? ErrnoStatus(error.value(), path) : absl::OkStatus();
}

// For the build user, whatever our umask is.
absl::Status MakeReadable(const std::string& folder) {
  std::error_code error;
  fs::permissions(folder, fs::perms(0755), error);
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    fs::permissions(it->path(), fs::perms(it->is_directory() ? 0755 : 0644), error);
  }
  return error ? ErrnoStatus(error.value(), folder) : absl::OkStatus();
}

bool IsDiskFull(const std::string& folder) {
  struct statvfs info;
  if (statvfs(folder.c_str(), &info) != 0) return false;
  return static_cast<uint64_t>(info.f_bavail) * info.f_frsize < kLeastFree;
}

// Nobody but Debian and the options' names has a say in what such a build executes: its compiler
// cache may serve everybody. String options can hold make functions, so they count as a stranger's.
bool IsDebiansOwn(const v1::ResolvedKernel& resolved, const std::vector<kernels::Wish>& wishes) {
  return resolved.kernel().has_debian_source() && resolved.kernel().patches_size() == 0 &&
         resolved.kernel().config().base() != v1::KernelConfig::BASE_FILE &&
         std::none_of(wishes.begin(), wishes.end(),
                      [](const kernels::Wish& wish) { return wish.value.front() == '"'; });
}

class SourceBuild {
 public:
  explicit SourceBuild(BuildContext& context)
      : context_(context), resolved_(context.order.kernel()), kernel_(resolved_.kernel()) {}

  absl::StatusOr<BuildOutcome> Run() {
    ASSIGN_OR_RETURN(toolchain_, FindToolchain(kernel_.toolchain().compiler()));
    ASSIGN_OR_RETURN(wishes_, kernels::Wishes(resolved_));
    Debian debian(context_.hooks.cancel, [this](absl::string_view text) { context_.Log(text); });
    context_.Progress("fetch the source", 0);
    ASSIGN_OR_RETURN(source_, FetchSource(kernel_, context_.ForSource(debian)));
    absl::StatusOr<BuildOutcome> known = FindKnown();
    if (known.ok()) return known;
    RETURN_IF_ERROR(LayOut(debian));
    RETURN_IF_ERROR(Prepare());
    absl::StatusOr<BuildOutcome> found = context_.store.Find(inputs_key_);
    if (found.ok()) {
      RememberKey();
      return Reused(*std::move(found));
    }
    return Compile();
  }

 private:
  static absl::StatusOr<BuildOutcome> Reused(BuildOutcome outcome) {
    outcome.result.set_reused(true);
    return outcome;
  }

  // The same request on the same source with the same tools came to a build key before.
  std::string Question() const {
    return absl::StrCat("key ", kernels::RequestKey(resolved_), " ", source_.digest, " ",
                        toolchain_.versions);
  }
  void RememberKey() {
    if (!source_.digest.empty() && source_.form != kernels::SourceForm::kFolder) {
      context_.store.Remember(Question(), inputs_key_);
    }
  }
  absl::StatusOr<BuildOutcome> FindKnown() {
    if (source_.digest.empty()) return absl::NotFoundError("a local tree is looked at each time");
    ASSIGN_OR_RETURN(BuildOutcome found, context_.store.Find(context_.store.Recall(Question())));
    return Reused(std::move(found));
  }

  std::string Build() const { return absl::StrCat(context_.work, "/build"); }

  // work/in: what the steps read. work/build: what they may write.
  absl::Status LayOut(Debian& debian) {
    const std::string in = absl::StrCat(context_.work, "/in");
    RETURN_IF_ERROR(MakeFolder(in));
    RETURN_IF_ERROR(GiveFolder(context_.user, Build()));
    ASSIGN_OR_RETURN(const std::vector<std::string> patches,
                     FetchPatches(resolved_, context_.ForSource(debian)));
    for (size_t i = 0; i < patches.size(); ++i) {
      RETURN_IF_ERROR(WriteFileAtomically(absl::StrCat(in, "/patch-", i + 1), patches[i]));
    }
    RETURN_IF_ERROR(
        WriteFileAtomically(absl::StrCat(in, "/wishes"), kernels::PrintWishes(wishes_)));
    if (kernel_.config().base() == v1::KernelConfig::BASE_FILE) {
      RETURN_IF_ERROR(
          WriteFileAtomically(absl::StrCat(in, "/base.config"), resolved_.fragments(0).content()));
    }
    // The place that the source is bound to must be there beforehand.
    std::error_code error;
    if (fs::is_directory(source_.path, error)) {
      RETURN_IF_ERROR(MakeFolder(absl::StrCat(in, "/source")));
    } else {
      RETURN_IF_ERROR(WriteFileAtomically(absl::StrCat(in, "/source"), ""));
    }
    RETURN_IF_ERROR(MakeReadable(in));
    spec_.user = context_.user;
    spec_.environment = kernels::StepEnvironment();
    spec_.read_only = {{in, "/in"}, {source_.path, "/in/source"}};
    spec_.writable = {{Build(), "/build"}};
    return LayOutCache();
  }

  absl::Status LayOutCache() {
    if (!toolchain_.tools.ccache) return absl::OkStatus();
    ASSIGN_OR_RETURN(std::string cache, LayOutCompilerCache(context_.options.ccache, kernel_.name(),
                                                            IsDebiansOwn(resolved_, wishes_),
                                                            context_.user, context_.hooks.cancel));
    spec_.writable.emplace_back(std::move(cache), "/ccache");
    return absl::OkStatus();
  }

  absl::Status Prepare() {
    std::vector<kernels::Step> steps =
        kernels::PrepareSteps(kernel_, source_.form, toolchain_.tools);
    for (size_t i = 0; i < steps.size(); ++i) {
      context_.Progress(steps[i].name, kUnpacked * static_cast<float>(i) / steps.size());
      RETURN_IF_ERROR(RunStep(steps[i]));
    }
    if (source_.form == kernels::SourceForm::kFolder) {
      ASSIGN_OR_RETURN(const std::string digest, Sha256Beneath(Build(), "tree.tar"));
      source_.digest = absl::StrCat("tree:", digest);
      unlink(absl::StrCat(Build(), "/tree.tar").c_str());
    }
    ASSIGN_OR_RETURN(config_, ReadBeneath(Build(), "linux/.config", kMaxConfig));
    ASSIGN_OR_RETURN(const kernels::Config config, kernels::ParseConfig(config_, ".config"));
    RETURN_IF_ERROR(kernels::CheckWishes(wishes_, config));
    modules_ = kernels::HasModules(config);
    kernels::BuildInputs inputs{
        source_.digest, {}, config_, toolchain_.versions, resolved_.recipe_version(), ""};
    for (int i = 0; i < kernel_.patches_size(); ++i) {
      inputs.patches.push_back(
          absl::StrCat(resolved_.patch_sha256(i), " p", kernel_.patches(i).strip()));
    }
    if (modules_) {
      // The runner becomes a part of the artefacts.
      absl::StatusOr<std::string> runner = Sha256File(context_.options.runner_path);
      if (!runner.ok()) return Annotate(runner.status(), "runner for the initramfs");
      inputs.initramfs = *runner;
    }
    inputs_key_ = kernels::BuildKey(inputs);
    return absl::OkStatus();
  }

  absl::StatusOr<BuildOutcome> Compile() {
    const std::string count =
        absl::StrCat("objects ", source_.version, " ", kernel_.config().base(), " ", modules_);
    if (!absl::SimpleAtoi(context_.store.Recall(count), &expected_objects_)) {
      expected_objects_ = kUsualObjects;
    }
    compiling_ = true;
    const uint32_t jobs = context_.options.jobs != 0
                              ? context_.options.jobs
                              : std::max(1u, std::thread::hardware_concurrency());
    uint32_t objects = 0;
    for (const kernels::Step& step :
         kernels::CompileSteps(inputs_key_, static_cast<int>(jobs), modules_, toolchain_.tools)) {
      RETURN_IF_ERROR(RunStep(step));
      objects = std::max(objects, objects_);
    }
    context_.store.Remember(count, absl::StrCat(objects));
    context_.Progress("collect", kCompiled);
    ASSIGN_OR_RETURN(BuildOutcome outcome, Collect());
    RememberKey();
    return outcome;
  }

  absl::StatusOr<BuildOutcome> Collect() {
    BuiltFiles files;
    ASSIGN_OR_RETURN(files.image, ReadBeneath(Build(), "out/bzImage", kMaxImage));
    ASSIGN_OR_RETURN(files.config, ReadBeneath(Build(), "out/config", kMaxConfig));
    if (files.config != config_) {
      return absl::FailedPreconditionError("the configuration changed while it was compiled");
    }
    ASSIGN_OR_RETURN(std::string release, ReadBeneath(Build(), "out/release", 4096));
    while (!release.empty() && release.back() == '\n') release.pop_back();
    ASSIGN_OR_RETURN(const ImageVersion version, VersionOfBzImage(files.image));
    if (version.release != release ||
        !absl::EndsWith(release, kernels::LocalVersion(inputs_key_))) {
      return absl::FailedPreconditionError(absl::StrCat("the image says it is ", version.release,
                                                        ", the tree ", release, ": want an end of ",
                                                        kernels::LocalVersion(inputs_key_)));
    }
    ASSIGN_OR_RETURN(const std::string notes, ReadBeneath(Build(), "out/notes", kMaxNotes));
    absl::StatusOr<std::string> build_id = BuildIdFromNotes(notes);
    if (!build_id.ok()) return absl::FailedPreconditionError(build_id.status().message());
    if (modules_) {
      RETURN_IF_ERROR(CollectModules(release, files));
    }
    v1::BuildResult result;
    result.set_build_key(inputs_key_);
    result.mutable_expected()->set_release(release);
    result.mutable_expected()->set_build_id(*build_id);
    result.set_source_version(source_.version);
    result.set_toolchain(toolchain_.versions);
    return context_.store.Put(std::move(result), files);
  }

  // All of them for machines with a root of their own, and those that a guest needs. A kernel
  // without a driver that the guest needs is built all the same: that it does not boot is its
  // finding.
  absl::Status CollectModules(const std::string& release, BuiltFiles& files) {
    absl::StatusOr<std::string> initramfs = BuildInitramfs(
        absl::StrCat(Build(), "/modules/lib/modules/", release), context_.options.runner_path);
    if (initramfs.ok()) {
      files.initramfs = *std::move(initramfs);
    } else if (!absl::IsNotFound(initramfs.status())) {
      return initramfs.status();
    } else {
      context_.Log(absl::StrCat("no initramfs: ", initramfs.status().message(), "\n"));
    }
    files.modules_path = absl::StrCat(context_.work, "/modules.tar.zst");
    const absl::Status packed =
        PackModules(absl::StrCat(Build(), "/modules"), release, files.modules_path);
    // A tree without the file that it promised: its own fault.
    return absl::IsNotFound(packed) || absl::IsOutOfRange(packed)
               ? absl::FailedPreconditionError(packed.message())
               : packed;
  }

  absl::Status RunStep(const kernels::Step& step) {
    CompileLog log;
    context_.Log(absl::StrCat("== ", step.name, "\n"));
    Command command;
    command.argv = SandboxArgv(spec_, step.argv);
    command.limit = context_.deadline - SystemClock().Elapsed();
    command.cancel = context_.hooks.cancel;
    command.keep = 4096;
    command.output = [&](absl::string_view bytes) {
      log.Add(bytes);
      context_.Log(bytes);
      if (compiling_) TellProgress(step, log.Objects());
    };
    absl::StatusOr<CommandResult> result = RunCommand(command);
    objects_ = log.Objects();
    if (!result.ok()) return absl::UnavailableError(result.status().message());
    return Judge(step, log, *result);
  }

  void TellProgress(const kernels::Step& step, uint32_t objects) {
    const float part = std::min(1.0f, static_cast<float>(objects) / expected_objects_);
    context_.Progress(step.name == "compile" ? absl::StrCat("compile ", objects, "/",
                                                            std::max(objects, expected_objects_))
                                             : step.name,
                      kConfigured + (kCompiled - kConfigured) * part);
  }

  absl::Status Judge(const kernels::Step& step, const CompileLog& log,
                     const CommandResult& result) {
    if (result.cancelled) return absl::CancelledError("cancelled");
    if (result.timed_out) {
      return absl::DeadlineExceededError(absl::StrCat(
          step.name, ": not done within the build's limit of ", context_.order.limit_s(), " s"));
    }
    if (result.exit_code == 0) return absl::OkStatus();
    if (!log.HostFault().empty()) {
      return absl::ResourceExhaustedError(absl::StrCat(step.name, ": ", log.HostFault()));
    }
    if (IsDiskFull(context_.work)) {
      return absl::ResourceExhaustedError(
          absl::StrCat(step.name, ": the disk of ", context_.work, " is full"));
    }
    const bool one_line = std::count(result.output.begin(), result.output.end(), '\n') <= 1;
    if (one_line && absl::StartsWith(result.output, "bwrap: ")) {
      return absl::UnavailableError(absl::StrCat(step.name, ": ", result.output));
    }
    if (result.exit_code == 128 + 9) {
      return absl::ResourceExhaustedError(
          absl::StrCat(step.name, ": ended by the host with SIGKILL (out of memory?)"));
    }
    return absl::FailedPreconditionError(
        absl::StrCat(step.name, ": exit code ", result.exit_code, "\n", log.FirstErrors()));
  }

  BuildContext& context_;
  const v1::ResolvedKernel& resolved_;
  const v1::Kernel& kernel_;
  Toolchain toolchain_;
  std::vector<kernels::Wish> wishes_;
  Source source_;
  SandboxSpec spec_;
  std::string config_;
  std::string inputs_key_;
  bool modules_ = false;
  bool compiling_ = false;
  uint32_t expected_objects_ = 0;
  uint32_t objects_ = 0;
};

}  // namespace

absl::StatusOr<BuildOutcome> BuildFromSource(BuildContext& context) {
  return SourceBuild(context).Run();
}

}  // namespace shakedown::agent
