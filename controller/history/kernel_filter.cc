#include "controller/history/kernel_filter.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "controller/history/kernel_key.h"
#include "controller/history/order_key.h"

namespace shakedown::history {
namespace {

const std::string& KeyOf(const KernelId& kernel) {
  return kernel.version.empty() ? kernel.kernel : kernel.version;
}

// A bound is a version, or a kernel that there is.
std::string BoundOf(const std::vector<KernelId>& kernels, const std::string& text, bool last) {
  const KernelId* found = nullptr;
  for (const KernelId& kernel : kernels) {
    if (kernel.kernel != text) continue;
    if (found == nullptr || InOrder(*found, kernel) == last) found = &kernel;
  }
  return found == nullptr ? text : KeyOf(*found);
}

// "6.12" as the last one wanted includes 6.12.57 and 6.12-rc7.
bool IsAfter(const std::string& key, const std::string& bound) {
  if (key.compare(0, bound.size(), bound) == 0 && key.size() > bound.size() &&
      (key[bound.size()] == '.' || key[bound.size()] == '-')) {
    return false;
  }
  return CompareOrderKeys(key, bound) > 0;
}

}  // namespace

bool InOrder(const KernelId& a, const KernelId& b) {
  const int order = CompareOrderKeys(KeyOf(a), KeyOf(b));
  return order != 0 ? order < 0 : std::tie(a.kernel, a.version) < std::tie(b.kernel, b.version);
}

KernelFilter::KernelFilter(const std::vector<KernelId>& kernels, const std::string& since,
                           const std::string& until, std::vector<std::string> patterns)
    : since_(BoundOf(kernels, since, false)),
      until_(BoundOf(kernels, until, true)),
      patterns_(std::move(patterns)) {}

bool KernelFilter::Wants(const KernelId& kernel) const {
  const std::string& key = KeyOf(kernel);
  if (!since_.empty() && CompareOrderKeys(key, since_) < 0) return false;
  if (!until_.empty() && IsAfter(key, until_)) return false;
  return patterns_.empty() ||
         std::any_of(patterns_.begin(), patterns_.end(),
                     [&](const std::string& pattern) { return Matches(pattern, kernel.kernel); });
}

}  // namespace shakedown::history
