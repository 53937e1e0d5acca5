// For the files of this folder: rows that follow from an import's values.
#ifndef SHAKEDOWN_DB_STORE_IMPORT_ROWS_H_
#define SHAKEDOWN_DB_STORE_IMPORT_ROWS_H_

#include <cstdint>

#include "db/store/pool.h"

namespace shakedown::store {

// Names the series that the import's values, which are there, belong to.
void AddToSeries(Transaction& tx, int64_t import);
// Of a withdrawn one: it is a point of none any more.
void RemoveFromSeries(Transaction& tx, int64_t import);

}  // namespace shakedown::store

#endif  // SHAKEDOWN_DB_STORE_IMPORT_ROWS_H_
