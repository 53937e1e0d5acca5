// For tests: a whole controller in this process, on a real PostgreSQL, reached over gRPC.
#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "controller/service/agent_api.h"
#include "controller/service/artefact_store.h"
#include "controller/service/background.h"
#include "controller/service/dispatcher.h"
#include "controller/service/farm_api.h"
#include "controller/service/server.h"
#include "db/embedded/ephemeral_postgres.h"
#include "db/store/database.h"
#include "db/store/listener.h"
#include "db/store/tokens.h"
#include "shakedown/v1/farm.grpc.pb.h"
#include "tests/fakes/scripted_agent.h"

namespace shakedown::service {

// The server that all tests of the program share; each TestFarm has a database of its own in it.
embedded::EphemeralPostgres& Postgres();

// Kernels alpha, beta (buildable), ancient (not). Everything ends with the object. Failures to
// start end the program.
class TestFarm {
 public:
  TestFarm();
  ~TestFarm();

  std::string Token(store::Role role, const std::string& name);
  fakes::ScriptedAgent Agent(const std::string& name, std::vector<std::string> machines);
  // A laptop that is an agent of its own.
  fakes::ScriptedAgent Laptop(const std::string& name);
  std::string address() const;
  const std::string& artefact_folder() const { return artefact_folder_; }
  Server& server() { return *server_; }
  store::Database& database() { return *database_; }
  Backend backend() { return {*database_, *farm_, *agents_, *dispatcher_}; }
  // As if the process had ended and another had been started: nothing runs beside the calls between
  // the two.
  void StopBackground();
  void StartBackground();

  // Calls FarmService with the user's token.
  template <typename Request, typename Response>
  absl::StatusOr<Response> Call(grpc::Status (v1::FarmService::Stub::*method)(grpc::ClientContext*,
                                                                              const Request&,
                                                                              Response*),
                                const Request& request) {
    return CallAs(user_token_, method, request);
  }
  template <typename Request, typename Response>
  absl::StatusOr<Response> CallAs(const std::string& token,
                                  grpc::Status (v1::FarmService::Stub::*method)(
                                      grpc::ClientContext*, const Request&, Response*),
                                  const Request& request) {
    grpc::ClientContext context;
    Prepare(context, token);
    Response response;
    const absl::Status status = FromGrpc((stub_.get()->*method)(&context, request, &response));
    if (!status.ok()) return status;
    return response;
  }
  v1::FarmService::Stub& stub() { return *stub_; }
  const std::string& user_token() const { return user_token_; }
  static void Prepare(grpc::ClientContext& context, const std::string& token);
  static absl::Status FromGrpc(const grpc::Status& status);

  absl::StatusOr<int64_t> Submit(const v1::JobSpec& spec);
  v1::JobView Job(int64_t job);
  bool Ended(int64_t job);

 private:
  std::string folder_;
  std::string artefact_folder_;
  std::unique_ptr<store::Database> database_;
  std::unique_ptr<ArtefactStore> artefacts_;
  std::unique_ptr<FarmApi> farm_;
  std::unique_ptr<AgentApi> agents_;
  std::unique_ptr<Dispatcher> dispatcher_;
  std::unique_ptr<store::Listener> listener_;
  std::unique_ptr<Background> background_;
  std::unique_ptr<Server> server_;
  std::unique_ptr<v1::FarmService::Stub> stub_;
  std::string user_token_;
};

// alpha against beta, one make load, `blocks` blocks.
v1::JobSpec SmallJob(uint32_t blocks);

}  // namespace shakedown::service
