#include "controller/service/import_warnings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shakedown::service {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

store::ImportFacts Text(const std::string& source, std::map<std::string, std::string> facts) {
  return {.source = source, .facts = std::move(facts)};
}

TEST(FactWarningsTest, SaysWhatDiffersInTheOrderAskedFor) {
  const TextsByKernel texts = {
      {"a", {Text("", {{"memory", "1 GB"}, {"cpu", "P4"}}), Text("", {{"memory", "2 GB"}})}},
      {"b", {Text("", {{"cpu", "P4"}, {"memory", "1 GB"}})}},
      {"c", {Text("", {{"cpu", "P4"}, {"memory", "1 GB"}})}}};
  EXPECT_THAT(FactWarnings({"b", "a"}, texts),
              ElementsAre("cpu differs beside the kernel: b: P4; a: P4 / not said",
                          "memory differs beside the kernel: b: 1 GB; a: 1 GB / 2 GB"));
  EXPECT_THAT(FactWarnings({"b", "c", "unknown"}, texts), IsEmpty());
  EXPECT_THAT(FactWarnings({"a"}, texts), IsEmpty()) << "of one kernel nothing differs beside it";
}

TEST(PoolingWarningsTest, NamesKernelsOfSeveralSources) {
  const TextsByKernel texts = {{"a", {Text("x", {}), Text("y", {}), Text("x", {})}},
                               {"b", {Text("x", {}), Text("x", {})}}};
  EXPECT_THAT(PoolingWarnings({"a", "b"}, texts),
              ElementsAre("a: numbers of 3 texts from 2 sources together"));
}

}  // namespace
}  // namespace shakedown::service
