#include "controller/compare/offline/declaration.h"

#include <gtest/gtest.h>

namespace shakedown::offline {
namespace {

using statistics::Direction;
using statistics::Role;
using statistics::Scale;

TEST(ParseDeclarationTest, FourParts) {
  const auto declaration = ParseDeclaration("fps:higher:ratio:1/s");
  ASSERT_TRUE(declaration.ok()) << declaration.status();
  EXPECT_EQ(declaration->metric.name, "fps");
  EXPECT_EQ(declaration->metric.direction, Direction::kHigherIsBetter);
  EXPECT_EQ(declaration->metric.scale, Scale::kRatio);
  EXPECT_EQ(declaration->metric.unit, "1/s");
  EXPECT_FALSE(declaration->has_role);
  EXPECT_TRUE(ParseDeclaration(" a : lower : difference : ").ok());
}

TEST(ParseDeclarationTest, Thresholds) {
  const auto declaration = ParseDeclaration(
      "lat:lower:difference:ms:resolution=0.5:delta_abs=2:delta_rel=0.1:role=primary");
  ASSERT_TRUE(declaration.ok()) << declaration.status();
  EXPECT_DOUBLE_EQ(declaration->metric.floor, 1);  // Twice the resolution.
  EXPECT_DOUBLE_EQ(declaration->metric.delta_abs, 2);
  EXPECT_DOUBLE_EQ(declaration->metric.delta_rel, 0.1);
  EXPECT_EQ(declaration->metric.role, Role::kPrimary);
  EXPECT_TRUE(declaration->has_role);
  EXPECT_DOUBLE_EQ(ParseDeclaration("a:lower:ratio:ms:floor=0:resolution=9")->metric.floor, 0);
}

TEST(ParseDeclarationTest, Refused) {
  for (const char* text :
       {"", "a", "a:lower", "a:lower:ratio", ":lower:ratio:s", "a:better:ratio:s", "a:lower:log:s",
        "a:lower:ratio:s:floor", "a:lower:ratio:s:floor=x", "a:lower:ratio:s:floor=-1",
        "a:lower:ratio:s:floor=nan", "a:lower:ratio:s:delta_rel=0", "a:lower:ratio:s:colour=1",
        "a:lower:ratio:s:role=main", "a:lower:ratio:a_very_long_unit_indeed",
        "a\x1b:lower:ratio:s"}) {
    const auto declaration = ParseDeclaration(text);
    ASSERT_FALSE(declaration.ok()) << text;
    EXPECT_EQ(declaration.status().code(), absl::StatusCode::kInvalidArgument);
  }
}

TEST(DeclarationInCommentTest, TellsThemFromRemarks) {
  EXPECT_EQ(DeclarationInComment("metric a:lower:ratio:s"), "a:lower:ratio:s");
  EXPECT_EQ(DeclarationInComment("metric: a:lower:ratio:s"), "a:lower:ratio:s");
  EXPECT_EQ(DeclarationInComment("a:higher:ratio:s"), "a:higher:ratio:s");
  EXPECT_EQ(DeclarationInComment("metric a:sideways:ratio:s"), "a:sideways:ratio:s");
  EXPECT_EQ(DeclarationInComment("measured on 2026-11-30 at 12:30:15, by me"), "");
  EXPECT_EQ(DeclarationInComment("metric units are used"), "");
}

}  // namespace
}  // namespace shakedown::offline
