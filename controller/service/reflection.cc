#include "controller/service/reflection.h"

#include <grpcpp/ext/proto_server_reflection_plugin.h>

namespace shakedown::service {

void EnableReflection() {
  static const bool once = [] {
    grpc::reflection::InitProtoReflectionServerBuilderPlugin();
    return true;
  }();
  static_cast<void>(once);
}

}  // namespace shakedown::service
