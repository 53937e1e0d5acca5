#include "controller/service/lost_artefacts.h"

#include <spdlog/spdlog.h>

#include <optional>

#include "controller/service/store_call.h"
#include "db/store/artefacts.h"
#include "db/store/builds.h"
#include "proto/wire/sanitise.h"
#include "proto/wire/status.h"

namespace shakedown::service {
namespace {

absl::Status ForgetIfLost(store::Database& database, const ArtefactStore& artefacts,
                          const v1::Artefact& artefact, const std::string& kernel) {
  ASSIGN_OR_RETURN(const bool there, artefacts.Has(artefact));
  if (there) return absl::OkStatus();
  const absl::Status forgotten =
      FromStore([&] { return store::ForgetArtefact(database, artefact.sha256()); });
  if (absl::IsNotFound(forgotten)) return absl::OkStatus();  // Known to be lost.
  spdlog::warn("artefact {} of kernel {} is lost or has not its {} bytes: will be built again",
               artefact.sha256(), PrintableLine(kernel), artefact.size());
  return forgotten;
}

}  // namespace

absl::Status ForgetLostArtefacts(store::Database& database, const ArtefactStore& artefacts,
                                 const std::set<std::string>& request_keys) {
  ASSIGN_OR_RETURN(const auto builds, FromStore([&] { return store::ListBuilds(database, 1000); }));
  std::set<std::string> seen;
  for (const v1::BuildView& build : builds) {
    if (build.status() != "built" || request_keys.count(build.request_key()) == 0) continue;
    if (!seen.insert(build.build_key()).second) continue;
    ASSIGN_OR_RETURN(const std::optional<v1::BuildResult> result,
                     FromStore([&] { return store::FindBuilt(database, build.build_key()); }));
    if (!result) continue;
    RETURN_IF_ERROR(ForgetIfLost(database, artefacts, result->image(), build.kernel()));
    if (result->has_modules()) {
      RETURN_IF_ERROR(ForgetIfLost(database, artefacts, result->modules(), build.kernel()));
    }
    if (result->has_initramfs()) {
      RETURN_IF_ERROR(ForgetIfLost(database, artefacts, result->initramfs(), build.kernel()));
    }
  }
  return absl::OkStatus();
}

}  // namespace shakedown::service
