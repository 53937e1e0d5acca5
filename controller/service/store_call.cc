#include "controller/service/store_call.h"

#include <spdlog/spdlog.h>

#include <string>

#include "absl/strings/match.h"
#include "proto/wire/sanitise.h"
#include "proto/wire/status.h"

namespace shakedown::service {

absl::Status ForCaller(const absl::Status& status) {
  if (absl::IsInternal(status)) {
    spdlog::error("store: {}", PrintableLine(status.message(), 2000));
    return absl::InternalError("database: a defect of this program, see the controller's log");
  }
  if ((absl::IsUnavailable(status) || absl::IsUnknown(status) || absl::IsAborted(status)) &&
      !absl::StartsWith(status.message(), "database")) {
    return Annotate(status, "database");
  }
  return status;
}

}  // namespace shakedown::service
