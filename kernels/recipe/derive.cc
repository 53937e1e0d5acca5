#include "kernels/recipe/derive.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "kernels/recipe/check_kernel.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::kernels {

absl::StatusOr<v1::Kernel> DeriveKernel(const v1::Kernel& base, const Changes& changes) {
  RETURN_IF_ERROR(CheckName("kernel name", changes.name));
  if (changes.patches.empty() && changes.options.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("kernel ", changes.name, " from ", base.name(),
                                                   ": want a patch or a config option"));
  }
  if (base.has_debian_image()) {
    return absl::InvalidArgumentError(
        absl::StrCat("kernel ", changes.name, " from ", base.name(),
                     ": a ready image can be neither patched nor configured: want a base with a "
                     "source, e.g. debian-6.12"));
  }
  v1::Kernel kernel = base;
  kernel.set_name(changes.name);
  kernel.set_description(absl::StrCat(base.name(), " with changes"));
  kernel.clear_note();
  for (const v1::Patch& patch : changes.patches) *kernel.add_patches() = patch;
  for (const std::string& option : changes.options) kernel.mutable_config()->add_options(option);
  const std::vector<Finding> findings = CheckKernel(kernel, absl::StrCat("kernel ", changes.name));
  if (!Passes(findings)) return absl::InvalidArgumentError(PrintFindings(findings));
  return kernel;
}

}  // namespace shakedown::kernels
