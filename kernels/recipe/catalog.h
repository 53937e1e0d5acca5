#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "kernels/recipe/check_kernel.h"
#include "shakedown/v1/kernel.pb.h"

namespace shakedown::kernels {

// Reads FOLDER/NAME.txtpb for every entry, by name. All entries or none: the error names every file
// that is wrong, as lint does. NotFound: no such folder.
absl::StatusOr<std::map<std::string, v1::Kernel>> LoadCatalog(const std::string& folder);

// `shakedown kernels lint`: reads every *.txtpb in `catalog_folder`, and every fragment in
// `configs_folder`, and gives all there is to say, in order of file name. Empty folders and
// unreadable files are findings, too. Checks: syntax and unknown fields, CheckKernel, file name =
// kernel name, fragments named exist and parse, patch files named by a relative path exist and have
// the digest said.
std::vector<Finding> LintCatalog(const std::string& catalog_folder,
                                 const std::string& configs_folder);

}  // namespace shakedown::kernels
