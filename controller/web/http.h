// A request and its answer, without the HTTP library: what site.h works with.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace shakedown::web {

struct HttpRequest {
  std::string method;
  std::string path;                            // Without the query, percent-decoded.
  std::map<std::string, std::string> headers;  // Names in lower case.
  // The whole body. ResourceExhausted: longer than `limit` bytes. Unavailable: it did not come in
  // time. At most once.
  std::function<absl::StatusOr<std::string>(size_t limit)> read_body;

  // Empty when there is none.
  absl::string_view Header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? absl::string_view("") : absl::string_view(found->second);
  }
};

// A body that comes in pieces. One connection owns it; not thread-safe.
class BodyStream {
 public:
  virtual ~BodyStream() = default;
  // Blocks until there is more; nullopt: that was all. `gone` tells whether the client has left,
  // which ends the wait.
  virtual std::optional<std::string> Next(const std::function<bool()>& gone) = 0;
};

struct HttpResponse {
  int status = 200;
  std::string content_type;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  std::unique_ptr<BodyStream> stream;  // When set, the body.
};

}  // namespace shakedown::web
