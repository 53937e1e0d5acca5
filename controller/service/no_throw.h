// Where exceptions of libraries end that judging uses (Boost.Math).
#pragma once

#include <exception>
#include <type_traits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace shakedown::service {

// Calls `call`, which gives a Status or StatusOr. An exception becomes Internal: one job's odd
// numbers end neither a thread of the controller nor what other jobs wait for.
template <typename Call>
std::invoke_result_t<Call> NoThrow(absl::string_view what, Call call) try {
  return call();
} catch (const std::exception& e) {
  return absl::InternalError(absl::StrCat(what, ": ", e.what()));
}

}  // namespace shakedown::service
