#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "kernels/recipe/config.h"
#include "shakedown/v1/kernel.pb.h"

namespace shakedown::kernels {

// Part of every key: grows when the same entry would be made into other bytes.
inline constexpr uint32_t kRecipeVersion = 2;

// Content of a file in kernels/configs. Called with names that passed IsFragmentName only.
using FragmentReader = std::function<absl::StatusOr<std::string>(const std::string& name)>;

// Reads from `folder`; NotFound names the fragment and the folder.
FragmentReader FragmentsIn(std::string folder);

// The entry with contents in place of names: what a build slot needs. FailedPrecondition: the entry
// refuses to build
// (`unbuildable`, or a digest that is not known), with the reason. InvalidArgument: CheckKernel, a
// bad fragment.
absl::StatusOr<v1::ResolvedKernel> Resolve(const v1::Kernel& kernel, const FragmentReader& read);

// Every option asked for, fragments first, then single options; later ones have won.
absl::StatusOr<std::vector<Wish>> Wishes(const v1::ResolvedKernel& resolved);

// OK when `resolved` is one that Resolve() can give: what a build slot checks before it believes an
// order.
absl::Status CheckResolved(const v1::ResolvedKernel& resolved);

// The patch files that lie beside the catalog or on this host, read, with their digests.
struct PatchFile {
  std::string sha256;
  std::string content;
};

// Reads the patches of `kernel` that are files (a relative path is below `catalog_folder`), fills
// in digests that are not known and compares those that are (InvalidArgument). Patches with a URL
// are left alone.
absl::StatusOr<std::vector<PatchFile>> ReadPatches(v1::Kernel& kernel,
                                                   const std::string& catalog_folder);

}  // namespace shakedown::kernels
