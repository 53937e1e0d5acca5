#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace shakedown::plan {

// Collects what is wrong with a request, so that a person mends all of it at once.
class Errors {
 public:
  template <typename... Parts>
  void Add(const Parts&... parts) {
    texts_.push_back(absl::StrCat(parts...));
  }

  // Adds "WHAT VALUE: want LOW to HIGH" unless low <= value <= high.
  void CheckRange(absl::string_view what, uint64_t value, uint64_t low, uint64_t high) {
    if (value < low || value > high) Add(what, " ", value, ": want ", low, " to ", high);
  }

  // OK, or InvalidArgument with the first 20 texts and how many more there are.
  absl::Status AsStatus() const {
    if (texts_.empty()) return absl::OkStatus();
    std::string all;
    constexpr size_t kShown = 20;
    for (size_t i = 0; i < texts_.size() && i < kShown; ++i) {
      absl::StrAppend(&all, i == 0 ? "" : "; ", texts_[i]);
    }
    if (texts_.size() > kShown) {
      absl::StrAppend(&all, "; and ", texts_.size() - kShown, " errors more");
    }
    return absl::InvalidArgumentError(all);
  }

 private:
  std::vector<std::string> texts_;
};

}  // namespace shakedown::plan
