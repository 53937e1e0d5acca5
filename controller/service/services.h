// The gRPC services, each made of its Api. gRPC's headers stay in the .cc files and
// grpc_call.h.
#pragma once

#include <memory>

#include "controller/service/agent_api.h"
#include "controller/service/bisect_api.h"
#include "controller/service/detail_api.h"
#include "controller/service/dispatcher.h"
#include "controller/service/farm_api.h"
#include "controller/service/history_api.h"
#include "controller/service/import_api.h"
#include "controller/service/notify_api.h"
#include "db/store/database.h"

namespace grpc {
class Service;
}

namespace shakedown::service {

// What calls work with; outlives the services.
struct Backend {
  store::Database& database;
  FarmApi& farm;
  AgentApi& agents;
  HistoryApi& history;
  DetailApi& detail;
  ImportApi& imports;
  BisectApi& bisects;
  NotifyApi& notify;
  Dispatcher& dispatcher;
};

// A job's watcher and a log's follower look again this often, and a watcher on every hint.
std::shared_ptr<grpc::Service> MakeFarmService(Backend backend);
// A Sync that is held open looks again on every hint, and every 2 s because hints can get lost.
std::shared_ptr<grpc::Service> MakeAgentService(Backend backend);
std::shared_ptr<grpc::Service> MakeHistoryService(Backend backend);
std::shared_ptr<grpc::Service> MakeDetailService(Backend backend);
std::shared_ptr<grpc::Service> MakeImportService(Backend backend);
std::shared_ptr<grpc::Service> MakeBisectService(Backend backend);
std::shared_ptr<grpc::Service> MakeNotifyService(Backend backend);

}  // namespace shakedown::service
