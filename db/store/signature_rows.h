// Signatures in transactions, for the files of this folder.
#ifndef SHAKEDOWN_DB_STORE_SIGNATURE_ROWS_H_
#define SHAKEDOWN_DB_STORE_SIGNATURE_ROWS_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "db/store/pool.h"
#include "db/store/signatures.h"
#include "shakedown/v1/build.pb.h"
#include "shakedown/v1/farm.pb.h"

namespace shakedown::store {

// Adds those of the build that it made.
absl::Status AddSignatures(Transaction& tx, const v1::BuildResult& built, v1::BootOrder& order);

// Fills in signed_by of those that are built.
void FillSigners(Transaction& tx, std::vector<v1::BuildView>& views);

// Stores the farm's own. False: it was there, or the kernel's release can not be signed.
absl::StatusOr<bool> SignAsFarm(Transaction& tx, const v1::BuildResult& built,
                                const FarmSigner& signer);

}  // namespace shakedown::store

#endif  // SHAKEDOWN_DB_STORE_SIGNATURE_ROWS_H_
