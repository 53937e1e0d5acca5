// Kernels in their order, and which of them somebody asks for.
#ifndef SHAKEDOWN_CONTROLLER_HISTORY_KERNEL_FILTER_H_
#define SHAKEDOWN_CONTROLLER_HISTORY_KERNEL_FILTER_H_

#include <cstdint>
#include <string>
#include <vector>

namespace shakedown::history {

struct KernelId {
  std::string kernel;      // Its name in the catalog; of imports as people call it.
  std::string version;     // An order key (kernel_key.h); empty: not known.
  std::string class_name;  // Likewise.
  uint32_t failed = 0;     // Boots that ended in a finding.
  int64_t id = 0;          // The caller's.
};

// By version, a kernel without one by its name; those of equal versions by name.
bool InOrder(const KernelId& a, const KernelId& b);

// Bounds are order keys or names of `kernels`, both included, empty: no bound. Patterns of names
// with * and ?, none: all.
class KernelFilter {
 public:
  KernelFilter(const std::vector<KernelId>& kernels, const std::string& since,
               const std::string& until, std::vector<std::string> patterns);

  bool Wants(const KernelId& kernel) const;

 private:
  const std::string since_, until_;
  const std::vector<std::string> patterns_;
};

}  // namespace shakedown::history

#endif  // SHAKEDOWN_CONTROLLER_HISTORY_KERNEL_FILTER_H_
