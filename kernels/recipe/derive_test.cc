#include "kernels/recipe/derive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/recipe/kernel_text.h"

namespace shakedown::kernels {
namespace {

using testing::HasSubstr;

v1::Kernel Base() {
  return *ParseKernel(
      "name: \"base\" note: \"n\" debian_source { package: \"linux-source-6.12\" } config { base: "
      "BASE_ALLNOCONFIG options: \"A=y\" } patches { location: \"first\" strip: 1 }",
      "base");
}

v1::Patch Patch(const std::string& location) {
  v1::Patch patch;
  patch.set_location(location);
  patch.set_strip(1);
  return patch;
}

TEST(DeriveKernelTest, AddsBehindWhatTheBaseHas) {
  absl::StatusOr<v1::Kernel> mine =
      DeriveKernel(Base(), {"6.12-mine", {Patch("0001-mine.patch")}, {"SCHED_MINE=y", "A=n"}});
  ASSERT_TRUE(mine.ok()) << mine.status();
  EXPECT_EQ(mine->name(), "6.12-mine");
  EXPECT_EQ(mine->description(), "base with changes");
  EXPECT_EQ(mine->note(), "");
  ASSERT_EQ(mine->patches_size(), 2);
  EXPECT_EQ(mine->patches(1).location(), "0001-mine.patch");
  EXPECT_THAT(mine->config().options(), testing::ElementsAre("A=y", "SCHED_MINE=y", "A=n"));
  EXPECT_EQ(mine->debian_source().package(), "linux-source-6.12");
}

struct Refusal {
  std::string name;
  Changes changes;
  std::string want;
};

class DeriveRefusesTest : public testing::TestWithParam<Refusal> {};

TEST_P(DeriveRefusesTest, WithAReason) {
  absl::Status status = DeriveKernel(Base(), GetParam().changes).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr(GetParam().want));
}

INSTANTIATE_TEST_SUITE_P(, DeriveRefusesTest,
                         testing::ValuesIn<Refusal>({
                             {"Name", {"../mine", {}, {"A=y"}}, "kernel name \"../mine\""},
                             {"Emoji", {"🐧", {}, {"A=y"}}, "kernel name"},
                             {"Nothing", {"mine", {}, {}}, "want a patch or a config option"},
                             {"Option", {"mine", {}, {"A=maybe"}}, "\"maybe\""},
                         }),
                         [](const auto& test) { return test.param.name; });

TEST(DeriveKernelTest, AReadyImageCanNotBeChanged) {
  v1::Kernel image;
  image.set_name("debian-6.1-rt");
  image.mutable_debian_image()->set_package("linux-image-rt-amd64");
  absl::Status status = DeriveKernel(image, {"mine", {}, {"A=y"}}).status();
  EXPECT_THAT(std::string(status.message()), HasSubstr("debian-6.1-rt: a ready image"));
}

}  // namespace
}  // namespace shakedown::kernels
