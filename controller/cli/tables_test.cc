#include "controller/cli/tables.h"

#include <gtest/gtest.h>

#include "absl/strings/str_split.h"
#include "controller/cli/text_width.h"

namespace shakedown::cli {
namespace {

const std::vector<Column>& Layout() {
  static const auto* layout =
      new std::vector<Column>({{.header = "JOB", .align = Column::Align::kRight},
                               {.header = "STATE"},
                               {.header = "TITLE", .may_shrink = true}});
  return *layout;
}

TEST(TableTest, AlignsAndLeavesNoSpaceAtTheEnd) {
  EXPECT_EQ(PrintTable(Layout(), {{"7", "active", "one"}, {"17", "done", ""}}, 0),
            "JOB  STATE   TITLE\n"
            "  7  active  one\n"
            " 17  done\n");
}

TEST(TableTest, CutsNothingIntoAPipe) {
  const std::string title(300, 'x');
  EXPECT_NE(PrintTable(Layout(), {{"1", "done", title}}, 0).find(title), std::string::npos);
}

TEST(TableTest, ShrinksToTheScreen) {
  EXPECT_EQ(PrintTable(Layout(), {{"1", "done", "a long title of a job"}}, 24),
            "JOB  STATE  TITLE\n"
            "  1  done   a long titl…\n");
}

TEST(TableTest, CutsTheLineWhenNothingMayShrinkFurther) {
  EXPECT_EQ(PrintTable(Layout(), {{"1", "done", "a long title of a job"}}, 12),
            "JOB  STATE …\n"
            "  1  done  …\n");
}

TEST(TableTest, CountsColumnsNotBytes) {
  EXPECT_EQ(PrintTable({{.header = "A"}, {.header = "B"}}, {{"漢字", "x"}, {"é", "y"}}, 0),
            "A     B\n"
            "漢字  x\n"
            "é     y\n");
}

TEST(TableTest, ShortRowsEndEarly) {
  EXPECT_EQ(PrintTable(Layout(), {{"1"}}, 0), "JOB  STATE  TITLE\n  1\n");
}

TEST(TableTest, EveryLineFitsAnyScreen) {
  const std::vector<std::vector<std::string>> rows = {
      {"1", "done", std::string(200, 'y')}, {"22222", "cancelled", "漢字漢字漢字漢字漢字"}};
  for (size_t columns = 1; columns < 100; ++columns) {
    for (const absl::string_view line : absl::StrSplit(PrintTable(Layout(), rows, columns), '\n')) {
      EXPECT_LE(Width(line), columns);
    }
  }
}

}  // namespace
}  // namespace shakedown::cli
