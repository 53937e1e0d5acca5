#include "controller/cli/metric_hint.h"

#include <gtest/gtest.h>

namespace shakedown::cli {
namespace {

struct HintCase {
  std::string name, word, want;
  MetricWord wanted = MetricWord::kWhole;
};
class MetricHintTest : public testing::TestWithParam<HintCase> {};
TEST_P(MetricHintTest, NamesWhatIsNear) {
  EXPECT_EQ(MetricHint(GetParam().word, GetParam().wanted,
                       {"make.real", "interbench.video.burn.latency.max",
                        "interbench.video.burn.latency.avg", "interbench.audio.none.desired_cpu"}),
            GetParam().want);
}
INSTANTIATE_TEST_SUITE_P(
    , MetricHintTest,
    testing::ValuesIn<HintCase>({
        {"Mistyped", "make.reel", ": did you mean \"make.real\"?"},
        {"MistypedBeginning", "interbench.vidoe", ": did you mean \"interbench.video\"?"},
        {"MistypedLong", "interbench.video.bum.latency.max",
         ": did you mean \"interbench.video.burn.latency.max\"?"},
        {"BeginningOfSome", "interbench.video",
         "; 2 metrics begin so, such as \"interbench.video.burn.latency.avg\""},
        {"BeginningOfOne", "make", "; 1 metric begins so, \"make.real\""},
        {"BeginningWhereOneIsWanted", "interbench.video", "", MetricWord::kBeginning},
        {"MistypedWhereABeginningIsWanted", "interbench.vidoe",
         ": did you mean \"interbench.video\"?", MetricWord::kBeginning},
        {"OneOfThem", "make.real", ""},
        {"NothingNear", "elephants.in.the.room", ""},
        {"NoWord", "", ""},
    }),
    [](const auto& test) { return test.param.name; });

TEST(MetricHintOfNothingTest, ThereIsNone) {
  EXPECT_EQ(MetricHint("make.real", MetricWord::kWhole, {}), "");
}

}  // namespace
}  // namespace shakedown::cli
