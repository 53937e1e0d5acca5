#include "tests/fakes/scripted_farm.h"

#include <grpcpp/grpcpp.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "proto/wire/digest.h"
#include "shakedown/v1/agent.grpc.pb.h"

namespace shakedown::fakes {
namespace {

grpc::Status ToGrpc(const absl::Status& status) {
  return grpc::Status(static_cast<grpc::StatusCode>(status.code()), std::string(status.message()));
}

class Farm : public ScriptedFarm, private v1::AgentService::Service {
 public:
  Farm(std::string socket, const std::string& token)
      : socket_(std::move(socket)), authorization_(absl::StrCat("Bearer ", token)) {
    ComeBack();
  }
  ~Farm() override { GoAway(); }

  std::string address() const override { return absl::StrCat("unix:", socket_); }

  void GoAway() override {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      away_ = true;
    }
    changed_.notify_all();
    if (server_ != nullptr) server_->Shutdown(std::chrono::system_clock::now());
    server_.reset();
  }

  void ComeBack() override {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      away_ = false;
    }
    unlink(socket_.c_str());
    grpc::ServerBuilder builder;
    builder.AddListeningPort(address(), grpc::InsecureServerCredentials());
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
  }

  void With(const std::function<void(FarmBook&)>& change) override {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      change(book_);
    }
    changed_.notify_all();
  }

  bool WaitUntil(const std::function<bool(const FarmBook&)>& wanted) override {
    std::unique_lock<std::mutex> lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(20), [&] { return wanted(book_); });
  }

 private:
  // The call's bookkeeping around `body`, under the lock.
  grpc::Status Answer(grpc::ServerContext* context, const std::string& method,
                      const std::function<absl::Status(std::unique_lock<std::mutex>&)>& body) {
    const auto& metadata = context->client_metadata();
    const auto sent = metadata.find("authorization");
    if (sent == metadata.end() || sent->second != authorization_) {
      return grpc::Status(grpc::StatusCode::UNAUTHENTICATED, "no such token");
    }
    absl::Status status;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      std::vector<absl::Status>& failures = book_.failures[method];
      if (!failures.empty()) {
        status = failures.front();
        failures.erase(failures.begin());
      } else {
        status = body(lock);
        int& lost = book_.lost_answers[method];
        if (lost > 0) {
          --lost;
          status = absl::UnavailableError("the answer is lost");
        }
      }
    }
    changed_.notify_all();
    return ToGrpc(status);
  }

  grpc::Status Sync(grpc::ServerContext* context, const v1::SyncRequest* request,
                    v1::SyncResponse* response) override {
    return Answer(context, "Sync", [&](std::unique_lock<std::mutex>& lock) {
      book_.syncs.push_back(*request);
      for (const v1::PowerDone& done : request->power_done()) {
        book_.power_done.push_back(done);
        std::erase_if(book_.powers, [&](const auto& order) { return order.id() == done.id(); });
      }
      changed_.notify_all();
      const auto until =
          std::chrono::steady_clock::now() + std::chrono::milliseconds(request->wait_ms());
      // A cancelled call has no notification: looked at every 5 ms.
      while (!Fill(*request, *response) && !away_ && !context->IsCancelled() &&
             std::chrono::steady_clock::now() < until) {
        changed_.wait_for(lock, std::chrono::milliseconds(5));
      }
      return away_ ? absl::UnavailableError("going away") : absl::OkStatus();
    });
  }

  bool Fill(const v1::SyncRequest& request, v1::SyncResponse& response) const {
    for (const auto& machine : request.machines()) {
      if (!machine.attempt_id().empty() || !machine.problem().empty()) continue;
      std::vector<const v1::BootOrder*> block;
      for (const auto& [id, order] : book_.boots) {
        const bool open = book_.boot_results.count(id) == 0 && order.machine() == machine.name();
        if (open) block.push_back(&order);
        if (open && !machine.takes_blocks()) break;
      }
      std::sort(block.begin(), block.end(),
                [](const auto* a, const auto* b) { return a->name() < b->name(); });
      for (const v1::BootOrder* order : block) *response.add_boots() = *order;
    }
    for (const auto& slot : request.build_slots()) {
      if (!slot.build_id().empty() || !slot.problem().empty()) continue;
      for (const auto& [id, order] : book_.builds) {
        if (book_.build_results.count(id) == 0) *response.add_builds() = order;
      }
    }
    for (const std::string& id : book_.cancels) {
      for (const auto& machine : request.machines()) {
        const auto& queued = machine.queued();
        if (machine.attempt_id() == id ||
            std::find(queued.begin(), queued.end(), id) != queued.end()) {
          response.add_cancel(id);
        }
      }
      for (const auto& slot : request.build_slots()) {
        if (slot.build_id() == id) response.add_cancel(id);
      }
    }
    response.clear_power_orders();
    for (const v1::PowerOrder& order : book_.powers) *response.add_power_orders() = order;
    return response.boots_size() + response.builds_size() + response.cancel_size() +
               response.power_orders_size() >
           0;
  }

  template <typename Orders, typename Result>
  absl::Status Record(const Orders& orders, std::map<std::string, Result>& results,
                      const std::string& id, const Result& result) {
    ++book_.reports[id];
    const auto order = orders.find(id);
    if (order == orders.end()) return absl::NotFoundError(absl::StrCat("no work ", id));
    if (order->second.epoch() != result.epoch()) return absl::FailedPreconditionError("old epoch");
    const auto [found, fresh] = results.emplace(id, result);
    if (fresh || found->second.SerializeAsString() == result.SerializeAsString()) {
      return absl::OkStatus();
    }
    return absl::AlreadyExistsError(absl::StrCat("another result of ", id));
  }

  grpc::Status ReportBoot(grpc::ServerContext* context, const v1::BootResult* result,
                          v1::ReportBootResponse*) override {
    return Answer(context, "ReportBoot", [&](auto&) {
      return Record(book_.boots, book_.boot_results, result->attempt_id(), *result);
    });
  }

  grpc::Status ReportBuild(grpc::ServerContext* context, const v1::BuildResult* result,
                           v1::ReportBuildResponse*) override {
    return Answer(context, "ReportBuild", [&](auto&) {
      return Record(book_.builds, book_.build_results, result->build_id(), *result);
    });
  }

  grpc::Status AppendLog(grpc::ServerContext* context, const v1::AppendLogRequest* request,
                         v1::AppendLogResponse* response) override {
    return Answer(context, "AppendLog", [&](auto&) {
      std::string& log = book_.logs[request->stream()];
      if (!request->data().empty() && request->offset() != log.size()) {
        return absl::OutOfRangeError(
            absl::StrCat("offset ", request->offset(), ", want ", log.size()));
      }
      log += request->data();
      response->set_end(log.size());
      return absl::OkStatus();
    });
  }

  grpc::Status PutArtefact(grpc::ServerContext* context,
                           grpc::ServerReader<v1::PutArtefactRequest>* reader,
                           v1::PutArtefactResponse* response) override {
    v1::PutArtefactRequest request;
    v1::Artefact artefact;
    std::string content;
    bool existed = false;
    while (!existed && reader->Read(&request)) {
      if (request.has_artefact()) {
        artefact = request.artefact();
        std::lock_guard<std::mutex> lock(mutex_);
        existed = book_.artefacts.count(artefact.sha256()) > 0;
      }
      content += request.data();
    }
    return Answer(context, "PutArtefact", [&](auto&) {
      response->set_existed(existed);
      if (existed) return absl::OkStatus();
      if (Sha256Hex(content) != artefact.sha256() || content.size() != artefact.size()) {
        return absl::DataLossError("other bytes than said");
      }
      ++book_.puts[artefact.sha256()];
      book_.artefacts[artefact.sha256()] = content;
      return absl::OkStatus();
    });
  }

  grpc::Status GetArtefact(grpc::ServerContext* context, const v1::GetArtefactRequest* request,
                           grpc::ServerWriter<v1::ArtefactChunk>* writer) override {
    std::string content;
    const grpc::Status found = Answer(context, "GetArtefact", [&](auto&) {
      ++book_.fetches[request->sha256()];
      const auto artefact = book_.artefacts.find(request->sha256());
      if (artefact == book_.artefacts.end()) return absl::NotFoundError("no such artefact");
      content = artefact->second;
      if (book_.corrupt) book_.corrupt(content);
      return absl::OkStatus();
    });
    if (!found.ok()) return found;
    v1::ArtefactChunk chunk;
    for (size_t at = 0; at < content.size(); at += 1000) {
      chunk.set_data(content.substr(at, 1000));
      if (!writer->Write(chunk)) break;
    }
    return grpc::Status::OK;
  }

  const std::string socket_;
  const std::string authorization_;
  std::mutex mutex_;
  std::condition_variable changed_;
  FarmBook book_;
  bool away_ = false;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace

std::unique_ptr<ScriptedFarm> MakeScriptedFarm(const std::string& socket,
                                               const std::string& token) {
  return std::make_unique<Farm>(socket, token);
}

}  // namespace shakedown::fakes
