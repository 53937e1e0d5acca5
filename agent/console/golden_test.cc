// Real consoles under tests/golden/console/NNNN-what.txt, each below its verdict:
//   OUTCOME: panicked | hung | boot_failed | none
//   TITLE: the title, empty for none
//   (empty line, then the log)
// SHAKEDOWN_REWRITE_GOLDEN=1 writes today's verdicts into the files; read the diff before
// committing it.
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "agent/console/watcher.h"
#include "gtest/gtest.h"
#include "proto/wire/files.h"

namespace shakedown::console {
namespace {

std::string NameOf(Finding finding) {
  switch (finding) {
    case Finding::kBootFailed:
      return "boot_failed";
    case Finding::kPanicked:
      return "panicked";
    case Finding::kHung:
      return "hung";
    case Finding::kNone:
      break;
  }
  return "none";
}

std::string HeaderOf(const Verdict& verdict) {
  return absl::StrCat("OUTCOME: ", NameOf(verdict.finding),
                      "\nTITLE:", verdict.title.empty() ? "" : " ", verdict.title, "\n\n");
}

TEST(GoldenConsoleTest, EveryFileHasItsVerdict) {
  const char* source = std::getenv("SHAKEDOWN_SOURCE_DIR");
  ASSERT_NE(source, nullptr) << "run it by ctest, or set SHAKEDOWN_SOURCE_DIR to the checkout";
  const bool rewrite = std::getenv("SHAKEDOWN_REWRITE_GOLDEN") != nullptr;
  int files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(absl::StrCat(source, "/tests/golden/console"))) {
    if (entry.path().extension() != ".txt") continue;
    ++files;
    SCOPED_TRACE(entry.path().string());
    const absl::StatusOr<std::string> text = ReadFile(entry.path());
    ASSERT_TRUE(text.ok()) << text.status();
    const size_t split = text->find("\n\n");
    ASSERT_NE(split, std::string::npos) << "no empty line after the header";
    const std::string header = text->substr(0, split + 2), log = text->substr(split + 2);
    const std::string found = HeaderOf(Classify(log));
    if (rewrite) {
      ASSERT_TRUE(WriteFileAtomically(entry.path(), absl::StrCat(found, log)).ok());
    } else {
      EXPECT_EQ(header, found);
    }
  }
  EXPECT_GE(files, 8);
}

}  // namespace
}  // namespace shakedown::console
