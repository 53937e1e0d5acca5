// Texts of other tools come back byte for byte with their values; kernels' runs are found again.
#include "db/store/imports.h"

#include <gmock/gmock.h>

#include <cstring>
#include <random>

#include "absl/strings/str_cat.h"
#include "db/store/boots.h"
#include "db/store/kernel_runs.h"
#include "db/store/store_testing.h"
#include "proto/wire/digest.h"

namespace shakedown::store {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

v1::ImportedValue Value(const std::string& variant, const std::string& metric, double number,
                        uint32_t run = 1) {
  v1::ImportedValue value;
  value.set_variant(variant);
  value.set_metric(metric);
  value.set_value(number);
  value.set_unit("ms");
  value.set_unit_said(true);
  value.set_direction("lower");
  value.set_run(run);
  value.set_iteration(1);
  value.set_line(7);
  return value;
}

NewImport Small(const std::string& raw = "text") {
  return {.file = "log.txt",
          .raw = raw,
          .format = "interbench",
          .machine = "p4-ht",
          .source = "https://example.org/1",
          .submitter = "ann",
          .facts = {{"memory", "1 GB"}},
          .variants = {{"", "2.6.35", ""}},
          .values = {Value("", "a.b", 1.5)}};
}

class ImportsTest : public StoreTest {
 protected:
  int64_t Add(const NewImport& import) {
    const auto added = AddImport(db(), import);
    EXPECT_TRUE(added.ok()) << added.status();
    return added.ok() ? added->import() : 0;
  }
};

TEST_F(ImportsTest, AnImportComesBackWhole) {
  NewImport import = Small();
  import.measured.emplace();
  import.measured->set_seconds(1281303540);
  import.refused = 3;
  const auto read = GetImport(db(), Add(import));
  ASSERT_TRUE(read.ok()) << read.status();
  const v1::ImportView& view = read->import();
  EXPECT_EQ(view.file(), "log.txt");
  EXPECT_EQ(view.sha256(), Sha256Hex("text"));
  EXPECT_EQ(view.format(), "interbench");
  EXPECT_EQ(view.kernel(), "2.6.35");
  EXPECT_EQ(view.machine(), "p4-ht");
  EXPECT_EQ(view.source(), "https://example.org/1");
  EXPECT_EQ(view.submitter(), "ann");
  EXPECT_EQ(view.facts().at("memory"), "1 GB");
  EXPECT_EQ(view.measured().seconds(), 1281303540);
  EXPECT_EQ(view.refused(), 3u);
  EXPECT_EQ(view.size(), 4u);
  EXPECT_EQ(view.values(), 1u);
  EXPECT_FALSE(view.shipped());
  EXPECT_EQ(read->raw(), "text");
  EXPECT_THAT(GetImport(db(), 999).status(), IsError(absl::StatusCode::kNotFound, "import 999"));
}

// A text of any bytes and values of any kind, as the readers may give them.
NewImport Drawn(std::mt19937_64& random) {
  const auto below = [&](size_t n) { return static_cast<size_t>(random() % n); };
  const auto text = [&] {
    static constexpr absl::string_view kPieces[] = {"a", "é", "|", "\\", "\"", "{", ",", " ", "'"};
    std::string out = "x";
    for (size_t n = below(10); n > 0; --n) absl::StrAppend(&out, kPieces[below(9)]);
    return out;
  };
  NewImport import = Small("");
  for (size_t n = 1 + below(400); n > 0; --n) import.raw += static_cast<char>(random());
  import.raw += std::string("\0\xFF\xC3", 3);
  import.variants = {{"", "k0", ""},
                     {"one " + text(), "k1", text()},
                     { "two " + text(),
                       "k1",
                       "" }};
  import.values.clear();
  for (size_t n = 1 + below(40); n > 0; --n) {
    v1::ImportedValue value =
        Value(import.variants[below(3)].name, text(), 0, static_cast<uint32_t>(1 + below(5)));
    double number = 0;
    const uint64_t bits = random();
    std::memcpy(&number, &bits, sizeof(bits));
    value.set_value(std::isfinite(number) ? number : -0.25);
    value.set_detail(below(2) == 0 ? "" : text());
    value.set_unit(below(3) == 0 ? "" : text());
    value.set_unit_said(below(2) == 0);
    value.set_direction(std::vector<std::string>{"", "lower", "higher"}[below(3)]);
    value.set_iteration(static_cast<uint32_t>(1 + below(1000)));
    value.set_warmup(below(2) == 0);
    value.set_line(static_cast<uint32_t>(1 + below(1'000'000)));
    for (size_t marks = below(3); marks > 0; --marks) value.add_marks(text());
    value.set_starred(below(2) == 0);
    import.values.push_back(std::move(value));
  }
  return import;
}

TEST_F(ImportsTest, WhateverTheBytesTheSameComesBack) {
  std::mt19937_64 random(1281303540);
  for (int round = 0; round < 60; ++round) {
    const NewImport import = Drawn(random);
    const auto read = GetImport(db(), Add(import));
    ASSERT_TRUE(read.ok()) << read.status();
    ASSERT_EQ(read->raw(), import.raw) << round;
    ASSERT_EQ(static_cast<size_t>(read->values_size()), import.values.size());
    for (size_t i = 0; i < import.values.size(); ++i) {
      v1::ImportedValue got = read->values(static_cast<int>(i));
      got.clear_kernel();
      ASSERT_EQ(got.DebugString(), import.values[i].DebugString()) << round;
      ASSERT_EQ(got.value(), import.values[i].value()) << round;  // To the last bit.
    }
  }
}

TEST_F(ImportsTest, TheSameAgainIsTheSameImportAndNothingElseIs) {
  const int64_t first = Add(Small());
  NewImport again = Small();
  again.file = "copy.txt";
  again.submitter = "bob";
  const auto same = AddImport(db(), again);
  ASSERT_TRUE(same.ok());
  EXPECT_EQ(same->import(), first);
  EXPECT_TRUE(same->existed());
  EXPECT_EQ(same->values(), 1u);
  NewImport other = Small();
  other.machine = "p4";
  EXPECT_NE(Add(other), first);
  other = Small();
  other.variants[0].kernel = "2.6.35-ck1";
  EXPECT_NE(Add(other), first);
  other = Small();
  other.variants[0].tunables = "rr_interval=6";
  EXPECT_NE(Add(other), first);
  EXPECT_NE(Add(Small("text ")), first);
  EXPECT_EQ(Sql("SELECT count(*) FROM imports"), "5");
  EXPECT_EQ(Sql("SELECT count(*) FROM import_values"), "5");
}

TEST_F(ImportsTest, WhatIsNoImportIsRefused) {
  const auto refused = [&](NewImport import, const std::string& why) {
    EXPECT_THAT(AddImport(db(), import).status(), IsError(absl::StatusCode::kInvalidArgument, why));
  };
  NewImport import = Small("");
  refused(import, "0 bytes, want 1 to 16777216");
  refused(Small(std::string(kMaxImportBytes + 1, 'x')), "want 1 to 16777216");
  import = Small();
  import.machine = "../x1";
  refused(import, "machine");
  import = Small();
  import.machine = std::string("x\0y", 3);
  refused(import, "machine");
  import = Small();
  import.variants[0].kernel = "2.6.35 CK1";
  refused(import, "kernel");
  import = Small();
  import.variants[0].tunables = std::string("a\0b", 3);
  refused(import, "UTF-8 without NUL");
  import = Small();
  import.values[0].set_metric(std::string("a\0b", 3));
  refused(import, "metric");
  import = Small();
  import.values[0].set_value(std::numeric_limits<double>::infinity());
  refused(import, "finite");
  import = Small();
  import.values[0].set_variant("BFS");
  refused(import, "column \"BFS\" has no kernel");
  import = Small();
  import.values.clear();
  refused(import, "0 values");
  import = Small();
  import.values.assign(kMaxImportValues + 1, Value("", "m", 1));
  refused(import, "400001 values");
  import = Small();
  import.facts = {{ "a", "\xFF" }};
  refused(import, "fact");
  EXPECT_EQ(Sql("SELECT count(*) FROM imports"), "0");
}

TEST_F(ImportsTest, ListsPageByPageAndByKernelAndMachine) {
  for (int i = 0; i < 5; ++i) {
    NewImport import = Small(absl::StrCat("text ", i));
    if (i == 2) import.machine = "x1";
    if (i == 3) import.variants[0].kernel = "2.6.35-ck1";
    Add(import);
  }
  v1::ListImportsRequest request;
  request.set_limit(2);
  std::vector<int> sizes;
  std::vector<int64_t> ids;
  for (;;) {
    const auto page = ListImports(db(), request);
    ASSERT_TRUE(page.ok()) << page.status();
    sizes.push_back(page->imports_size());
    for (const v1::ImportView& view : page->imports()) ids.push_back(view.import());
    if (page->next_before() == 0) break;
    request.set_before(page->next_before());
  }
  EXPECT_THAT(sizes, ElementsAre(2, 2, 1));
  EXPECT_EQ(ids.size(), 5u);
  EXPECT_TRUE(std::is_sorted(ids.rbegin(), ids.rend()));
  request.Clear();
  request.set_machine("x1");
  EXPECT_EQ(ListImports(db(), request)->imports_size(), 1);
  request.Clear();
  request.set_kernel("2.6.35-ck1");
  EXPECT_EQ(ListImports(db(), request)->imports(0).kernel(), "2.6.35-ck1");
  request.set_limit(1001);
  EXPECT_THAT(ListImports(db(), request).status(), IsCode(absl::StatusCode::kInvalidArgument));
}

TEST_F(ImportsTest, ShippedOnesAreReplacedAndOthersStay) {
  const int64_t ours = Add(Small("ours"));
  NewImport old = Small("old");
  old.shipped = true;
  NewImport kept = Small("kept");
  kept.shipped = true;
  ASSERT_EQ(PutShippedImports(db(), {old, kept}), absl::OkStatus());
  const std::string kept_id = Sql("SELECT id FROM imports WHERE raw = 'kept'");
  NewImport fresh = Small("new");
  fresh.shipped = true;
  ASSERT_EQ(PutShippedImports(db(), {kept, fresh}), absl::OkStatus());
  ASSERT_EQ(PutShippedImports(db(), {kept, fresh}), absl::OkStatus());
  EXPECT_EQ(Sql("SELECT string_agg(encode(raw, 'escape'), ' ' ORDER BY id) FROM imports"),
            "ours kept new");
  EXPECT_EQ(Sql("SELECT id FROM imports WHERE raw = 'kept'"), kept_id);
  EXPECT_EQ(Sql("SELECT count(*) FROM import_values"), "3");
  EXPECT_TRUE(GetImport(db(), ours).ok());
  // What is there already uses up no number.
  EXPECT_EQ(Add(Small("next")), std::stoll(Sql("SELECT id FROM imports WHERE raw = 'new'")) + 1);
}

TEST_F(ImportsTest, AWithdrawnOneIsNowhereButStays) {
  const int64_t wrong = Add(Small());
  const auto withdrawn = WithdrawImport(db(), wrong, "ben", "of another kernel");
  ASSERT_TRUE(withdrawn.ok()) << withdrawn.status();
  EXPECT_EQ(withdrawn->kernel(), "2.6.35");
  EXPECT_EQ(withdrawn->withdrawn().by(), "ben");
  EXPECT_EQ(withdrawn->withdrawn().why(), "of another kernel");
  EXPECT_GT(withdrawn->withdrawn().at().seconds(), 1000000000);
  EXPECT_THAT(*ImportedRuns(db(), {{"2.6.35"}, "p4-ht", ""}), IsEmpty());
  EXPECT_THAT(*FactsOfImports(db(), {{"2.6.35"}, "p4-ht", ""}), IsEmpty());
  EXPECT_THAT(*MachinesWith(db(), "2.6.35"), IsEmpty());
  v1::ListImportsRequest request;
  EXPECT_EQ(ListImports(db(), request)->imports_size(), 0);
  request.set_withdrawn(true);
  EXPECT_EQ(ListImports(db(), request)->imports(0).withdrawn().why(), "of another kernel");
  EXPECT_EQ(GetImport(db(), wrong)->raw(), "text");
  EXPECT_EQ(GetImport(db(), wrong)->import().withdrawn().by(), "ben");
  // Withdrawn once.
  EXPECT_EQ(WithdrawImport(db(), wrong, "cem", "no")->withdrawn().by(), "ben");

  const int64_t again = Add(Small());
  EXPECT_NE(again, wrong);
  EXPECT_EQ(Add(Small()), again);
  EXPECT_EQ(ImportedRuns(db(), {{"2.6.35"}, "p4-ht", ""})->size(), 1u);
  ASSERT_TRUE(WithdrawImport(db(), again, "ben", "wrong once more").ok());
  EXPECT_EQ(Sql("SELECT count(*) FROM imports"), "2");
}

TEST_F(ImportsTest, WhatCanNotBeWithdrawnSaysWhy) {
  const int64_t ours = Add(Small("ours"));
  NewImport shipped = Small("shipped");
  shipped.shipped = true;
  ASSERT_EQ(PutShippedImports(db(), {shipped}), absl::OkStatus());
  const int64_t theirs = std::stoll(Sql("SELECT id FROM imports WHERE shipped"));
  EXPECT_THAT(WithdrawImport(db(), theirs, "ben", "x").status(),
              IsError(absl::StatusCode::kFailedPrecondition, "came with the program"));
  EXPECT_THAT(WithdrawImport(db(), 999, "ben", "x").status(),
              IsError(absl::StatusCode::kNotFound, "import 999: no such import"));
  for (const std::string& why :
       {std::string(), std::string(4097, 'x'), std::string("a\0b", 3), std::string("\xFF")}) {
    EXPECT_THAT(WithdrawImport(db(), ours, "ben", why).status(),
                IsError(absl::StatusCode::kInvalidArgument, "want 1 to 4096"));
  }
  EXPECT_EQ(ListImports(db(), {})->imports_size(), 2);
}

std::string RunText(const ImportedRun& run) {
  return absl::StrCat(KernelText(run.kernel, run.tunables), " ", run.metric, "#", run.run, "=",
                      run.value, run.starred ? "*" : "");
}

TEST_F(ImportsTest, RunsAreMediansOfTheirIterationsWithoutWarmups) {
  NewImport import = Small();
  import.variants = {{"A", "k1", ""}, { "B", "k2", "rr_interval=6" }};
  import.values = {Value("A", "m.x", 100), Value("A", "m.x", 1),    Value("A", "m.x", 3),
                   Value("A", "m.x", 5),   Value("A", "m.x", 7, 2), Value("B", "m.x", 9),
                   Value("B", "n.y", 4)};
  import.values[0].set_warmup(true);
  import.values[4].set_starred(true);
  Add(import);
  NewImport elsewhere = import;
  elsewhere.machine = "x1";
  Add(elsewhere);
  const auto runs = ImportedRuns(db(), {{"k1", "k2"}, "p4-ht", "m."});
  ASSERT_TRUE(runs.ok()) << runs.status();
  std::vector<std::string> texts;
  for (const ImportedRun& run : *runs) texts.push_back(RunText(run));
  EXPECT_THAT(texts, ElementsAre("k1 m.x#1=3", "k1 m.x#2=7*", "k2 rr_interval=6 m.x#1=9"));
  EXPECT_THAT(*ImportedRuns(db(), {{"k3"}, "p4-ht", ""}), IsEmpty());
  EXPECT_THAT(*ImportedRuns(db(), {{"k1"}, "p4-ht", "%"}), IsEmpty());
  EXPECT_THAT(*MachinesWith(db(), "k1"), ElementsAre("p4-ht", "x1"));
  EXPECT_EQ(FactsOfImports(db(), {{"k1", "k2"}, "p4-ht", ""})->size(), 2u);
}

TEST_F(ImportsTest, TheFarmsOwnBootsAreFoundByKernelAndMachine) {
  Submit({"a", "b"}, 2);
  BuildAll();
  for (int boots = 0; boots < 4; ++boots) {
    const v1::SyncResponse work = Sync(Agent("host1", {"vm1"}));
    ASSERT_EQ(work.boots_size(), 1);
    ASSERT_EQ(RecordBoot(db(), "host1", Measured(work.boots(0), 10 + boots)), absl::OkStatus());
  }
  const auto farm = MeasuredRuns(db(), {{"k-a"}, "vm1", ""});
  ASSERT_TRUE(farm.ok()) << farm.status();
  ASSERT_GE(farm->runs.size(), 2u);
  EXPECT_EQ(farm->runs[0].kernel, "k-a");
  EXPECT_EQ(farm->runs[0].boot, "1.1A");
  EXPECT_EQ(farm->jobs.size(), 1u);
  EXPECT_EQ(farm->jobs.at(1).variants_size(), 2);
  EXPECT_THAT(farm->cut, IsEmpty());
  EXPECT_THAT(MeasuredRuns(db(), {{"k-a"}, "vm2", ""})->runs, IsEmpty());
  EXPECT_THAT(MeasuredRuns(db(), {{"k-a"}, "vm1", "nothing."})->runs, IsEmpty());
  EXPECT_THAT(*MachinesWith(db(), "k-b"), ElementsAre("vm1"));
}

}  // namespace
}  // namespace shakedown::store
