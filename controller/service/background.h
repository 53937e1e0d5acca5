// What runs beside the calls: hints from the database, the janitor, and those who keep jobs,
// history and the like.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "controller/service/dispatcher.h"
#include "db/store/database.h"
#include "db/store/listener.h"

namespace shakedown::service {

// Decides about something of the farm's: takes every step that is due, and says how many those
// were. What more than one controller's keepers do at once is decided once, in the database.
struct Keeper {
  std::string name;  // For the log: "bisects".
  std::function<absl::StatusOr<int>()> keep;
};

// Threads until it is destroyed: one passes the listener's hints on to the dispatcher and the
// keepers; one runs the janitor every `period` and logs what it ended, and once each time the
// database goes away and comes back; one for each keeper, jobs' (job_keeper.h) the first: it keeps
// after a hint and every `period`, and at once again after a step. The references outlive it;
// destroying it stops the listener.
class Background {
 public:
  Background(store::Database& database, store::Listener& listener, Dispatcher& dispatcher,
             std::vector<Keeper> keepers = {}, absl::Duration period = absl::Seconds(5));
  ~Background();
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace shakedown::service
