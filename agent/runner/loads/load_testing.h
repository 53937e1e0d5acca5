// For tests of loads: a scratch folder, a context, and nothing left behind.
#ifndef SHAKEDOWN_AGENT_RUNNER_LOADS_LOAD_TESTING_H_
#define SHAKEDOWN_AGENT_RUNNER_LOADS_LOAD_TESTING_H_

#include <stdlib.h>

#include <filesystem>
#include <map>
#include <string>

#include "agent/runner/loads/load.h"
#include "agent/runner/loads/process_tree.h"
#include "gtest/gtest.h"

namespace shakedown::runner {

class LoadTest : public testing::Test {
 protected:
  explicit LoadTest(Clock& clock = SystemClock())
      : context_{clock, "", "/nonexistent", false, [](double, absl::string_view) {}} {}
  void SetUp() override {
    ASSERT_TRUE(AdoptOrphans().ok());
    char folder[] = "/tmp/load_test.XXXXXX";
    context_.scratch = mkdtemp(folder);
  }
  void TearDown() override {
    EXPECT_TRUE(EndDescendants(absl::Seconds(20), SystemClock()).ok());
    std::filesystem::remove_all(context_.scratch);
  }
  // Of one iteration, from 1.
  static std::map<std::string, double> Values(const v1::LoadRun& run, uint32_t iteration = 1) {
    std::map<std::string, double> values;
    for (const v1::Measurement& m : run.measurements()) {
      if (m.iteration() == iteration) values[m.metric()] = m.value();
    }
    return values;
  }
  LoadContext context_;
};

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_LOADS_LOAD_TESTING_H_
