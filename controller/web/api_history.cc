// HistoryService over HTTP.
#include "controller/web/api.h"
#include "shakedown/v1/history.pb.h"

namespace shakedown::web {

MethodTable HistoryMethods(const service::Backend& backend) {
  MethodTable table(*v1::GetHistoryRequest::descriptor(), "HistoryService");
  service::HistoryApi& history = backend.history;
  table.AddUnary<v1::ListSeriesRequest>(
      "ListSeries", kReads,
      [&history](const auto&, const auto& r) { return history.ListSeries(r); });
  table.AddUnary<v1::GetHistoryRequest>(
      "GetHistory", kReads,
      [&history](const auto&, const auto& r) { return history.GetHistory(r); });
  table.AddUnary<v1::ListRegressionsRequest>(
      "ListRegressions", kReads,
      [&history](const auto&, const auto& r) { return history.ListRegressions(r); });
  table.AddUnary<v1::GetRegressionRequest>(
      "GetRegression", kReads,
      [&history](const auto&, const auto& r) { return history.GetRegression(r); });
  table.AddUnary<v1::SetRegressionRequest>(
      "SetRegression", kChanges,
      [&history](const auto& by, const auto& r) { return history.SetRegression(by, r); });
  return table;
}

}  // namespace shakedown::web
