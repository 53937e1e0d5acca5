#include "controller/cli/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controller/cli/exit_code.h"

namespace shakedown::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

template <typename Args>
Args Command(const std::vector<std::string>& arguments) {
  const auto parsed = ParseArguments(arguments);
  const Invocation* invocation = std::get_if<Invocation>(&parsed);
  if (invocation == nullptr) {
    ADD_FAILURE() << std::get<Answer>(parsed).text;
    return {};
  }
  return std::get<Args>(invocation->command);
}

Answer AnswerTo(const std::vector<std::string>& arguments) {
  const auto parsed = ParseArguments(arguments);
  const Answer* answer = std::get_if<Answer>(&parsed);
  if (answer == nullptr) {
    ADD_FAILURE() << "was taken";
    return {};
  }
  return *answer;
}

TEST(OptionsTest, SubmitWithLooks) {
  const auto args = Command<SubmitArgs>({"submit", "--looks", "--budget", "4h", "--primary",
                                         "make.real", "--primary", "make.user", "--control"});
  EXPECT_TRUE(args.stopping.looks);
  EXPECT_FALSE(args.stopping.quick);
  EXPECT_EQ(args.stopping.budget_s, 14400u);
  EXPECT_THAT(args.stopping.primaries, ElementsAre("make.real", "make.user"));
  EXPECT_TRUE(args.stopping.control);
}

TEST(OptionsTest, SubmitByOptions) {
  const auto args = Command<SubmitArgs>({"submit",
                                         "--baseline",
                                         "debian-6.1",
                                         "--challenger",
                                         "debian-6.12 nohz=off",
                                         "--challenger",
                                         "x",
                                         "--load",
                                         "make",
                                         "--load",
                                         "latt clients=8",
                                         "--blocks",
                                         "1000",
                                         "--attempts",
                                         "10",
                                         "--seed",
                                         "18446744073709551615",
                                         "--machine",
                                         "vm1",
                                         "--tag",
                                         "kvm",
                                         "--title",
                                         "a b",
                                         "--wait",
                                         "--json"});
  EXPECT_EQ(args.baseline, "debian-6.1");
  EXPECT_THAT(args.challengers, ElementsAre("debian-6.12 nohz=off", "x"));
  EXPECT_THAT(args.loads, ElementsAre("make", "latt clients=8"));
  EXPECT_EQ(args.stopping.blocks, 1000);
  EXPECT_EQ(args.attempts, 10);
  EXPECT_EQ(args.seed, UINT64_MAX);
  EXPECT_THAT(args.machines, ElementsAre("vm1"));
  EXPECT_THAT(args.tags, ElementsAre("kvm"));
  EXPECT_EQ(args.title, "a b");
  EXPECT_TRUE(args.wait);
  EXPECT_TRUE(args.json);
  EXPECT_EQ(args.file, "");
}

TEST(OptionsTest, AValueTakesOneArgument) {
  const auto args = Command<SubmitArgs>({"submit", "--challenger", "a", "job.txtpb"});
  EXPECT_THAT(args.challengers, ElementsAre("a"));
  EXPECT_EQ(args.file, "job.txtpb");
}

TEST(OptionsTest, AValueIsNotTakenApart) {
  EXPECT_THAT(Command<SubmitArgs>({"submit", "--load", "[a,b]"}).loads, ElementsAre("[a,b]"));
}

TEST(OptionsTest, GlobalOptionsStandAnywhere) {
  for (const auto& arguments :
       std::vector<std::vector<std::string>>{{"--server", "s:1", "--token-file", "/t", "jobs"},
                                             {"jobs", "--server", "s:1", "--token-file", "/t"}}) {
    const auto parsed = ParseArguments(arguments);
    ASSERT_TRUE(std::holds_alternative<Invocation>(parsed));
    EXPECT_EQ(std::get<Invocation>(parsed).connection.server, "s:1");
    EXPECT_EQ(std::get<Invocation>(parsed).connection.token_file, "/t");
  }
}

TEST(OptionsTest, EveryOtherCommand) {
  EXPECT_EQ(Command<WatchArgs>({"watch", "17"}).job, 17);
  EXPECT_TRUE(Command<ReportArgs>({"report", "17", "--json"}).json);
  EXPECT_EQ(Command<CancelArgs>({"cancel", "17"}).job, 17);
  EXPECT_EQ(Command<BootsArgs>({"boots", "17"}).job, 17);
  EXPECT_TRUE(Command<LogsArgs>({"logs", "17.1B", "--follow"}).follow);
  EXPECT_EQ(Command<ListArgs>({"jobs", "--limit", "3"}).limit, 3);
  EXPECT_EQ(Command<ListArgs>({"agents"}).what, ListArgs::What::kAgents);
  EXPECT_EQ(Command<ListArgs>({"machines"}).what, ListArgs::What::kMachines);
  EXPECT_EQ(Command<ListArgs>({"builds"}).what, ListArgs::What::kBuilds);
  EXPECT_EQ(Command<ListArgs>({"kernels"}).what, ListArgs::What::kKernels);
  EXPECT_EQ(Command<KernelShowArgs>({"kernels", "show", "debian-6.1"}).name, "debian-6.1");
  EXPECT_THAT(Command<KernelLintArgs>({"kernels", "lint", "a", "b"}).files, ElementsAre("a", "b"));
  const auto add = Command<KernelAddArgs>({"kernels", "add", "mine", "--from", "base", "--patch",
                                           "1.patch", "--patch", "2.patch", "--config", "A=y"});
  EXPECT_EQ(add.name, "mine");
  EXPECT_EQ(add.from, "base");
  EXPECT_THAT(add.patches, ElementsAre("1.patch", "2.patch"));
  EXPECT_THAT(add.options, ElementsAre("A=y"));
  EXPECT_EQ(add.strip, 1);
}

