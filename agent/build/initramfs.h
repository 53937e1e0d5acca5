// An initramfs that gets a modular kernel to its root disk: the runner as /init, and the modules a
// guest needs.
#ifndef SHAKEDOWN_AGENT_BUILD_INITRAMFS_H_
#define SHAKEDOWN_AGENT_BUILD_INITRAMFS_H_

#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace shakedown::agent {

// A cpio archive ("newc", as the kernel wants it), the same bytes for the same content: owner root,
// time 0.
class CpioWriter {
 public:
  void AddFolder(absl::string_view path);
  void AddFile(absl::string_view path, absl::string_view content, uint32_t permissions);
  void AddCharacterDevice(absl::string_view path, uint32_t major, uint32_t minor);
  std::string Finish();

 private:
  void Add(absl::string_view path, uint32_t mode, absl::string_view content, uint32_t major,
           uint32_t minor);
  std::string bytes_;
  uint32_t inode_ = 0;
};

// modules.dep: path of a module → paths of those it needs. InvalidArgument: a line without a colon,
// or a path that is absolute or has "..".
absl::StatusOr<std::map<std::string, std::vector<std::string>>> ParseModulesDep(
    absl::string_view text);

// A module's name from its path: "kernel/drivers/block/virtio_blk.ko.xz" gives "virtio_blk"; "-"
// becomes "_".
std::string ModuleName(absl::string_view path);

struct ModuleWishes {
  std::vector<std::string>
      needed;  // Without these the guest cannot reach its root disk or the runner.
  std::vector<std::string> optional;  // Loaded when there: watchdog, random numbers, panic device.
};

// What a virtio guest with an ext4 root wants.
ModuleWishes GuestModules();

// Paths in load order, each after all it needs; what is wanted first comes first. `builtin`: names
// of what is in the kernel itself. NotFound: a needed module is neither there nor built in.
// InvalidArgument: a circle.
absl::StatusOr<std::vector<std::string>> LoadOrder(
    const std::map<std::string, std::vector<std::string>>& dependencies,
    const std::set<std::string>& builtin, const ModuleWishes& wishes);

// The whole archive. `modules_folder`: …/lib/modules/RELEASE with modules.dep, distrusted.
// /modules/load.txt lists the files below /modules in load order. Empty string: everything needed
// is built in, so none is needed.
absl::StatusOr<std::string> BuildInitramfs(const std::string& modules_folder,
                                           const std::string& runner_path);

}  // namespace shakedown::agent

#endif  // SHAKEDOWN_AGENT_BUILD_INITRAMFS_H_
