// Tells the farm what became of its orders, again and again until it has answered.
#ifndef SHAKEDOWN_AGENT_SESSION_REPORTER_H_
#define SHAKEDOWN_AGENT_SESSION_REPORTER_H_

#include <functional>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "agent/session/artefact_cache.h"
#include "agent/session/backoff.h"
#include "agent/session/farm_client.h"
#include "agent/session/journal.h"
#include "agent/session/log_sender.h"
#include "agent/session/waiter.h"

namespace shakedown::agent {

struct ReporterOptions {
  BackoffLimits backoff;
  Random random;
  // The farm has answered for good and the journal has forgotten the result.
  std::function<void(const WorkKey&)> acknowledged;
  // True while nothing is to be sent (a machine is measured in the dark). Null: never.
  std::function<bool()> quiet;
  // The journal failed: the agent must end.
  std::function<void(const absl::Status&)> fatal;
};

struct ReporterParts {
  FarmClient& farm;
  Journal& journal;
  LogSender& logs;
  ArtefactCache& cache;
};

// Thread-safe. Its thread ends with it; a call in flight then wants FarmClient::Close().
class Reporter {
 public:
  virtual ~Reporter() = default;
  // A result is in the journal. `files` are what it names, kept on the disk until it is reported.
  virtual void Add(const WorkKey& key, std::vector<CachedFile> files) = 0;
  // The farm answers again: report now.
  virtual void Nudge() = 0;
};

// For each result: the rest of its log, the artefacts it names, the result itself.
//   OK: forgotten.  ALREADY_EXISTS, FAILED_PRECONDITION, NOT_FOUND: logged and forgotten.
//   INVALID_ARGUMENT: replaced by a farm_failed result that says so.  Others: tried again.
std::unique_ptr<Reporter> MakeReporter(ReporterOptions options, ReporterParts parts,
                                       const WaiterFactory& waiters);

}  // namespace shakedown::agent

#endif  // SHAKEDOWN_AGENT_SESSION_REPORTER_H_