struct WrongCase {
  const char* name;
  std::vector<std::string> arguments;
  const char* want;
};
class WrongTest : public testing::TestWithParam<WrongCase> {};
TEST_P(WrongTest, IsOneLineThatNamesIt) {
  const Answer answer = AnswerTo(GetParam().arguments);
  EXPECT_EQ(answer.exit_code, kUsage);
  EXPECT_THAT(answer.text, HasSubstr(GetParam().want));
  EXPECT_EQ(answer.text.find('\n'), std::string::npos);
  EXPECT_EQ(answer.text.find('\x1b'), std::string::npos);
}
INSTANTIATE_TEST_SUITE_P(
    , WrongTest,
    testing::ValuesIn<WrongCase>({
        {"Nothing", {}, "want a command"},
        {"NoSuchCommand", {"frob"}, "no command \"frob\""},
        {"Blocks0",
         {"submit", "--blocks", "0"},
         "--blocks \"0\": want a whole number from 1 to 1000"},
        {"BlocksTooMany", {"submit", "--blocks", "1000000"}, "--blocks \"1000000\": want"},
        {"BlocksNegative", {"submit", "--blocks", "-1"}, "--blocks \"-1\": want"},
        {"BlocksFraction", {"submit", "--blocks", "1.5"}, "--blocks \"1.5\": want"},
        {"BlocksBlank", {"submit", "--blocks", " 2"}, "--blocks \" 2\": want"},
        {"QuickAndLooks", {"submit", "--quick", "--looks"}, "excludes"},
        {"QuickAndBlocks", {"submit", "--quick", "--blocks", "8"}, "excludes"},
        {"LooksAndBlocks", {"submit", "--looks", "--blocks", "8"}, "excludes"},
        {"Budget", {"submit", "--budget", "4"}, "--budget: time \"4\": want 1s to 365d"},
        {"Attempts", {"submit", "--attempts", "11"}, "--attempts \"11\": want"},
        {"Seed", {"submit", "--seed", "18446744073709551616"}, "--seed"},
        {"DryAndWait", {"submit", "--dry-run", "--wait"}, "excludes"},
        {"DetectNothing",
         {"submit", "--dry-run", "--detect", "0%"},
         "--detect \"0%\": want a change above 0% and below 100%"},
        {"DetectAll", {"submit", "--dry-run", "--detect", "100%"}, "--detect \"100%\": want"},
        {"DetectWord", {"submit", "--dry-run", "--detect", "some"}, "--detect \"some\": want"},
        {"DetectPart", {"submit", "--dry-run", "--detect", "3"}, "--detect \"3\": want"},
        {"DetectWithoutDryRun", {"submit", "--detect", "3%"}, "--dry-run"},
        {"NoJob", {"watch"}, "JOB is required"},
        {"JobZero", {"watch", "0"}, "job \"0\": want a job's number"},
        {"JobPath", {"report", "../17"}, "job \"../17\": want a job's number"},
        {"JobHuge", {"cancel", "9223372036854775808"}, "want a job's number"},
        {"UnknownOption", {"watch", "17", "--loud"}, "--loud"},
        {"Escape", {"watch", "17", "--\x1b[2J"}, "watch"},
        {"AddWithoutBase", {"kernels", "add", "mine"}, "--from is required"},
    }),
    [](const auto& test) { return test.param.name; });

TEST(HelpTest, ShowsEveryCommandAndExamples) {
  const Answer help = AnswerTo({"--help"});
  EXPECT_EQ(help.exit_code, kOk);
  for (const char* word : {"submit", "watch", "report", "cancel", "boots", "logs", "jobs", "agents",
                           "machines", "builds", "kernels", "Exit codes", "SHAKEDOWN_TOKEN_FILE"}) {
    EXPECT_THAT(help.text, HasSubstr(word));
  }
  EXPECT_THAT(AnswerTo({"submit", "--help"}).text, HasSubstr("--challenger"));
  EXPECT_THAT(AnswerTo({"kernels", "add", "--help"}).text, HasSubstr("shakedown kernels add"));
  EXPECT_EQ(AnswerTo({"help", "kernels", "add"}).text, AnswerTo({"kernels", "add", "--help"}).text);
  EXPECT_EQ(AnswerTo({"help"}).text, help.text);
  EXPECT_EQ(AnswerTo({"help", "sumbit"}).exit_code, kUsage);
  EXPECT_THAT(AnswerTo({"help", "sumbit"}).text, HasSubstr("submit"));
}

TEST(HelpTest, EveryCommandHasExamples) {
  for (const Candidate& command : OfferForArguments({""}).candidates) {
    const std::string text = AnswerTo({command.text, "--help"}).text;
    EXPECT_THAT(text, HasSubstr("\nExamples:\n")) << command.text;
    EXPECT_THAT(text, HasSubstr(std::string("\n  shakedown ") + command.text)) << command.text;
  }
}

}  // namespace
}  // namespace shakedown::cli
