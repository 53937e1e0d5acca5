#include "agent/runner/setup/notes.h"

#include <cstring>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace shakedown::runner {
namespace {

std::string Note(uint32_t type, std::string name, std::string desc) {
  const uint32_t sizes[3] = {static_cast<uint32_t>(name.size()), static_cast<uint32_t>(desc.size()),
                             type};
  std::string bytes(reinterpret_cast<const char*>(sizes), sizeof sizes);
  name.resize((name.size() + 3) & ~size_t{3});
  desc.resize((desc.size() + 3) & ~size_t{3});
  return bytes + name + desc;
}

const std::string kGnu("GNU\0", 4);
const std::string kXen("Xen\0", 4);

TEST(GnuBuildIdTest, FoundBehindOthers) {
  const std::string notes = Note(6, std::string("Linux\0", 6), "abc") + Note(3, kXen, "dddd") +
                            Note(3, kGnu, "\x48\xdc\x54\x0c") + Note(1, kXen, "x");
  EXPECT_EQ(GnuBuildId(notes).value(), "48dc540c");
}

TEST(GnuBuildIdTest, LastNoteWithoutPadding) {
  std::string notes = Note(3, kGnu, "12345");
  notes.resize(notes.size() - 3);
  EXPECT_EQ(GnuBuildId(notes).value(), "3132333435");
}

TEST(GnuBuildIdTest, NoneIsNotFound) {
  EXPECT_EQ(GnuBuildId("").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(GnuBuildId(Note(1, kGnu, "abcd")).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(GnuBuildId(Note(3, "GNX", "abcd")).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(GnuBuildId("short").status().code(), absl::StatusCode::kNotFound);
}

TEST(GnuBuildIdTest, SizesThatLieAreRefused) {
  const std::string sound = Note(3, kGnu, "abcdefgh");
  for (size_t field : {0, 4}) {
    for (uint32_t lie : {0x7fffffffu, 0xffffffffu, 0xfffffffdu, 100u}) {
      std::string notes = sound;
      std::memcpy(notes.data() + field, &lie, sizeof lie);
      EXPECT_EQ(GnuBuildId(notes).status().code(), absl::StatusCode::kInvalidArgument)
          << field << " " << lie;
    }
  }
}

TEST(GnuBuildIdTest, BuildIdOfOddLengthIsRefused) {
  EXPECT_EQ(GnuBuildId(Note(3, kGnu, "ab")).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(GnuBuildId(Note(3, kGnu, std::string(65, 'a'))).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(GnuBuildIdTest, NoCutOfSoundNotesGivesAnotherId) {
  const std::string notes = Note(6, kXen, "abc") + Note(3, kGnu, "abcdefgh");
  for (size_t length = 0; length < notes.size(); ++length) {
    EXPECT_FALSE(GnuBuildId(absl::string_view(notes).substr(0, length)).ok()) << length;
  }
}

}  // namespace
}  // namespace shakedown::runner
