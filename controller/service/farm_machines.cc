// What people wish of a machine, and their signatures of builds.
#include "absl/strings/str_cat.h"
#include "controller/service/farm_api.h"
#include "controller/service/store_call.h"
#include "db/store/machines.h"
#include "db/store/signatures.h"
#include "proto/wire/status.h"

namespace shakedown::service {
namespace {

absl::Status Apply(store::Database& database, const store::Wish& wish,
                   const v1::SetMachineRequest& request) {
  switch (request.wish()) {
    case v1::SetMachineRequest::WISH_HOLD:
      return store::HoldMachine(database, request.name(), wish);
    case v1::SetMachineRequest::WISH_RELEASE:
      return store::ReleaseMachine(database, request.name());
    case v1::SetMachineRequest::WISH_DRAIN:
      return store::DrainMachine(database, request.name(), wish);
    case v1::SetMachineRequest::WISH_POWER_CYCLE:
      return store::CyclePower(database, request.name(), wish);
    default:
      return absl::InvalidArgumentError(absl::StrCat("machine: wish ", request.wish(),
                                                     ": want hold, release, drain or power cycle"));
  }
}

}  // namespace

absl::StatusOr<v1::SetMachineResponse> FarmApi::SetMachine(const store::Principal& caller,
                                                           const v1::SetMachineRequest& request) {
  RETURN_IF_ERROR(FromStore([&] {
    return Apply(database_, {caller.name, request.reason()}, request);
  }));
  v1::SetMachineResponse response;
  ASSIGN_OR_RETURN(*response.mutable_machine(),
                   FromStore([&] { return store::FindMachine(database_, request.name()); }));
  return response;
}

absl::StatusOr<v1::SignBuildResponse> FarmApi::SignBuild(const store::Principal& caller,
                                                         const v1::SignBuildRequest& request) {
  RETURN_IF_ERROR(FromStore([&] {
    return store::AddSignature(database_, request.build_id(), request.signature(), caller.name);
  }));
  return v1::SignBuildResponse();
}

}  // namespace shakedown::service
