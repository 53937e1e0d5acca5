#include "controller/service/test_farm.h"

#include <stdlib.h>
#include <sys/stat.h>

#include <cstdio>
#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "controller/plan/text.h"
#include "controller/service/catalog.h"
#include "db/store/migrate.h"
#include "proto/wire/files.h"
#include "proto/wire/ids.h"

namespace shakedown::service {
namespace {

[[noreturn]] void Die(const absl::Status& status) {
  std::fprintf(stderr, "test farm: %s\n", status.ToString().c_str());
  std::abort();
}

template <typename T>
T Must(absl::StatusOr<T> result) {
  if (!result.ok()) Die(result.status());
  return *std::move(result);
}

void Must(const absl::Status& status) {
  if (!status.ok()) Die(status);
}

void WriteCatalog(const std::string& folder) {
  std::filesystem::create_directories(folder + "/catalog");
  std::filesystem::create_directories(folder + "/configs");
  Must(WriteFileAtomically(folder + "/configs/guest.config", "CONFIG_SMP=y\n"));
  for (const char* name : {"alpha", "beta"}) {
    Must(WriteFileAtomically(
        absl::StrCat(folder, "/catalog/", name, ".txtpb"),
        absl::StrCat("name: \"", name, "\" description: \"a kernel\"\n",
                     "debian_source { package: \"linux-source-6.1\" version: \"6.1-", name,
                     "\" }\n", "config { base: BASE_ALLNOCONFIG fragments: \"guest.config\" }\n")));
  }
  Must(WriteFileAtomically(folder + "/catalog/ancient.txtpb",
                           "name: \"ancient\" description: \"old\" unbuildable: \"needs gcc 3.4: "
                           "no such toolchain\"\n"));
}

}  // namespace

embedded::EphemeralPostgres& Postgres() {
  static const std::unique_ptr<embedded::EphemeralPostgres> server =
      Must(embedded::EphemeralPostgres::Start());
  return *server;
}

TestFarm::TestFarm() {
  char name[] = "/tmp/shakedown-service-test-XXXXXX";
  if (mkdtemp(name) == nullptr) Die(absl::InternalError("mkdtemp"));
  folder_ = name;
  artefact_folder_ = folder_ + "/artefacts";
  WriteCatalog(folder_);
  database_ = Must(store::Database::Open(
      {.conninfo = Must(Postgres().NewDatabase()), .connections = 6, .wait = absl::Seconds(2)}));
  Must(store::Migrate(*database_).status());
  artefacts_ = Must(ArtefactStore::Open(artefact_folder_));
  Must(PutCatalog(*database_, *artefacts_, folder_).status());
  farm_ = std::make_unique<FarmApi>(*database_, *artefacts_,
                                    kernels::FragmentsIn(folder_ + "/configs"));
  agents_ = std::make_unique<AgentApi>(*database_, *artefacts_);
  dispatcher_ = std::make_unique<Dispatcher>(4, 1000);
  StartBackground();
  server_ =
      Must(Server::Start({.listen = "127.0.0.1:0"}, {*database_, *farm_, *agents_, *dispatcher_}));
  stub_ =
      v1::FarmService::NewStub(grpc::CreateChannel(address(), grpc::InsecureChannelCredentials()));
  user_token_ = Token(store::Role::kUser, "ada");
}

TestFarm::~TestFarm() {
  server_->Stop(absl::Seconds(2));
  background_.reset();
  std::filesystem::remove_all(folder_);
}

void TestFarm::StopBackground() {
  background_.reset();
  listener_.reset();
}

void TestFarm::StartBackground() {
  listener_ = std::make_unique<store::Listener>(database_->options());
  background_ = std::make_unique<Background>(*database_, *listener_, *dispatcher_);
}

std::string TestFarm::Token(store::Role role, const std::string& name) {
  return Must(store::CreateToken(*database_, role, name));
}

fakes::ScriptedAgent TestFarm::Agent(const std::string& name, std::vector<std::string> machines) {
  return fakes::ScriptedAgent({.server = address(),
                               .token = Token(store::Role::kAgent, name),
                               .name = name,
                               .machines = std::move(machines)});
}

fakes::ScriptedAgent TestFarm::Laptop(const std::string& name) {
  return fakes::ScriptedAgent({.server = address(),
                               .token = Token(store::Role::kAgent, name),
                               .name = name,
                               .machines = {name},
                               .tags = {"laptop"},
                               .build_slots = 0,
                               .takes_blocks = true});
}

std::string TestFarm::address() const { return absl::StrCat("127.0.0.1:", server_->port()); }

void TestFarm::Prepare(grpc::ClientContext& context, const std::string& token) {
  if (!token.empty()) context.AddMetadata("authorization", absl::StrCat("Bearer ", token));
  context.set_deadline(absl::ToChronoTime(absl::Now() + absl::Seconds(40)));
}

absl::Status TestFarm::FromGrpc(const grpc::Status& status) {
  return absl::Status(static_cast<absl::StatusCode>(status.error_code()), status.error_message());
}

absl::StatusOr<int64_t> TestFarm::Submit(const v1::JobSpec& spec) {
  v1::SubmitJobRequest request;
  request.set_request_id(NewUuid());
  *request.mutable_spec() = spec;
  const auto response = Call(&v1::FarmService::Stub::SubmitJob, request);
  if (!response.ok()) return response.status();
  return response->job();
}

v1::JobView TestFarm::Job(int64_t job) {
  v1::GetJobRequest request;
  request.set_job(job);
  return Must(Call(&v1::FarmService::Stub::GetJob, request));
}

bool TestFarm::Ended(int64_t job) { return Job(job).state() != v1::JOB_STATE_ACTIVE; }

v1::JobSpec SmallJob(uint32_t blocks) {
  v1::JobSpec spec;
  *spec.add_variants() = Must(plan::ParseVariant("alpha"));
  *spec.add_variants() = Must(plan::ParseVariant("beta nohz=off"));
  *spec.add_loads() = Must(plan::ParseLoad("make"));
  spec.set_blocks(blocks);
  return spec;
}

}  // namespace shakedown::service
