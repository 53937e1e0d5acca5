// Bisects as the commands see them: BisectService without gRPC.
#ifndef SHAKEDOWN_CONTROLLER_CLI_BISECT_CLIENT_H_
#define SHAKEDOWN_CONTROLLER_CLI_BISECT_CLIENT_H_

#include <memory>

#include "absl/status/statusor.h"
#include "shakedown/v1/bisect.pb.h"

namespace shakedown::cli {

// As Farm: blocks for at most 30 s, one thread, the farm's own errors.
class BisectClient {
 public:
  virtual ~BisectClient() = default;
  virtual absl::StatusOr<v1::BisectView> StartBisect(const v1::StartBisectRequest& request) = 0;
  virtual absl::StatusOr<v1::BisectPlan> PlanBisect(const v1::StartBisectRequest& request) = 0;
  virtual absl::StatusOr<v1::BisectView> GetBisect(const v1::GetBisectRequest& request) = 0;
  virtual absl::StatusOr<v1::ListBisectsResponse> ListBisects(
      const v1::ListBisectsRequest& request) = 0;
  virtual absl::StatusOr<v1::BisectView> CancelBisect(const v1::GetBisectRequest& request) = 0;
};

class GrpcChannel;
std::unique_ptr<BisectClient> MakeGrpcBisects(std::shared_ptr<GrpcChannel> channel);

}  // namespace shakedown::cli

#endif  // SHAKEDOWN_CONTROLLER_CLI_BISECT_CLIENT_H_
