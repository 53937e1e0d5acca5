// Load runs with their numbers and histograms, for the files of this folder.
#ifndef SHAKEDOWN_DB_STORE_LOAD_RUNS_H_
#define SHAKEDOWN_DB_STORE_LOAD_RUNS_H_

#include <cstdint>
#include <map>
#include <string>

#include "absl/strings/string_view.h"
#include "db/store/pool.h"
#include "shakedown/v1/boot.pb.h"

namespace shakedown::store {

// Whose load runs: a condition of ours on `boots o` with $1, and what $1 is.
struct RunScope {
  absl::string_view where;
  std::string value;
};
inline RunScope RunsOfJob(int64_t job) { return {"o.job = $1", std::to_string(job)}; }
inline RunScope RunsOfAttempt(const std::string& id) { return {"o.attempt_id = $1", id}; }

using BootsById = std::map<std::string, v1::BootResult*>;  // By attempt_id.

// Adds them to their boots, without series, top and outputs.
void ReadLoadRuns(Transaction& tx, const RunScope& scope, const BootsById& boots);

}  // namespace shakedown::store

#endif  // SHAKEDOWN_DB_STORE_LOAD_RUNS_H_
