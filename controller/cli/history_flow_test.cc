// history, series and regressions against a HistoryService over gRPC.
#include <gmock/gmock.h>

#include "controller/cli/exit_code.h"
#include "controller/cli/flow_testing.h"
#include "shakedown/v1/history.grpc.pb.h"

namespace shakedown::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class FakeHistory : public v1::HistoryService::Service {
 public:
  v1::GetHistoryRequest history;
  v1::SetRegressionRequest set;
  v1::ListRegressionsRequest list;
  v1::ListSeriesRequest series;

 private:
  grpc::Status ListSeries(grpc::ServerContext*, const v1::ListSeriesRequest* request,
                          v1::ListSeriesResponse* response) override {
    series = *request;
    if (request->imported_only()) {
      response->add_series()->set_imported(true);
      return grpc::Status::OK;
    }
    response->add_series()->mutable_key()->set_metric("make.real");
    return grpc::Status::OK;
  }
  grpc::Status GetHistory(grpc::ServerContext*, const v1::GetHistoryRequest* request,
                          v1::GetHistoryResponse* response) override {
    history = *request;
    if (request->metric() != "make.real") return {grpc::StatusCode::NOT_FOUND, "no such series"};
    response->add_series()->add_points()->set_kernel("debian-6.1");
    v1::HistorySeries* imported = response->add_series();
    imported->set_imported(true);
    v1::HistoryPoint* point = imported->add_points();
    point->set_kernel("2.6.35-ck1");
    point->set_runs(1);
    point->add_imports()->set_import(9);
    return grpc::Status::OK;
  }
  grpc::Status ListRegressions(grpc::ServerContext*, const v1::ListRegressionsRequest* request,
                               v1::ListRegressionsResponse*) override {
    list = *request;
    return grpc::Status::OK;
  }
  grpc::Status GetRegression(grpc::ServerContext*, const v1::GetRegressionRequest* request,
                             v1::RegressionView* response) override {
    response->set_regression(request->regression());
    response->set_mail("Subject: a mail\n");
    return grpc::Status::OK;
  }
  grpc::Status SetRegression(grpc::ServerContext*, const v1::SetRegressionRequest* request,
                             v1::RegressionView* response) override {
    set = *request;
    response->set_regression(request->regression());
    response->set_confirmed(request->regression() == 3);
    response->set_state(request->state());
    return grpc::Status::OK;
  }
};

class HistoryFlowTest : public FlowTest {
 protected:
  void SetUp() override {
    FlowTest::SetUp();
    Stop();
    grpc::ServerBuilder builder;
    builder.AddListeningPort(Address(), grpc::InsecureServerCredentials());
    builder.RegisterService(&history_);
    server_ = builder.BuildAndStart();
    ASSERT_NE(server_, nullptr);
  }
  FakeHistory history_;
};

TEST_F(HistoryFlowTest, HistoryAsksForWhatWasSaid) {
  const Result result =
      RunCommand({"history", "make.real", "--machine", "x1", "--since", "6.1", "--until", "6.12",
                  "--kernels", "debian-*", "--kernels", "x*", "--absolute"});
  EXPECT_EQ(result.code, kOk) << result.err;
  EXPECT_EQ(history_.history.machine(), "x1");
  EXPECT_EQ(history_.history.since(), "6.1");
  EXPECT_EQ(history_.history.until(), "6.12");
  EXPECT_TRUE(history_.history.absolute());
  EXPECT_THAT(history_.history.kernels(), ElementsAre("debian-*", "x*"));
  EXPECT_THAT(result.out, HasSubstr("debian-6.1"));
  EXPECT_THAT(RunCommand({"history", "make.real", "--csv"}).out, HasSubstr("metric,unit,machine"));
  EXPECT_THAT(RunCommand({"history", "make.real", "--json"}).out, HasSubstr("\"series\": ["));
  EXPECT_EQ(RunCommand({"history", "make.real", "--json", "--csv"}).code, kUsage);
  EXPECT_EQ(RunCommand({"history"}).code, kUsage);
}

TEST_F(HistoryFlowTest, ImportedSeriesFollowAndAreCalledSo) {
  const std::string text = RunCommand({"history", "make.real"}).out;
  EXPECT_LT(text.find("debian-6.1"), text.find("\n\nImported: "));
  EXPECT_LT(text.find("\n\nImported: "), text.find("2.6.35-ck1"));
  EXPECT_THAT(RunCommand({"history", "make.real", "--csv"}).out,
              HasSubstr("2.6.35-ck1,,0,0,0,0,0,,1,1,9,"));
  EXPECT_THAT(RunCommand({"history", "make.real", "--json"}).out, HasSubstr("\"imported\": true"));
}

TEST_F(HistoryFlowTest, AnEmptyAnswerNamesWhatIsNear) {
  const Result none = RunCommand({"history", "elephants"});
  EXPECT_EQ(none.code, kUsage);
  EXPECT_THAT(none.err, HasSubstr("no such series\n"));
  EXPECT_THAT(RunCommand({"history", "make.reel", "--machine", "x1"}).err,
              HasSubstr("no such series: did you mean \"make.real\"?"));
  EXPECT_EQ(history_.series.machine(), "x1");
}

TEST_F(HistoryFlowTest, SeriesAreListed) {
  EXPECT_THAT(RunCommand({"series"}).out, HasSubstr("make.real"));
  EXPECT_THAT(RunCommand({"series", "--imported"}).out, HasSubstr("Imported results"));
  EXPECT_TRUE(history_.series.imported_only());
  EXPECT_THAT(RunCommand({"series", "--limit", "1"}).err, HasSubstr("the first 1: "));
  EXPECT_EQ(RunCommand({"series", "--limit", "0"}).code, kUsage);
}

TEST_F(HistoryFlowTest, RegressionsAreListedShownAndClosed) {
  EXPECT_THAT(RunCommand({"regressions", "--open"}).err, HasSubstr("no open regressions"));
  EXPECT_TRUE(history_.list.open_only());
  EXPECT_THAT(RunCommand({"regressions", "show", "3"}).out, HasSubstr("Subject: a mail"));
  EXPECT_EQ(RunCommand({"regressions", "ack", "3", "--why", "mine"}).out,
            "regression 3: acknowledged\n");
  EXPECT_EQ(history_.set.why(), "mine");
  EXPECT_EQ(RunCommand({"regressions", "close", "3", "--fixed"}).out, "regression 3: fixed\n");
  EXPECT_EQ(RunCommand({"regressions", "close", "3", "--wont-fix", "--why", "as wanted"}).out,
            "regression 3: won't fix\n");
  EXPECT_EQ(RunCommand({"regressions", "ack", "4", "--why", "mine"}).out,
            "suspected change 4: acknowledged\n")
      << "the farm has not confirmed it";
  EXPECT_EQ(RunCommand({"regressions", "reopen", "3", "--why", "back"}).code, kOk);
  EXPECT_EQ(history_.set.state(), v1::REGRESSION_STATE_SUSPECTED);
  for (const std::vector<std::string>& wrong :
       std::vector<std::vector<std::string>>{{"regressions", "close", "3"},
                                             {"regressions", "close", "3", "--fixed", "--wont-fix"},
                                             {"regressions", "ack", "3"},
                                             {"regressions", "show", "x"},
                                             {"regressions", "show"},
                                             {"regressions", "burn", "3"}}) {
    EXPECT_EQ(RunCommand(wrong).code, kUsage) << wrong.back();
  }
}

}  // namespace
}  // namespace shakedown::cli
