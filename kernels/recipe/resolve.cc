#include "kernels/recipe/resolve.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "kernels/recipe/check_kernel.h"
#include "proto/wire/digest.h"
#include "proto/wire/files.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::kernels {
namespace {

constexpr size_t kMaxFragment = 1 << 20;
constexpr size_t kMaxPatch = 64 << 20;

std::string Named(const v1::Kernel& kernel) { return absl::StrCat("kernel ", kernel.name()); }

absl::Status Refuse(const v1::Kernel& kernel, absl::string_view why) {
  return absl::FailedPreconditionError(absl::StrCat(Named(kernel), " can not be built: ", why));
}

absl::Status CheckBuildable(const v1::Kernel& kernel) {
  if (!kernel.unbuildable().empty()) return Refuse(kernel, kernel.unbuildable());
  if (kernel.has_tarball() && kernel.tarball().sha256().empty()) {
    return Refuse(kernel, absl::StrCat("the sha256 of ", kernel.tarball().location(),
                                       " is not known: fill in tarball.sha256"));
  }
  for (const v1::Patch& patch : kernel.patches()) {
    if (!patch.sha256().empty()) continue;
    return Refuse(kernel, absl::StrCat("the sha256 of patch ", patch.location(),
                                       " is not known: fill in its sha256"));
  }
  return absl::OkStatus();
}

absl::Status CheckEntry(const v1::Kernel& kernel) {
  const std::vector<Finding> findings = CheckKernel(kernel, Named(kernel));
  if (Passes(findings)) return absl::OkStatus();
  return absl::InvalidArgumentError(PrintFindings(findings));
}

absl::Status AddFragment(const std::string& name, const FragmentReader& read,
                         v1::ResolvedKernel& resolved) {
  ASSIGN_OR_RETURN(const std::string content, read(name));
  RETURN_IF_ERROR(ParseFragment(content, name).status());
  v1::ResolvedKernel::File* file = resolved.add_fragments();
  file->set_name(name);
  file->set_content(content);
  return absl::OkStatus();
}

bool HasBaseFile(const v1::Kernel& kernel) {
  return kernel.config().base() == v1::KernelConfig::BASE_FILE;
}

}  // namespace

FragmentReader FragmentsIn(std::string folder) {
  return [folder = std::move(folder)](const std::string& name) -> absl::StatusOr<std::string> {
    if (!IsFragmentName(name)) {
      return absl::InvalidArgumentError(
          absl::StrCat("fragment ", Quoted(name), ": want the name of a file NAME.config"));
    }
    absl::StatusOr<std::string> text = ReadFile(absl::StrCat(folder, "/", name), kMaxFragment);
    if (!text.ok()) return Annotate(text.status(), absl::StrCat("fragment ", name));
    return text;
  };
}

absl::StatusOr<v1::ResolvedKernel> Resolve(const v1::Kernel& kernel, const FragmentReader& read) {
  RETURN_IF_ERROR(CheckEntry(kernel));
  RETURN_IF_ERROR(CheckBuildable(kernel));
  v1::ResolvedKernel resolved;
  *resolved.mutable_kernel() = kernel;
  resolved.set_recipe_version(kRecipeVersion);
  if (HasBaseFile(kernel)) {
    absl::Status base = AddFragment(kernel.config().base_file(), read, resolved);
    if (!base.ok()) return Annotate(base, Named(kernel));
  }
  for (const std::string& name : kernel.config().fragments()) {
    absl::Status added = AddFragment(name, read, resolved);
    if (!added.ok()) return Annotate(added, Named(kernel));
  }
  for (const v1::Patch& patch : kernel.patches()) resolved.add_patch_sha256(patch.sha256());
  return resolved;
}

absl::StatusOr<std::vector<Wish>> Wishes(const v1::ResolvedKernel& resolved) {
  std::vector<Wish> wishes;
  const int first = HasBaseFile(resolved.kernel()) ? 1 : 0;
  for (int i = first; i < resolved.fragments_size(); ++i) {
    const v1::ResolvedKernel::File& file = resolved.fragments(i);
    ASSIGN_OR_RETURN(std::vector<Wish> part, ParseFragment(file.content(), file.name()));
    for (Wish& wish : part) wishes.push_back(std::move(wish));
  }
  for (const std::string& option : resolved.kernel().config().options()) {
    ASSIGN_OR_RETURN(Wish wish, ParseWish(option, Named(resolved.kernel())));
    wishes.push_back(std::move(wish));
  }
  return MergeWishes(std::move(wishes));
}

absl::Status CheckResolved(const v1::ResolvedKernel& resolved) {
  const v1::Kernel& kernel = resolved.kernel();
  RETURN_IF_ERROR(CheckEntry(kernel));
  RETURN_IF_ERROR(CheckBuildable(kernel));
  if (resolved.recipe_version() != kRecipeVersion) {
    return absl::FailedPreconditionError(
        absl::StrCat(Named(kernel), ": recipe version ", resolved.recipe_version(),
                     ", this program has ", kRecipeVersion, ": update the older of the two"));
  }
  std::vector<std::string> names(kernel.config().fragments().begin(),
                                 kernel.config().fragments().end());
  if (HasBaseFile(kernel)) names.insert(names.begin(), kernel.config().base_file());
  bool same = static_cast<size_t>(resolved.fragments_size()) == names.size() &&
              resolved.patch_sha256_size() == kernel.patches_size();
  for (int i = 0; same && i < resolved.fragments_size(); ++i) {
    same = resolved.fragments(i).name() == names[i];
  }
  for (int i = 0; same && i < kernel.patches_size(); ++i) {
    same = resolved.patch_sha256(i) == kernel.patches(i).sha256();
  }
  if (!same) {
    return absl::InvalidArgumentError(absl::StrCat(
        Named(kernel), ": fragments or patch digests are not those that the entry names"));
  }
  return Wishes(resolved).status();
}

absl::StatusOr<std::vector<PatchFile>> ReadPatches(v1::Kernel& kernel,
                                                   const std::string& catalog_folder) {
  std::vector<PatchFile> files;
  for (v1::Patch& patch : *kernel.mutable_patches()) {
    const std::string& location = patch.location();
    if (absl::StrContains(location, "://")) continue;
    for (absl::string_view part : absl::StrSplit(location, '/')) {
      if (part != "..") continue;
      return absl::InvalidArgumentError(absl::StrCat(Named(kernel), ": patch ", Quoted(location),
                                                     ": want a path without \"..\""));
    }
    const std::string path =
        absl::StartsWith(location, "/") ? location : absl::StrCat(catalog_folder, "/", location);
    absl::StatusOr<std::string> content = ReadFile(path, kMaxPatch);
    if (!content.ok()) {
      return Annotate(content.status(), absl::StrCat(Named(kernel), ": patch ", location));
    }
    std::string digest = Sha256Hex(*content);
    if (!patch.sha256().empty() && patch.sha256() != digest) {
      return absl::InvalidArgumentError(absl::StrCat(Named(kernel), ": patch ", location,
                                                     ": sha256 is ", digest, ", the entry says ",
                                                     patch.sha256()));
    }
    patch.set_sha256(digest);
    files.push_back({std::move(digest), *std::move(content)});
  }
  return files;
}

}  // namespace shakedown::kernels
