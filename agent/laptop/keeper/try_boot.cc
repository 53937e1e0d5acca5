#include "agent/laptop/keeper/try_boot.h"

#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "agent/laptop/keeper/keeper.h"
#include "proto/wire/digest.h"
#include "proto/wire/files.h"
#include "proto/wire/status.h"

namespace shakedown::laptop {
namespace {

constexpr uint32_t kBootLimitS = 600;  // A slow disk's check included.
constexpr uint32_t kRunLimitS = 60;

absl::StatusOr<v1::Artefact> Describe(const std::string& path) {
  struct stat about = {};
  if (stat(path.c_str(), &about) != 0) return ErrnoStatus(errno, path);
  v1::Artefact artefact;
  ASSIGN_OR_RETURN(*artefact.mutable_sha256(), Sha256File(path));
  artefact.set_size(static_cast<uint64_t>(about.st_size));
  return artefact;
}

}  // namespace

absl::StatusOr<OwnKernel> FindOwnKernel(const std::string& root, const std::string& release,
                                        std::string attempt_id) {
  if (release.empty() || absl::StrContains(release, "/")) {
    return absl::InvalidArgumentError(absl::StrCat("release ", release, " is no file's name"));
  }
  OwnKernel own;
  own.order.set_attempt_id(std::move(attempt_id));
  own.order.set_name(kTryBoot);
  own.order.mutable_expected()->set_release(release);
  const absl::StatusOr<std::string> version = ReadFile(root + "/proc/sys/kernel/version", 4096);
  if (version.ok()) {
    own.order.mutable_expected()->set_version(std::string(absl::StripAsciiWhitespace(*version)));
  }
  own.order.set_boot_limit_s(kBootLimitS);
  own.order.set_run_limit_s(kRunLimitS);
  own.files.image = absl::StrCat(root, "/boot/vmlinuz-", release);
  ASSIGN_OR_RETURN(*own.order.mutable_image(), Describe(own.files.image));
  for (const std::string& name :
       {absl::StrCat("initrd.img-", release), absl::StrCat("initramfs-", release, ".img")}) {
    const std::string path = absl::StrCat(root, "/boot/", name);
    const absl::StatusOr<v1::Artefact> initramfs = Describe(path);
    if (absl::IsNotFound(initramfs.status())) continue;
    if (!initramfs.ok()) return initramfs.status();
    *own.order.mutable_initramfs() = *initramfs;
    own.files.initramfs = path;
    break;
  }
  return own;
}

}  // namespace shakedown::laptop
