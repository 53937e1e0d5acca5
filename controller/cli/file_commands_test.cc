// The commands that need no farm, as people run them: files in, text and an exit code out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "controller/cli/run.h"
#include "proto/wire/files.h"

namespace shakedown::cli {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class FileCommandsTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "file_commands_test";
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string File(const std::string& name, const std::string& content) {
    const std::string path = folder_ + "/" + name;
    EXPECT_TRUE(WriteFileAtomically(path, content).ok());
    return path;
  }

  int Compare(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "compare");
    return Run(arguments);
  }

  int Run(const std::vector<std::string>& arguments) {
    std::ostringstream out;
    std::ostringstream errors;
    Screen screen(out, errors, {});
    Interrupt interrupt;
    const int code = cli::Run(
        arguments, screen, [](const std::string&) { return std::optional<std::string>(); },
        SystemClock(), interrupt);
    out_ = out.str();
    errors_ = errors.str();
    return code;
  }

  std::string folder_;
  std::string out_;
  std::string errors_;
};

TEST_F(FileCommandsTest, TellsTheVerdict) {
  const std::string base = File("a.csv", "fps\n50\n51\n52\n53\n");
  const std::string challenger = File("b.csv", "fps\n70\n71\n72\n73\n");
  EXPECT_EQ(Compare({base, challenger, "--metric", "fps:higher:ratio:1/s", "--json"}), 0)
      << errors_;
  EXPECT_THAT(out_, HasSubstr("\"verdict\":\"better\",\"mark\":\"*\""));
  EXPECT_THAT(errors_, IsEmpty());
  EXPECT_EQ(Compare({base, challenger, "--metric", "fps:lower:ratio:1/s"}), 0);
  EXPECT_THAT(out_, HasSubstr(" !\n"));
  EXPECT_EQ(Compare({base, challenger, "--asterisk=classic"}), 0);
  EXPECT_THAT(out_, HasSubstr("classic rule, no uncertainty"));
}

TEST_F(FileCommandsTest, SaysWhatIsWrongInOneLine) {
  const std::string good = File("a.csv", "fps\n50\n");
  const std::string bad = File("b.csv", "fps\n50\n\x1b]0;owned\x07\n");
  EXPECT_EQ(Compare({good, bad}), 64);
  EXPECT_THAT(out_, IsEmpty());
  EXPECT_THAT(errors_, HasSubstr("b.csv: line 3, column 1: "));
  EXPECT_EQ(errors_.find('\x1b'), std::string::npos);
  EXPECT_EQ(Compare({good, folder_ + "/none.csv"}), 66);
  EXPECT_THAT(errors_, HasSubstr("none.csv: No such file"));
  EXPECT_EQ(Compare({good}), 64);
  EXPECT_EQ(Compare({good, good, "--level", "95"}), 64);
  EXPECT_THAT(errors_, HasSubstr("want above 0.5 and below 1"));
  EXPECT_EQ(Compare({good, good, "--asterisk", "all"}), 64);
  EXPECT_EQ(Compare({good, good, "--metric", "fps:up:ratio:s"}), 64);
  EXPECT_THAT(errors_, HasSubstr("want lower or higher"));
}

TEST_F(FileCommandsTest, ChangePointsAreFoundInAFile) {
  const std::string file =
      File("s.csv", "kernel,n,ms\n6.10,3,20\n6.8,3,10\n6.9,3,10\n6.7,3,10\n6.11,3,20\n6.12,3,20\n");
  EXPECT_EQ(Run({"changepoints", file, "--json"}), 0) << errors_;
  EXPECT_THAT(out_,
              HasSubstr("{\"changepoints\":[{\"index\":3,\"key\":\"6.10\",\"magnitude\":1,\"p\":0,"
                        "\"before_median\":10,\"after_median\":20}]"));
  EXPECT_EQ(Run({"changepoints", file, "--column", "n"}), 0);
  EXPECT_THAT(out_, HasSubstr(": none.\n"));
  EXPECT_EQ(Run({"changepoints", file, "--min-magnitude", "1"}), 0);
  EXPECT_THAT(out_, HasSubstr(": none.\n"));
  EXPECT_THAT(errors_, IsEmpty());
}

TEST_F(FileCommandsTest, ChangePointsRefusesInOneLine) {
  const std::string file = File("s.csv", "kernel,ms\n6.1,\n6.2,oops\n");
  EXPECT_EQ(Run({"changepoints", file}), 64);
  EXPECT_THAT(errors_, HasSubstr("s.csv: line 3, column 2: ms is \"oops\""));
  EXPECT_THAT(out_, IsEmpty());
  EXPECT_EQ(Run({"changepoints", file, "--min-magnitude", "-1"}), 64);
  EXPECT_EQ(Run({"changepoints", file, "--min-magnitude", "nan"}), 64);
  EXPECT_EQ(Run({"changepoints", folder_ + "/none.csv"}), 66);
}

TEST_F(FileCommandsTest, ParseReadsWhatOtherToolsPrint) {
  const std::string good = File("time.log", "real\t2m40.232s\nuser\t3m25.617s\nsys\t0m34.450s\n");
  EXPECT_EQ(Run({"parse", good, "--json"}), 0) << errors_;
  EXPECT_THAT(out_, HasSubstr("\"metric\":\"time.real\",\"value\":160.232,\"unit\":\"s\""));
  EXPECT_THAT(out_, HasSubstr("\"refused\":[]}]}\n"));
  EXPECT_EQ(Run({"parse", good}), 0);
  EXPECT_THAT(out_, HasSubstr("time.log: 3 results, 0 notes, 0 refused\n"));
  EXPECT_THAT(out_, HasSubstr("160.232 s"));
}

TEST_F(FileCommandsTest, ParseSaysWhatItRefused) {
  const std::string good = File("a.log", "real\t2m40.232s\nuser\t3m25.617s\nsys\t0m34.450s\n");
  const std::string bad = File("b.log", "faster by \x1b]0;owned\x07 a lot\n1 2 3\n");
  EXPECT_EQ(Run({"parse", good, bad, "--json"}), 1);
  EXPECT_THAT(out_,
              HasSubstr("{\"line\":2,\"reason\":\"numbers on 1 line that no heading names\"}"));
  EXPECT_EQ(Run({"parse", bad}), 1);
  EXPECT_EQ(out_.find('\x1b'), std::string::npos);
  // A file that can not be read does not keep the others from being read.
  EXPECT_EQ(Run({"parse", folder_ + "/none.log", good, bad}), 66);
  EXPECT_THAT(errors_, HasSubstr("none.log: No such file"));
  EXPECT_THAT(out_, HasSubstr("a.log: 3 results"));
  EXPECT_EQ(Run({"parse"}), 64);
  EXPECT_THAT(errors_, HasSubstr("see shakedown parse --help"));
}

}  // namespace
}  // namespace shakedown::cli
