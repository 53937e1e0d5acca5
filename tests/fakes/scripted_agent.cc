#include "tests/fakes/scripted_agent.h"

#include <grpcpp/grpcpp.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "proto/wire/digest.h"
#include "proto/wire/status.h"
#include "shakedown/v1/agent.grpc.pb.h"
#include "tests/fakes/boot_results.h"

namespace shakedown::fakes {
namespace {

absl::Status FromGrpc(const grpc::Status& status) {
  return absl::Status(static_cast<absl::StatusCode>(status.error_code()), status.error_message());
}

}  // namespace

struct ScriptedAgent::Channel {
  explicit Channel(const Options& options)
      : token(options.token),
        stub(v1::AgentService::NewStub(
            grpc::CreateChannel(options.server, grpc::InsecureChannelCredentials()))) {}

  void Prepare(grpc::ClientContext& context) const {
    if (!token.empty()) context.AddMetadata("authorization", absl::StrCat("Bearer ", token));
    context.set_deadline(absl::ToChronoTime(absl::Now() + absl::Seconds(40)));
  }

  template <typename Request, typename Response>
  absl::StatusOr<Response> Call(grpc::Status (v1::AgentService::Stub::*method)(grpc::ClientContext*,
                                                                               const Request&,
                                                                               Response*),
                                const Request& request) {
    grpc::ClientContext context;
    Prepare(context);
    Response response;
    const absl::Status status = FromGrpc((stub.get()->*method)(&context, request, &response));
    if (!status.ok()) return status;
    return response;
  }

