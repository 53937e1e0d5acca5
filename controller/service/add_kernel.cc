#include "controller/service/add_kernel.h"

#include <algorithm>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "kernels/recipe/check_kernel.h"
#include "kernels/recipe/derive.h"
#include "proto/wire/digest.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::service {
namespace {

using PatchFile = v1::AddKernelRequest::PatchFile;

absl::Status CheckPatch(const PatchFile& patch) {
  const std::string& name = patch.name();
  const bool plain =
      !name.empty() && name.size() <= 128 && name[0] != '.' &&
      std::all_of(name.begin(), name.end(), [](char c) {
        return absl::ascii_isalnum(c) || c == '.' || c == '_' || c == '-' || c == '+';
      });
  if (!plain) {
    return absl::InvalidArgumentError(absl::StrCat(
        "patch ", Quoted(name),
        ": want a file name of 1 to 128 letters, digits and . _ - +, not starting with a dot"));
  }
  if (patch.content().empty() || patch.content().size() > kMaxPatch) {
    return absl::InvalidArgumentError(absl::StrCat("patch ", name, ": ", patch.content().size(),
                                                   " bytes, want 1 to ", kMaxPatch));
  }
  // patch(1) would say so only in the build: a file that is none at all is told to whoever brings
  // it.
  if (!absl::StrContains(patch.content(), "\n@@ -")) {
    return absl::InvalidArgumentError(absl::StrCat(
        "patch ", name, ": has no line that begins with \"@@ -\", want a unified diff"));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<v1::Patch>> PatchesOf(const v1::AddKernelRequest& request) {
  if (request.patches_size() > kMaxPatches) {
    return absl::InvalidArgumentError(
        absl::StrCat("number of patches ", request.patches_size(), ": want at most ", kMaxPatches));
  }
  std::vector<v1::Patch> patches;
  for (const PatchFile& file : request.patches()) {
    RETURN_IF_ERROR(CheckPatch(file));
    v1::Patch patch;
    patch.set_location(file.name());
    patch.set_sha256(Sha256Hex(file.content()));
    patch.set_strip(file.strip());
    patches.push_back(std::move(patch));
  }
  return patches;
}

// Every error of kernels/recipe as one line.
absl::Status CheckWhole(const v1::Kernel& kernel) {
  std::string errors;
  for (const kernels::Finding& finding :
       kernels::CheckKernel(kernel, absl::StrCat("kernel ", Quoted(kernel.name())))) {
    if (finding.severity != kernels::Finding::Severity::kError) continue;
    absl::StrAppend(&errors, errors.empty() ? "" : "; ", finding.where, ": ", finding.what);
  }
  return errors.empty() ? absl::OkStatus() : absl::InvalidArgumentError(errors);
}

// What a person may say of a derived entry beside patches and options.
void AddOwn(const v1::Kernel& own, v1::Kernel* kernel) {
  if (!own.description().empty()) kernel->set_description(own.description());
  if (!own.note().empty()) kernel->set_note(own.note());
  kernel->mutable_boot_parameters()->MergeFrom(own.boot_parameters());
  kernel->mutable_tunables()->MergeFrom(own.tunables());
}

}  // namespace

absl::StatusOr<v1::Kernel> MakeKernel(const v1::AddKernelRequest& request, const v1::Kernel& base) {
  RETURN_IF_ERROR(CheckName("kernel", request.kernel().name()));
  ASSIGN_OR_RETURN(std::vector<v1::Patch> patches, PatchesOf(request));
  v1::Kernel kernel = request.kernel();
  if (request.from().empty()) {
    for (const v1::Patch& patch : patches) *kernel.add_patches() = patch;
    for (const std::string& option : request.config_options()) {
      kernel.mutable_config()->add_options(option);
    }
  } else {
    ASSIGN_OR_RETURN(kernel,
                     kernels::DeriveKernel(base, {.name = request.kernel().name(),
                                                  .patches = std::move(patches),
                                                  .options = {request.config_options().begin(),
                                                              request.config_options().end()}}));
    AddOwn(request.kernel(), &kernel);
  }
  RETURN_IF_ERROR(CheckWhole(kernel));
  return kernel;
}

}  // namespace shakedown::service
