// What the calls of HistoryApi refuse.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

namespace shakedown::service {

inline constexpr uint32_t kMostListed = 1000;

inline absl::Status CheckText(const char* what, const std::string& text) {
  constexpr size_t kMost = 200;
  if (text.size() <= kMost) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(what, " of ", text.size(), " bytes: want at most ", kMost));
}

// 0 is `otherwise`.
inline absl::StatusOr<uint32_t> LimitOf(uint32_t limit, uint32_t otherwise) {
  if (limit > kMostListed) {
    return absl::InvalidArgumentError(
        absl::StrCat("limit ", limit, ": want at most ", kMostListed));
  }
  return limit == 0 ? otherwise : limit;
}

}  // namespace shakedown::service
