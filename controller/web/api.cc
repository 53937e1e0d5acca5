#include "controller/web/api.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "proto/wire/ids.h"

namespace shakedown::web {

Api::Api(const service::Backend& backend)
    : services_{FarmMethods(backend),   HistoryMethods(backend), DetailMethods(backend),
                ImportMethods(backend), BisectMethods(backend),  NotifyMethods(backend)} {}

absl::StatusOr<const Method*> Api::Find(absl::string_view path) const {
  const MethodTable* named = nullptr;
  for (const MethodTable& table : services_) {
    absl::string_view name = path;
    if (!absl::ConsumePrefix(&name, absl::StrCat("/", table.service(), "/"))) continue;
    named = &table;
    ASSIGN_OR_RETURN(const Method* method, table.Find(name));
    if (method != nullptr) return method;
  }
  const MethodTable& wanted = named != nullptr ? *named : services_.front();
  return absl::NotFoundError(
      absl::StrCat("method ", Quoted(path), ": want /", wanted.service(), "/METHOD"));
}

}  // namespace shakedown::web
