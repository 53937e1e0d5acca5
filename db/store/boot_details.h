// Everything that is kept of one attempt at a boot.
#ifndef SHAKEDOWN_DB_STORE_BOOT_DETAILS_H_
#define SHAKEDOWN_DB_STORE_BOOT_DETAILS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "db/store/database.h"
#include "proto/wire/ids.h"
#include "shakedown/v1/boot.pb.h"
#include "shakedown/v1/farm.pb.h"

namespace shakedown::store {

struct BootDetails {
  v1::BootView view;
  v1::BootResult result;                  // With series, top and outputs. Default: there is none.
  std::optional<v1::LiveTelemetry> live;  // Of the load that runs now.
  std::vector<std::string> attempts;      // Of the same boot, in order.
};

// `name` with attempt 0: the latest one. NotFound: "boot 17.3B: no such boot".
absl::StatusOr<BootDetails> GetBootDetails(Database& database, const BootName& name);

}  // namespace shakedown::store

#endif  // SHAKEDOWN_DB_STORE_BOOT_DETAILS_H_
