#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "controller/service/artefact_store.h"
#include "db/store/database.h"

namespace shakedown::service {

// Makes the kernels of FOLDER/catalog the built-in ones of the farm, and their patch files
// artefacts. How many there are. InvalidArgument: a file with errors, or a person's kernel that has
// the name of a built-in one (AlreadyExists); nothing has changed then.
absl::StatusOr<int> PutCatalog(store::Database& database, ArtefactStore& artefacts,
                               const std::string& folder);

}  // namespace shakedown::service
