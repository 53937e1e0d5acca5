// The texts of tests/golden/import, for tests.
#ifndef SHAKEDOWN_CONTROLLER_IMPORT_GOLDEN_TEXTS_H_
#define SHAKEDOWN_CONTROLLER_IMPORT_GOLDEN_TEXTS_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

#include "proto/wire/files.h"

namespace shakedown::importer {

struct GoldenText {
  std::string name;
  std::string text;
};

inline void PrintTo(const GoldenText& golden, std::ostream* out) { *out << golden.name; }

inline std::string GoldenFolder() {
  const char* source = std::getenv("SHAKEDOWN_SOURCE_DIR");
  return std::string(source == nullptr ? "." : source) + "/tests/golden/import/";
}

// By name. Empty when the folder is not there.
inline std::vector<GoldenText> GoldenTexts() {
  std::vector<GoldenText> texts;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(GoldenFolder(), error)) {
    if (entry.path().extension() != ".txt") continue;
    absl::StatusOr<std::string> text = ReadFile(entry.path().string());
    if (text.ok()) texts.push_back({entry.path().stem().string(), *std::move(text)});
  }
  std::sort(texts.begin(), texts.end(),
            [](const GoldenText& a, const GoldenText& b) { return a.name < b.name; });
  return texts;
}

inline std::string GoldenName(const testing::TestParamInfo<GoldenText>& info) {
  std::string name = info.param.name;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

}  // namespace shakedown::importer

#endif  // SHAKEDOWN_CONTROLLER_IMPORT_GOLDEN_TEXTS_H_
