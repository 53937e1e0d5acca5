#pragma once

namespace shakedown::service {

// Servers built from now on tell which services they have (grpc.reflection.v1alpha), for grpcurl
// and its like. Once or more, from any thread. Apart from server.cc because the plugin's header is
// a large one.
void EnableReflection();

}  // namespace shakedown::service
