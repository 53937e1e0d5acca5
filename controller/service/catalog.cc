#include "controller/service/catalog.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "controller/service/store_call.h"
#include "db/store/artefacts.h"
#include "db/store/kernels.h"
#include "kernels/recipe/catalog.h"
#include "kernels/recipe/resolve.h"
#include "proto/wire/status.h"

namespace shakedown::service {

absl::StatusOr<int> PutCatalog(store::Database& database, ArtefactStore& artefacts,
                               const std::string& folder) {
  const std::string catalog = absl::StrCat(folder, "/catalog");
  ASSIGN_OR_RETURN(auto entries, kernels::LoadCatalog(catalog));
  std::vector<v1::Kernel> list;
  for (auto& [name, kernel] : entries) {
    absl::StatusOr<std::vector<kernels::PatchFile>> patches = kernels::ReadPatches(kernel, catalog);
    if (!patches.ok()) return Annotate(patches.status(), absl::StrCat("kernel ", name));
    for (const kernels::PatchFile& patch : *patches) {
      ASSIGN_OR_RETURN(const v1::Artefact artefact, artefacts.Put(patch.content));
      RETURN_IF_ERROR(FromStore(
          [&] { return store::AddArtefact(database, artefact.sha256(), artefact.size()); }));
    }
    list.push_back(kernel);
  }
  RETURN_IF_ERROR(FromStore([&] { return store::PutCatalog(database, list); }));
  return static_cast<int>(list.size());
}

}  // namespace shakedown::service
