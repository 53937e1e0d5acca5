// FarmService as JSON, by the method's name: the messages and names come from the protos, the work
// is service::FarmApi's.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "controller/service/services.h"
#include "controller/service/streams.h"
#include "db/store/tokens.h"

namespace shakedown::web {

// A streaming call under way. One caller at a time.
class JsonStream {
 public:
  virtual ~JsonStream() = default;
  virtual service::StreamStep<std::string> Step() = 0;
  // Bytes of the log that is read, after a step; 0: not a log.
  virtual uint64_t log_size() const { return 0; }
};

struct Method {
  // Changes nothing: may be open to everybody.
  bool reads = false;
  // Exactly one is set. Both block for short transactions; errors are FarmApi's, and
  // InvalidArgument for JSON that is not the request's.
  std::function<absl::StatusOr<std::string>(const store::Principal&, const std::string& json)>
      unary;
  std::function<absl::StatusOr<std::unique_ptr<JsonStream>>(const std::string& json)> stream;
};

// Thread-safe.
class Api {
 public:
  // What `backend` names outlives it.
  explicit Api(const service::Backend& backend);

  // For "/shakedown.v1.FarmService/GetJob". NotFound: no such service or method. Unimplemented: a
  // method of the service that is not served over HTTP (those to which a client streams).
  absl::StatusOr<const Method*> Find(absl::string_view path) const;

 private:
  template <typename Request, typename Body>
  void AddUnary(const char* name, bool reads, Body body);
  template <typename Request, typename Steps>
  void AddStream(const char* name, Steps steps);
  // Ends the program when the protos say something else of this method: a defect, found by any
  // test.
  Method& Add(const char* name, absl::string_view request, bool stream);

  const service::Backend backend_;
  std::map<std::string, Method, std::less<>> methods_;
};

}  // namespace shakedown::web
