#include "controller/service/bisect_regression.h"

#include "controller/service/confirm_job.h"
#include "controller/service/store_call.h"
#include "db/store/regressions.h"
#include "proto/wire/status.h"

namespace shakedown::service {

absl::StatusOr<v1::StartBisectRequest> BisectOfRegression(store::Database& database,
                                                          int64_t regression) {
  ASSIGN_OR_RETURN(const v1::RegressionView view,
                   FromStore([&] { return store::GetRegression(database, regression); }));
  ASSIGN_OR_RETURN(const store::ConfirmSides sides,
                   FromStore([&] { return store::GetConfirmSides(database, regression); }));
  v1::StartBisectRequest request;
  request.set_good(view.good());
  request.set_bad(view.bad());
  request.set_metric(view.series().metric());
  ASSIGN_OR_RETURN(*request.mutable_job()->add_loads(), LoadOf(sides));
  *request.mutable_job()->mutable_setup() = sides.bad.spec.setup();
  *request.mutable_job()->mutable_background() = sides.bad.spec.background();
  request.mutable_job()->mutable_machines()->add_names(view.series().machine());
  request.set_regression(regression);
  return request;
}

}  // namespace shakedown::service
