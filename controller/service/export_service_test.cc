// Exports over gRPC from a real database.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "controller/service/export_stream.h"
#include "controller/service/test_farm.h"
#include "shakedown/v1/notify.grpc.pb.h"

namespace shakedown::service {
namespace {

using fakes::ScriptedAgent;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

struct Exported {
  absl::Status status;
  std::string text;
  size_t chunks = 0;
};

class ExportServiceTest : public testing::Test {
 protected:
  Exported Export(const v1::ExportRequest& request, bool token = true) {
    auto stub = v1::NotifyService::NewStub(
        grpc::CreateChannel(farm_.address(), grpc::InsecureChannelCredentials()));
    grpc::ClientContext context;
    TestFarm::Prepare(context, token ? farm_.user_token() : "");
    auto reader = stub->Export(&context, request);
    Exported exported;
    for (v1::ExportChunk chunk; reader->Read(&chunk); ++exported.chunks) {
      EXPECT_EQ(chunk.data().back(), '\n') << "chunks are whole lines";
      exported.text += chunk.data();
    }
    exported.status = TestFarm::FromGrpc(reader->Finish());
    return exported;
  }
  static v1::ExportRequest In(const std::string& format) {
    v1::ExportRequest request;
    request.set_format(format);
    return request;
  }
  int64_t RunJob(uint32_t blocks = 1) {
    ++agents_;
    ScriptedAgent agent = farm_.Agent(absl::StrCat("host", agents_), {absl::StrCat("vm", agents_)});
    const int64_t job = farm_.Submit(SmallJob(blocks)).value();
    EXPECT_TRUE(agent.Run([&] { return farm_.Ended(job); }).ok());
    return job;
  }

  TestFarm farm_;
  int agents_ = 0;
};

TEST_F(ExportServiceTest, EveryEndedJobInItsOrder) {
  const int64_t first = RunJob();
  const int64_t second = RunJob();
  const int64_t active = farm_.Submit(SmallJob(1)).value();
  const Exported json = Export(In("json"));
  ASSERT_TRUE(json.status.ok()) << json.status;
  const size_t at_first = json.text.find(absl::StrCat("{\"type\":\"job\",\"job\":", first, ","));
  const size_t at_second = json.text.find(absl::StrCat("{\"type\":\"job\",\"job\":", second, ","));
  EXPECT_LT(at_first, at_second);
  EXPECT_NE(at_second, std::string::npos);
  EXPECT_THAT(json.text, Not(HasSubstr(absl::StrCat("\"job\":", active, ","))));
  EXPECT_THAT(json.text, HasSubstr("\"metric\":\"make.real\""));
  EXPECT_EQ(Export(In("json")).text, json.text) << "the same bytes again";
}

TEST_F(ExportServiceTest, JobsByNumberOnceEach) {
  const int64_t first = RunJob();
  const int64_t second = RunJob();
  v1::ExportRequest request = In("csv");
  for (const int64_t job : {second, first, second}) request.add_jobs(job);
  const Exported csv = Export(request);
  ASSERT_TRUE(csv.status.ok()) << csv.status;
  EXPECT_THAT(csv.text, StartsWith("job,boot,block,"));
  const std::vector<std::string> lines = absl::StrSplit(csv.text, '\n', absl::SkipEmpty());
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_THAT(lines[1], StartsWith(absl::StrCat(first, ",")));
  EXPECT_THAT(lines[4], StartsWith(absl::StrCat(second, ",")));
}

TEST_F(ExportServiceTest, ByTime) {
  RunJob();
  v1::ExportRequest request = In("kcidb");
  const auto now = absl::ToUnixSeconds(absl::Now());
  request.mutable_since()->set_seconds(now + 3600);
  EXPECT_EQ(Export(request).text, "");
  request.mutable_since()->set_seconds(now - 3600);
  request.mutable_until()->set_seconds(now + 3600);
  EXPECT_THAT(Export(request).text, HasSubstr("\"version\":{\"major\":4,\"minor\":1}"));
  request.mutable_until()->set_seconds(now - 3599);
  EXPECT_EQ(Export(request).text, "");
}

TEST_F(ExportServiceTest, LongJobsComeInPieces) {
  // More text than a chunk holds.
  ScriptedAgent agent = farm_.Agent("host1", {"vm1"});
  const int64_t job = farm_.Submit(SmallJob(3)).value();
  agent.on_boot = [](const v1::BootOrder& order) {
    v1::BootResult result = ScriptedAgent::Measured(order, 20);
    for (int i = 0; i < 1500; ++i) {
      v1::Measurement& m = *result.mutable_load_runs(0)->add_measurements();
      m.set_metric(absl::StrCat("make.part", i));
      m.set_value(i);
      m.set_unit("s");
      m.set_iteration(1);
    }
    return result;
  };
  ASSERT_TRUE(agent.Run([&] { return farm_.Ended(job); }).ok());
  const Exported json = Export(In("json"));
  ASSERT_TRUE(json.status.ok()) << json.status;
  EXPECT_GT(json.text.size(), 600u << 10);
  EXPECT_GT(json.chunks, 1u);
}

TEST_F(ExportServiceTest, ImportsComeBehindJobs) {
  RunJob();
  v1::ExportRequest request = In("csv");
  request.set_imports(true);
  ExportStream stream(farm_.backend(), request,
                      {.list =
                           [] {
                             return std::vector<int64_t>{3, 5};
                           },
                       .get =
                           [](int64_t number) {
                             v1::GetImportResponse import;
                             import.mutable_import()->set_import(number);
                             import.add_values()->set_metric("make.real");
                             return import;
                           }});
  std::string text;
  for (;;) {
    const auto step = stream.Step();
    if (step.end) {
      EXPECT_TRUE(step.end->ok()) << *step.end;
      break;
    }
    text += step.send->data();
  }
  const std::vector<std::string> lines = absl::StrSplit(text, '\n', absl::SkipEmpty());
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_THAT(lines[3], HasSubstr("import 3"));
  EXPECT_THAT(lines[4], HasSubstr("import 5"));
}

TEST_F(ExportServiceTest, RefusesWhatIsNotThere) {
  EXPECT_THAT(std::string(Export(In("xml")).status.message()),
              HasSubstr("want json, csv or kcidb"));
  v1::ExportRequest request = In("json");
  request.add_jobs(99);
  EXPECT_TRUE(absl::IsNotFound(Export(request).status));
  request.set_jobs(0, -1);
  EXPECT_TRUE(absl::IsInvalidArgument(Export(request).status));
  request = In("kcidb");
  request.set_imports(true);
  EXPECT_THAT(std::string(Export(request).status.message()), HasSubstr("KCIDB wants builds"));
  EXPECT_TRUE(absl::IsUnauthenticated(Export(In("json"), false).status));
}

}  // namespace
}  // namespace shakedown::service
