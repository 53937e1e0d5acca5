// Text protos that people write: catalog entries and job files. For full messages, not the runner's
// lite ones.
#ifndef SHAKEDOWN_PROTO_WIRE_TEXT_PROTO_H_
#define SHAKEDOWN_PROTO_WIRE_TEXT_PROTO_H_

#include <google/protobuf/text_format.h>

#include <cstddef>
#include <limits>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace shakedown {

// Reads `text` into `*message`. InvalidArgument with the first `max_errors` errors, a line each:
// "FILE:LINE:COLUMN: what", counted from 1. An unknown field is an error. `places`, unless null:
// the line of each field, counted from 0.
absl::Status ParseTextProto(absl::string_view text, absl::string_view file,
                            google::protobuf::Message* message,
                            size_t max_errors = std::numeric_limits<size_t>::max(),
                            google::protobuf::TextFormat::ParseInfoTree* places = nullptr);

}  // namespace shakedown

#endif  // SHAKEDOWN_PROTO_WIRE_TEXT_PROTO_H_
