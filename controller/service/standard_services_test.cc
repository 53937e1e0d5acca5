// gRPC's own services: health and reflection, as any client of gRPC asks for them.
#include <gmock/gmock.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include "absl/time/clock.h"
#include "controller/service/test_farm.h"

namespace shakedown::service {
namespace {

// Sends one message of a stream or call without knowing its proto, gives the bytes of the first
// answer.
std::string Ask(const TestFarm& farm, const std::string& method, const std::string& request) {
  grpc::GenericStub stub(grpc::CreateChannel(farm.address(), grpc::InsecureChannelCredentials()));
  grpc::ClientContext context;
  context.set_deadline(absl::ToChronoTime(absl::Now() + absl::Seconds(20)));
  grpc::CompletionQueue queue;
  void* tag = nullptr;
  bool ok = false;
  const auto done = [&] { return queue.Next(&tag, &ok) && ok; };
  auto call = stub.PrepareCall(&context, method, &queue);
  call->StartCall(nullptr);
  if (!done()) return "no call";
  const grpc::Slice slice(request);
  call->Write(grpc::ByteBuffer(&slice, 1), nullptr);
  if (!done()) return "not written";
  grpc::ByteBuffer answer;
  call->Read(&answer, nullptr);
  if (!done()) return "no answer";
  context.TryCancel();
  grpc::Status status;
  call->Finish(&status, nullptr);
  done();
  queue.Shutdown();
  grpc::Slice whole;
  answer.DumpToSingleSlice(&whole);
  return std::string(reinterpret_cast<const char*>(whole.begin()), whole.size());
}

// HealthCheckResponse{status: SERVING} and NOT_SERVING of grpc/health/v1/health.proto.
constexpr char kServing[] = "\x08\x01", kNotServing[] = "\x08\x02";

bool BecomesHealth(const TestFarm& farm, const std::string& wanted) {
  const absl::Time until = absl::Now() + absl::Seconds(30);
  while (absl::Now() < until) {
    if (Ask(farm, "/grpc.health.v1.Health/Check", "") == wanted) return true;
  }
  return false;
}

TEST(StandardServicesTest, TheControllerServesWhileItsDatabaseAnswers) {
  TestFarm farm;
  EXPECT_TRUE(BecomesHealth(farm, kServing));
  ASSERT_TRUE(Postgres().StopServer(false).ok());
  EXPECT_TRUE(BecomesHealth(farm, kNotServing));
  ASSERT_TRUE(Postgres().StartServer().ok());
  EXPECT_TRUE(BecomesHealth(farm, kServing));
}

TEST(StandardServicesTest, ReflectionTellsTheServices) {
  TestFarm farm;
  // ServerReflectionRequest{list_services: ""}.
  const std::string answer =
      Ask(farm, "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", {0x3A, 0});
  for (const char* service : {"shakedown.v1.FarmService", "shakedown.v1.AgentService",
                              "shakedown.v1.HistoryService", "grpc.health.v1.Health"}) {
    EXPECT_THAT(answer, testing::HasSubstr(service));
  }
}

}  // namespace
}  // namespace shakedown::service
