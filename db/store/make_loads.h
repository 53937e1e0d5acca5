// The `make`s of a load, wherever it has one.
#ifndef SHAKEDOWN_DB_STORE_MAKE_LOADS_H_
#define SHAKEDOWN_DB_STORE_MAKE_LOADS_H_

#include <vector>

#include "shakedown/v1/job.pb.h"

namespace shakedown::store {

// The load itself, what latt runs around, what keeps the machine busy beside it. They are the
// load's.
std::vector<v1::MakeLoad*> MakesOf(v1::Load& load);

}  // namespace shakedown::store

#endif  // SHAKEDOWN_DB_STORE_MAKE_LOADS_H_
