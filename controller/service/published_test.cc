// The published figures: complete, as printed, there after every start, and comparable.
#include "controller/service/published.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "controller/import/golden_texts.h"
#include "controller/import/parse.h"
#include "controller/import/rows.h"
#include "controller/service/test_farm.h"
#include "db/published/published.h"

namespace shakedown::service {
namespace {

using importer::Row;
using testing::HasSubstr;
using testing::UnorderedElementsAreArray;

std::map<std::string, std::vector<Row>> ByKernel() {
  std::map<std::string, std::vector<Row>> kernels;
  for (const published::File& file : published::Files()) {
    if (file.name == "notes.csv") continue;
    const importer::Parsed parsed = importer::ParseText(file.content);
    EXPECT_TRUE(parsed.refused.empty()) << file.name << ": " << parsed.refused[0].reason;
    for (const Row& row : importer::RowsOf(parsed)) kernels[row.variant].push_back(row);
  }
  return kernels;
}

std::vector<Row> Golden(const std::string& name) {
  for (const importer::GoldenText& golden : importer::GoldenTexts())
    if (golden.name == name) return importer::RowsOf(importer::ParseText(golden.text));
  ADD_FAILURE() << "no golden text " << name;
  return {};
}

// "interbench.x.burn.latency.max 104 ms *".
std::vector<std::string> Texts(const std::vector<Row>& rows) {
  std::vector<std::string> texts;
  for (const Row& row : rows) {
    texts.push_back(absl::StrCat(row.metric, " ", row.value, " ", row.unit,
                                 row.unit_said ? "" : "?", importer::IsStarred(row) ? " *" : ""));
  }
  return texts;
}

void ExpectRows(const std::string& kernel, const std::vector<Row>& want) {
  EXPECT_FALSE(want.empty()) << kernel;
  EXPECT_THAT(Texts(ByKernel()[kernel]), UnorderedElementsAreArray(Texts(want))) << kernel;
}

TEST(PublishedTest, OnePageOfInterbenchIsAllThere) {
  std::map<std::string, std::vector<Row>> want;
  for (const Row& row : Golden("figures-2010-interbench")) want[row.variant].push_back(row);
  ASSERT_EQ(want.size(), 2u);
  for (const auto& [kernel, rows] : want) ExpectRows(kernel, rows);
}

TEST(PublishedTest, TheTableOf2009IsAllThere) {
  std::vector<Row> bfs, cfs;
  for (const Row& row : Golden("figures-2009-side-by-side"))
    (row.variant == "BFS" ? bfs : cfs).push_back(row);
  ExpectRows("2.6.30.5-bfs-209", bfs);
  ExpectRows("2.6.31-rc9", cfs);
}

TEST(PublishedTest, EveryVmstatAndTopOf2007IsThere) {
  const std::vector<std::string> kernels = {"2.6.21-rc7-cfs-v6 kernel.sched_granularity_ns=5000000",
                                            "2.6.21-rc7-cfs-v6 kernel.sched_granularity_ns=2000000",
                                            "2.6.21-rc7-sd-0.46 kernel.rr_interval=6",
                                            "2.6.21-rc7-sd-0.46 kernel.rr_interval=2",
                                            "2.6.21-rc7"};
  std::vector<std::vector<Row>> sections;
  for (const Row& row : Golden("figures-2007-vmstat-top")) {
    if (row.metric == "vmstat.r" && row.iteration == 1) sections.emplace_back();
    ASSERT_FALSE(sections.empty());
    sections.back().push_back(row);
  }
  ASSERT_EQ(sections.size(), kernels.size());
  for (size_t i = 0; i < kernels.size(); ++i) ExpectRows(kernels[i], sections[i]);
}

struct Total {
  std::string kernel;
  std::string metric;  // Its beginning.
  size_t count;
  double sum;
};

// Added up by hand from the pages.
TEST(PublishedTest, CountsAndSums) {
  const auto kernels = ByKernel();
  for (const auto& [kernel, metric, count, sum] :
       std::vector<Total>{{"2.6.35-ck1", "interbench.x.none.latency.max", 1, 39},
                          {"2.6.35-ck1", "interbench.gaming.", 32, 0},
                          {"2.6.35", "interbench.video.memload.deadlines_met", 1, 93.3},
                          {"2.6.31-rc9", "time.real", 7,
                           161.907 + 139.14 + 152.508 + 153.396 + 68.275 + 63.181 + 66.512},
                          {"2.6.31-rc9", "latt.wakeup.max", 3, 23665 + 24859 + 21214},
                          {"2.6.30.5-bfs-209", "latt.wakeup.avg", 3, 73 + 78 + 27},
                          {"2.6.21-rc7", "vmstat.cs", 6, 6388 + 5998 + 5776 + 6762 + 7239 + 8209},
                          {"2.6.21-rc7-sd-0.46 kernel.rr_interval=2", "vmstat.bi", 5,
                           411 + 388 + 1085 + 537 + 85}}) {
    size_t n = 0;
    double total = 0;
    for (const Row& row : kernels.at(kernel)) {
      if (!absl::StartsWith(row.metric, metric)) continue;
      ++n;
      total += row.value;
    }
    EXPECT_EQ(n, count) << kernel << " " << metric;
    if (sum == 0) continue;
    EXPECT_NEAR(total, sum, 1e-9) << kernel << " " << metric;
  }
  size_t stars = 0;
  for (const Row& row : kernels.at("2.6.35-ck1")) {
    if (importer::IsStarred(row) && !absl::EndsWith(row.metric, ".rms")) ++stars;
  }
  EXPECT_EQ(stars, 54u);
}

class PublishedOnAFarm : public testing::Test {
 protected:
  absl::StatusOr<v1::CompareKernelsResponse> Compare(std::vector<std::string> kernels,
                                                     const std::string& machine,
                                                     const std::string& metric = "") {
    v1::CompareKernelsRequest request;
    for (const std::string& kernel : kernels) request.add_kernels(kernel);
    request.set_machine(machine);
    request.set_metric(metric);
    return ImportApi(farm_.database()).CompareKernels(request);
  }
  TestFarm farm_;
};

TEST_F(PublishedOnAFarm, EveryStartLeavesTheSame) {
  ImportApi api(farm_.database());
  ASSERT_EQ(PutPublished(farm_.database()), absl::OkStatus());
  const std::string first = api.ListImports({})->DebugString();
  ASSERT_EQ(PutPublished(farm_.database()), absl::OkStatus());
  EXPECT_EQ(api.ListImports({})->DebugString(), first);
  EXPECT_EQ(api.ListImports({})->imports_size(), 9);
  EXPECT_TRUE(api.ListImports({})->imports(0).shipped());
  EXPECT_EQ(api.ListNotes({})->notes_size(), 27);
}

TEST_F(PublishedOnAFarm, KernelsOf2010AreComparedAndNotJudged) {
  ASSERT_EQ(PutPublished(farm_.database()), absl::OkStatus());
  const auto table = Compare({"2.6.35", "2.6.35-ck1"}, "p4-ht");
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_EQ(table->rows_size(), 143);
  bool found = false;
  for (const auto& row : table->rows()) {
    EXPECT_EQ(row.origin(), "imports");
    EXPECT_EQ(row.verdict(0), "insufficient");
    if (row.metric() != "interbench.video.compile.deadlines_met") continue;
    found = true;
    EXPECT_EQ(row.unit(), "%");
    EXPECT_EQ(row.cells(0).median(), 49.2);
    EXPECT_FALSE(row.cells(0).starred());
    EXPECT_EQ(row.cells(1).median(), 87.5);
    EXPECT_TRUE(row.cells(1).starred());
    EXPECT_EQ(row.cells(1).n(), 1u);
    EXPECT_NEAR(row.change(0), (87.5 - 49.2) / 49.2, 1e-12);
  }
  EXPECT_TRUE(found);
  EXPECT_THAT(table->warnings(0), HasSubstr("too few runs"));
  ASSERT_EQ(table->notes_size(), 1);
  EXPECT_EQ(table->notes(0).subject(), "machine:p4-ht");
}

TEST_F(PublishedOnAFarm, WhatDiffersBesideTheKernelIsSaidAndNotesAreThere) {
  ASSERT_EQ(PutPublished(farm_.database()), absl::OkStatus());
  const auto table = Compare({"2.6.31-rc9", "2.6.30.5-bfs-209"}, "hp-2510p", "latt.wakeup.avg");
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_EQ(table->rows_size(), 3);
  EXPECT_THAT(table->warnings(0), HasSubstr("config differs beside the kernel"));
  EXPECT_THAT(table->warnings(1), HasSubstr("release differs beside the kernel"));
  std::string notes;
  for (const auto& note : table->notes()) absl::StrAppend(&notes, note.text(), "\n");
  EXPECT_THAT(notes, HasSubstr("froze four times"));
  EXPECT_THAT(notes, HasSubstr("movie skip"));
}

TEST_F(PublishedOnAFarm, TunablesAreColumnsOfTheirOwn) {
  ASSERT_EQ(PutPublished(farm_.database()), absl::OkStatus());
  const auto table = Compare({"2.6.21-rc7", "2.6.21-rc7-cfs-v6"}, "dell-700m", "vmstat.cs");
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_EQ(table->kernels_size(), 3);
  ASSERT_EQ(table->rows_size(), 1);
  // The median of the rows but the first, which is an average since boot.
  EXPECT_EQ(table->rows(0).cells(0).median(), 6762);
  EXPECT_EQ(table->rows(0).cells(0).n(), 1u);
  const auto one =
      Compare({"2.6.21-rc7", "2.6.21-rc7-cfs-v6 kernel.sched_granularity_ns=2000000"}, "dell-700m");
  ASSERT_TRUE(one.ok()) << one.status();
  EXPECT_EQ(one->kernels_size(), 2);
  EXPECT_THAT(Compare({"2.6.35", "2.6.21-rc7"}, "p4-ht").status().message(),
              HasSubstr("kernel 2.6.21-rc7: no numbers on machine p4-ht; there are some on "
                        "dell-700m"));
  const auto refused = [&](const std::string& kernel, const std::string& metric) {
    return std::string(Compare({kernel}, "dell-700m", metric).status().message());
  };
  EXPECT_EQ(refused("2.6.21-rc7", "vmstat.sc"),
            "kernel 2.6.21-rc7: has numbers on machine dell-700m, but none of a metric that begins "
            "with \"vmstat.sc\"");
  EXPECT_EQ(refused("2.6.21-rc7 kernel.rr_interval=2", ""),
            "kernel 2.6.21-rc7 kernel.rr_interval=2: has numbers on machine dell-700m, but none "
            "with these tunables");
  EXPECT_EQ(refused("2.6.21-rc7 kernel.rr_interval=2", "vmstat.cs"),
            "kernel 2.6.21-rc7 kernel.rr_interval=2: has numbers on machine dell-700m, but none "
            "with these tunables or none of a metric that begins with \"vmstat.cs\"");
}

TEST(ParseNotesTest, RefusesWithTheLine) {
  EXPECT_THAT(ParseNotes("").status().message(), HasSubstr("line 1"));
  EXPECT_THAT(ParseNotes("# shakedown notes 1\nx,y\n").status().message(), HasSubstr("line 2"));
  EXPECT_THAT(ParseNotes("# shakedown notes 1\nsubject,kind,author,source,text\na,b,c\n")
                  .status()
                  .message(),
              HasSubstr("line 3"));
}

}  // namespace
}  // namespace shakedown::service
