// The services that people call, as JSON. One file a service: api_farm.cc, api_history.cc.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "controller/service/services.h"
#include "controller/web/method_table.h"

namespace shakedown::web {

// What `backend` names outlives the tables.
MethodTable FarmMethods(const service::Backend& backend);
MethodTable HistoryMethods(const service::Backend& backend);
MethodTable DetailMethods(const service::Backend& backend);
MethodTable ImportMethods(const service::Backend& backend);
MethodTable BisectMethods(const service::Backend& backend);
MethodTable NotifyMethods(const service::Backend& backend);

// Thread-safe.
class Api {
 public:
  explicit Api(const service::Backend& backend);

  // For "/shakedown.v1.FarmService/GetJob". NotFound: no such service or method. Unimplemented: a
  // method that is not served over HTTP.
  absl::StatusOr<const Method*> Find(absl::string_view path) const;

 private:
  const std::vector<MethodTable> services_;
};

}  // namespace shakedown::web
