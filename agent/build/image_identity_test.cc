#include "agent/build/image_identity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"

namespace shakedown::agent {
namespace {

std::string Le(uint32_t word) { return std::string(reinterpret_cast<const char*>(&word), 4); }

std::string Note(uint32_t type, std::string name, std::string value) {
  name.push_back('\0');
  std::string note = Le(name.size()) + Le(value.size()) + Le(type);
  name.resize((name.size() + 3) & ~3u);
  value.resize((value.size() + 3) & ~3u);
  return note + name + value;
}

TEST(BuildIdFromNotesTest, FindsItAmongOthers) {
  const std::string notes = Note(7, "Xen", "abcde") + Note(3, "GNU", std::string(20, '\x1f')) +
                            Note(0x100, "Linux", "xy");
  absl::StatusOr<std::string> id = BuildIdFromNotes(notes);
  ASSERT_TRUE(id.ok()) << id.status();
  EXPECT_EQ(*id, "1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f");
}

TEST(BuildIdFromNotesTest, RefusesWhatLies) {
  EXPECT_EQ(BuildIdFromNotes("").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(BuildIdFromNotes(Note(3, "XXX", std::string(20, 'a'))).status().code(),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(BuildIdFromNotes(Le(0xfffffffc) + Le(8) + Le(3) + "GNU").status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(BuildIdFromNotes(Le(4) + Le(0xffffffff) + Le(3) + std::string(40, 'a')).status().code(),
            absl::StatusCode::kInvalidArgument);
}

std::string Image(const std::string& version) {
  std::string image(0x3000, '\0');
  image.replace(0x202, 4, "HdrS");
  image[0x20e] = 0x00;
  image[0x20f] = 0x10;
  return image.replace(0x1200, version.size(), version);
}

TEST(VersionOfBzImageTest, TellsReleaseAndVersion) {
  absl::StatusOr<ImageVersion> version = VersionOfBzImage(
      Image("6.12.117+deb12-rt-amd64 (debian-kernel@lists.debian.org) #1 SMP PREEMPT_RT Debian 6"));
  ASSERT_TRUE(version.ok()) << version.status();
  EXPECT_EQ(version->release, "6.12.117+deb12-rt-amd64");
  EXPECT_EQ(version->version, "#1 SMP PREEMPT_RT Debian 6");
}

TEST(VersionOfBzImageTest, RefusesWhatLies) {
  EXPECT_FALSE(VersionOfBzImage("").ok());
  EXPECT_FALSE(VersionOfBzImage(std::string(0x3000, 'x')).ok());
  EXPECT_FALSE(VersionOfBzImage(Image("")).ok());
  EXPECT_FALSE(VersionOfBzImage(Image("6.1")).ok());
  EXPECT_FALSE(VersionOfBzImage(Image("../../x (me) #1 SMP")).ok());
  EXPECT_FALSE(VersionOfBzImage(Image("6.1 (me) #1 S\x1b[2J")).ok());
  std::string far = Image("6.1 (me) #1 SMP");
  far[0x20e] = far[0x20f] = '\xff';
  EXPECT_FALSE(VersionOfBzImage(far).ok());
}

TEST(CheckReleaseTest, IsOneWord) {
  EXPECT_TRUE(CheckRelease("6.12.117-0123456789ab").ok());
  EXPECT_FALSE(CheckRelease("").ok());
  EXPECT_FALSE(CheckRelease("a b").ok());
  EXPECT_FALSE(CheckRelease("a/b").ok());
  EXPECT_FALSE(CheckRelease(std::string(65, 'a')).ok());
}

}  // namespace
}  // namespace shakedown::agent
