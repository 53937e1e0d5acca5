#include "kernels/recipe/keys.h"

#include "absl/strings/str_cat.h"
#include "proto/wire/digest.h"

namespace shakedown::kernels {
namespace {

// Name, length and bytes of each field: no two sets of fields give the same stream. Not protobuf's
// serialisation, which is not canonical across versions.
class Canonical {
 public:
  explicit Canonical(absl::string_view kind) { Add("kind", kind); }
  void Add(absl::string_view name, absl::string_view value) {
    digest_.Add(absl::StrCat(name, " ", value.size(), ":"));
    digest_.Add(value);
    digest_.Add("\n");
  }
  void Add(absl::string_view name, uint64_t value) { Add(name, absl::StrCat(value)); }
  std::string Finish() { return digest_.Finish(); }

 private:
  Sha256 digest_;
};

void AddSource(const v1::Kernel& kernel, Canonical& canonical) {
  switch (kernel.source_case()) {
    case v1::Kernel::kDebianSource:
      canonical.Add("debian_source.package", kernel.debian_source().package());
      canonical.Add("debian_source.version", kernel.debian_source().version());
      return;
    case v1::Kernel::kTarball:  // Where it lies does not matter: the digest says what it is.
      canonical.Add("tarball.sha256", kernel.tarball().sha256());
      return;
    case v1::Kernel::kGit:
      canonical.Add("git.commit", kernel.git().commit());
      return;
    case v1::Kernel::kLocalTree:
      canonical.Add("local_tree.path", kernel.local_tree().path());
      return;
    case v1::Kernel::kDebianImage:
      canonical.Add("debian_image.package", kernel.debian_image().package());
      canonical.Add("debian_image.version", kernel.debian_image().version());
      return;
    case v1::Kernel::SOURCE_NOT_SET:
      return;
  }
}

}  // namespace

std::string RequestKey(const v1::ResolvedKernel& resolved) {
  const v1::Kernel& kernel = resolved.kernel();
  Canonical canonical("shakedown kernel request 1");
  canonical.Add("recipe", resolved.recipe_version());
  AddSource(kernel, canonical);
  for (const v1::Patch& patch : kernel.patches()) {
    canonical.Add("patch", patch.sha256());
    canonical.Add("strip", patch.strip());
  }
  canonical.Add("base", static_cast<uint64_t>(kernel.config().base()));
  for (const v1::ResolvedKernel::File& file : resolved.fragments()) {
    canonical.Add("fragment", file.content());
  }
  for (const std::string& option : kernel.config().options()) canonical.Add("option", option);
  canonical.Add("compiler", kernel.toolchain().compiler());
  return canonical.Finish();
}

std::string BuildKey(const BuildInputs& inputs) {
  Canonical canonical("shakedown kernel build 1");
  canonical.Add("recipe", inputs.recipe_version);
  canonical.Add("source", inputs.source);
  for (const std::string& patch : inputs.patches) canonical.Add("patch", patch);
  canonical.Add("config", inputs.config);
  canonical.Add("toolchain", inputs.toolchain);
  canonical.Add("initramfs", inputs.initramfs);
  return canonical.Finish();
}

std::string LocalVersion(absl::string_view build_key) {
  return absl::StrCat("-", build_key.substr(0, 12));
}

}  // namespace shakedown::kernels
