#include "controller/cli/completion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controller/cli/options.h"
#include "controller/plan/setup_text.h"
#include "controller/plan/text.h"

namespace shakedown::cli {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> Texts(const std::vector<std::string>& words) {
  std::vector<std::string> texts;
  const Offer offer = OfferForArguments(words);
  for (const Candidate& candidate : offer.candidates) texts.push_back(candidate.text);
  return texts;
}

TEST(Completion, OffersCommandsAndTheirCommands) {
  EXPECT_THAT(Texts({"expl"}), ElementsAre("explain"));
  EXPECT_THAT(Texts({"kernels", "a"}), ElementsAre("add"));
  EXPECT_THAT(Texts({""}), Contains("submit"));
  EXPECT_THAT(Texts({""}), Not(Contains("complete")));
}

TEST(Completion, OffersOptionsOnceWhereTheyStand) {
  EXPECT_THAT(Texts({"submit", "--base"}), ElementsAre("--baseline"));
  EXPECT_THAT(Texts({"submit", "--baseline", "x", "--base"}), ElementsAre());
  EXPECT_THAT(Texts({"jobs", "--baseline"}), ElementsAre());
  EXPECT_THAT(Texts({"submit", "--challenger", "x", "--chall"}), ElementsAre("--challenger"));
}

TEST(Completion, KnowsWhatOnlyTheFarmKnows) {
  EXPECT_EQ(OfferForArguments({"watch", ""}).live, LiveNames::kJobs);
  EXPECT_EQ(OfferForArguments({"explain", "17", ""}).live, LiveNames::kMetrics);
  EXPECT_EQ(OfferForArguments({"submit", "--baseline", "deb"}).live, LiveNames::kKernels);
  EXPECT_EQ(OfferForArguments({"submit", "--machine", ""}).live, LiveNames::kMachines);
  EXPECT_EQ(OfferForArguments({"machines", "hold", ""}).live, LiveNames::kMachines);
  EXPECT_EQ(OfferForArguments({"--context", ""}).live, LiveNames::kContexts);
  EXPECT_EQ(OfferForArguments({"contexts", "use", ""}).live, LiveNames::kContexts);
  EXPECT_TRUE(OfferForArguments({"submit", ""}).files);
  EXPECT_TRUE(OfferForArguments({"inputs", "add", "linux", ""}).files);
}

TEST(Completion, OffersTheValuesOfAChoice) {
  EXPECT_THAT(Texts({"report", "17", "--format", ""}),
              ElementsAre("text", "markdown", "html", "csv", "json"));
  EXPECT_THAT(Texts({"export", "--format", "k"}), ElementsAre("kcidb"));
  EXPECT_THAT(Texts({"note", "17", "--kind", "a"}), ElementsAre("audio"));
  EXPECT_THAT(Texts({"bisect", "--location", ""}), ElementsAre());  // PATH|URL: two kinds of value.
}

TEST(Completion, OffersTheWordsThatAValueBeginsWith) {
  const std::vector<std::string> loads = Texts({"submit", "--load", ""});
  EXPECT_EQ(loads.size(), 7u);
  for (const std::string& load : loads) {
    const std::string whole = load == "tool"      ? "tool hackbench"
                              : load == "command" ? "command -- true"
                                                  : load;
    EXPECT_TRUE(plan::ParseLoad(whole).ok()) << whole;
  }
  EXPECT_THAT(Texts({"bisect", "--load", "la"}), ElementsAre("latt", "launch"));
  for (const char* step : {"drop_caches", "require_ac"}) {
    EXPECT_THAT(Texts({"submit", "--setup", ""}), Contains(step));
    EXPECT_TRUE(plan::ParseSetupStep(step).ok()) << step;
  }
  for (const char* begun : {"stop cron", "settle:load=1", "governor performance", "turbo off",
                            "autogroup off", "sysctl kernel.sched_rr_timeslice_ms=1"}) {
    const std::string text = begun;
    EXPECT_THAT(Texts({"submit", "--setup", ""}),
                Contains(text.substr(0, text.find_first_of(" :"))));
    EXPECT_TRUE(plan::ParseSetupStep(text).ok()) << text;
  }
  EXPECT_THAT(Texts({"submit", "--background", ""}), ElementsAre("audio", "video", "command"));
  EXPECT_THAT(Texts({"completion", "z"}), ElementsAre("zsh"));
  EXPECT_EQ(OfferForArguments({"submit", "--tag", ""}).live, LiveNames::kTags);
  EXPECT_EQ(OfferForArguments({"note", ""}).live, LiveNames::kSubjects);
  EXPECT_EQ(OfferForArguments({"notes", ""}).live, LiveNames::kSubjects);
  EXPECT_EQ(OfferForArguments({"compare", ""}).live, LiveNames::kKernels);
  EXPECT_EQ(OfferForArguments({"compare", "a", ""}).live, LiveNames::kKernels);
  EXPECT_TRUE(OfferForArguments({"compare", "a", ""}).files);
}

TEST(Completion, KnowsYearsOfResults) {
  EXPECT_EQ(OfferForArguments({"history", ""}).live, LiveNames::kMetrics);
  EXPECT_EQ(OfferForArguments({"bisect", "--metric", ""}).live, LiveNames::kMetrics);
  EXPECT_EQ(OfferForArguments({"regressions", "show", ""}).live, LiveNames::kRegressions);
  EXPECT_EQ(OfferForArguments({"bisect", "watch", ""}).live, LiveNames::kBisects);
  EXPECT_EQ(OfferForArguments({"imports", ""}).live, LiveNames::kImports);
  EXPECT_EQ(OfferForArguments({"imports", "withdraw", ""}).live, LiveNames::kImports);
  EXPECT_THAT(Texts({"imports", "withdraw", "17", "--bec"}), ElementsAre("--because"));
  EXPECT_THAT(Texts({"notes", "w"}), ElementsAre("withdraw"));
}

TEST(Completion, SpeaksThreeShells) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    EXPECT_THAT(*CompletionScript(shell), HasSubstr("shakedown complete --")) << shell;
  }
  EXPECT_EQ(CompletionScript("csh").status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(ManPage, HasEveryCommandAndLetsNoLineBeARequest) {
  const auto parsed = ParseArguments({"man"});
  const std::string page = std::get<Answer>(parsed).text;
  for (const char* command :
       {"shakedown submit", "shakedown kernels add", "shakedown contexts use"}) {
    EXPECT_THAT(page, HasSubstr(std::string(".SS \"") + command + "\"")) << command;
  }
  EXPECT_THAT(page, HasSubstr("\\-\\-baseline"));
  EXPECT_THAT(page, Not(HasSubstr("shakedown complete\"")));
}

}  // namespace
}  // namespace shakedown::cli
