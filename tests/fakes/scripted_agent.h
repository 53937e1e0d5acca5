#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "shakedown/v1/agent.pb.h"
#include "shakedown/v1/boot.pb.h"
#include "shakedown/v1/build.pb.h"

namespace shakedown::fakes {

// An agent without machines: speaks AgentService over gRPC as the real one does, and answers each
// order with what a script says. One thread. Each call has a deadline of 40 s.
class ScriptedAgent {
 public:
  struct Options {
    std::string server;  // "127.0.0.1:PORT".
    std::string token;   // Empty: calls carry none.
    std::string name;
    std::vector<std::string> machines;
    std::vector<std::string> tags = {"vm", "tcg"};
    int build_slots = 1;
    bool takes_blocks = false;  // Its machines do, as laptops do.
    std::vector<std::string> powers;
  };
  // What becomes of an order. The defaults are Measured and Built.
  using BootScript = std::function<v1::BootResult(const v1::BootOrder&)>;
  using BuildScript = std::function<v1::BuildResult(const v1::BuildOrder&)>;

  explicit ScriptedAgent(Options options);
  ~ScriptedAgent();

  BootScript on_boot;
  BuildScript on_build;

  // One Sync with what is in hand; orders and cancels are taken note of.
  absl::StatusOr<v1::SyncResponse> Sync(uint32_t wait_ms = 0);
  // Sync, then does and reports everything in hand. True when there was something.
  absl::StatusOr<bool> Step(uint32_t wait_ms = 0);
  // Does and reports the builds in hand.
  absl::Status DoBuilds();
  // The machine's boot was reported by the caller and is no longer in hand; the next of its block
  // is.
  void Forget(const std::string& machine);
  // Steps until `done` is true. DeadlineExceeded after `limit`.
  absl::Status Run(const std::function<bool()>& done, absl::Duration limit = absl::Seconds(60));
  // The process died: work in hand is forgotten, the next Sync is the first of a new incarnation.
  void Restart();

  const std::map<std::string, v1::BootOrder>& boots() const {
    return boots_;
  }  // In hand, by machine.
  const std::map<std::string, v1::BuildOrder>& builds() const {
    return builds_;
  }  // In hand, by id.

  // The calls one by one.
  absl::StatusOr<v1::SyncResponse> RawSync(const v1::SyncRequest& request);
  absl::Status ReportBoot(const v1::BootResult& result);
  absl::Status ReportBuild(const v1::BuildResult& result);
  absl::StatusOr<uint64_t> AppendLog(const std::string& stream, int64_t epoch, uint64_t offset,
                                     absl::string_view data);
  // Uploads; the digest and size announced are `announced`. Returns `existed`.
  absl::StatusOr<bool> PutAs(const v1::Artefact& announced, absl::string_view content);
  absl::StatusOr<v1::Artefact> Put(absl::string_view content);
  absl::StatusOr<std::string> Get(const std::string& sha256);
  v1::SyncRequest Request(uint32_t wait_ms) const;

  // A result that measured every load of the order, one number a load.
  static v1::BootResult Measured(const v1::BootOrder& order, double value = 1);
  static v1::BootResult Ended(const v1::BootOrder& order, v1::Outcome outcome,
                              const std::string& reason);
  // Puts an image that names the kernel, and says that it was built.
  v1::BuildResult Built(const v1::BuildOrder& order);

 private:
  struct Channel;
  void Take(const v1::SyncResponse& response);

  const Options options_;
  const std::unique_ptr<Channel> channel_;
  uint64_t incarnation_ = 1;
  std::map<std::string, v1::BootOrder> boots_;
  std::map<std::string, v1::BuildOrder> builds_;
  std::map<std::string, std::deque<v1::BootOrder>> queued_;  // By machine, after the one in hand.
};

}  // namespace shakedown::fakes
