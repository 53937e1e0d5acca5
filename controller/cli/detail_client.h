// Boots, verdicts and the queue in detail as the commands see them: DetailService without gRPC.
#ifndef SHAKEDOWN_CONTROLLER_CLI_DETAIL_CLIENT_H_
#define SHAKEDOWN_CONTROLLER_CLI_DETAIL_CLIENT_H_

#include <memory>

#include "absl/status/statusor.h"
#include "shakedown/v1/detail.pb.h"

namespace shakedown::cli {

// As Farm: blocks for at most 30 s, one thread, the farm's own errors.
class DetailClient {
 public:
  virtual ~DetailClient() = default;
  virtual absl::StatusOr<v1::GetBootResponse> GetBoot(const v1::GetBootRequest& request) = 0;
  virtual absl::StatusOr<v1::ExplainResponse> Explain(const v1::ExplainRequest& request) = 0;
  virtual absl::StatusOr<v1::ListQueueResponse> ListQueue(const v1::ListQueueRequest& request) = 0;
};

class GrpcChannel;
std::unique_ptr<DetailClient> MakeGrpcDetail(std::shared_ptr<GrpcChannel> channel);

}  // namespace shakedown::cli

#endif  // SHAKEDOWN_CONTROLLER_CLI_DETAIL_CLIENT_H_
