#include "proto/wire/tree_archive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "tests/fakes/tar_archives.h"

namespace shakedown {
namespace {

using fakes::TarItem;
using testing::HasSubstr;

class Notes : public TreeVisitor {
 public:
  absl::Status Entry(const TreeEntry& entry) override {
    constexpr const char* kKinds[] = {"folder", "file", "link", "hard"};
    absl::StrAppend(&text, kKinds[static_cast<int>(entry.kind)], " ", entry.path,
                    entry.target.empty() ? "" : " -> ", entry.target,
                    entry.executable && entry.kind == TreeEntry::Kind::kFile ? " x" : "", "\n");
    return absl::OkStatus();
  }
  absl::Status Data(absl::string_view piece) override {
    absl::StrAppend(&text, "  ", piece, "\n");
    return absl::OkStatus();
  }
  std::string text;
};

class TreeArchiveTest : public testing::Test {
 protected:
  TreeArchiveTest() {
    char name[] = "/tmp/shakedown-tree-test-XXXXXX";
    folder_ = mkdtemp(name);
    path_ = folder_ + "/x.tar";
  }
  ~TreeArchiveTest() override { std::filesystem::remove_all(folder_); }

  absl::StatusOr<TreeShape> Read(const std::vector<TarItem>& items, TreeLimits limits = {}) {
    fakes::WriteTar(path_, items);
    notes_.text.clear();
    return ReadTree(path_, limits, nullptr, &notes_);
  }
  std::string Refusal(const std::vector<TarItem>& items, TreeLimits limits = {}) {
    const absl::Status status = Read(items, limits).status();
    EXPECT_FALSE(status.ok());
    EXPECT_TRUE(absl::IsInvalidArgument(status) || absl::IsOutOfRange(status)) << status;
    return std::string(status.message());
  }

