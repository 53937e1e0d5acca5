#include "agent/runner/loads/process_tree.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>

#include "gtest/gtest.h"

namespace shakedown::runner {
namespace {

TEST(ParentOfTest, NamesMayLie) {
  EXPECT_EQ(ParentOf("42 (cat) S 7 42 42 0"), std::optional<pid_t>(7));
  EXPECT_EQ(ParentOf("42 (a) S 1 (b) R 8 1"), std::optional<pid_t>(8));
  EXPECT_EQ(ParentOf("42 (a) S"), std::nullopt);
  EXPECT_EQ(ParentOf("42 cat S 7"), std::nullopt);
  EXPECT_EQ(ParentOf(""), std::nullopt);
}

TEST(DescendantsOfTest, AllGenerationsInAnyOrder) {
  std::vector<std::pair<pid_t, pid_t>> parents = {{2, 1}, {3, 2}, {4, 3}, {5, 1}, {6, 5}, {7, 6}};
  do {
    std::vector<pid_t> found = DescendantsOf(2, parents);
    std::sort(found.begin(), found.end());
    EXPECT_EQ(found, (std::vector<pid_t>{3, 4}));
  } while (std::next_permutation(parents.begin(), parents.end()));
  EXPECT_TRUE(DescendantsOf(9, parents).empty());
}

TEST(EndDescendantsTest, GrandchildInAnotherSession) {
  ASSERT_TRUE(AdoptOrphans().ok());
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    setsid();
    if (fork() == 0) {
      setsid();
      signal(SIGTERM, SIG_IGN);
      const pid_t me = getpid();
      [[maybe_unused]] const ssize_t ignored = write(ends[1], &me, sizeof me);
      for (;;) pause();
    }
    _exit(0);  // Leaves an orphan.
  }
  pid_t grandchild = 0;
  ASSERT_EQ(read(ends[0], &grandchild, sizeof grandchild), static_cast<ssize_t>(sizeof grandchild));
  EXPECT_TRUE(EndDescendants(absl::Seconds(20), SystemClock()).ok());
  EXPECT_NE(kill(grandchild, 0), 0);
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace shakedown::runner
