#include "proto/wire/framing.h"

#include <gtest/gtest.h>

namespace shakedown {
namespace {

TEST(FramingTest, FramesComeBackWholeFromAnyPieces) {
  const std::string stream = EncodeFrame("one") + EncodeFrame("") + EncodeFrame("SDF1SDF1");
  for (size_t piece = 1; piece <= stream.size(); ++piece) {
    FrameReader reader;
    std::vector<std::string> got;
    for (size_t at = 0; at < stream.size(); at += piece) {
      reader.Add(absl::string_view(stream).substr(at, piece));
      while (std::optional<std::string> payload = reader.Next()) got.push_back(*payload);
    }
    EXPECT_EQ(got, (std::vector<std::string>{"one", "", "SDF1SDF1"})) << "pieces of " << piece;
    EXPECT_EQ(reader.skipped_bytes(), 0u);
  }
}

TEST(FramingTest, ForeignBytesAndBrokenFramesAreSkipped) {
  std::string broken = EncodeFrame("broken");
  broken.back() ^= 1;
  FrameReader reader;
  reader.Add("login: SD" + broken + EncodeFrame("good"));
  EXPECT_EQ(reader.Next(), "good");
  EXPECT_EQ(reader.Next(), std::nullopt);
  EXPECT_EQ(reader.skipped_bytes(), 9 + broken.size());
}

TEST(FramingTest, AHugeLengthIsNotWaitedFor) {
  FrameReader reader;
  reader.Add(std::string("SDF1\xff\xff\xff\xff\0\0\0\0", 12) + EncodeFrame("next"));
  EXPECT_EQ(reader.Next(), "next");
}

}  // namespace
}  // namespace shakedown
