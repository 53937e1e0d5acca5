#include "agent/runner/setup/fingerprint.h"

#include "gtest/gtest.h"

namespace shakedown::runner {
namespace {

TEST(ReadFingerprintTest, ThisMachineHasMemoryAndCpus) {
  const v1::Fingerprint fingerprint = ReadFingerprint();
  EXPECT_NE(fingerprint.facts().at("memory_kib"), "");
  EXPECT_NE(fingerprint.facts().at("cpu.online"), "");
  EXPECT_NE(fingerprint.facts().at("runner.version"), "");
}

}  // namespace
}  // namespace shakedown::runner
