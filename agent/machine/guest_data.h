// What a guest sent, made harmless: the guest is under test and may send anything. Pure.
#ifndef SHAKEDOWN_AGENT_MACHINE_GUEST_DATA_H_
#define SHAKEDOWN_AGENT_MACHINE_GUEST_DATA_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "shakedown/v1/boot.pb.h"
#include "shakedown/v1/runner.pb.h"

namespace shakedown::agent {

inline constexpr int kMaxMeasurements = 65536;  // In one load run.
inline constexpr int kMaxSeries = 256;
inline constexpr int kMaxSeriesValues = 100000;
inline constexpr int kMaxHistograms = 16384;
inline constexpr int kMaxBuckets = 65536;  // In one histogram; more than there are.
inline constexpr size_t kMaxOutput = 256 << 10;
inline constexpr int kMaxWarnings = 64;
inline constexpr int kMaxDisturbances = 16;
inline constexpr int kMaxTopSnapshots = 1024;
inline constexpr int kMaxTopTasks = 10;  // In one snapshot.
inline constexpr int kMaxSetup = 65;
inline constexpr int kMaxFacts = 128;
inline constexpr size_t kMaxUnit = 16;
inline constexpr size_t kMaxText = 4096;  // A command line, a tunable's value, a fact.

// [a-z0-9._-]{1,96}, as a metric, a series, a histogram is called.
bool IsMetricName(absl::string_view name);

// The load run of load `index`, its text valid UTF-8 and bounded. InvalidArgument, naming the
// object and the rule: another load, a name that is not [a-z0-9._-]{1,96}, a value that is no
// finite number, too many of anything, no measurement at all. Nothing is silently dropped;
// over-long output keeps its end and says so.
absl::StatusOr<v1::LoadRun> CheckLoadRun(uint32_t index, v1::LoadRun run);

// At most kMaxSetup records, their texts valid UTF-8 and cut to kMaxText.
std::vector<v1::SetupRecord> CleanSetup(const v1::SetupDone& done);

// Texts valid UTF-8 and cut to kMaxText; only tunables of the names asked for can matter, so at
// most 256 are kept.
v1::Identity CleanIdentity(const v1::Identity& identity);

// Facts with good names, at most kMaxFacts, values in one printable line.
v1::Fingerprint CleanFingerprint(const v1::Fingerprint& fingerprint);

}  // namespace shakedown::agent

#endif  // SHAKEDOWN_AGENT_MACHINE_GUEST_DATA_H_
