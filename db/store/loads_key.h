// Tells jobs with exactly the same loads.
#ifndef SHAKEDOWN_DB_STORE_LOADS_KEY_H_
#define SHAKEDOWN_DB_STORE_LOADS_KEY_H_

#include <string>

#include "db/store/sql.h"
#include "proto/wire/digest.h"
#include "shakedown/v1/job.pb.h"

namespace shakedown::store {

inline std::string LoadsKey(const google::protobuf::RepeatedPtrField<v1::Load>& loads) {
  v1::JobSpec only_loads;
  *only_loads.mutable_loads() = loads;
  return Sha256Hex(Canonical(only_loads));
}

}  // namespace shakedown::store

#endif  // SHAKEDOWN_DB_STORE_LOADS_KEY_H_
