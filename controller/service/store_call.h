#pragma once

#include <type_traits>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace shakedown::service {

// What a caller may know of an error of the store: Unavailable says that it is the database,
// Internal (a defect, with SQL in its text) is logged and replaced. Others are for people already
// and stay.
absl::Status ForCaller(const absl::Status& status);

inline const absl::Status& StatusOf(const absl::Status& status) { return status; }
template <typename T>
const absl::Status& StatusOf(const absl::StatusOr<T>& result) {
  return result.status();
}

// Calls a function of the store. After a lost race or a COMMIT whose answer was lost it is called
// again, up to three times in all: that is what they allow. The error is one ForCaller.
template <typename Call>
std::invoke_result_t<Call> FromStore(Call call) {
  for (int tries = 1;; ++tries) {
    auto result = call();
    const absl::Status status = StatusOf(result);
    if (status.ok()) return result;
    const bool again = absl::IsUnknown(status) || absl::IsAborted(status);
    if (!again || tries == 3) return ForCaller(status);
  }
}

}  // namespace shakedown::service
