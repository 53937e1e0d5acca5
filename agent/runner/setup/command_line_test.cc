#include "agent/runner/setup/command_line.h"

#include "gtest/gtest.h"

namespace shakedown::runner {
namespace {

using Found = std::optional<std::string>;

TEST(BootParameterTest, LastOneWins) {
  const char* line =
      "console=ttyS0 root=/dev/vda rw rootdelay=3 root=/dev/vdb a=\"x y\" -- init=/no\n";
  EXPECT_EQ(BootParameter(line, "root"), Found("/dev/vdb"));
  EXPECT_EQ(BootParameter(line, "rw"), Found(""));
  EXPECT_EQ(BootParameter(line, "ro"), std::nullopt);
  EXPECT_EQ(BootParameter(line, "a"), Found("x y"));
  EXPECT_EQ(BootParameter(line, "init"), std::nullopt);
  EXPECT_EQ(BootParameter("", "root"), std::nullopt);
}

}  // namespace
}  // namespace shakedown::runner
