// Real outputs under tests/golden/tools/TOOL.what.txt, each below the values it must give:
// "EXPECT: metric value unit". SHAKEDOWN_REWRITE_GOLDEN=1 writes these lines anew.
#include "agent/runner/loads/tool_output.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "gtest/gtest.h"
#include "proto/wire/files.h"

namespace shakedown::runner {
namespace {

using Parser = ToolValues (*)(absl::string_view);
const std::map<std::string, Parser>& Parsers() {
  static const auto* parsers = new std::map<std::string, Parser>{
      {"hackbench", ParseHackbench}, {"cyclictest", ParseCyclictest},
      {"stress-ng", ParseStressNg},  {"sysbench", ParseSysbench},
      {"perf-pipe", ParsePerfPipe},  {"perf-messaging", ParsePerfMessaging}};
  return *parsers;
}

std::string Folder() {
  const char* source = std::getenv("SHAKEDOWN_SOURCE_DIR");
  return absl::StrCat(source == nullptr ? "." : source, "/tests/golden/tools/");
}

// The output of a golden file, and in `expected` the lines above it.
std::string OutputOf(const std::string& path, std::string* expected = nullptr) {
  const std::string all = ReadFile(path).value();
  absl::string_view rest = all;
  while (absl::StartsWith(rest, "EXPECT: ")) rest.remove_prefix(rest.find('\n') + 1);
  if (expected != nullptr) *expected = all.substr(0, all.size() - rest.size());
  return std::string(rest);
}

std::string Golden(const std::string& name) { return OutputOf(Folder() + name); }

TEST(ToolOutputTest, Golden) {
  std::map<std::string, int> seen;
  for (const auto& entry : std::filesystem::directory_iterator(Folder())) {
    const std::string file = entry.path().filename();
    SCOPED_TRACE(file);
    const std::string tool = file.substr(0, file.find('.'));
    ASSERT_EQ(Parsers().count(tool), 1u);
    ++seen[tool];
    std::string expected, found;
    const std::string output = OutputOf(entry.path(), &expected);
    const ToolValues values = Parsers().at(tool)(output);
    ASSERT_TRUE(values.ok()) << values.status();
    for (const ToolValue& value : *values) {
      absl::StrAppend(&found, "EXPECT: ", value.metric, " ", value.value, " ", value.unit, "\n");
    }
    if (std::getenv("SHAKEDOWN_REWRITE_GOLDEN") != nullptr) {
      std::ofstream(entry.path()) << found << output;
    } else {
      EXPECT_EQ(found, expected);
    }
  }
  EXPECT_EQ(seen.size(), Parsers().size());
}

TEST(ToolOutputTest, NothingIsAnErrorThatNamesTheTool) {
  for (const auto& [tool, parse] : Parsers()) {
    for (const char* text : {"", "\n", "command not found\n", "Time: \nTotal time: x\n"}) {
      const absl::Status status = parse(text).status();
      EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << tool;
      EXPECT_TRUE(absl::StartsWith(status.message(), tool.substr(0, 4))) << status;
    }
  }
}

struct DamageCase {
  const char* file;
  const char* from;
  const char* to;
};

// Every one is a value that a lenient parser would have taken for something.
TEST(ToolOutputTest, DamagedOutputIsRefused) {
  const DamageCase cases[] = {
      {"hackbench.process.txt", "Time: ", "Time: -"},
      {"hackbench.process.txt", "Time: ", "Time: nan"},
      {"hackbench.process.txt", "Time: ", "Time: 1e"},
      {"hackbench.process.txt", "Time: ", "Time: 1,"},
      {"hackbench.process.txt", "Time: ", "Time: 0.1\nTime: "},
      {"hackbench.process.txt", "(== 80", "(= 80"},
      {"hackbench.process.txt", "Time: 0.047", "Time: 0.000"},
      {"cyclictest.fifo.txt", "Max: ", "Max:-"},
      {"cyclictest.fifo.txt", "C: ", "C: 0 Q: "},
      {"cyclictest.fifo.txt", "Avg: ", "Average: "},
      {"stress-ng.0.15.txt", "bogo ops real time", "something else"},
      {"stress-ng.0.15.txt", "] switch ", "] ../x "},
      {"sysbench.threads.txt", "total time: ", "total time: -"},
      {"sysbench.threads.txt", "Latency (ms)", "Latency (us)"},
      {"sysbench.threads.txt", "95th percentile: ", "99th percentile: "},
      {"perf-messaging.processes.txt", "[sec]", "[msec]"},
      {"perf-pipe.pipe.txt", "usecs/op", "nsecs/op"},
      {"perf-pipe.pipe.txt", "[sec]", ""},
  };
  for (const DamageCase& damage : cases) {
    const std::string whole = Golden(damage.file);
    const std::string damaged = absl::StrReplaceAll(whole, {{damage.from, damage.to}});
    ASSERT_NE(damaged, whole) << damage.file << ": nothing to damage: " << damage.from;
    const std::string tool = std::string(damage.file).substr(0, std::string(damage.file).find('.'));
    EXPECT_FALSE(Parsers().at(tool)(damaged).ok()) << damage.file << ": " << damage.to;
  }
}

TEST(ToolOutputTest, CyclictestWeighsThreadsByTheirCycles) {
  const ToolValues values = ParseCyclictest(
      "T: 0 (    1) P: 0 I:1000 C:    300 Min:      5 Act:    9 Avg:   10 Max:      20\n"
      "T: 1 (    2) P: 0 I:1500 C:    100 Min:      3 Act:    9 Avg:   50 Max:      90\n");
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_EQ((*values)[0].value, 3);
  EXPECT_EQ((*values)[1].value, 20);
  EXPECT_EQ((*values)[2].value, 90);
  EXPECT_EQ((*values)[3].value, 400);
}

}  // namespace
}  // namespace shakedown::runner
