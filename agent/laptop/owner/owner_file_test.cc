#include "agent/laptop/owner/owner_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "agent/laptop/owner/owner_template.h"
#include "proto/wire/files.h"

namespace shakedown::laptop {
namespace {

TEST(OwnerFileTest, RemembersTheLineOfEachFieldAndElement) {
  const auto file = ParseOwnerFile(
      "# mine\n"
      "farms: \"a:1\"\n"
      "farms: \"b:1\"\n"
      "\n"
      "max_boots_a_day: 4\n"
      "hours {\n"
      "  from: \"22:00\" to: \"06:00\"\n"
      "}\n",
      "/o");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->Place("farms"), "/o:2");
  EXPECT_EQ(file->Place("farms", 1), "/o:3");
  EXPECT_EQ(file->Place("max_boots_a_day"), "/o:5");
  EXPECT_EQ(file->Place("hours"), "/o:6");
  EXPECT_EQ(file->Place("need_ac"), "/o");
}

struct BadCase {
  std::string text, want;
};
TEST(OwnerFileTest, NamesTheLineOfWhatMeansNothing) {
  const std::vector<BadCase> cases = {
      {"\nmax_bots_a_day: 4", "/o:2:15: "},
      {"any_kernel: maybe", "/o:1:18: "},
      {"\n\nkernel_signers { key: \"ABC\" }", "/o:3: kernel_signers key \"ABC\", want 64"},
      {"hours { from: \"22:00\" }", "/o:1: hours time \"\", want HH:MM"},
      {"hours { from: \"1:00\" to: \"6\" }", "/o:1: hours time"},
      {"stop_date: \"tomorrow\"", "/o:1: stop_date \"tomorrow\", want YYYY-MM-DD"},
      {"stop_date: \"2027-01-41\"", "/o:1: stop_date"},
      {"min_battery_percent: 101", "/o:1: min_battery_percent 101, want 0 to 100"},
      {"countdown_seconds: 4000", "/o:1: countdown_seconds 4000, want at most 3600"},
      {"loads: \"make\"\nloads: \"rm\"", "/o:2: loads \"rm\", want make"},
      {"setup_steps: \"format\"", "/o:1: setup_steps \"format\", want drop_caches"},
      {"boot_parameters: \"\"", "/o:1: boot_parameters is empty"},
      {"tunables: \"\"", "/o:1: tunables is empty"},
      {"network: NETWORK_MAYBE", "/o:1:"},
  };
  for (const BadCase& c : cases) {
    const auto file = ParseOwnerFile(c.text, "/o");
    EXPECT_FALSE(file.ok()) << c.text;
    EXPECT_THAT(std::string(file.status().message()), testing::StartsWith(c.want));
  }
}

class ReadOwnerFileTest : public testing::Test {
 protected:
  ReadOwnerFileTest() {
    std::string name = "/tmp/shakedown-owner.XXXXXX";
    folder_ = mkdtemp(name.data());
    path_ = folder_ + "/owner.txtpb";
    EXPECT_TRUE(WriteFileAtomically(path_, "any_kernel: true\n", 0644).ok());
  }
  ~ReadOwnerFileTest() override { std::filesystem::remove_all(folder_); }
  std::string folder_, path_;
};

TEST_F(ReadOwnerFileTest, OnlyItsOwnerMayWriteIt) {
  EXPECT_TRUE(ReadOwnerFile(path_, getuid()).ok());
  for (const mode_t mode : {0664, 0646, 0666}) {
    chmod(path_.c_str(), mode);
    const auto file = ReadOwnerFile(path_, getuid());
    EXPECT_EQ(file.status().code(), absl::StatusCode::kPermissionDenied) << mode;
  }
  chmod(path_.c_str(), 0600);
  EXPECT_TRUE(ReadOwnerFile(path_, getuid()).ok());
  EXPECT_EQ(ReadOwnerFile(path_, getuid() + 1).status().code(),
            absl::StatusCode::kPermissionDenied);
}

TEST_F(ReadOwnerFileTest, NoFileNoLinkNoFolder) {
  EXPECT_EQ(ReadOwnerFile(folder_ + "/none", getuid()).status().code(),
            absl::StatusCode::kNotFound);
  EXPECT_FALSE(ReadOwnerFile(folder_, getuid()).ok());
  const std::string link = folder_ + "/link";
  ASSERT_EQ(symlink(path_.c_str(), link.c_str()), 0);
  EXPECT_FALSE(ReadOwnerFile(link, getuid()).ok());
  const std::string pipe = folder_ + "/pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_FALSE(ReadOwnerFile(pipe, getuid()).ok());
}

TEST(OwnerTemplateTest, ReadsBackAndSaysWhatItMeans) {
  const std::string key(64, 'a');
  const auto file = ParseOwnerFile(OwnerTemplate("farm:8443", {key}), "/o");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->rules.farms(0), "farm:8443");
  EXPECT_EQ(file->rules.kernel_signers(0).key(), key);
  EXPECT_FALSE(file->rules.any_kernel());
  EXPECT_TRUE(file->rules.need_tried_boot());
  const std::vector<std::string> words = RulesInWords(*file);
  EXPECT_EQ(words[0], "farms: farm:8443");
  EXPECT_EQ(words[2], "when: 22:00 to 07:00, idle for 30 min");
  EXPECT_EQ(words[3], "conditions: on mains power, charge at least 40 %, at most 75 °C");
}

TEST(OwnerTemplateTest, AServerIsNoText) {
  const auto file = ParseOwnerFile(OwnerTemplate("x\"\nany_kernel: true\n#", {}), "/o");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_FALSE(file->rules.any_kernel());
}

}  // namespace
}  // namespace shakedown::laptop
