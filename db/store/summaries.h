// One summary a boot, load and metric: what series are made of. A result waits in history_todo, put
// there with it, until the controller's rules have said what it is a summary of.
#ifndef SHAKEDOWN_DB_STORE_SUMMARIES_H_
#define SHAKEDOWN_DB_STORE_SUMMARIES_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "db/store/database.h"
#include "shakedown/v1/farm.pb.h"

namespace shakedown::store {

struct SummaryValue {
  uint32_t load = 0;  // Index into the job's loads.
  std::string metric;
  std::string unit;
  double median = 0;  // Of the measured iterations, warm-ups left out.
  uint32_t n = 0;     // How many.
};

// A result without its summaries.
struct UnsummarisedBoot {
  std::string attempt_id;
  v1::JobSpec spec;
  uint32_t variant = 0;
  v1::Outcome outcome = v1::OUTCOME_UNSPECIFIED;
  v1::Kernel kernel;           // As resolved at submit.
  std::string source_version;  // Of the build.
  std::string build_key;
  std::string release;  // As it was found in the booted kernel.
  std::map<std::string, std::string> facts;
  std::map<uint32_t, std::string> tools;  // Version of the wrapped tool, by load.
  std::vector<SummaryValue> values;       // Empty unless measured.
};
// At most `limit`, in no order that matters. One whose protos can not be read (its report says so)
// has nothing but its attempt_id.
absl::StatusOr<std::vector<UnsummarisedBoot>> BootsToSummarise(Database& database, int limit);

struct BootSummary {
  std::string attempt_id;
  std::string kernel, version, class_name;   // history_kernels.
  std::string epoch;                         // SHA-256, 64 hex digits.
  std::map<std::string, std::string> facts;  // That the epoch is of.
  struct Load {
    std::string sha256;  // Tells it from every other.
    std::string text;
  };
  std::vector<Load> loads;  // As the job's, each another.
  std::vector<SummaryValue> values;
  bool failed = false;  // The boot ended in a finding.
};
// Stores it, once. False: it was stored already.
absl::StatusOr<bool> PutSummary(Database& database, const BootSummary& summary);

}  // namespace shakedown::store

#endif  // SHAKEDOWN_DB_STORE_SUMMARIES_H_
