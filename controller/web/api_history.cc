// HistoryService over HTTP.
#include "controller/web/api.h"
#include "shakedown/v1/history.pb.h"

namespace shakedown::web {

MethodTable HistoryMethods(const service::Backend& backend) {
  MethodTable table(*v1::GetHistoryRequest::descriptor(), "HistoryService");
  service::HistoryApi& history = backend.history;
  (void)history;
  return table;
}

}  // namespace shakedown::web
