// The farm at the other end of gRPC, as the clients of its services share it. For grpc_*.cc alone:
// this header pulls in gRPC.
#ifndef SHAKEDOWN_CONTROLLER_CLI_GRPC_CHANNEL_H_
#define SHAKEDOWN_CONTROLLER_CLI_GRPC_CHANNEL_H_

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "controller/cli/settings.h"

namespace shakedown::cli {

class GrpcChannel {
 public:
  // `settings` as from FindSettings. Connects at the first call. Errors of the server's address,
  // the CA file and the token file.
  static absl::StatusOr<std::shared_ptr<GrpcChannel>> Open(const ConnectionFlags& settings);
  GrpcChannel(std::shared_ptr<grpc::Channel> channel, ConnectionFlags settings,
              const std::string& token);

  const std::shared_ptr<grpc::Channel>& channel() const { return channel_; }
  // Who calls, and for how long at most; InfiniteDuration() for streams.
  void Prepare(grpc::ClientContext& context, absl::Duration limit) const;
  // The farm's code and words, and which farm it was where that matters.
  absl::Status ToStatus(const grpc::Status& status) const;

  // A unary call, for at most 30 s.
  template <typename Stub, typename Request, typename Response>
  absl::StatusOr<Response> Call(Stub& stub,
                                grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&,
                                                             Response*),
                                const Request& request) const {
    grpc::ClientContext context;
    Prepare(context, kCallLimit);
    Response response;
    const absl::Status status = ToStatus((stub.*method)(&context, request, &response));
    if (!status.ok()) return status;
    return response;
  }

 private:
  static constexpr absl::Duration kCallLimit = absl::Seconds(30);

  const std::shared_ptr<grpc::Channel> channel_;
  const ConnectionFlags settings_;
  const std::string authorization_;
};

}  // namespace shakedown::cli

#endif  // SHAKEDOWN_CONTROLLER_CLI_GRPC_CHANNEL_H_
