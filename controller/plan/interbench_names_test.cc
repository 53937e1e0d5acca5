#include "controller/plan/interbench_names.h"

#include <gtest/gtest.h>

namespace shakedown::plan {
namespace {

v1::InterbenchLoad Bench(const std::vector<std::string>& benchmarks,
                         const std::vector<std::string>& loads) {
  v1::InterbenchLoad bench;
  for (const std::string& name : benchmarks) bench.add_benchmarks(name);
  for (const std::string& name : loads) bench.add_loads(name);
  return bench;
}

TEST(InterbenchPairsTest, ATaskNeverMeetsItself) {
  EXPECT_EQ(InterbenchPairs(Bench({"Video", "X"}, {"Burn"})), 2u);
  EXPECT_EQ(InterbenchPairs(Bench({"Video", "X"}, {"None", "Video", "X"})), 4u);
  EXPECT_EQ(InterbenchPairs(Bench({}, {})), 2u);
  EXPECT_EQ(InterbenchPairs(Bench({"Audio", "Video", "Gaming"}, {})), 3u);
  EXPECT_EQ(InterbenchPairs(Bench({}, {"None", "Burn", "Write"})), 6u);
}

TEST(CanonicalInterbenchNameTest, AnyCase) {
  EXPECT_EQ(CanonicalInterbenchName("RING"), "Ring");
  EXPECT_EQ(CanonicalInterbenchName("custom"), "Custom");
  EXPECT_EQ(CanonicalInterbenchName("Hack"), "Hack");
  EXPECT_TRUE(IsInterbenchLoad("Ring"));
  EXPECT_FALSE(IsInterbenchBenchmark("Ring"));
}

}  // namespace
}  // namespace shakedown::plan
