// BisectService over HTTP.
#include "controller/web/api.h"
#include "shakedown/v1/bisect.pb.h"

namespace shakedown::web {

MethodTable BisectMethods(const service::Backend& backend) {
  MethodTable table(*v1::GetBisectRequest::descriptor(), "BisectService");
  service::BisectApi& bisects = backend.bisects;
  table.AddUnary<v1::StartBisectRequest>(
      "StartBisect", kChanges,
      [&bisects](const auto& by, const auto& r) { return bisects.StartBisect(by, r); });
  // Stores nothing, but costs work: not for everybody.
  table.AddUnary<v1::StartBisectRequest>(
      "PlanBisect", kChanges,
      [&bisects](const auto&, const auto& r) { return bisects.PlanBisect(r); });
  table.AddUnary<v1::GetBisectRequest>("GetBisect", kReads, [&bisects](const auto&, const auto& r) {
    return bisects.GetBisect(r.bisect());
  });
  table.AddUnary<v1::ListBisectsRequest>(
      "ListBisects", kReads,
      [&bisects](const auto&, const auto& r) { return bisects.ListBisects(r); });
  table.AddUnary<v1::GetBisectRequest>(
      "CancelBisect", kChanges,
      [&bisects](const auto& by, const auto& r) { return bisects.CancelBisect(by, r.bisect()); });
  return table;
}

}  // namespace shakedown::web
