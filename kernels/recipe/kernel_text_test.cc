#include "kernels/recipe/kernel_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shakedown::kernels {
namespace {

using testing::HasSubstr;

TEST(ParseKernelTest, TakesCommentsAndGivesTheEntry) {
  absl::StatusOr<v1::Kernel> kernel = ParseKernel(
      "# why\nname: \"a-1\"  # the name\ndebian_source { package: \"linux-source-6.1\" }\n",
      "a.txtpb");
  ASSERT_TRUE(kernel.ok()) << kernel.status();
  EXPECT_EQ(kernel->name(), "a-1");
  EXPECT_EQ(kernel->debian_source().package(), "linux-source-6.1");
}

TEST(ParseKernelTest, NamesFileLineAndUnknownField) {
  absl::StatusOr<v1::Kernel> kernel =
      ParseKernel("name: \"a\"\n\npathces { strip: 1 }\n", "a.txtpb");
  EXPECT_EQ(kernel.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(kernel.status().message()), HasSubstr("a.txtpb:3:"));
  EXPECT_THAT(std::string(kernel.status().message()), HasSubstr("pathces"));
}

struct BadText {
  std::string name;
  std::string text;
  std::string want;
};

class BadTextTest : public testing::TestWithParam<BadText> {};

TEST_P(BadTextTest, IsRefusedWithItsLine) {
  absl::StatusOr<v1::Kernel> kernel = ParseKernel(GetParam().text, "k.txtpb");
  EXPECT_EQ(kernel.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(kernel.status().message()), HasSubstr(GetParam().want));
}

INSTANTIATE_TEST_SUITE_P(
    , BadTextTest,
    testing::ValuesIn<BadText>({
        {"UnknownEnum", "config { base: BASE_ALLNO }", "k.txtpb:1:"},
        {"WrongType", "name: 7", "k.txtpb:1:"},
        {"TwiceTheSame", "name: \"a\"\nname: \"b\"", "k.txtpb:2:"},
        {"TwoSources",
         "tarball { location: \"/a\" }\ndebian_source { package: \"linux-source-6.1\" }",
         "k.txtpb:2:"},
        {"Unfinished", "config {\n fragments: \"a.config\"", "k.txtpb:2:"},
        {"TooLong", std::string(kMaxKernelText + 1, ' '), "want at most"},
    }),
    [](const auto& test) { return test.param.name; });

TEST(PrintKernelTest, ReadsBackAsTheSameEntry) {
  v1::Kernel kernel;
  kernel.set_name("x");
  kernel.set_note("two\nlines, \"quoted\", für");
  kernel.mutable_tarball()->set_location("/src/a.tar.xz");
  kernel.add_patches()->set_strip(1);
  absl::StatusOr<v1::Kernel> again = ParseKernel(PrintKernel(kernel), "x.txtpb");
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->SerializeAsString(), kernel.SerializeAsString());
}

}  // namespace
}  // namespace shakedown::kernels
