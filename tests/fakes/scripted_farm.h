// A farm for agents, in this process: keeps AgentService's contract in memory, and fails on demand.
#ifndef SHAKEDOWN_TESTS_FAKES_SCRIPTED_FARM_H_
#define SHAKEDOWN_TESTS_FAKES_SCRIPTED_FARM_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "shakedown/v1/agent.pb.h"

namespace shakedown::fakes {

// What the farm knows. The test reads and changes it inside With() and WaitUntil().
struct FarmBook {
  std::map<std::string, v1::BootOrder>
      boots;  // By attempt_id: leased, given until they have ended; to a machine that takes blocks
              // all at once, by name.
  std::map<std::string, v1::BuildOrder> builds;  // By build_id.
  std::map<std::string, v1::BootResult> boot_results;
  std::map<std::string, v1::BuildResult> build_results;
  std::map<std::string, int> reports;       // Calls of Report… by id.
  std::map<std::string, std::string> logs;  // By stream.
  std::map<std::string, std::string> artefacts;
  std::map<std::string, int> fetches;  // GetArtefact by digest.
  std::map<std::string, int> puts;     // PutArtefact whose content was taken, by digest.
  std::vector<std::string> cancels;
  std::vector<v1::PowerOrder> powers;  // Open: given in each answer until they are done.
  std::vector<v1::PowerDone> power_done;
  std::vector<v1::SyncRequest> syncs;
  // By method ("Sync", "ReportBoot", …): the next calls are answered with these, first first.
  std::map<std::string, std::vector<absl::Status>> failures;
  // Calls of this method that are done, and then answered with UNAVAILABLE.
  std::map<std::string, int> lost_answers;
  // Changes an artefact's bytes on their way to the agent.
  std::function<void(std::string&)> corrupt;
};

// Thread-safe. Listens on a Unix socket.
class ScriptedFarm {
 public:
  virtual ~ScriptedFarm() = default;
  virtual std::string address() const = 0;
  // Away and back, on the same address. Starts running.
  virtual void GoAway() = 0;
  virtual void ComeBack() = 0;
  virtual void With(const std::function<void(FarmBook&)>& change) = 0;
  // False when it did not become true within 20 s.
  virtual bool WaitUntil(const std::function<bool(const FarmBook&)>& wanted) = 0;
};

// `socket`: a path that can be made. `token`: what calls must carry.
std::unique_ptr<ScriptedFarm> MakeScriptedFarm(const std::string& socket, const std::string& token);

}  // namespace shakedown::fakes

#endif  // SHAKEDOWN_TESTS_FAKES_SCRIPTED_FARM_H_
