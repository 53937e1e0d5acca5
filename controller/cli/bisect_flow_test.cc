#include <gmock/gmock.h>

#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "controller/cli/exit_code.h"
#include "controller/cli/service_flow_testing.h"
#include "proto/wire/subprocess.h"
#include "shakedown/v1/bisect.grpc.pb.h"

namespace shakedown::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class FakeBisects : public v1::BisectService::Service {
 public:
  v1::StartBisectRequest asked;
  v1::ListBisectsRequest listed;
  std::vector<v1::BisectView> views;  // What GetBisect answers, the last one for ever.
  size_t at = 0;
  v1::BisectPlan plan;

 private:
  grpc::Status StartBisect(grpc::ServerContext*, const v1::StartBisectRequest* request,
                           v1::BisectView* response) override {
    asked = *request;
    *response = views[0];
    return grpc::Status::OK;
  }
  grpc::Status PlanBisect(grpc::ServerContext*, const v1::StartBisectRequest* request,
                          v1::BisectPlan* response) override {
    asked = *request;
    *response = plan;
    return grpc::Status::OK;
  }
  grpc::Status GetBisect(grpc::ServerContext*, const v1::GetBisectRequest* request,
                         v1::BisectView* response) override {
    if (request->bisect() != 3) return {grpc::StatusCode::NOT_FOUND, "bisect 4: no such bisect"};
    *response = views[std::min(at++, views.size() - 1)];
    return grpc::Status::OK;
  }
  grpc::Status ListBisects(grpc::ServerContext*, const v1::ListBisectsRequest* request,
                           v1::ListBisectsResponse* response) override {
    listed = *request;
    *response->add_bisects() = views.back();
    return grpc::Status::OK;
  }
};

v1::BisectView View(const std::string& state, int steps) {
  v1::BisectView view;
  view.set_bisect(3);
  view.set_state(state);
  view.set_submitter("ada");
  view.set_boots(16);
  view.set_confidence(0.5);
  view.set_leader("k-3");
  view.set_left_low(2);
  view.set_left_high(3);
  view.set_change(0.0953);
  view.set_text("measures k-2 against k-1");
  v1::StartBisectRequest& request = *view.mutable_request();
  for (const char* k : {"k-1", "k-2", "k-3", "k-4"}) request.add_candidates(k);
  request.set_good("k-1");
  request.set_bad("k-4");
  request.set_metric("make.real");
  for (int i = 1; i <= steps; ++i) {
    v1::BisectStep& step = *view.add_steps();
    step.set_step(static_cast<uint32_t>(i));
    step.set_kind(i == 1 ? "ends" : "candidate");
    step.set_kernel(absl::StrCat("k-", i));
    step.add_jobs(i + 10);
    step.set_boots(8);
    if (i < steps || state != "running") step.set_answer(v1::BISECT_ANSWER_BAD);
  }
  return view;
}

using BisectFlowTest = ServiceFlowTest<FakeBisects>;

const std::vector<std::string> kBegin = {
    "bisect", "--good",      "k-1",       "--bad", "k-4",          "--metric", "make.real",
    "--load", "make jobs=2", "--machine", "x1",    "--min-change", "4%"};

TEST_F(BisectFlowTest, BeginsOne) {
  service_.views = {View("running", 0)};
  EXPECT_EQ(Run(kBegin), kOk) << err_;
  EXPECT_THAT(out_, HasSubstr("Bisect 3 begins: 4 candidates."));
  EXPECT_EQ(service_.asked.good(), "k-1");
  EXPECT_EQ(service_.asked.metric(), "make.real");
  EXPECT_DOUBLE_EQ(service_.asked.min_change(), 0.04);
  EXPECT_EQ(service_.asked.job().machines().names(0), "x1");
  EXPECT_EQ(service_.asked.job().loads(0).make().jobs(), 2u);
}

// Runs git in `tree` as a person who commits there.
std::string Git(const std::string& tree, const std::vector<std::string>& arguments) {
  Command command;
  command.argv = {"git", "-C", tree, "-c", "user.name=Ada", "-c", "user.email=ada@example.org"};
  command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
  const auto output = RunForOutput(command);
  EXPECT_TRUE(output.ok()) << output.status();
  return output.value_or("");
}

TEST_F(BisectFlowTest, SendsTheCommitsOfATree) {
  const std::string tree = std::filesystem::path(folder_ + "/tree").lexically_normal();
  std::filesystem::create_directories(tree);
  Git(tree, {"init", "-q", "-b", "trunk"});
  std::vector<std::string> hashes;
  for (const char* name : {"v1", "v2", "v3", "v4"}) {
    Git(tree, {"commit", "-q", "--allow-empty", "-m", name});
    Git(tree, {"tag", name});
    hashes.push_back(Git(tree, {"rev-parse", name}).substr(0, 40));
  }
  service_.views = {View("running", 0)};
  std::vector<std::string> arguments = {
      "bisect", "--git",    tree,        "--good",      "v2",   "--bad",
      "v4",     "--metric", "make.real", "--load",      "make", "--machine",
      "x1",     "--like",   "k-1",       "--max-boots", "300"};
  EXPECT_EQ(Run(arguments), kOk) << err_;
  EXPECT_THAT(out_, HasSubstr("Bisect 3 begins"));
  EXPECT_EQ(service_.asked.git().location(), tree);
  EXPECT_EQ(service_.asked.git().like(), "k-1");
  EXPECT_EQ(service_.asked.good(), hashes[1]);
  EXPECT_EQ(service_.asked.bad(), hashes[3]);
  EXPECT_THAT(service_.asked.candidates(), ElementsAre(hashes[1], hashes[2], hashes[3]));
  EXPECT_EQ(service_.asked.max_boots(), 300u);
  EXPECT_TRUE(service_.asked.job().loads(0).has_make());
  // The tree has another place where kernels are built.
  arguments.insert(arguments.end(), {"--location", "/srv/linux", "--dry-run"});
  EXPECT_EQ(Run(arguments), kOk) << err_;
  EXPECT_EQ(service_.asked.git().location(), "/srv/linux");
  EXPECT_EQ(service_.asked.candidates_size(), 3);
  service_.asked.Clear();
  arguments[6] = "v9";
  EXPECT_EQ(Run(arguments), kUsage);
  EXPECT_THAT(err_, HasSubstr("commit \"v9\": not in the git tree"));
  EXPECT_EQ(service_.asked.request_id(), "") << "nothing is sent";
}

