// Lists that are asked for page by page.
#ifndef SHAKEDOWN_DB_STORE_PAGING_H_
#define SHAKEDOWN_DB_STORE_PAGING_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

namespace shakedown::store {

// Rows of a page: 0 is read as 50. InvalidArgument: above 1000.
inline absl::StatusOr<int64_t> PageSize(uint32_t limit) {
  constexpr uint32_t kUsual = 50;
  constexpr uint32_t kMost = 1000;
  if (limit <= kMost) return limit == 0 ? kUsual : limit;
  return absl::InvalidArgumentError(absl::StrCat("limit ", limit, ": want at most ", kMost));
}

}  // namespace shakedown::store

#endif  // SHAKEDOWN_DB_STORE_PAGING_H_
