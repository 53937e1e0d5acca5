// What the formats share.
#ifndef SHAKEDOWN_CONTROLLER_EXPORT_PARTS_H_
#define SHAKEDOWN_CONTROLLER_EXPORT_PARTS_H_

#include <google/protobuf/timestamp.pb.h>

#include <nlohmann/json.hpp>
#include <string>

#include "absl/time/time.h"
#include "controller/plan/text.h"
#include "shakedown/v1/report.pb.h"

namespace shakedown::exporting {

using Json = nlohmann::ordered_json;

// "2026-11-30T20:08:55.123456Z", as much of it as there is.
inline std::string TimeText(const google::protobuf::Timestamp& time) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%E*SZ",
                          absl::FromUnixSeconds(time.seconds()) + absl::Nanoseconds(time.nanos()),
                          absl::UTCTimeZone());
}

inline std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

inline std::string KernelOf(const v1::ReportData& data, uint32_t variant) {
  const int index = static_cast<int>(variant);
  return index < data.variants_size() ? data.variants(index).variant().kernel() : "";
}

inline std::string LoadOf(const v1::ReportData& data, uint32_t load) {
  const int index = static_cast<int>(load);
  const auto& loads = data.job().spec().loads();
  return index < loads.size() ? plan::PrintLoad(loads[index]) : "";
}

}  // namespace shakedown::exporting

#endif  // SHAKEDOWN_CONTROLLER_EXPORT_PARTS_H_
