#include "controller/service/server.h"

#include <gtest/gtest.h>

namespace shakedown::service {
namespace {

TEST(CheckListenTest, LoopbackAndSocketsNeedNoTls) {
  for (const char* listen :
       {"127.0.0.1:7117", "127.8.9.10:1", "localhost:0", "[::1]:7117", "unix:/run/x"}) {
    EXPECT_EQ(CheckListen(listen, false), absl::OkStatus()) << listen;
  }
}

TEST(CheckListenTest, TheNetworkNeedsTls) {
  for (const char* listen :
       {"0.0.0.0:7117", "192.168.1.2:7117", "[::]:7117", "farm.example.org:7117",
        "127.0.0.1.example.org:80", "127.0.0.999:80", "127.1:80"}) {
    EXPECT_EQ(CheckListen(listen, false).code(), absl::StatusCode::kFailedPrecondition) << listen;
    EXPECT_EQ(CheckListen(listen, true), absl::OkStatus()) << listen;
  }
}

TEST(CheckListenTest, NotAnAddress) {
  for (const char* listen : {"", "7117", ":7117", "127.0.0.1", "127.0.0.1:", "127.0.0.1:99999",
                             "127.0.0.1:-1", "127.0.0.1:http", "unix:"}) {
    EXPECT_EQ(CheckListen(listen, true).code(), absl::StatusCode::kInvalidArgument) << listen;
  }
}

}  // namespace
}  // namespace shakedown::service
