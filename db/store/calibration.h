// How much work a machine's CPU does in a millisecond: measured once, pinned for every kernel.
// For the files of this folder only.
#ifndef SHAKEDOWN_DB_STORE_CALIBRATION_H_
#define SHAKEDOWN_DB_STORE_CALIBRATION_H_

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/status.h"
#include "db/store/pool.h"
#include "shakedown/v1/boot.pb.h"

namespace shakedown::store {

// SHA-256 of those facts of a machine that decide how fast its CPUs are; others may come and go.
std::string HardwareDigest(const std::map<std::string, std::string>& facts);

// Loops per ms of the machine as it is now. 0: not measured yet.
uint64_t FindCalibration(Transaction& tx, const std::string& machine);

// InvalidArgument: a number that no CPU has.
absl::Status CheckCalibration(const v1::BootResult& result);

// Keeps what a boot on `machine` measured, unless the machine has a number already. Boots that were
// measured only: another kernel may have failed while it measured.
void KeepCalibration(Transaction& tx, const std::string& machine, const v1::BootResult& result);

}  // namespace shakedown::store

#endif  // SHAKEDOWN_DB_STORE_CALIBRATION_H_
