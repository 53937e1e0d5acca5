#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "agent/laptop/boot/fake_laptop.h"
#include "agent/laptop/boot/grub_config.h"
#include "agent/laptop/boot/grub_environment.h"
#include "proto/wire/subprocess.h"

namespace shakedown::laptop {
namespace {

using testing::HasSubstr;

std::string Block(const std::string& lines) {
  std::string block = "# GRUB Environment Block\n" + lines;
  block.resize(1024, '#');
  return block;
}

TEST(GrubEnvironmentTest, ChangesOneVariableAndNothingElse) {
  const std::string lines = "# WARNING: Do not edit\nsaved_entry=a\\\\b c\\\nd\nboot_success=1\n";
  auto environment = GrubEnvironment::Parse(Block(lines));
  ASSERT_TRUE(environment.ok()) << environment.status();
  EXPECT_EQ(environment->Get("next_entry"), std::nullopt);
  EXPECT_EQ(environment->Get("boot_success"), "1");
  EXPECT_EQ(environment->Get("saved"), std::nullopt);
  ASSERT_TRUE(environment->Set("next_entry", "shakedown-1").ok());
  EXPECT_EQ(environment->Block(), Block(lines + "next_entry=shakedown-1\n"));
  ASSERT_TRUE(environment->Set("next_entry", "").ok());
  EXPECT_EQ(environment->Block(), Block(lines + "next_entry=\n"));
  environment->Erase("next_entry");
  EXPECT_EQ(environment->Block(), Block(lines));
}

TEST(GrubEnvironmentTest, KeepsThePlaceOfWhatItSets) {
  auto environment = GrubEnvironment::Parse(Block("next_entry=old\nsaved_entry=x\n"));
  ASSERT_TRUE(environment.ok());
  ASSERT_TRUE(environment->Set("next_entry", "longer-than-before").ok());
  EXPECT_EQ(environment->Block(), Block("next_entry=longer-than-before\nsaved_entry=x\n"));
}

TEST(GrubEnvironmentTest, IsFullWithoutHarm) {
  const std::string big = "a=" + std::string(980, 'x') + "\n";
  auto environment = GrubEnvironment::Parse(Block(big));
  ASSERT_TRUE(environment.ok());
  EXPECT_TRUE(absl::IsResourceExhausted(environment->Set("next_entry", "shakedown-12345")));
  EXPECT_EQ(environment->Block(), Block(big));
}

TEST(GrubEnvironmentTest, RefusesWhatGrubWouldNotRead) {
  const std::string good = Block("a=b\n");
  for (const std::string& bad :
       {std::string(), good.substr(0, 1023), good + "#", std::string(1024, '#'),
        std::string(1024, '\0'), Block("no variable\n"), Block("=value\n"), Block("\n"),
        Block("a=without an end")}) {
    EXPECT_TRUE(absl::IsDataLoss(GrubEnvironment::Parse(bad).status())) << bad;
  }
}

class GrubToolTest : public testing::Test {
 protected:
  GrubToolTest() {
    char name[] = "/tmp/shakedown-grub-test-XXXXXX";
    folder_ = mkdtemp(name);
  }
  ~GrubToolTest() override { std::filesystem::remove_all(folder_); }
  // GRUB's own programs judge; they are of the package grub-common.
  std::string Run(std::vector<std::string> argv) {
    Command command;
    command.argv = std::move(argv);
    const auto output = RunForOutput(command);
    EXPECT_TRUE(output.ok()) << output.status();
    return output.value_or("");
  }
  std::string folder_;
};

TEST_F(GrubToolTest, GrubEditenvReadsAndWritesTheSame) {
  const std::string ours = folder_ + "/ours", theirs = folder_ + "/theirs";
  Run({"grub-editenv", theirs, "create"});
  Run({"grub-editenv", theirs, "set", "saved_entry=Debian > two words"});
  auto environment = GrubEnvironment::Parse(ReadText(theirs));
  ASSERT_TRUE(environment.ok()) << environment.status();
  ASSERT_TRUE(environment->Set("next_entry", "shakedown-1").ok());
  WriteText(ours, environment->Block());
  Run({"grub-editenv", theirs, "set", "next_entry=shakedown-1"});
  EXPECT_EQ(ReadText(ours), ReadText(theirs));
  EXPECT_THAT(Run({"grub-editenv", ours, "list"}), HasSubstr("next_entry=shakedown-1\n"));
  environment->Erase("next_entry");
  Run({"grub-editenv", theirs, "unset", "next_entry"});
  EXPECT_EQ(environment->Block(), ReadText(theirs));
}

TEST_F(GrubToolTest, GrubParsesTheSection) {
  const std::string path = folder_ + "/custom.cfg";
  WriteText(path, AddSection("menuentry 'mine' {\n true\n}",
                             {.id = "shakedown-1",
                              .image = "/shakedown/1/linux",
                              .initramfs = "/shakedown/1/initrd.img",
                              .command_line = "root=UUID=1 rcu_nocbs=0-3,5 x=%d ~[a]*! -- y"}));
  Run({"grub-script-check", path});
}

TEST(GrubSectionTest, ComesAndGoesWithoutATrace) {
  for (const std::string& mine :
       {std::string(), std::string("menuentry 'a' {\n}\n"), std::string("# no line feed"),
        std::string("\n\n"), std::string("# >>> other\n")}) {
    const std::string with = AddSection(mine, {.id = "shakedown-1",
                                               .image = "/shakedown/1/linux",
                                               .command_line = "root=UUID=1 ro",
                                               .had_next_entry = true,
                                               .had_file = true});
    EXPECT_TRUE(absl::StartsWith(with, mine));
    EXPECT_THAT(with, HasSubstr("--id shakedown-1 {\n  search --no-floppy --set=root --file "
                                "/shakedown/1/linux\n  linux /shakedown/1/linux 'root=UUID=1' "
                                "'ro'\n}\n"));
    // Somebody writes behind it meanwhile.
    const auto section = FindSection(with + "menuentry 'later' {\n}\n");
    ASSERT_TRUE(section.ok() && *section);
    EXPECT_EQ((*section)->without, mine + "menuentry 'later' {\n}\n");
    EXPECT_TRUE((*section)->had_next_entry);
    EXPECT_TRUE((*section)->had_file);
  }
}

TEST(GrubSectionTest, IsNotGuessed) {
  const std::string with = AddSection("", {.id = "shakedown-1", .image = "/l"});
  EXPECT_EQ(FindSection("menuentry 'shakedown' {\n}\n")->has_value(), false);
  EXPECT_THAT(FindSection(with.substr(0, with.size() - 3)).status().message(), HasSubstr("no end"));
  EXPECT_THAT(FindSection(with + with).status().message(), HasSubstr("two sections"));
}

struct ConfigCase {
  std::string name, from, to, want;
};

class GrubConfigTest : public testing::TestWithParam<ConfigCase> {};

TEST_P(GrubConfigTest, SaysWhatIsMissing) {
  char folder[] = "/tmp/shakedown-grub-test-XXXXXX";
  const std::string root = mkdtemp(folder);
  MakeLaptop(root, "grub");
  const std::string config = ReadText(root + "/boot/grub/grub.cfg");
  std::filesystem::remove_all(root);
  const ConfigCase& test = GetParam();
  ASSERT_THAT(config, HasSubstr(test.from));
  const std::string changed =
      test.from.empty() ? config : absl::StrReplaceAll(config, {{test.from, test.to}});
  const std::string lacks = WhatGrubConfigLacks(changed);
  if (test.want.empty()) {
    EXPECT_EQ(lacks, "");
  } else {
    EXPECT_THAT(lacks, HasSubstr(test.want));
  }
}

INSTANTIATE_TEST_SUITE_P(
    , GrubConfigTest,
    testing::ValuesIn<ConfigCase>({
        {"Debian", "", "", ""},
        {"OtherBlanks", "   set next_entry=\n", "\tset   next_entry=  \n", ""},
        {"Button", "if [ \"${next_entry}\" ]", "if cmostest 1:2 ; then\nset default=0\nelif [ 1 ]",
         ""},
        {"NoLoad", "  load_env\n", "", "no load_env"},
        {"LoadInAComment", "  load_env\n", "  # load_env\n", "no load_env"},
        {"LoadIsEchoed", "  load_env\n", "  echo load_env\n", "no load_env"},
        {"NotTaken", "set default=\"${next_entry}\"", "set fallback=\"${next_entry}\"",
         "does not take next_entry"},
        {"NotCleared", "   set next_entry=\n", "", "does not clear next_entry"},
        {"ClearedElsewhere",
         "   set next_entry=\n   save_env next_entry\n   set boot_once=true\nelse",
         "else\n   set next_entry=\n   save_env next_entry", "does not clear next_entry"},
        {"NotSaved", "save_env next_entry", "save_env saved_entry", "does not save next_entry"},
        {"SavedBeforeItIsCleared", "   set next_entry=\n   save_env next_entry\n",
         "   save_env next_entry\n   set next_entry=\n", "does not save next_entry"},
        {"NoCustom", "source ", "# source ", "does not source custom.cfg"},
        {"OtherCustom", "/custom.cfg", "/custom.cfg.old", "does not source custom.cfg"},
    }),
    [](const auto& test) { return test.param.name; });

TEST(GrubConfigEmptyTest, OfAnyBytes) {
  EXPECT_NE(WhatGrubConfigLacks(""), "");
  EXPECT_NE(WhatGrubConfigLacks(std::string(5000, '\0')), "");
  EXPECT_NE(WhatGrubConfigLacks("load_env\nload_env"), "");
}

}  // namespace
}  // namespace shakedown::laptop
