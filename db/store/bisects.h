// Bisects: what was asked, what was measured, and each decision, taken once.
#ifndef SHAKEDOWN_DB_STORE_BISECTS_H_
#define SHAKEDOWN_DB_STORE_BISECTS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "db/store/database.h"
#include "shakedown/v1/bisect.pb.h"

namespace shakedown::store {

struct BisectTrial {
  uint32_t trial = 0;  // From 1.
  uint32_t step = 0;
  std::string kind;  // "ends", "candidate", "verify".
  uint32_t candidate = 0;
  uint32_t base = 0;
  uint32_t blocks = 0;
  std::string request_id;  // UUID that its job is submitted under.
  int64_t job = 0;         // 0: not submitted yet.
  std::string ending = "running";
  std::vector<double> differences;
  uint32_t boots = 0;
  uint32_t same_as = 0;
  std::string why;
};

struct Bisect {
  int64_t bisect = 0;
  std::string submitter;
  v1::StartBisectRequest request;
  std::string state;
  int64_t version = 0;
  std::vector<BisectTrial> trials;  // In their order.
};

// Stores it as running and returns its number. The same request_id gives the same bisect, whatever
// else it says. `view` without number, request, state and times.
absl::StatusOr<int64_t> StartBisect(Database& database, const std::string& submitter,
                                    const v1::StartBisectRequest& request,
                                    const v1::BisectView& view);
absl::StatusOr<std::optional<int64_t>> FindBisectByRequest(Database& database,
                                                           const std::string& request_id);

// Those that somebody must look at, oldest first: running, or ended while a trial ran.
absl::StatusOr<std::vector<int64_t>> DueBisects(Database& database);

// NotFound: "bisect 3: no such bisect".
absl::StatusOr<Bisect> GetBisect(Database& database, int64_t bisect);
absl::StatusOr<v1::BisectView> GetBisectView(Database& database, int64_t bisect);
// Newest first, those below `before` unless it is 0, without steps and the candidates of the
// requests.
absl::StatusOr<std::vector<v1::BisectView>> ListBisects(Database& database, uint32_t limit,
                                                        int64_t before);

// The next decisions are about a running bisect of the version named; false: it is another now, and
// nothing was done.
//
// Begins `trial`, whose number and request_id are made here.
absl::StatusOr<bool> BeginBisectTrial(Database& database, int64_t bisect, int64_t version,
                                      const BisectTrial& trial, const v1::BisectView& view);
// `state` is not "running".
absl::StatusOr<bool> EndBisect(Database& database, int64_t bisect, int64_t version,
                               const std::string& state, const v1::BisectView& view);

// By a person: ends it as cancelled, its view says so. OK when it has ended. NotFound as GetBisect.
absl::Status CancelBisect(Database& database, int64_t bisect, const std::string& text);

// The job that the trial's request became. Again: OK.
absl::Status SetBisectTrialJob(Database& database, int64_t bisect, uint32_t trial, int64_t job);
// Its ending with what was measured, once; false: it had ended.
absl::StatusOr<bool> EndBisectTrial(Database& database, int64_t bisect, const BisectTrial& trial);

// The build key of the newest build of each request key that is there; those without one are
// missing.
absl::StatusOr<std::map<std::string, std::string>> BuildKeysOf(
    Database& database, const std::vector<std::string>& request_keys);

}  // namespace shakedown::store

#endif  // SHAKEDOWN_DB_STORE_BISECTS_H_
