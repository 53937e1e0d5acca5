#include "controller/web/connect.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "proto/wire/sanitise.h"

namespace shakedown::web {
namespace {

constexpr size_t kPrefix = 5;
constexpr char kEndOfStream = 0x02;
constexpr size_t kLongestMessage = 4000;

struct Word {
  const char* code;
  int status;
};

Word WordOf(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kOk:
      return {"ok", 200};
    case absl::StatusCode::kCancelled:
      return {"canceled", 499};
    case absl::StatusCode::kInvalidArgument:
      return {"invalid_argument", 400};
    case absl::StatusCode::kDeadlineExceeded:
      return {"deadline_exceeded", 504};
    case absl::StatusCode::kNotFound:
      return {"not_found", 404};
    case absl::StatusCode::kAlreadyExists:
      return {"already_exists", 409};
    case absl::StatusCode::kPermissionDenied:
      return {"permission_denied", 403};
    case absl::StatusCode::kResourceExhausted:
      return {"resource_exhausted", 429};
    case absl::StatusCode::kFailedPrecondition:
      return {"failed_precondition", 400};
    case absl::StatusCode::kAborted:
      return {"aborted", 409};
    case absl::StatusCode::kOutOfRange:
      return {"out_of_range", 400};
    case absl::StatusCode::kUnimplemented:
      return {"unimplemented", 501};
    case absl::StatusCode::kInternal:
      return {"internal", 500};
    case absl::StatusCode::kUnavailable:
      return {"unavailable", 503};
    case absl::StatusCode::kDataLoss:
      return {"data_loss", 500};
    case absl::StatusCode::kUnauthenticated:
      return {"unauthenticated", 401};
    default:
      return {"unknown", 500};
  }
}

// A JSON string. PrintableLine has left no control character and only valid UTF-8.
std::string JsonString(absl::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string Framed(char flags, absl::string_view data) {
  std::string out(1, flags);
  for (int shift = 24; shift >= 0; shift -= 8) {
    out += static_cast<char>((data.size() >> shift) & 0xff);
  }
  absl::StrAppend(&out, data);
  return out;
}

}  // namespace

const char* ConnectCode(absl::StatusCode code) { return WordOf(code).code; }
int HttpStatus(absl::StatusCode code) { return WordOf(code).status; }

std::string ConnectError(const absl::Status& status) {
  return absl::StrCat("{\"code\":\"", ConnectCode(status.code()), "\",\"message\":",
                      JsonString(PrintableLine(status.message(), kLongestMessage)), "}");
}

std::string Envelope(absl::string_view json) { return Framed(0, json); }

std::string EndEnvelope(const absl::Status& status) {
  if (status.ok()) return Framed(kEndOfStream, "{}");
  return Framed(kEndOfStream, absl::StrCat("{\"error\":", ConnectError(status), "}"));
}

absl::StatusOr<std::string> OpenEnvelope(absl::string_view body) {
  if (body.size() < kPrefix) {
    return absl::InvalidArgumentError(
        absl::StrCat("body of ", body.size(), " bytes: want a message behind five bytes"));
  }
  if (body[0] != 0) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "message with flags 0x%02x: want 0, no compression", static_cast<unsigned char>(body[0])));
  }
  uint32_t length = 0;
  for (size_t i = 1; i < kPrefix; ++i) length = length << 8 | static_cast<unsigned char>(body[i]);
  if (length != body.size() - kPrefix) {
    return absl::InvalidArgumentError(absl::StrCat("message of ", length, " bytes in a body of ",
                                                   body.size(), ": want exactly one message"));
  }
  return std::string(body.substr(kPrefix));
}

}  // namespace shakedown::web
