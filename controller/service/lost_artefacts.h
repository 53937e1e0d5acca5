#pragma once

#include <set>
#include <string>

#include "absl/status/status.h"
#include "controller/service/artefact_store.h"
#include "db/store/database.h"

namespace shakedown::service {

// Looks whether the files of the builds that a job with these request keys would share are there
// with their sizes, and makes the farm forget those that are not, so that the kernel is built again
// in place of failing every boot. Looks at the last 1000 builds; contents are checked when they are
// read.
absl::Status ForgetLostArtefacts(store::Database& database, const ArtefactStore& artefacts,
                                 const std::set<std::string>& request_keys);

}  // namespace shakedown::service
