#include "controller/web/method_table.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/util/json_util.h>

#include <cstdio>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "proto/wire/sanitise.h"

namespace shakedown::web {

using google::protobuf::Message;

absl::Status FromJson(const std::string& json, Message& message) {
  // The JSON library takes any bytes; a string of a proto holds UTF-8 only.
  if (json != ToUtf8(json)) return absl::InvalidArgumentError("body: want UTF-8 without NUL");
  const auto parsed =
      google::protobuf::util::JsonStringToMessage(json.empty() ? "{}" : json, &message);
  if (parsed.ok()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("body: not a ", message.GetDescriptor()->name(),
                                                 " as JSON: ", std::string(parsed.message())));
}

absl::StatusOr<std::string> ToJson(const Message& message) {
  std::string json;
  const auto printed = google::protobuf::util::MessageToJsonString(message, &json);
  if (printed.ok()) return json;
  return absl::InternalError(
      absl::StrCat(message.GetDescriptor()->name(), " as JSON: ", std::string(printed.message())));
}

MethodTable::MethodTable(const google::protobuf::Descriptor& message, const std::string& name)
    : service_(message.file()->FindServiceByName(name)) {
  if (service_ != nullptr) return;
  std::fprintf(stderr, "%s: no such service in %s\n", name.c_str(), message.file()->name().c_str());
  std::abort();
}

const std::string& MethodTable::service() const { return service_->full_name(); }

absl::StatusOr<const Method*> MethodTable::Find(absl::string_view method) const {
  if (const auto found = methods_.find(method); found != methods_.end()) return &found->second;
  if (service_->FindMethodByName(std::string(method)) == nullptr) return nullptr;
  return absl::UnimplementedError(absl::StrCat(method, ": not served over HTTP, use the command"));
}

Method& MethodTable::Add(const char* name, absl::string_view request, bool stream) {
  const auto* method = service_->FindMethodByName(name);
  if (method == nullptr || method->client_streaming() || method->server_streaming() != stream ||
      method->input_type()->full_name() != request) {
    std::fprintf(stderr, "%s.%s: not as the protos say\n", service_->name().c_str(), name);
    std::abort();
  }
  return methods_[name];
}

}  // namespace shakedown::web
