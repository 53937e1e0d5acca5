// The farm as the agent sees it: AgentService with its token, deadlines and errors as absl::Status.
#ifndef SHAKEDOWN_AGENT_SESSION_FARM_CLIENT_H_
#define SHAKEDOWN_AGENT_SESSION_FARM_CLIENT_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "shakedown/v1/agent.pb.h"

namespace shakedown::agent {

// Ends one call from another thread, also when it is cancelled before the call begins. Thread-safe;
// outlives the call.
class CallCanceller {
 public:
  void Cancel();
  bool Cancelled() const;
  // For the client: `cancel` is called at Cancel(), at once when it has been called already.
  void Attach(std::function<void()> cancel);
  void Detach();

 private:
  mutable std::mutex mutex_;
  bool cancelled_ = false;
  std::function<void()> cancel_;
};

// Thread-safe; every call blocks. Unavailable: the farm is away. DeadlineExceeded: it took too
// long. Others: what the farm answered.
class FarmClient {
 public:
  virtual ~FarmClient() = default;
  // Cancelled when `canceller` was used: an order given in that moment comes again.
  virtual absl::StatusOr<v1::SyncResponse> Sync(const v1::SyncRequest& request,
                                                CallCanceller& canceller) = 0;
  virtual absl::Status ReportBoot(const v1::BootResult& result) = 0;
  virtual absl::Status ReportBuild(const v1::BuildResult& result) = 0;
  // The log's end on the farm. OutOfRange when `request`'s offset is not it.
  virtual absl::StatusOr<uint64_t> AppendLog(const v1::AppendLogRequest& request) = 0;
  // Sends a file. OK also when the farm had it (then it is not sent to its end).
  virtual absl::Status PutArtefact(const v1::Artefact& artefact, const std::string& path) = 0;
  // Gives the content piece by piece to `sink`, whose error ends the call and is returned.
  // `size`: what is expected, for the deadline; 0 when not known.
  virtual absl::Status GetArtefact(const std::string& sha256, uint64_t size,
                                   const std::function<absl::Status(absl::string_view)>& sink) = 0;
  // Every call in flight and every later one returns Cancelled.
  virtual void Close() = 0;
};

struct FarmAddress {
  std::string server;  // "127.0.0.1:7400", "unix:/path", "farm.example:7400".
  std::string token;   // Sent with each call as "authorization: Bearer …".
  std::string tls_ca;  // PEM text; empty: no TLS, then only loopback and unix addresses.
};

// InvalidArgument when the token would leave this host in the clear.
absl::StatusOr<std::unique_ptr<FarmClient>> MakeFarmClient(const FarmAddress& address);

}  // namespace shakedown::agent

#endif  // SHAKEDOWN_AGENT_SESSION_FARM_CLIENT_H_
