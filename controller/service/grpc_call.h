// What the gRPC adapters share. For grpc_*.cc alone: this header pulls in gRPC.
#pragma once

#include <grpcpp/grpcpp.h>

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "controller/service/auth.h"
#include "controller/service/services.h"
#include "controller/service/streams.h"
#include "proto/wire/sanitise.h"

namespace shakedown::service {

// The message becomes one printable line that fits the trailer of a call.
inline grpc::Status ToGrpc(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  return grpc::Status(static_cast<grpc::StatusCode>(status.code()),
                      PrintableLine(status.message(), 4000));
}

inline grpc::Status TooBusy() {
  return grpc::Status(grpc::StatusCode::RESOURCE_EXHAUSTED,
                      "the controller has too many calls to do, call again later");
}

inline grpc::Status Stopping() {
  return grpc::Status(grpc::StatusCode::UNAVAILABLE, "the controller stops, call again later");
}

inline absl::StatusOr<store::Principal> CallerOf(const grpc::CallbackServerContext& context,
                                                 store::Database& database, store::Role role) {
  const auto& metadata = context.client_metadata();
  const auto found = metadata.find("authorization");
  if (found == metadata.end()) return Authenticate(database, "", role);
  return Authenticate(database, absl::string_view(found->second.data(), found->second.size()),
                      role);
}

// Runs `body(caller, request)` → StatusOr<Response> on a thread of the dispatcher, once the caller
// is known to have `role`.
template <typename Request, typename Response, typename Body>
grpc::ServerUnaryReactor* RunUnary(const Backend& backend, store::Role role,
                                   grpc::CallbackServerContext* context, const Request* request,
                                   Response* response, Body body) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  const bool taken = backend.dispatcher.TryRun([=, body = std::move(body)] {
    const absl::StatusOr<store::Principal> caller = CallerOf(*context, backend.database, role);
    if (!caller.ok()) return reactor->Finish(ToGrpc(caller.status()));
    absl::StatusOr<Response> answer = body(*caller, *request);
    if (answer.ok()) *response = *std::move(answer);
    reactor->Finish(ToGrpc(answer.status()));
  });
  if (!taken) reactor->Finish(TooBusy());
  return reactor;
}

// A service that people call: what its adapters share.
template <typename Service>
class UserService : public Service {
 public:
  explicit UserService(const Backend& backend) : backend_(backend) {}

 protected:
  template <typename Request, typename Response, typename Body>
  grpc::ServerUnaryReactor* Run(grpc::CallbackServerContext* context, const Request* request,
                                Response* response, Body body) {
    return RunUnary(backend_, store::Role::kUser, context, request, response, std::move(body));
  }
  const Backend backend_;
};

// A call that answers with a stream: Step() runs on the dispatcher's threads, one at a time, and
// ends with exactly one of Send(), Later() or End(). The first one runs once the caller is known to
// have `role`. Deletes itself.
template <typename Message>
class StreamCall : public grpc::ServerWriteReactor<Message> {
 public:
  StreamCall(const Backend& backend, grpc::CallbackServerContext* context, store::Role role)
      : backend_(backend), context_(context), role_(role) {}

  void Begin() {
    if (!backend_.dispatcher.TryRun([this] { FirstStep(); })) this->Finish(TooBusy());
  }

 protected:
  virtual void Step() = 0;

  void Send(Message message) {
    message_ = std::move(message);
    this->StartWrite(&message_);
  }
  // Step() again after `delay`, or on a hint given since `hints_seen`.
  void Later(absl::Duration delay, std::optional<uint64_t> hints_seen) {
    backend_.dispatcher.RunLater(delay, hints_seen, [this] { NextStep(); });
  }
  void End(const absl::Status& status) { this->Finish(ToGrpc(status)); }

  const Backend& backend() const { return backend_; }

 private:
  void FirstStep() {
    const absl::StatusOr<store::Principal> caller = CallerOf(*context_, backend_.database, role_);
    if (!caller.ok()) return this->Finish(ToGrpc(caller.status()));
    NextStep();
  }
  void NextStep() {
    if (context_->IsCancelled()) return this->Finish(grpc::Status::CANCELLED);
    if (backend_.dispatcher.stopping()) return this->Finish(Stopping());
    Step();
  }
  void OnWriteDone(bool ok) override {
    if (!ok) return this->Finish(grpc::Status::CANCELLED);
    backend_.dispatcher.Run([this] { NextStep(); });
  }
  void OnDone() override { delete this; }

  const Backend backend_;
  grpc::CallbackServerContext* const context_;
  const store::Role role_;
  Message message_;
};

// A StreamCall of a user whose steps are those of streams.h.
template <typename Message, typename Steps>
class SteppedCall : public StreamCall<Message> {
 public:
  template <typename Request>
  SteppedCall(const Backend& backend, grpc::CallbackServerContext* context, const Request& request)
      : StreamCall<Message>(backend, context, store::Role::kUser), steps_(backend, request) {}

 private:
  void Step() override {
    StreamStep<Message> step = steps_.Step();
    if (step.send) return this->Send(*std::move(step.send));
    if (step.end) return this->End(*step.end);
    this->Later(step.pause, step.hints_seen);
  }

  Steps steps_;
};
// An upload: messages are taken one at a time on the dispatcher's threads, each before the next is
// read. Deletes itself.
template <typename Message>
class UploadCall : public grpc::ServerReadReactor<Message> {
 public:
  UploadCall(const Backend& backend, grpc::CallbackServerContext* context, store::Role role)
      : backend_(backend), context_(context), role_(role) {}

  void Begin() {
    const bool taken = backend_.dispatcher.TryRun([this] {
      caller_ = CallerOf(*context_, backend_.database, role_);
      caller_.ok() ? this->StartRead(&message_) : this->Finish(ToGrpc(caller_.status()));
    });
    if (!taken) this->Finish(TooBusy());
  }

 protected:
  // False: enough, the call ends well.
  virtual absl::StatusOr<bool> Take(const Message& message) = 0;
  // The caller has sent its last message.
  virtual absl::Status EndOfStream() = 0;

  const Backend& backend() const { return backend_; }
  const store::Principal& caller() const { return *caller_; }

 private:
  void OnReadDone(bool ok) override {
    backend_.dispatcher.Run([this, ok] { ok ? TakeNext() : TakeEnd(); });
  }
  void OnDone() override { delete this; }

  void TakeNext() {
    const absl::StatusOr<bool> more = Take(message_);
    if (!more.ok() || !*more) return this->Finish(ToGrpc(more.status()));
    this->StartRead(&message_);
  }
  void TakeEnd() {
    this->Finish(context_->IsCancelled() ? grpc::Status::CANCELLED : ToGrpc(EndOfStream()));
  }

  const Backend backend_;
  grpc::CallbackServerContext* const context_;
  const store::Role role_;
  absl::StatusOr<store::Principal> caller_ = absl::UnknownError("nobody yet");
  Message message_;
};

}  // namespace shakedown::service