  const std::string token;
  const std::unique_ptr<v1::AgentService::Stub> stub;
};

ScriptedAgent::ScriptedAgent(Options options)
    : on_boot([](const v1::BootOrder& order) { return Measured(order); }),
      on_build([this](const v1::BuildOrder& order) { return Built(order); }),
      options_(std::move(options)),
      channel_(std::make_unique<Channel>(options_)) {}

ScriptedAgent::~ScriptedAgent() = default;

v1::SyncRequest ScriptedAgent::Request(uint32_t wait_ms) const {
  v1::SyncRequest request;
  request.set_agent(options_.name);
  request.set_boot_id("3f2a9c51-d07b-4e44-aa11-bb22cc33dd44");
  request.set_version("scripted");
  request.set_incarnation(incarnation_);
  request.set_wait_ms(wait_ms);
  for (const std::string& name : options_.machines) {
    v1::MachineStatus* machine = request.add_machines();
    machine->set_name(name);
    for (const std::string& tag : options_.tags) machine->add_tags(tag);
    machine->set_takes_blocks(options_.takes_blocks);
    const auto order = boots_.find(name);
    if (order == boots_.end()) continue;
    machine->set_attempt_id(order->second.attempt_id());
    machine->set_epoch(order->second.epoch());
    machine->set_phase("booting");
    const auto queued = queued_.find(name);
    if (queued == queued_.end()) continue;
    for (const v1::BootOrder& next : queued->second) machine->add_queued(next.attempt_id());
  }
  for (const std::string& power : options_.powers) request.add_powers(power);
  for (const auto& [id, order] : builds_) {
    v1::BuildSlotStatus* slot = request.add_build_slots();
    slot->set_build_id(id);
    slot->set_epoch(order.epoch());
  }
  while (request.build_slots_size() < options_.build_slots) request.add_build_slots();
  return request;
}

absl::StatusOr<v1::SyncResponse> ScriptedAgent::RawSync(const v1::SyncRequest& request) {
  return channel_->Call(&v1::AgentService::Stub::Sync, request);
}

absl::StatusOr<v1::SyncResponse> ScriptedAgent::Sync(uint32_t wait_ms) {
  ASSIGN_OR_RETURN(const v1::SyncResponse response, RawSync(Request(wait_ms)));
  Take(response);
  return response;
}

void ScriptedAgent::Take(const v1::SyncResponse& response) {
  for (const v1::BootOrder& order : response.boots()) {
    const auto [in_hand, first] = boots_.try_emplace(order.machine(), order);
    if (!first && in_hand->second.epoch() == order.epoch() && options_.takes_blocks) {
      queued_[order.machine()].push_back(order);
    } else {
      in_hand->second = order;
    }
  }
  for (const v1::BuildOrder& order : response.builds()) builds_[order.build_id()] = order;
  for (const std::string& id : response.cancel()) {
    builds_.erase(id);
    for (auto it = boots_.begin(); it != boots_.end();) {
      it = it->second.attempt_id() == id ? boots_.erase(it) : std::next(it);
    }
  }
}

absl::StatusOr<bool> ScriptedAgent::Step(uint32_t wait_ms) {
  RETURN_IF_ERROR(Sync(wait_ms).status());
  const bool busy = !boots_.empty() || !builds_.empty();
  RETURN_IF_ERROR(DoBuilds());
  while (!boots_.empty()) {
    RETURN_IF_ERROR(ReportBoot(on_boot(boots_.begin()->second)));
    Forget(std::string(boots_.begin()->first));
  }
  return busy;
}

void ScriptedAgent::Forget(const std::string& machine) {
  boots_.erase(machine);
  std::deque<v1::BootOrder>& queued = queued_[machine];
  if (queued.empty()) return;
  boots_[machine] = queued.front();
  queued.pop_front();
}

absl::Status ScriptedAgent::DoBuilds() {
  while (!builds_.empty()) {
    RETURN_IF_ERROR(ReportBuild(on_build(builds_.begin()->second)));
    builds_.erase(builds_.begin());
  }
  return absl::OkStatus();
}

absl::Status ScriptedAgent::Run(const std::function<bool()>& done, absl::Duration limit) {
  const absl::Time until = absl::Now() + limit;
  while (!done()) {
    if (absl::Now() > until)
      return absl::DeadlineExceededError("the script did not come to its end");
    RETURN_IF_ERROR(Step(500).status());
  }
  return absl::OkStatus();
}

void ScriptedAgent::Restart() {
  ++incarnation_;
  boots_.clear();
  queued_.clear();
  builds_.clear();
}

absl::Status ScriptedAgent::ReportBoot(const v1::BootResult& result) {
  return channel_->Call(&v1::AgentService::Stub::ReportBoot, result).status();
}

absl::Status ScriptedAgent::ReportBuild(const v1::BuildResult& result) {
  return channel_->Call(&v1::AgentService::Stub::ReportBuild, result).status();
}

absl::StatusOr<uint64_t> ScriptedAgent::AppendLog(const std::string& stream, int64_t epoch,
                                                  uint64_t offset, absl::string_view data) {
  v1::AppendLogRequest request;
  request.set_stream(stream);
  request.set_epoch(epoch);
  request.set_offset(offset);
  request.set_data(std::string(data));
  ASSIGN_OR_RETURN(const v1::AppendLogResponse response,
                   channel_->Call(&v1::AgentService::Stub::AppendLog, request));
  return response.end();
}

absl::StatusOr<bool> ScriptedAgent::PutAs(const v1::Artefact& announced,
                                          absl::string_view content) {
  grpc::ClientContext context;
  channel_->Prepare(context);
  v1::PutArtefactResponse response;
  const auto stream = channel_->stub->PutArtefact(&context, &response);
  constexpr size_t kPiece = 100000;
  v1::PutArtefactRequest message;
  *message.mutable_artefact() = announced;
  do {
    message.set_data(std::string(content.substr(0, kPiece)));
    content.remove_prefix(std::min(content.size(), kPiece));
    if (!stream->Write(message)) break;
    message.clear_artefact();
  } while (!content.empty());
  stream->WritesDone();
  RETURN_IF_ERROR(FromGrpc(stream->Finish()));
  return response.existed();
}

absl::StatusOr<v1::Artefact> ScriptedAgent::Put(absl::string_view content) {
  v1::Artefact artefact;
  artefact.set_sha256(Sha256Hex(content));
  artefact.set_size(content.size());
  RETURN_IF_ERROR(PutAs(artefact, content).status());
  return artefact;
}

absl::StatusOr<std::string> ScriptedAgent::Get(const std::string& sha256) {
  grpc::ClientContext context;
  channel_->Prepare(context);
  v1::GetArtefactRequest request;
  request.set_sha256(sha256);
  const auto stream = channel_->stub->GetArtefact(&context, request);
  std::string content;
  for (v1::ArtefactChunk chunk; stream->Read(&chunk);) content += chunk.data();
  RETURN_IF_ERROR(FromGrpc(stream->Finish()));
  return content;
}

v1::BootResult ScriptedAgent::Ended(const v1::BootOrder& order, v1::Outcome outcome,
                                    const std::string& reason) {
  v1::BootResult result = EndedBoot(order, outcome, reason);
  result.set_console_tail("[    1.000000] the end of the console\n");
  return result;
}

v1::BootResult ScriptedAgent::Measured(const v1::BootOrder& order, double value) {
  v1::BootResult result = Ended(order, v1::OUTCOME_MEASURED, "");
  result.clear_console_tail();
  result.mutable_identity()->set_release(order.expected().release());
  (*result.mutable_fingerprint()->mutable_facts())["vm.accelerator"] = "tcg";
  result.set_boot_ms(2500);
  for (int i = 0; i < order.loads_size(); ++i) {
    v1::LoadRun* run = result.add_load_runs();
    run->set_load(static_cast<uint32_t>(i));
    run->set_duration_ms(1000);
    v1::Measurement* measurement = run->add_measurements();
    measurement->set_metric(order.loads(i).has_make() ? "make.real" : "latt.wakeup.avg");
    measurement->set_value(value);
    measurement->set_unit(order.loads(i).has_make() ? "s" : "us");
    measurement->set_iteration(1);
  }
  return result;
}

v1::BuildResult ScriptedAgent::Built(const v1::BuildOrder& order) {
  const std::string& kernel = order.kernel().kernel().name();
  v1::BuildResult result;
  result.set_build_id(order.build_id());
  result.set_epoch(order.epoch());
  const absl::StatusOr<v1::Artefact> image = Put(absl::StrCat("bzImage of ", kernel));
  const absl::StatusOr<v1::Artefact> config = Put(absl::StrCat("CONFIG_OF=\"", kernel, "\"\n"));
  if (!image.ok() || !config.ok()) {
    result.set_status(v1::BuildResult::STATUS_FARM_FAILED);
    result.set_error(std::string((image.ok() ? config : image).status().message()));
    return result;
  }
  result.set_status(v1::BuildResult::STATUS_BUILT);
  result.set_build_key(Sha256Hex(kernel));
  *result.mutable_image() = *image;
  *result.mutable_config() = *config;
  result.mutable_expected()->set_release(absl::StrCat("6.1.0-", result.build_key().substr(0, 12)));
  result.mutable_expected()->set_version("#1 SMP");
  result.set_source_version("scripted source");
  result.set_toolchain("scripted gcc");
  result.set_duration_ms(1000);
  return result;
}

}  // namespace shakedown::fakes