TEST_F(BisectFlowTest, FollowsOneToItsEnd) {
  v1::BisectView found = View("found", 3);
  found.set_culprit("k-3");
  found.set_confidence(0.9991);
  found.set_text("k-3: 99.91 %, verified");
  service_.views = {View("running", 2), View("running", 3), found};
  EXPECT_EQ(Run({"bisect", "watch", "3"}), kOk) << err_;
  EXPECT_THAT(out_, HasSubstr("  1  changes"));
  EXPECT_THAT(out_, HasSubstr("  3  bad        k-3  8 boots  0.0%  job 13"));
  EXPECT_THAT(out_, HasSubstr("culprit: k-3  at 99.91% after 16 boots\nk-3: 99.91 %, verified\n"));
}

TEST_F(BisectFlowTest, SaysWhatIsLeft) {
  service_.views = {View("cannot_say", 2)};
  EXPECT_EQ(Run({"bisect", "watch", "3"}), kInconclusive);
  EXPECT_THAT(out_, HasSubstr("can not say after 16 boots"));
  EXPECT_THAT(out_, HasSubstr("2 of 3 still possible: k-3 to k-4"));
}

TEST_F(BisectFlowTest, ShowsAndLists) {
  service_.views = {View("running", 2)};
  EXPECT_EQ(Run({"bisect", "show", "3"}), kOk);
  EXPECT_THAT(out_, HasSubstr("Bisect 3: make.real, good k-1, bad k-4, 4 candidates\n"
                              "the ends differ by +10.0%\n"));
  EXPECT_THAT(out_, HasSubstr("likeliest k-3, 50.0%; 2 of 3 still possible"));
  EXPECT_EQ(Run({"bisect", "list"}), kOk);
  EXPECT_THAT(out_, HasSubstr("k-1 .. k-4"));
  EXPECT_EQ(service_.listed.limit(), 50u);
  EXPECT_EQ(service_.listed.before(), 0);
  EXPECT_EQ(Run({"bisect", "list", "--limit", "1", "--before", "9"}), kOk);
  EXPECT_EQ(service_.listed.before(), 9);
  EXPECT_THAT(err_, HasSubstr("older ones: --before 3"));
  EXPECT_EQ(Run({"bisect", "list", "--limit", "1001"}), kUsage);
  EXPECT_EQ(Run({"bisect", "show", "4"}), kUsage);
  EXPECT_THAT(err_, HasSubstr("bisect 4: no such bisect"));
}

TEST_F(BisectFlowTest, SaysWhatItWillTake) {
  service_.plan.add_candidates("k-1");
  service_.plan.set_sd(0.03);
  service_.plan.set_basis("12 blocks of job 7");
  v1::BisectPlan::Expected& expected = *service_.plan.add_expected();
  expected.set_change(0.1);
  expected.set_boots(125.4);
  expected.set_boots_p95(152);
  expected.set_builds(12);
  expected.set_found(0.99);
  std::vector<std::string> arguments = kBegin;
  arguments.push_back("--dry-run");
  EXPECT_EQ(Run(arguments), kOk) << err_;
  EXPECT_THAT(out_, HasSubstr("noise: sd 3.0% a block (12 blocks of job 7)"));
  EXPECT_THAT(out_, HasSubstr("if the ends differ by 10.0%: about 125 boots (95% of the time at "
                              "most 152) and 12 builds; finds the culprit 99% of the time"));
}

TEST_F(BisectFlowTest, RefusesHalfARequest) {
  EXPECT_EQ(Run({"bisect", "--good", "k-1"}), kUsage);
  EXPECT_THAT(err_, HasSubstr("want --good, --bad, --metric and --load"));
  std::vector<std::string> arguments = kBegin;
  arguments.insert(arguments.end(), {"--git", "/nowhere"});
  EXPECT_EQ(Run(arguments), kUsage);
  EXPECT_THAT(err_, HasSubstr("--git: want --like KERNEL"));
  EXPECT_EQ(Run({"bisect", "--min-change", "x"}), kUsage);
}

TEST_F(BisectFlowTest, HostileTextStaysText) {
  v1::BisectView view = View("running", 1);
  view.set_text("\x1b[31mred");
  view.set_leader("k\x1b]0;x\x07");
  service_.views = {view};
  EXPECT_EQ(Run({"bisect", "show", "3"}), kOk);
  EXPECT_THAT(out_, Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace shakedown::cli
