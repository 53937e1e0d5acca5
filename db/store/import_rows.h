// Imports in transactions, for the files of this folder: rows that follow from their values.
#ifndef SHAKEDOWN_DB_STORE_IMPORT_ROWS_H_
#define SHAKEDOWN_DB_STORE_IMPORT_ROWS_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "db/store/import_series.h"
#include "db/store/pool.h"

namespace shakedown::store {

// Names the series that the import's values, which are there, belong to.
void AddToSeries(Transaction& tx, int64_t import);
// Of a withdrawn one: it is a point of none any more.
void RemoveFromSeries(Transaction& tx, int64_t import);

// As ReadImportedHistory(). A metric that was never imported costs one look at an index.
absl::Status ReadImported(Transaction& tx, const std::string& metric, const std::string& machine,
                          size_t most, ImportedHistory& history);

}  // namespace shakedown::store

#endif  // SHAKEDOWN_DB_STORE_IMPORT_ROWS_H_
