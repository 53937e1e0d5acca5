// Whether an import is one that can be stored, and what tells it from another.
#ifndef SHAKEDOWN_DB_STORE_IMPORT_CHECK_H_
#define SHAKEDOWN_DB_STORE_IMPORT_CHECK_H_

#include <string>

#include "absl/status/status.h"
#include "db/store/imports.h"

namespace shakedown::store {

// InvalidArgument: names, sizes, a value of no variant.
absl::Status CheckImport(const NewImport& import);

// The same for the same bytes of the same kernels and machine, and for nothing else: each part
// stands behind its length.
std::string IdentityOf(const NewImport& import);

}  // namespace shakedown::store

#endif  // SHAKEDOWN_DB_STORE_IMPORT_CHECK_H_
