// What a boot's result must be before it is recorded. Pure.
#ifndef SHAKEDOWN_DB_STORE_BOOT_CHECK_H_
#define SHAKEDOWN_DB_STORE_BOOT_CHECK_H_

#include "absl/status/status.h"
#include "shakedown/v1/boot.pb.h"

namespace shakedown::store {

// `loads`: how many the job has. InvalidArgument as RecordBoot() says.
absl::Status CheckBootResult(const v1::BootResult& result, int loads);

}  // namespace shakedown::store

#endif  // SHAKEDOWN_DB_STORE_BOOT_CHECK_H_
