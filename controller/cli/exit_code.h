// What the process says to a script.
#ifndef SHAKEDOWN_CONTROLLER_CLI_EXIT_CODE_H_
#define SHAKEDOWN_CONTROLLER_CLI_EXIT_CODE_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "shakedown/v1/farm.pb.h"

namespace shakedown::cli {

inline constexpr int kOk = 0;
inline constexpr int kOther = 1;  // Of commands that give no verdict.
inline constexpr int kWorse = 1;  // Of those that do: `watch` and `submit --wait`.
inline constexpr int kFarmFailed = 2;
inline constexpr int kKernelFailed = 3;
inline constexpr int kInconclusive = 4;
inline constexpr int kUsage = 64;         // EX_USAGE of sysexits.h.
inline constexpr int kNoInput = 66;       // EX_NOINPUT: a named file can not be read.
inline constexpr int kCannotWrite = 74;   // EX_IOERR: the answer did not arrive.
inline constexpr int kInterrupted = 130;  // 128 + SIGINT, as shells have it.

// What became of one boot in the end.
enum class Fault { kNone, kKernel, kFarm, kCancelled };
Fault FaultOf(v1::Outcome outcome);

// Of a job that has ended; only the last attempt of each boot counts, and of a repeated block only
// the repetition and what the kernels did themselves. The farm's failures win over the kernels':
// with one, the job does not say what it was asked to. kInconclusive: cancelled, or not ended.
int ExitCodeOf(const v1::JobView& job);

// Of a report's conclusion on the primary metrics: kWorse, kInconclusive, or kOk: none is worse, or
// there were too few blocks for any verdict.
int ExitCodeOfConclusion(absl::string_view conclusion);

// Of a call of a command whose 1 means "worse": what else would be 1 is the farm's failure.
int ExitCodeBesideVerdicts(const absl::Status& status);

// Of a call: kNoInput when a file can not be read (IsNoInput()), kUsage when what was asked for is wrong or unknown, kFarmFailed when no answer came.
int ExitCodeOf(const absl::Status& status);

}  // namespace shakedown::cli

#endif  // SHAKEDOWN_CONTROLLER_CLI_EXIT_CODE_H_
