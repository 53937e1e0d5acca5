#include "controller/history/kernels_between.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "controller/history/order_key.h"
#include "proto/wire/ids.h"

namespace shakedown::history {
namespace {

bool OfVersion(char c) { return absl::ascii_isdigit(c) || c == '.'; }

// "debian-#-cloud" of "debian-6.12-rc3-cloud".
std::string WithoutVersion(absl::string_view name) {
  std::string out;
  while (!name.empty()) {
    if (!absl::ascii_isdigit(name.front())) {
      out += name.front();
      name.remove_prefix(1);
      continue;
    }
    while (!name.empty() && OfVersion(name.front())) name.remove_prefix(1);
    if (name.size() > 3 && absl::ascii_isdigit(name[3]) && absl::ConsumePrefix(&name, "-rc")) {
      while (!name.empty() && absl::ascii_isdigit(name.front())) name.remove_prefix(1);
    }
    out += '#';
  }
  return out;
}

}  // namespace

absl::StatusOr<std::vector<std::string>> KernelsBetween(const std::vector<std::string>& names,
                                                        const std::string& good,
                                                        const std::string& bad) {
  const std::string kind = WithoutVersion(good);
  if (kind != WithoutVersion(bad)) {
    return absl::InvalidArgumentError(
        absl::StrCat("good ", Quoted(good), " and bad ", Quoted(bad),
                     ": differ in more than a version, so nothing lies between them by name; name "
                     "the candidates"));
  }
  if (CompareOrderKeys(good, bad) >= 0) {
    return absl::InvalidArgumentError(absl::StrCat("bad ", Quoted(bad), ": not behind good ",
                                                   Quoted(good), ", want the newer one"));
  }
  std::vector<std::string> between;
  for (const std::string& name : names) {
    if (WithoutVersion(name) == kind && CompareOrderKeys(good, name) <= 0 &&
        CompareOrderKeys(name, bad) <= 0) {
      between.push_back(name);
    }
  }
  std::sort(between.begin(), between.end(), [](const std::string& a, const std::string& b) {
    const int order = CompareOrderKeys(a, b);
    return order != 0 ? order < 0 : a < b;
  });
  return between;
}

}  // namespace shakedown::history
