#include "agent/runner/loads/make.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "agent/runner/loads/build_tree.h"
#include "gtest/gtest.h"

namespace shakedown::runner {
namespace {

namespace fs = std::filesystem;

// Each object takes longer than a tick of /proc/stat. A tree whose "objects" are made by the shell
// and leave kbuild's command files.
class MakeTest : public testing::Test {
 protected:
  void SetUp() override {
    char folder[] = "/tmp/make_test.XXXXXX";
    tree_ = mkdtemp(folder);
    fs::create_directories(tree_ + "/lib");
    Put("Makefile",
        "all: a.o lib/b.o\n"
        "lib/: lib/b.o lib/c.o\n"
        "%.o: %.c\n\tcp $< $@; sleep 0.02; echo cmd > $(dir $@).$(notdir $@).cmd; echo $@ >> made\n"
        "broken:\n\t@echo it broke; exit 5\n"
        "idle:\n\t@true\n"
        "clean:\n\trm -f *.o lib/*.o .*.cmd lib/.*.cmd\n");
    for (const char* name : {"a.c", "lib/b.c", "lib/c.c"}) Put(name, "int x;\n");
    Put("lib/notes.txt", "stays");
  }
  void TearDown() override { fs::remove_all(tree_); }
  void Put(const std::string& name, const std::string& text) {
    std::ofstream(tree_ + "/" + name) << text;
  }
  bool Has(const std::string& name) const { return fs::exists(tree_ + "/" + name); }

  absl::StatusOr<v1::LoadRun> Run(const std::vector<std::string>& targets, uint32_t iterations = 1,
                                  uint32_t warmups = 0) {
    v1::Load load;
    load.set_iterations(iterations);
    load.set_warmups(warmups);
    load.mutable_make()->set_jobs(2);
    for (const std::string& target : targets) load.mutable_make()->add_targets(target);
    return RunMakeLoad(load,
                       {SystemClock(), "/tmp", tree_, false, [](double, absl::string_view) {}});
  }
  std::vector<std::string> Made() const {
    std::ifstream file(tree_ + "/made");
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }
  std::string tree_;
};

TEST_F(MakeTest, EveryIterationCompilesEverythingAndLeavesNothing) {
  const absl::StatusOr<v1::LoadRun> run = Run({"lib/", "a.o"}, 2, 1);
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(Made().size(), 9u);  // Three objects, three iterations.
  std::map<std::string, int> metrics;
  for (const v1::Measurement& m : run->measurements()) {
    ++metrics[m.metric()];
    EXPECT_EQ(m.warmup(), m.iteration() == 1);
    if (m.metric() == "make.objects") {
      EXPECT_EQ(m.value(), 3);
    }
    if (m.metric() == "make.real") {
      EXPECT_GT(m.value(), 0);
    }
    if (m.metric() == "make.ctxt") {
      EXPECT_GT(m.value(), 0);
    }
    if (m.metric() == "make.idle") {
      EXPECT_GE(m.value(), 0);
      EXPECT_LE(m.value(), 100);
    }
  }
  EXPECT_EQ(metrics, (std::map<std::string, int>{{"make.ctxt", 3},
                                                 {"make.ctxt.involuntary", 3},
                                                 {"make.ctxt.voluntary", 3},
                                                 {"make.idle", 3},
                                                 {"make.majflt", 3},
                                                 {"make.objects", 3},
                                                 {"make.real", 3},
                                                 {"make.sys", 3},
                                                 {"make.user", 3}}));
  for (const char* product : {"a.o", ".a.o.cmd", "lib/b.o", "lib/.b.o.cmd"})
    EXPECT_FALSE(Has(product));
  EXPECT_TRUE(Has("lib/notes.txt"));
  EXPECT_TRUE(absl::StrContains(run->output(), "real\t0m"));
}

TEST_F(MakeTest, ObjectsFromBeforeAreMadeAnew) {
  Put("a.o", "stale");
  ASSERT_TRUE(Run({"a.o"}).ok());
  EXPECT_EQ(Made(), std::vector<std::string>{"a.o"});
}

TEST_F(MakeTest, NamesAreCleanedByMake) {
  ASSERT_TRUE(Run({"all"}, 2).ok());
  EXPECT_EQ(Made().size(), 4u);
  EXPECT_FALSE(Has("a.o"));
}

TEST_F(MakeTest, TargetsOfTheTree) {
  EXPECT_EQ(Run({}).status().code(), absl::StatusCode::kNotFound);
  Put(".shakedown-targets", "# what a slow machine builds\nlib/c.o\n\n");
  ASSERT_TRUE(Run({}).ok());
  EXPECT_EQ(Made(), std::vector<std::string>{"lib/c.o"});
}

TEST_F(MakeTest, FailuresSayWhy) {
  const absl::Status broken = Run({"broken"}).status();
  EXPECT_EQ(broken.code(), absl::StatusCode::kInternal);
  EXPECT_TRUE(absl::StrContains(broken.message(), "it broke")) << broken;
  const absl::Status idle = Run({"idle"}).status();
  EXPECT_EQ(idle.code(), absl::StatusCode::kInternal);
  EXPECT_TRUE(absl::StrContains(idle.message(), "nothing was compiled")) << idle;
}

TEST_F(MakeTest, TargetsThatAreNone) {
  for (const std::string& target : {std::string("-f/etc/passwd"), std::string("/etc/x.o"),
                                    std::string("../x.o"), std::string("a b"), std::string("X=1"),
                                    std::string("$(x)"), std::string(), std::string(300, 'a')}) {
    EXPECT_EQ(Run({target}).status().code(), absl::StatusCode::kInvalidArgument) << target;
  }
}

TEST_F(MakeTest, NoTree) {
  fs::remove_all(tree_);
  EXPECT_EQ(Run({"all"}).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace shakedown::runner
