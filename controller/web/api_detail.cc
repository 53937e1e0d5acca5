// DetailService over HTTP.
#include "controller/web/api.h"
#include "shakedown/v1/detail.pb.h"

namespace shakedown::web {

MethodTable DetailMethods(const service::Backend& backend) {
  MethodTable table(*v1::GetBootRequest::descriptor(), "DetailService");
  service::DetailApi& detail = backend.detail;
  table.AddUnary<v1::GetBootRequest>(
      "GetBoot", kReads, [&detail](const auto&, const auto& r) { return detail.GetBoot(r); });
  table.AddUnary<v1::ExplainRequest>(
      "Explain", kReads, [&detail](const auto&, const auto& r) { return detail.Explain(r); });
  table.AddUnary<v1::ListQueueRequest>(
      "ListQueue", kReads, [&detail](const auto&, const auto& r) { return detail.ListQueue(r); });
  return table;
}

}  // namespace shakedown::web
