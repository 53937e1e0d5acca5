#include "controller/import/plain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "controller/import/golden_texts.h"
#include "controller/import/parse.h"
#include "proto/wire/sanitise.h"

namespace shakedown::importer {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr char kText[] =
    "# shakedown results 1\n"
    "# machine: p4-ht\n"
    "# source: https://example.org/post?a=b\n"
    "# measured: 2010-08-08\n"
    "# fact: memory=1 GB\n"
    "kernel,metric,detail,value,unit,direction,run,marks\n"
    "# the first one\n"
    "2.6.35-ck1,interbench.video.burn.latency.max,,0.4,ms,lower,1,*\n"
    "2.6.35 a=b,time.real,\"make, \"\"cold\"\"\",161.907,s,lower,2,\n";

// All but the line, which is of the text.
bool SameRow(const Row& a, const Row& b) {
  return a.variant == b.variant && a.metric == b.metric && a.detail == b.detail &&
         a.value == b.value && a.unit == b.unit && a.unit_said == b.unit_said &&
         a.direction == b.direction && a.run == b.run && a.iteration == b.iteration &&
         a.warmup == b.warmup && a.marks == b.marks;
}

void ExpectSameAgain(const std::vector<Row>& rows, const std::string& what) {
  const std::string text = PrintPlain({.machine = "m"}, rows);
  const Parsed parsed = ParseText(text);
  ASSERT_EQ(parsed.refused.size(), rows.empty() ? 1u : 0u)
      << what << ": " << (parsed.refused.empty() ? "" : parsed.refused[0].reason);
  const std::vector<Row> again = RowsOf(parsed);
  ASSERT_EQ(again.size(), rows.size()) << what;
  for (size_t i = 0; i < rows.size(); ++i)
    ASSERT_TRUE(SameRow(rows[i], again[i])) << what << " row " << i << " of\n" << text;
  EXPECT_EQ(PrintPlain({.machine = "m"}, again), text) << what;
}

TEST(PlainTest, ReadsHeadAndRows) {
  const auto head = PlainHeadOf(kText);
  ASSERT_TRUE(head.has_value());
  EXPECT_EQ(head->machine, "p4-ht");
  EXPECT_EQ(head->source, "https://example.org/post?a=b");
  EXPECT_EQ(head->measured, "2010-08-08");
  EXPECT_EQ(head->facts.at("memory"), "1 GB");
  const Parsed parsed = ParseText(kText);
  EXPECT_TRUE(parsed.refused.empty());
  const std::vector<Row> rows = RowsOf(parsed);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].variant, "2.6.35-ck1");
  EXPECT_TRUE(IsStarred(rows[0]));
  EXPECT_EQ(rows[0].line, 8);
  EXPECT_EQ(rows[1].variant, "2.6.35 a=b");
  EXPECT_EQ(rows[1].detail, "make, \"cold\"");
  EXPECT_EQ(rows[1].run, 2);
  EXPECT_THAT(VariantsOf(rows), ElementsAre("2.6.35-ck1", "2.6.35 a=b"));
}

struct Bad {
  std::string row;
  std::string why;
};

TEST(PlainTest, RefusesWhatItCannotReadWithItsLine) {
  const std::string start = "# shakedown results 1\nkernel,metric,value,direction,run,warmup\n";
  for (const auto& [row, why] : std::vector<Bad>{{"k,m,1x,,,", "want a number"},
                                                 {"k,m,nan,,,", "want a number"},
                                                 {"k,m,1,,,,", "7 fields, want 6"},
                                                 {"k,,1,,,", "want a kernel and a metric"},
                                                 {"k,m,1,up,,", "want lower, higher"},
                                                 {"k,m,1,,0,", "whole numbers from 1"},
                                                 {"k,m,1,,,2", "want 0 or 1"},
                                                 {"\"k,m,1,,,", "a quote"},
                                                 {"k\x1b[31m,m,1,,,", "printable"},
                                                 {std::string("k\0,m,1,,,", 9), "printable"}}) {
    const Parsed parsed = ParseText(absl::StrCat(start, row, "\nk,m,2,,,\n"));
    ASSERT_EQ(parsed.refused.size(), 1u) << row;
    EXPECT_EQ(parsed.refused[0].line, 3) << row;
    EXPECT_THAT(parsed.refused[0].reason, HasSubstr(why)) << row;
    EXPECT_EQ(parsed.results.size(), 1u) << row;
  }
  EXPECT_THAT(ParseText("# shakedown results 1\nkernel,metric\n").refused[0].reason,
              HasSubstr("no column value"));
  EXPECT_THAT(ParseText("# shakedown results 1\nkernel,metric,value,colour\n").refused[0].reason,
              HasSubstr("\"colour\""));
  EXPECT_FALSE(ParseText("# shakedown results 1\n").refused.empty());
}

TEST(PlainTest, WhatGoldenTextsGiveIsTheSameAfterExportAndImport) {
  for (const GoldenText& golden : GoldenTexts()) {
    std::vector<Row> rows = RowsOf(ParseText(golden.text));
    for (Row& row : rows)
      if (row.variant.empty()) row.variant = "k";
    ExpectSameAgain(rows, golden.name);
  }
}

TEST(PlainTest, WhateverTheRowsHoldIsTheSameAfterExportAndImport) {
  std::mt19937_64 random(20101208);
  const auto below = [&](size_t n) { return static_cast<size_t>(random() % n); };
  const auto text = [&] {
    static constexpr absl::string_view kBytes = "ab,\"#'|=\\ \t;\xC3\xA9\xFF\x1b\r\n\0.%";
    std::string bytes;
    for (size_t n = below(12); n > 0; --n) bytes += kBytes[below(kBytes.size())];
    return PrintableLine(bytes, 1000);
  };
  for (int round = 0; round < 300; ++round) {
    std::vector<Row> rows(below(6));
    for (Row& row : rows) {
      row.variant = absl::StrCat("k", text());
      row.metric = absl::StrCat("m", text());
      row.detail = text();
      row.unit = text();
      const uint64_t bits = random();
      std::memcpy(&row.value, &bits, sizeof(bits));
      if (!std::isfinite(row.value)) row.value = -0.0;
      row.unit_said = below(2) == 0;
      row.direction = static_cast<Direction>(below(3));
      row.run = 1 + static_cast<int>(below(1000));
      row.iteration = 1 + static_cast<int>(below(1000));
      row.warmup = below(2) == 0;
      if (below(2) == 0) row.marks = {"*", absl::StrCat("note ", below(100))};
    }
    ExpectSameAgain(rows, absl::StrCat("round ", round));
  }
}

}  // namespace
}  // namespace shakedown::importer
