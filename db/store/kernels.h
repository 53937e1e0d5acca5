// The catalog as the farm serves it: what the program brought along, and what people added.
#ifndef SHAKEDOWN_DB_STORE_KERNELS_H_
#define SHAKEDOWN_DB_STORE_KERNELS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "db/store/database.h"
#include "shakedown/v1/kernel.pb.h"

namespace shakedown::store {

// Makes the built-in entries exactly these (changed ones are replaced, absent ones removed;
// people's entries stay). Jobs hold what they resolved, so none is touched by it. AlreadyExists: a
// person's entry has the name of a built-in one.
absl::Status PutCatalog(Database& database, const std::vector<v1::Kernel>& kernels);

// Adds a person's entry. The same content again: OK.
// AlreadyExists: the name is taken by other content. InvalidArgument: not a name.
absl::Status AddKernel(Database& database, const v1::Kernel& kernel, const std::string& submitter);

// Removes a person's entry. Builds and results stay. NotFound as GetKernel. FailedPrecondition: the
// program brought it along, or an active job uses it (named).
absl::Status RemoveKernel(Database& database, const std::string& name);

// NotFound: no such entry; the text names the nearest names there are.
absl::StatusOr<v1::Kernel> GetKernel(Database& database, const std::string& name);

// By name.
absl::StatusOr<std::vector<v1::Kernel>> ListKernels(Database& database);

}  // namespace shakedown::store

#endif  // SHAKEDOWN_DB_STORE_KERNELS_H_
