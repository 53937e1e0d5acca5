#include "db/store/sql.h"

#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "proto/wire/ids.h"

namespace shakedown::store {
namespace {

constexpr char kReplacement[] = "\xEF\xBF\xBD";

// Length of the sound UTF-8 sequence at the front, 0 when there is none. No overlong forms, no
// surrogates.
size_t SequenceLength(absl::string_view s) {
  const auto byte = [&](size_t i) -> unsigned {
    return i < s.size() ? static_cast<unsigned char>(s[i]) : 0;
  };
  const auto tail = [&](size_t i) { return (byte(i) & 0xC0) == 0x80; };
  const unsigned lead = byte(0);
  if (lead == 0) return 0;
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead < 0xE0) return tail(1) ? 2 : 0;
  if (lead >= 0xE0 && lead < 0xF0) {
    if ((lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xED && byte(1) > 0x9F)) return 0;
    return tail(1) && tail(2) ? 3 : 0;
  }
  if (lead >= 0xF0 && lead < 0xF5) {
    if ((lead == 0xF0 && byte(1) < 0x90) || (lead == 0xF4 && byte(1) > 0x8F)) return 0;
    return tail(1) && tail(2) && tail(3) ? 4 : 0;
  }
  return 0;
}

void AppendElement(absl::string_view item, std::string& array) {
  if (array.size() > 1) array += ',';
  array += '"';
  for (char c : Text(item)) {
    if (c == '"' || c == '\\') array += '\\';
    array += c;
  }
  array += '"';
}

template <typename Items>
std::string ToTextArray(const Items& items) {
  std::string array = "{";
  for (const std::string& item : items) AppendElement(item, array);
  return array + "}";
}

}  // namespace

std::string Text(absl::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  while (!bytes.empty()) {
    const size_t length = SequenceLength(bytes);
    if (length == 0) {
      text += kReplacement;
      bytes.remove_prefix(1);
      continue;
    }
    text.append(bytes.data(), length);
    bytes.remove_prefix(length);
  }
  return text;
}

std::string LikePrefix(absl::string_view prefix) {
  return absl::StrCat(
      absl::StrReplaceAll(Text(prefix), {{"\\", "\\\\"}, {"%", "\\%"}, {"_", "\\_"}}), "%");
}

pqxx::binarystring Bytes(absl::string_view bytes) {
  return pqxx::binarystring(bytes.data(), bytes.size());
}

std::string TextArray(const std::vector<std::string>& items) { return ToTextArray(items); }
std::string TextArray(const google::protobuf::RepeatedPtrField<std::string>& items) {
  return ToTextArray(items);
}

std::string Int64Array(const std::vector<int64_t>& items) {
  return absl::StrCat("{", absl::StrJoin(items, ","), "}");
}

std::string DoubleArray(const std::vector<double>& items) {
  return absl::StrCat("{",
                      absl::StrJoin(items, ",",
                                    [](std::string* out, double value) {
                                      absl::StrAppend(out, std::isnan(value)
                                                               ? "NULL"
                                                               : absl::StrFormat("%.17g", value));
                                    }),
                      "}");
}

MapArrays ToArrays(const google::protobuf::Map<std::string, std::string>& map) {
  MapArrays arrays{"{", "{"};
  for (const auto& [key, value] : map) {
    AppendElement(key, arrays.keys);
    AppendElement(value, arrays.values);
  }
  arrays.keys += '}';
  arrays.values += '}';
  return arrays;
}

std::vector<std::string> ReadTextArray(const pqxx::field& field) {
  std::vector<std::string> items;
  if (field.is_null()) return items;
  pqxx::array_parser parser = field.as_array();
  for (auto [kind, item] = parser.get_next(); kind != pqxx::array_parser::done;
       std::tie(kind, item) = parser.get_next()) {
    if (kind == pqxx::array_parser::string_value) items.push_back(item);
  }
  return items;
}

std::vector<double> ReadDoubleArray(const pqxx::field& field) {
  std::vector<double> items;
  pqxx::array_parser parser = field.as_array();
  for (auto [kind, item] = parser.get_next(); kind != pqxx::array_parser::done;
       std::tie(kind, item) = parser.get_next()) {
    if (kind == pqxx::array_parser::string_value) items.push_back(std::stod(item));
    if (kind == pqxx::array_parser::null_value) {
      items.push_back(std::numeric_limits<double>::quiet_NaN());
    }
  }
  return items;
}

std::string ReadBytes(const pqxx::field& field) { return pqxx::binarystring(field).str(); }

absl::Status ReadProto(const pqxx::field& field, google::protobuf::MessageLite& message) {
  if (message.ParseFromString(ReadBytes(field))) return absl::OkStatus();
  return absl::DataLossError(
      absl::StrCat("database: column ", field.name(), " does not hold a ", message.GetTypeName()));
}

std::string Canonical(const google::protobuf::MessageLite& message) {
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  message.SerializeToCodedStream(&coded);
  coded.Trim();
  return bytes;
}

google::protobuf::Timestamp ReadTime(const pqxx::field& field) {
  const int64_t micros = field.as<int64_t>();
  google::protobuf::Timestamp timestamp;
  timestamp.set_seconds(micros / 1000000);
  timestamp.set_nanos(static_cast<int32_t>(micros % 1000000) * 1000);
  return timestamp;
}

absl::Status CheckUuid(absl::string_view what, absl::string_view id) {
  if (IsUuid(id)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(what, " ", Quoted(id), ": a UUID in lower case is wanted"));
}

}  // namespace shakedown::store
