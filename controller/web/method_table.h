// The methods of one service as JSON, by name: the messages and names come from the protos, the
// work is service::…Api's.
#pragma once

#include <google/protobuf/message.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "controller/service/streams.h"
#include "db/store/tokens.h"
#include "proto/wire/status.h"

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
  // Exactly one is set. Both block for short transactions; errors are the Api's, and
  // InvalidArgument for JSON that is not the request's.
  std::function<absl::StatusOr<std::string>(const store::Principal&, const std::string& json)>
      unary;
  std::function<absl::StatusOr<std::unique_ptr<JsonStream>>(const std::string& json)> stream;
};

// InvalidArgument: not a `message` as JSON.
absl::Status FromJson(const std::string& json, google::protobuf::Message& message);
absl::StatusOr<std::string> ToJson(const google::protobuf::Message& message);

constexpr bool kReads = true;
constexpr bool kChanges = false;

// Thread-safe once it is filled.
class MethodTable {
 public:
  // Of the service `name` in the file of `message`.
  MethodTable(const google::protobuf::Descriptor& message, const std::string& name);

  // "shakedown.v1.FarmService".
  const std::string& service() const;
  // Nullptr: no such method. Unimplemented: one that is not served over HTTP (those to which a
  // client streams).
  absl::StatusOr<const Method*> Find(absl::string_view method) const;

  // `body(caller, request)` → StatusOr<Response>.
  template <typename Request, typename Body>
  void AddUnary(const char* name, bool reads, Body body) {
    Method& method = Add(name, Request::descriptor()->full_name(), false);
    method.reads = reads;
    method.unary = [body = std::move(body)](
                       const store::Principal& caller,
                       const std::string& json) -> absl::StatusOr<std::string> {
      Request request;
      RETURN_IF_ERROR(FromJson(json, request));
      ASSIGN_OR_RETURN(const auto response, body(caller, request));
      return ToJson(response);
    };
  }
  // `steps(request)` → unique_ptr of a JsonStream.
  template <typename Request, typename Steps>
  void AddStream(const char* name, Steps steps) {
    Method& method = Add(name, Request::descriptor()->full_name(), true);
    method.reads = true;
    method.stream = [steps = std::move(steps)](
                        const std::string& json) -> absl::StatusOr<std::unique_ptr<JsonStream>> {
      Request request;
      RETURN_IF_ERROR(FromJson(json, request));
      return steps(request);
    };
  }

 private:
  // Ends the program when the protos say something else of this method: a defect, found by any
  // test.
  Method& Add(const char* name, absl::string_view request, bool stream);

  const google::protobuf::ServiceDescriptor* service_;
  std::map<std::string, Method, std::less<>> methods_;
};

}  // namespace shakedown::web
