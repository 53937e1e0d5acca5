#include "proto/wire/shell_quote.h"

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "proto/wire/subprocess.h"

namespace shakedown {
namespace {

TEST(ShellQuoteTest, TheShellReadsTheSameBytes) {
  for (const std::string word :
       {"plain", "", "two words", "it's", "$(touch /tmp/x)", "`id`", "a;b", "#c", "~root", "a=b",
        "line\nfeed", "back\\slash", "\"q\"", "-n", "*", "\xff\x01"}) {
    Command command;
    command.argv = {"sh", "-c", absl::StrCat("printf %s ", ShellQuote(word))};
    const absl::StatusOr<std::string> output = RunForOutput(command);
    ASSERT_TRUE(output.ok()) << output.status();
    EXPECT_EQ(*output, word);
  }
  EXPECT_EQ(ShellQuote("/sys/a-b_c.d:1"), "/sys/a-b_c.d:1");
}

TEST(ShellQuoteTest, ACommentStaysOne) {
  const std::string comment = ShellComment("x\nrm -rf /\r\n\x1b[2Jy");
  EXPECT_EQ(comment.find_first_of("\n\r\x1b"), std::string::npos);
  EXPECT_EQ(comment.substr(0, 3), "# x");
}

}  // namespace
}  // namespace shakedown
