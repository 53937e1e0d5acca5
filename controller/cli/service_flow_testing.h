// For tests: commands against one service of a farm that speaks gRPC over a Unix socket in this
// process.
#ifndef SHAKEDOWN_CONTROLLER_CLI_SERVICE_FLOW_TESTING_H_
#define SHAKEDOWN_CONTROLLER_CLI_SERVICE_FLOW_TESTING_H_

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "controller/cli/run.h"
#include "proto/wire/files.h"

namespace shakedown::cli {

template <typename Service>
class ServiceFlowTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "/shakedown_service_XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    ASSERT_TRUE(WriteFileAtomically(folder_ + "/token", "sd_secret\n", 0600).ok());
    grpc::ServerBuilder builder;
    builder.AddListeningPort("unix:" + folder_ + "/farm", grpc::InsecureServerCredentials());
    builder.RegisterService(&service_);
    server_ = builder.BuildAndStart();
    ASSERT_NE(server_, nullptr);
  }
  void TearDown() override {
    server_->Shutdown();
    std::filesystem::remove_all(folder_);
  }
  // Its exit code; what it wrote is in out_ and err_.
  int Run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(),
                     {"--server", "unix:" + folder_ + "/farm", "--token-file", folder_ + "/token"});
    std::ostringstream out, err;
    Screen screen(out, err, {});
    const int code = cli::Run(
        arguments, screen, [](const std::string&) { return std::nullopt; }, clock_, interrupt_);
    out_ = out.str();
    err_ = err.str();
    return code;
  }

  std::string folder_, out_, err_;
  Service service_;
  std::unique_ptr<grpc::Server> server_;
  FakeClock clock_;
  Interrupt interrupt_;
};

}  // namespace shakedown::cli

#endif  // SHAKEDOWN_CONTROLLER_CLI_SERVICE_FLOW_TESTING_H_
