#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "db/store/imports.h"
#include "shakedown/v1/import.pb.h"

namespace shakedown::service {

// A kernel with its tunables as people write it: "2.6.35 rr_interval=6", the words parted by
// blanks. InvalidArgument: not a name, more than that.
struct KernelWithTunables {
  std::string kernel;
  std::string tunables;  // In their order, one blank between.
};
absl::StatusOr<KernelWithTunables> ParseKernelText(absl::string_view text);

// Reads the text itself; a client's word counts for whose numbers they are alone. InvalidArgument:
// a text without results, with its lines and reasons; lines that can not be read unless the request
// takes it partly; a kernel or machine that is not said or not a name; too much of anything.
absl::StatusOr<store::NewImport> PrepareImport(const v1::AddImportRequest& request,
                                               const std::string& submitter);

}  // namespace shakedown::service
