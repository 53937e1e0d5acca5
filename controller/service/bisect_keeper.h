// Goes on with bisects: submits their jobs, reads what these measured, decides.
#pragma once

#include "absl/status/statusor.h"
#include "controller/service/farm_api.h"
#include "db/store/database.h"
#include "kernels/recipe/resolve.h"

namespace shakedown::service {

// Takes one step of every bisect for which one is due; any number of controllers may do so at once,
// each step is taken once. Returns how many were taken here. It keeps nothing: ended in the middle,
// the next call goes on. An error is the first one, of one bisect; the others have had their turn.
absl::StatusOr<int> KeepBisects(store::Database& database, FarmApi& farm,
                                const kernels::FragmentReader& fragments);

}  // namespace shakedown::service
