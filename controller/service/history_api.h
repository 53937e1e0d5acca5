// HistoryService without gRPC: check, call, answer.
#pragma once

#include "db/store/database.h"

namespace shakedown::service {

// Thread-safe; each function blocks for short transactions. The database outlives it. Errors as
// FarmApi's.
class HistoryApi {
 public:
  explicit HistoryApi(store::Database& database) : database_(database) {}

 private:
  store::Database& database_;
};

}  // namespace shakedown::service
