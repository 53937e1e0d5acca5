#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "shakedown/v1/farm.pb.h"
#include "shakedown/v1/job.pb.h"

namespace shakedown::service {

// The spec with the digest of each tree that its loads name. Pure. InvalidArgument, naming the
// load: no such input (with those there are), a digest in the spec that is another one's, more
// inputs than a machine has room for.
absl::StatusOr<v1::JobSpec> PinInputs(const v1::JobSpec& spec,
                                      const std::vector<v1::InputView>& inputs);

}  // namespace shakedown::service
