// What runs beside the calls: hints from the database, the janitor, the keepers of jobs and of
// regressions.
#pragma once

#include <memory>

#include "absl/time/time.h"
#include "controller/service/dispatcher.h"
#include "controller/service/regression_keeper.h"
#include "db/store/database.h"
#include "db/store/listener.h"

namespace shakedown::service {

// Four threads until it is destroyed: one passes the listener's hints on to the dispatcher and the
// keeper; one runs the janitor every `period` and logs what it ended, and once each time the
// database goes away and comes back; one decides about jobs that are due (job_keeper.h), after a
// hint and every `period`; one keeps history (regression_keeper.h), likewise. The references
// outlive it; destroying it stops the listener.
class Background {
 public:
  Background(store::Database& database, store::Listener& listener, Dispatcher& dispatcher,
             const RegressionOptions& regressions = {}, absl::Duration period = absl::Seconds(5));
  ~Background();
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace shakedown::service
