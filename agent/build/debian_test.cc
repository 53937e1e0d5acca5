#include "agent/build/debian.h"

#include <gtest/gtest.h>

namespace shakedown::agent {
namespace {

TEST(CandidateOfTest, ReadsAptCachePolicy) {
  EXPECT_EQ(CandidateOf("linux-source-6.1:\n  Installed: (none)\n  Candidate: 6.1.192-3\n"
                        "  Version table:\n     6.1.192-3 500\n"),
            "6.1.192-3");
  EXPECT_EQ(CandidateOf("x:\n  Installed: (none)\n  Candidate: (none)\n"), "");
  EXPECT_EQ(CandidateOf(""), "");
}

TEST(ImageDependencyTest, FollowsMetaPackagesOnly) {
  EXPECT_EQ(ImageDependency("linux-image-rt-amd64\n  Depends: linux-image-6.1.0-57-rt-amd64\n"),
            "linux-image-6.1.0-57-rt-amd64");
  EXPECT_EQ(
      ImageDependency("linux-image-6.1.0-57-rt-amd64\n  Depends: kmod\n  Depends: linux-base\n"
                      " |Depends: initramfs-tools\n  Breaks: linux-image-x\n"),
      "");
}

}  // namespace
}  // namespace shakedown::agent
