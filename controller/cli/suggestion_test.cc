#include "controller/cli/suggestion.h"

#include <gtest/gtest.h>

#include "controller/cli/exit_code.h"
#include "controller/cli/options.h"

namespace shakedown::cli {
namespace {

std::string Complaint(const std::vector<std::string>& words) {
  const auto parsed = ParseArguments(words);
  const auto* answer = std::get_if<Answer>(&parsed);
  if (answer == nullptr) return "taken";
  EXPECT_EQ(answer->exit_code, kUsage);
  return answer->text;
}

TEST(EditDistance, CountsInsertionsDeletionsSubstitutionsAndSwaps) {
  EXPECT_EQ(EditDistance("", ""), 0);
  EXPECT_EQ(EditDistance("", "abc"), 3);
  EXPECT_EQ(EditDistance("submit", "submit"), 0);
  EXPECT_EQ(EditDistance("submt", "submit"), 1);
  EXPECT_EQ(EditDistance("sumbit", "submit"), 1);
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3);
  EXPECT_EQ(EditDistance("ca", "abc"), 3);  // The unrestricted distance would be 2.
}

TEST(DidYouMean, NamesTheNearestOrNothing) {
  EXPECT_EQ(DidYouMean("cvs", {"text", "csv"}), ": did you mean \"csv\"?");
  EXPECT_EQ(DidYouMean("x", {"text", "csv"}), "");
  EXPECT_EQ(DidYouMean("elephant", {"text", "csv"}), "");
  EXPECT_EQ(DidYouMean("", {"text"}), "");
  EXPECT_EQ(DidYouMean(std::string(1000, 'a'), {std::string(1000, 'a')}), "");
}

TEST(Suggestions, StandInEveryComplaintOfAMistypedWord) {
  EXPECT_EQ(Complaint({"submt"}),
            "no command \"submt\": did you mean \"submit\"?; see shakedown --help");
  EXPECT_EQ(Complaint({"qqqqqq"}), "no command \"qqqqqq\"; see shakedown --help");
  EXPECT_EQ(Complaint({"kernels", "shwo", "x"}),
            "no command \"shwo\": did you mean \"show\"?; see shakedown kernels --help");
  EXPECT_EQ(Complaint({"report", "17", "--formta", "csv"}),
            "no option \"--formta\": did you mean \"--format\"?; see shakedown report --help");
  EXPECT_EQ(Complaint({"jobs", "--sever=x"}),
            "no option \"--sever\": did you mean \"--server\"?; see shakedown jobs --help");
  EXPECT_EQ(Complaint({"--json", "agents"}),
            "\"--json\" goes behind shakedown agents; see shakedown agents --help");
  EXPECT_EQ(Complaint({"report", "17", "18"}),
            "\"18\" was not expected; see shakedown report --help");
  EXPECT_EQ(Complaint({"export", "--format", "cvs"}),
            "--format \"cvs\": want json, csv or kcidb: did you mean \"csv\"?; see shakedown "
            "export --help");
  EXPECT_EQ(Complaint({"note", "17", "x", "--kind", "vidoe"}),
            "--kind \"vidoe\": want freeze, audio, video, launch, browse or other: did you mean "
            "\"video\"?; see shakedown note --help");
  EXPECT_EQ(Complaint({"report", "17", "--layout", "2009"}), "taken");
}

}  // namespace
}  // namespace shakedown::cli
