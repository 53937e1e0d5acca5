// A boot's steps as a shell script that a person can read, change and run.
#pragma once

#include <string>

#include "shakedown/v1/boot.pb.h"
#include "shakedown/v1/farm.pb.h"
#include "shakedown/v1/job.pb.h"
#include "shakedown/v1/kernel.pb.h"

namespace shakedown::plan {

struct BootToRepeat {
  int64_t job = 0;
  v1::JobSpec spec;
  v1::Variant variant;
  v1::Kernel kernel;  // As resolved at submit.
  v1::BuildView build;
  v1::Artefact image, config;  // Default: not built, or a ready package.
  v1::ExpectedIdentity expected;
  v1::BootView boot;
  v1::BootResult result;  // Default: none.
};

// For a POSIX shell run by root on the machine, in the booted kernel. It checks that this is the
// kernel, sets tunables and setup steps, runs the loads, and takes everything back at its end, also
// when it is interrupted. No byte of a name, value or command can leave its quotes or its comment.
std::string ReproduceScript(const BootToRepeat& boot);

}  // namespace shakedown::plan
