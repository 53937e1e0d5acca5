// DetailService without gRPC: check, read, answer. Changes nothing.
#pragma once

#include "absl/status/statusor.h"
#include "db/store/database.h"
#include "shakedown/v1/detail.pb.h"

namespace shakedown::service {

// Thread-safe; each function blocks for short transactions. The database outlives it. Errors as
// FarmApi's.
class DetailApi {
 public:
  explicit DetailApi(store::Database& database) : database_(database) {}

  absl::StatusOr<v1::GetBootResponse> GetBoot(const v1::GetBootRequest& request);
  absl::StatusOr<v1::ExplainResponse> Explain(const v1::ExplainRequest& request);
  absl::StatusOr<v1::ListQueueResponse> ListQueue(const v1::ListQueueRequest& request);

 private:
  store::Database& database_;
};

}  // namespace shakedown::service
