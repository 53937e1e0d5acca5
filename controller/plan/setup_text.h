// Setup steps as one line of text: what people give on a command line, reports print, and records
// are named by. Also part of the runner: no full protos, nothing of gRPC.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "shakedown/v1/job.pb.h"

namespace shakedown::plan {

// One of these:
//   stop SERVICE                 a systemd unit or System V service: "stop cron"
//   drop_caches                  before every load run
//   governor NAME                "governor performance"
//   turbo on|off
//   autogroup on|off
//   sysctl NAME=VALUE            also a scheduler file of debugfs: "sysctl
//   sched/base_slice_ns=3000000" settle[:load=N][,celsius=N][,seconds=N][,limit=N]    before every
//   load run require_ac
// InvalidArgument names the word and what is wanted.
absl::StatusOr<v1::SetupStep> ParseSetupStep(absl::string_view text);

// A text that ParseSetupStep reads back into the same step; "nothing" when no kind is set.
std::string PrintSetupStep(const v1::SetupStep& step);

// Whether a machine could be asked to do it: names, ranges. InvalidArgument names the value.
absl::Status CheckSetupStep(const v1::SetupStep& step);

}  // namespace shakedown::plan
