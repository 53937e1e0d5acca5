// Values into and out of SQL, for the files of this folder.
#ifndef SHAKEDOWN_DB_STORE_SQL_H_
#define SHAKEDOWN_DB_STORE_SQL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "db/store/pool.h"
#include "google/protobuf/map.h"
#include "google/protobuf/message_lite.h"
#include "google/protobuf/repeated_ptr_field.h"
#include "google/protobuf/timestamp.pb.h"

namespace shakedown::store {

// A text parameter: PostgreSQL's text holds neither NUL nor bytes that are not UTF-8; each is
// replaced by U+FFFD.
std::string Text(absl::string_view bytes);

// A text parameter for LIKE: whatever begins with `prefix`, taken as it is.
std::string LikePrefix(absl::string_view prefix);

// A bytea parameter.
pqxx::binarystring Bytes(absl::string_view bytes);

// Array parameters, for $n::text[] and the like. NaN becomes NULL.
std::string TextArray(const std::vector<std::string>& items);
std::string TextArray(const google::protobuf::RepeatedPtrField<std::string>& items);
std::string Int64Array(const std::vector<int64_t>& items);
std::string DoubleArray(const std::vector<double>& items);
// {"…"} of keys and of values, in one order, for jsonb_object($n::text[], $m::text[]).
struct MapArrays {
  std::string keys, values;
};
MapArrays ToArrays(const google::protobuf::Map<std::string, std::string>& map);

// A text[] column as it comes from the server.
std::vector<std::string> ReadTextArray(const pqxx::field& field);
std::vector<double> ReadDoubleArray(const pqxx::field& field);  // NULL becomes NaN.

// The content of a bytea column.
std::string ReadBytes(const pqxx::field& field);

// Parses a proto kept in a bytea column. DataLoss names the column.
absl::Status ReadProto(const pqxx::field& field, google::protobuf::MessageLite& message);

// The same bytes for the same content, so that digests can be compared.
std::string Canonical(const google::protobuf::MessageLite& message);

// A column made by SHAKEDOWN_MICROS.
google::protobuf::Timestamp ReadTime(const pqxx::field& field);

// InvalidArgument unless it is a lower-case UUID; names `what`.
absl::Status CheckUuid(absl::string_view what, absl::string_view id);

// The SQL for a timestamp as microseconds since 1970.
#define SHAKEDOWN_MICROS(column) "(extract(epoch FROM " column ") * 1000000)::bigint"

}  // namespace shakedown::store

#endif  // SHAKEDOWN_DB_STORE_SQL_H_