  std::string folder_, path_;
  Notes notes_;
};

TEST_F(TreeArchiveTest, ATreeIsToldInAnOrderInWhichItCanBeMade) {
  const auto shape = Read({{'0', "./linux/kernel/sched/fair.c", "int x;"},
                           {'5', "linux/scripts/", ""},
                           {'0', "linux/scripts/run", "#!", 0755},
                           {'2', "linux/scripts/up", "../kernel/sched"},
                           {'1', "linux/again.c", "linux/kernel/sched/fair.c"},
                           {'5', "linux/kernel", ""}});
  ASSERT_TRUE(shape.ok()) << shape.status();
  EXPECT_EQ(notes_.text,
            "folder linux\nfolder linux/kernel\nfolder linux/kernel/sched\n"
            "file linux/kernel/sched/fair.c\n  int x;\n"
            "folder linux/scripts\nfile linux/scripts/run x\n  #!\n"
            "link linux/scripts/up -> ../kernel/sched\n"
            "hard linux/again.c -> linux/kernel/sched/fair.c\n");
  EXPECT_EQ(shape->top, "linux");
  EXPECT_EQ(shape->entries, 8u);
  EXPECT_EQ(shape->bytes, 8u);
}

TEST_F(TreeArchiveTest, EveryPackingIsRead) {
  for (const char* filter : {"", "gzip", "xz", "zstd"}) {
    fakes::WriteTar(path_, {{'0', "a", "1"}, {'0', "b", "2"}}, filter);
    const auto shape = ReadTree(path_, {}, nullptr, nullptr);
    ASSERT_TRUE(shape.ok()) << filter << shape.status();
    EXPECT_EQ(shape->top, "");
    EXPECT_EQ(shape->bytes, 2u);
  }
}

TEST_F(TreeArchiveTest, NamesAreBytesInAnyLocale) {
  ASSERT_TRUE(Read({{'0', "t/\xC3\xBC.c", "x"}, {'0', "t/\xFF", "y"}}).ok());
  EXPECT_THAT(notes_.text, HasSubstr("file t/\xC3\xBC.c"));
}

TEST_F(TreeArchiveTest, OneFolderIsTheTopOnlyWhenItHoldsAllTheRest) {
  EXPECT_EQ(Read({{'0', "a/x", ""}, {'0', "b", ""}})->top, "");
  EXPECT_EQ(Read({{'0', "a", ""}})->top, "");
  EXPECT_EQ(Read({{'5', "a", ""}, {'0', "a/x", ""}})->top, "a");
  EXPECT_EQ(Read({{'0', "a/x", ""}, {'0', "a.txt", ""}})->top, "");
}

TEST_F(TreeArchiveTest, PathsThatLeaveTheTreeAreRefused) {
  EXPECT_THAT(Refusal({{'0', "/etc/passwd", "x"}}), HasSubstr("\"/etc/passwd\": an absolute path"));
  EXPECT_THAT(Refusal({{'0', "a/../../b", "x"}}), HasSubstr("\"..\""));
  EXPECT_THAT(Refusal({{'0', "..", "x"}}), HasSubstr("\"..\""));
  EXPECT_THAT(Refusal({{'0', "a\nb", "x"}}), HasSubstr("control character"));
  EXPECT_THAT(Refusal({{'0', std::string(300, 'a'), "x"}}), HasSubstr("255 bytes"));
}

TEST_F(TreeArchiveTest, LinksOutOfTheTreeAreRefused) {
  EXPECT_THAT(Refusal({{'2', "l", "/etc"}}), HasSubstr("\"l\": a link out of the tree"));
  EXPECT_THAT(Refusal({{'2', "a/l", "../../etc"}}), HasSubstr("out of the tree"));
  EXPECT_THAT(Refusal({{'5', "top", ""}, {'2', "top/l", "../beside"}}),
              HasSubstr("out of the tree"));
  // Each harmless as it stands there, out of the tree one after the other.
  EXPECT_THAT(Refusal({{'0', "f", ""}, {'2', "a/b/up", "../.."}, {'2', "l", "a/b/up/../etc"}}),
              HasSubstr("\"l\": a link out of the tree"));
  EXPECT_THAT(Refusal({{'2', "l", ""}}), HasSubstr("want 1 to"));
  EXPECT_TRUE(Read({{'2', "a", "b"}, {'2', "b", "a"}, {'2', "c", "nowhere"}}).ok());
}

TEST_F(TreeArchiveTest, NothingIsBelowAnythingButAFolder) {
  EXPECT_THAT(Refusal({{'2', "a", "b"}, {'0', "a/x", "x"}}),
              HasSubstr("\"a/x\": stands below \"a\""));
  EXPECT_THAT(Refusal({{'0', "a", ""}, {'0', "a/x", "x"}}), HasSubstr("which is no folder"));
  EXPECT_THAT(Refusal({{'0', "a", "1"}, {'0', "a", "2"}}), HasSubstr("is there twice"));
  EXPECT_THAT(Refusal({{'5', "a", ""}, {'2', "a", "b"}}), HasSubstr("is there twice"));
}

TEST_F(TreeArchiveTest, HardLinksLeadToFilesOfTheTree) {
  EXPECT_THAT(Refusal({{'1', "a", "/etc/shadow"}}), HasSubstr("absolute"));
  EXPECT_THAT(Refusal({{'1', "a", "later"}, {'0', "later", ""}}), HasSubstr("stands before it"));
  EXPECT_THAT(Refusal({{'2', "l", "f"}, {'1', "a", "l"}}), HasSubstr("stands before it"));
}

TEST_F(TreeArchiveTest, DevicesAndPipesAreRefused) {
  EXPECT_THAT(Refusal({{'3', "null", ""}}), HasSubstr("\"null\": a device, pipe or socket"));
  EXPECT_THAT(Refusal({{'6', "pipe", ""}}), HasSubstr("\"pipe\": a device, pipe or socket"));
}

TEST_F(TreeArchiveTest, WhatIsTooMuchIsRefused) {
  const TreeLimits limits{.bytes = 10, .entries = 3};
  EXPECT_THAT(Refusal({{'0', "a", "12345678901"}}, limits), HasSubstr("more than 0 MiB"));
  EXPECT_THAT(Refusal({{'0', "a", "123456"}, {'0', "b", "12345"}}, limits), HasSubstr("MiB"));
  EXPECT_THAT(Refusal({{'0', "a/b/c/d", ""}}, limits), HasSubstr("more than 3 files"));
  EXPECT_TRUE(Read({{'0', "a", "1234567890"}}, limits).ok());
}

TEST_F(TreeArchiveTest, ABombEndsAtTheLimit) {
  // 64 MiB of zeros in some kilobytes.
  fakes::WriteTar(path_, {{'0', "zeros", std::string(64 << 20, '\0')}}, "xz");
  ASSERT_LT(std::filesystem::file_size(path_), 100'000u);
  const auto read = ReadTree(path_, {.bytes = 1 << 20}, nullptr, &notes_);
  EXPECT_TRUE(absl::IsOutOfRange(read.status())) << read.status();
}

TEST_F(TreeArchiveTest, WhatIsNoArchiveIsRefused) {
  const auto refusal = [&](const std::string& bytes) {
    std::ofstream(path_, std::ios::binary) << bytes;
    return ReadTree(path_, {}, nullptr, nullptr).status();
  };
  EXPECT_THAT(std::string(refusal("hello, this is no archive at all").message()),
              HasSubstr("no tar archive"));
  EXPECT_TRUE(absl::IsInvalidArgument(refusal("")));
  EXPECT_TRUE(absl::IsNotFound(ReadTree(folder_ + "/none", {}, nullptr, nullptr).status()));
}

TEST_F(TreeArchiveTest, HalfAnArchiveIsRefused) {
  fakes::WriteTar(path_, {{'0', "a", std::string(100'000, 'x')}});
  std::filesystem::resize_file(path_, 50'000);
  EXPECT_THAT(std::string(ReadTree(path_, {}, nullptr, nullptr).status().message()),
              HasSubstr("entry \"a\""));
}

TEST_F(TreeArchiveTest, EndsWhenCancelled) {
  fakes::WriteTar(path_, {{'0', "a", "x"}});
  const std::atomic<bool> cancel = true;
  EXPECT_TRUE(absl::IsCancelled(ReadTree(path_, {}, &cancel, nullptr).status()));
}

}  // namespace
}  // namespace shakedown
