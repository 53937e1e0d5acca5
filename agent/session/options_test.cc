#include "agent/session/options.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <ostream>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/wire/ids.h"

namespace shakedown::agent {
namespace {

using testing::HasSubstr;

TEST(MachineSpecTest, ReadsEveryPart) {
  const absl::StatusOr<MachineSpec> spec =
      ParseMachineSpec("name=vm1  vcpus=2 memory=1024 image=/a/b=c.img tag=fast tag=x86");
  ASSERT_TRUE(spec.ok()) << spec.status();
  EXPECT_EQ(spec->name, "vm1");
  EXPECT_EQ(spec->vcpus, 2u);
  EXPECT_EQ(spec->memory_mib, 1024u);
  EXPECT_EQ(spec->image, "/a/b=c.img");
  EXPECT_THAT(spec->tags, testing::ElementsAre("fast", "x86"));
}

struct BadSpec {
  std::string name, text, complaint;
};
void PrintTo(const BadSpec& spec, std::ostream* out) { *out << spec.text; }
class BadSpecTest : public testing::TestWithParam<BadSpec> {};
TEST_P(BadSpecTest, IsRefusedWithThePart) {
  const absl::Status status = ParseMachineSpec(GetParam().text).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr(GetParam().complaint));
}
INSTANTIATE_TEST_SUITE_P(
    , BadSpecTest,
    testing::ValuesIn<BadSpec>({
        {"Empty", "", "name= is missing"},
        {"NoImage", "name=vm1 vcpus=1 memory=512", "image= is missing"},
        {"BadName", "name=VM/1 vcpus=1 memory=512 image=/x", "\"VM/1\""},
        {"ZeroCpus", "name=a vcpus=0 memory=512 image=/x", "vcpus=\"0\": want a number from 1"},
        {"Negative", "name=a vcpus=-1 memory=512 image=/x", "vcpus=\"-1\""},
        {"MemoryWithUnit", "name=a vcpus=1 memory=1G image=/x", "memory=\"1G\""},
        {"RelativeImage", "name=a vcpus=1 memory=512 image=x", "want an absolute path"},
        {"UnknownPart", "name=a cpu=1", "\"cpu=1\""},
        {"Word", "vm1", "\"vm1\""},
    }),
    [](const auto& test) { return test.param.name; });

TEST(LaptopSpecTest, ReadsEveryPartAndRefusesOthers) {
  const absl::StatusOr<LaptopSpec> spec =
      ParseLaptopSpec("name=x1 socket=/tmp/l.sock tag=hybrid tag=x86");
  ASSERT_TRUE(spec.ok()) << spec.status();
  EXPECT_EQ(spec->name, "x1");
  EXPECT_EQ(spec->socket, "/tmp/l.sock");
  EXPECT_THAT(spec->tags, testing::ElementsAre("hybrid", "x86"));
  EXPECT_EQ(ParseLaptopSpec("name=x1")->socket, "/run/shakedown/laptop.sock");
  for (const auto& [text, complaint] :
       {std::pair("", "name= is missing"),
        std::pair("name=x1 socket=l.sock", "socket=\"l.sock\": want an absolute path"),
        std::pair("name=x1 vcpus=2", "\"vcpus=2\": want name=, socket= or tag="),
        std::pair("name=../x", "\"../x\"")}) {
    const absl::Status status = ParseLaptopSpec(text).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(complaint));
  }
}

TEST(MachineSpecTest, TwoOfOneNameAreRefused) {
  const std::string text = "name=a vcpus=1 memory=512 image=/x";
  EXPECT_TRUE(ParseMachineSpecs({text}).ok());
  EXPECT_TRUE(absl::IsInvalidArgument(ParseMachineSpecs({text, text}).status()));
}

class FilesTest : public testing::Test {
 protected:
  FilesTest() : folder_(absl::StrCat(testing::TempDir(), "/options-", NewUuid())) {
    std::filesystem::create_directories(folder_);
  }
  ~FilesTest() override { std::filesystem::remove_all(folder_); }
  std::string Write(const std::string& content, mode_t mode) {
    const std::string path = folder_ + "/token";
    std::ofstream(path) << content;
    chmod(path.c_str(), mode);
    return path;
  }
  const std::string folder_;
};

TEST_F(FilesTest, TokenOfAPrivateFile) {
  EXPECT_EQ(*ReadToken(Write("s3cret\n", 0600)), "s3cret");
  EXPECT_EQ(*ReadToken(Write("s3cret", 0400)), "s3cret");
}

TEST_F(FilesTest, TokenThatOthersMayReadIsRefusedAndNotShown) {
  for (const mode_t mode : {0644, 0640, 0604, 0660, 0601}) {
    const absl::Status status = ReadToken(Write("s3cret\n", mode)).status();
    EXPECT_TRUE(absl::IsPermissionDenied(status)) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("chmod 600"));
    EXPECT_THAT(std::string(status.message()), testing::Not(HasSubstr("s3cret")));
  }
}

TEST_F(FilesTest, BadTokensAreRefused) {
  EXPECT_TRUE(absl::IsInvalidArgument(ReadToken(Write("\n", 0600)).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(ReadToken(Write("two words\n", 0600)).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(ReadToken(Write("a\nb\n", 0600)).status()));
  EXPECT_FALSE(ReadToken(Write(std::string(5000, 'x'), 0600)).ok());
  EXPECT_TRUE(absl::IsNotFound(ReadToken(folder_ + "/none").status()));
}

TEST_F(FilesTest, AStateFolderHasOneAgentAtATime) {
  const std::string state = folder_ + "/a/b";
  absl::StatusOr<std::unique_ptr<StateFolder>> first = TakeStateFolder(state);
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_GT(*(*first)->FreeBytes(), 0u);
  const absl::Status second = TakeStateFolder(state).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(second));
  EXPECT_THAT(std::string(second.message()), HasSubstr(absl::StrCat("process ", getpid())));
  first->reset();
  EXPECT_TRUE(TakeStateFolder(state).ok());
}

}  // namespace
}  // namespace shakedown::agent
