#include "controller/cli/clients.h"
#include "controller/cli/grpc_channel.h"
#include "proto/wire/status.h"

namespace shakedown::cli {

absl::StatusOr<Clients> Connect(const ConnectionFlags& settings) {
  ASSIGN_OR_RETURN(const std::shared_ptr<GrpcChannel> channel, GrpcChannel::Open(settings));
  Clients clients;
  clients.farm = MakeGrpcFarm(channel);
  clients.history = MakeGrpcHistory(channel);
  clients.detail = MakeGrpcDetail(channel);
  clients.imports = MakeGrpcImport(channel);
  clients.bisects = MakeGrpcBisects(channel);
  clients.notify = MakeGrpcNotify(channel);
  return clients;
}

}  // namespace shakedown::cli
