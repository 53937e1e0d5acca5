#include "db/store/histograms.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "db/store/sql.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::store {
namespace {

constexpr int kMostHistograms = 2000;
constexpr int kMostBuckets = 200'000;
constexpr size_t kLongestName = 128;
constexpr size_t kLongestUnit = 16;
constexpr uint64_t kLargest = uint64_t{1} << 62;

absl::Status Bad(absl::string_view what, absl::string_view want) {
  return absl::InvalidArgumentError(absl::StrCat(what, "; ", want));
}

absl::Status CheckBuckets(const v1::LatencyHistogram& histogram) {
  if (histogram.smallest_size() != histogram.count_size()) {
    return Bad(
        absl::StrCat(histogram.smallest_size(), " buckets, ", histogram.count_size(), " counts"),
        "as many of both are wanted");
  }
  if (histogram.smallest().empty()) return Bad("no bucket", "one with values is wanted");
  uint64_t total = 0;
  for (int i = 0; i < histogram.smallest_size(); ++i) {
    const uint64_t count = histogram.count(i);
    if (i > 0 && histogram.smallest(i) <= histogram.smallest(i - 1)) {
      return Bad(
          absl::StrCat("bucket ", histogram.smallest(i), " after ", histogram.smallest(i - 1)),
          "an ascending order is wanted");
    }
    if (count == 0 || count > kLargest - total) {
      return Bad(absl::StrCat("count ", count, " of bucket ", histogram.smallest(i)),
                 "1 or more are wanted, together less than 2^62");
    }
    total += count;
  }
  const uint64_t last = histogram.smallest(histogram.smallest_size() - 1);
  if (histogram.max() < last || histogram.max() > kLargest) {
    return Bad(absl::StrCat("maximum ", histogram.max()),
               absl::StrCat(last, ", the last bucket's smallest, to 2^62 is wanted"));
  }
  if (histogram.duration_ms() > kLargest) {
    return Bad(absl::StrCat("duration ", histogram.duration_ms(), " ms"), "at most 2^62 is wanted");
  }
  return absl::OkStatus();
}

std::vector<int64_t> Signed(const google::protobuf::RepeatedField<uint64_t>& values) {
  return {values.begin(), values.end()};
}

// "{1,2,3}", as the server writes an array of numbers.
void ReadNumbers(const pqxx::field& field, google::protobuf::RepeatedField<uint64_t>* values) {
  absl::string_view text = field.c_str();
  if (text.size() < 2) return;
  for (absl::string_view word :
       absl::StrSplit(text.substr(1, text.size() - 2), ',', absl::SkipEmpty())) {
    uint64_t value = 0;
    if (absl::SimpleAtoi(word, &value)) values->Add(value);
  }
}

}  // namespace

absl::Status CheckHistograms(const v1::LoadRun& run) {
  if (run.histograms_size() > kMostHistograms) {
    return Bad(absl::StrCat(run.histograms_size(), " histograms"),
               absl::StrCat("at most ", kMostHistograms, " are wanted"));
  }
  std::set<std::pair<std::string, uint32_t>> seen;
  int64_t buckets = 0;
  for (const v1::LatencyHistogram& histogram : run.histograms()) {
    const std::string what =
        absl::StrCat("histogram ", Quoted(absl::string_view(histogram.metric()).substr(0, 200)));
    if (histogram.metric().empty() || histogram.metric().size() > kLongestName) {
      return Bad(what, absl::StrCat("a name of 1 to ", kLongestName, " bytes is wanted"));
    }
    if (histogram.unit().empty() || histogram.unit().size() > kLongestUnit) {
      return Bad(absl::StrCat(what, ": unit of ", histogram.unit().size(), " bytes"),
                 absl::StrCat("1 to ", kLongestUnit, " are wanted"));
    }
    if (histogram.iteration() > INT32_MAX ||
        !seen.insert({histogram.metric(), histogram.iteration()}).second) {
      return Bad(absl::StrCat(what, ": iteration ", histogram.iteration()),
                 "one that no other histogram of the metric has is wanted");
    }
    RETURN_IF_ERROR(Annotate(CheckBuckets(histogram), what));
    buckets += histogram.smallest_size();
  }
  if (buckets > kMostBuckets) {
    return Bad(absl::StrCat(buckets, " buckets in the load run's histograms"),
               absl::StrCat("at most ", kMostBuckets, " are wanted"));
  }
  return absl::OkStatus();
}

void InsertHistograms(Transaction& tx, int64_t load_run, const v1::LoadRun& run) {
  int ordinal = 0;
  for (const v1::LatencyHistogram& histogram : run.histograms()) {
    tx.exec_params(
        "INSERT INTO histograms (load_run, ordinal, metric, unit, iteration, warmup, smallest, "
        "count, max, duration_ms, from_intended_start) "
        "VALUES ($1, $2, $3, $4, $5, $6, $7::bigint[], $8::bigint[], $9, $10, $11)",
        load_run, ++ordinal, Text(histogram.metric()), Text(histogram.unit()),
        static_cast<int64_t>(histogram.iteration()), histogram.warmup(),
        Int64Array(Signed(histogram.smallest())), Int64Array(Signed(histogram.count())),
        static_cast<int64_t>(histogram.max()), static_cast<int64_t>(histogram.duration_ms()),
        histogram.from_intended_start());
  }
}

void ReadHistograms(Transaction& tx, const RunScope& scope,
                    const std::map<int64_t, v1::LoadRun*>& runs) {
  const pqxx::result rows = tx.exec_params(
      absl::StrCat(
          "SELECT h.* FROM histograms h JOIN load_runs l ON l.id = h.load_run JOIN boots o "
          "USING (attempt_id) WHERE ",
          scope.where, " ORDER BY h.load_run, h.ordinal"),
      scope.value);
  for (const pqxx::row& row : rows) {
    v1::LatencyHistogram* histogram = runs.at(row["load_run"].as<int64_t>())->add_histograms();
    histogram->set_metric(row["metric"].as<std::string>());
    histogram->set_unit(row["unit"].as<std::string>());
    histogram->set_iteration(row["iteration"].as<uint32_t>());
    histogram->set_warmup(row["warmup"].as<bool>());
    ReadNumbers(row["smallest"], histogram->mutable_smallest());
    ReadNumbers(row["count"], histogram->mutable_count());
    histogram->set_max(row["max"].as<uint64_t>());
    histogram->set_duration_ms(row["duration_ms"].as<uint64_t>());
    histogram->set_from_intended_start(row["from_intended_start"].as<bool>());
  }
}

}  // namespace shakedown::store
