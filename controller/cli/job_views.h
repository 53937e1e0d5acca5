// For tests: jobs as the farm would show them.
#ifndef SHAKEDOWN_CONTROLLER_CLI_JOB_VIEWS_H_
#define SHAKEDOWN_CONTROLLER_CLI_JOB_VIEWS_H_

#include <string>

#include "proto/wire/ids.h"
#include "shakedown/v1/farm.pb.h"

namespace shakedown::cli {

inline constexpr int64_t kStart = 1'800'000'000;

// An active job 17 of debian-6.1 (A), debian-6.12 (B), …, every boot queued.
inline v1::JobView MakeJob(uint32_t blocks, uint32_t variants = 2) {
  v1::JobView job;
  job.set_job(17);
  job.set_state(v1::JOB_STATE_ACTIVE);
  job.mutable_spec()->set_title("CFS against EEVDF");
  job.mutable_spec()->set_blocks(blocks);
  job.mutable_submitted()->set_seconds(kStart);
  for (uint32_t i = 0; i < variants; ++i) {
    const std::string kernel = i == 0   ? "debian-6.1"
                               : i == 1 ? "debian-6.12"
                                        : "kernel-" + std::to_string(i);
    job.mutable_spec()->add_variants()->set_kernel(kernel);
    v1::BuildView& build = *job.add_builds();
    build.set_build_id("build-" + std::to_string(i));
    build.set_kernel(kernel);
    build.set_state(v1::WORK_STATE_ENDED);
    build.set_status("built");
  }
  for (uint32_t block = 1; block <= blocks; ++block) {
    for (uint32_t i = 0; i < variants; ++i) {
      v1::BootView& boot = *job.add_boots();
      boot.set_name(FormatBootName({.job = 17, .block = block, .variant = i}));
      boot.set_block(block);
      boot.set_variant(i);
      boot.set_attempt(1);
      boot.set_state(v1::WORK_STATE_QUEUED);
    }
  }
  return job;
}

inline void SetRunning(v1::BootView& boot, const std::string& phase, float progress) {
  boot.set_state(v1::WORK_STATE_RUNNING);
  boot.set_machine("vm1");
  boot.set_phase(phase);
  boot.set_progress(progress);
  boot.mutable_started()->set_seconds(kStart + 60);
}

inline void End(v1::BootView& boot, v1::Outcome outcome, const std::string& reason = "",
                const std::string& tail = "") {
  SetRunning(boot, "", 1);
  boot.set_state(v1::WORK_STATE_ENDED);
  boot.set_outcome(outcome);
  boot.set_reason(reason);
  boot.set_console_tail(tail);
  boot.mutable_ended()->set_seconds(kStart + 60 + 185);
}

// A second attempt of `boot`, queued.
inline v1::BootView& Again(v1::JobView& job, const v1::BootView& boot) {
  const v1::BootView first = boot;
  v1::BootView& again = *job.add_boots();
  again.set_block(first.block());
  again.set_variant(first.variant());
  again.set_attempt(first.attempt() + 1);
  again.set_name(FormatBootName({.job = job.job(),
                                 .block = first.block(),
                                 .variant = first.variant(),
                                 .attempt = first.attempt() + 1}));
  again.set_state(v1::WORK_STATE_QUEUED);
  return again;
}

inline void EndJob(v1::JobView& job, v1::JobState state = v1::JOB_STATE_DONE) {
  job.set_state(state);
  job.mutable_ended()->set_seconds(kStart + 1384);
}

}  // namespace shakedown::cli

#endif  // SHAKEDOWN_CONTROLLER_CLI_JOB_VIEWS_H_
