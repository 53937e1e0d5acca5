#include "controller/cli/bisect_git.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>
#include <vector>

#include "proto/wire/subprocess.h"

namespace shakedown::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A real tree: 1 - 2 - 3 - 6 - 7 on the trunk, 4 - 5 branch off at 2 and are merged by 6.
class BisectGitTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/shakedown-git-test-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    path_ = name;
    Git({"init", "-q", "-b", "trunk"});
    Commit("1");
    Commit("2");
    Git({"branch", "side"});
    Commit("3");
    Git({"checkout", "-q", "side"});
    Commit("4");
    Commit("5");
    Git({"checkout", "-q", "trunk"});
    Git({"merge", "-q", "--no-ff", "-m", "6", "side"});
    Git({"tag", "6"});
    Commit("7");
  }
  void TearDown() override { std::filesystem::remove_all(path_); }

  std::string Git(std::vector<std::string> arguments) {
    Command command;
    command.argv = {"git", "-C", path_, "-c", "user.name=Ada", "-c", "user.email=ada@example.org"};
    command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
    const auto output = RunForOutput(command);
    EXPECT_TRUE(output.ok()) << output.status();
    return output.value_or("");
  }
  void Commit(const std::string& name) {
    Git({"commit", "-q", "--allow-empty", "-m", name});
    Git({"tag", name});
  }
  std::string Hash(const std::string& name) { return Git({"rev-parse", name}).substr(0, 40); }

  std::string path_;
};

TEST_F(BisectGitTest, FirstParentsAreAList) {
  v1::StartBisectRequest request;
  ASSERT_TRUE(SetCommits({.path = path_, .good = "1", .bad = "7"}, &request).ok());
  EXPECT_EQ(request.good(), Hash("1"));
  EXPECT_EQ(request.bad(), Hash("7"));
  EXPECT_THAT(request.candidates(),
              ElementsAre(Hash("1"), Hash("2"), Hash("3"), Hash("6"), Hash("7")));
  EXPECT_TRUE(request.parents().empty());
}

TEST_F(BisectGitTest, MergesHaveTheirParents) {
  v1::StartBisectRequest request;
  ASSERT_TRUE(SetCommits({.path = path_, .good = "2", .bad = "7", .merges = true}, &request).ok());
  ASSERT_EQ(request.candidates_size(), 6);
  ASSERT_EQ(request.parents_size(), 6);
  const auto index = [&](const std::string& name) {
    for (int i = 0; i < 6; ++i) {
      if (request.candidates(i) == Hash(name)) return i;
    }
    return -1;
  };
  EXPECT_EQ(index("7"), 5);
  EXPECT_THAT(request.parents(index("4")).candidates(), ElementsAre(0));
  EXPECT_THAT(request.parents(index("6")).candidates(), ElementsAre(index("3"), index("5")));
}

TEST_F(BisectGitTest, RefusesWhatIsNotThere) {
  v1::StartBisectRequest request;
  EXPECT_THAT(SetCommits({.path = path_, .good = "nothing", .bad = "7"}, &request).message(),
              HasSubstr("commit \"nothing\": not in the git tree"));
  EXPECT_THAT(SetCommits({.path = path_, .good = "7", .bad = "1"}, &request).message(),
              HasSubstr("commit \"7\": want an ancestor of \"1\""));
  EXPECT_THAT(SetCommits({.path = "/nowhere", .good = "1", .bad = "7"}, &request).message(),
              HasSubstr("not in the git tree /nowhere"));
  EXPECT_THAT(SetCommits({.path = path_, .good = "--help", .bad = "7"}, &request).message(),
              HasSubstr("want a commit"));
}

}  // namespace
}  // namespace shakedown::cli
