// How long the usual questions about years of results take: fills a PostgreSQL of its own with the
// summaries of 10^7 measurements by COPY, and with 400,000 imported values, then asks at random and
// tells p50 and p99, each also as a multiple of a peer of the same run, so that the answer does not
// depend on the machine.
//   history_queries [MEASUREMENTS]
// Exit code 1: a multiple is above its limit, or a series is not read from the index alone.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <pqxx/pqxx>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "controller/plan/split_mix.h"
#include "controller/service/history_api.h"
#include "db/embedded/ephemeral_postgres.h"
#include "db/store/database.h"
#include "db/store/import_series.h"
#include "db/store/migrate.h"
#include "db/store/regressions.h"
#include "db/store/series.h"

namespace shakedown {
namespace {

constexpr int kMetrics = 100, kMachines = 20;  // A series each.
constexpr int kIterations = 3;                 // Measurements in one summary.
constexpr int kClasses = 4, kVersions = 150, kBlocks = 8;
constexpr int kImports = 1000, kImportedMetrics = 300;
constexpr int kAsked = 200;

template <typename T>
T Must(absl::StatusOr<T> result) {
  if (result.ok()) return *std::move(result);
  std::fprintf(stderr, "history_queries: %s\n", result.status().ToString().c_str());
  std::exit(2);
}

// Names as the farm would make them.
void FillNames(pqxx::connection& connection) {
  pqxx::work tx(connection);
  tx.exec("INSERT INTO history_loads (sha256, text) VALUES (repeat('a', 64), 'interbench')");
  tx.exec(
      "INSERT INTO history_epochs (sha256, facts) SELECT repeat(e::text, 64), "
      "jsonb_build_object('cpu.microcode', e) FROM generate_series(1, 3) e");
  tx.exec(
      absl::StrCat("INSERT INTO history_kernels (kernel, version, class) SELECT 'debian-6.' || v "
                   "|| '-c' || c, '6.' || v, 'debian-c' || c FROM generate_series(1, ",
                   kVersions, ") v, generate_series(1, ", kClasses, ") c ORDER BY v, c"));
  tx.exec(
      absl::StrCat("INSERT INTO history_series (metric, machine, load, unit) SELECT "
                   "'interbench.m' || m || '.latency.avg', 'machine' || n, 1, 'ms' FROM "
                   "generate_series(1, ",
                   kMetrics, ") m, generate_series(1, ", kMachines, ") n ORDER BY m, n"));
  tx.commit();
}

// Job by job, as results come in: on one machine, a kernel of each class in every block, every
// metric.
void FillSummaries(pqxx::connection& connection, int64_t rows) {
  plan::SplitMix64 random(1);
  pqxx::work tx(connection);
  pqxx::stream_to copy(tx, "boot_summaries",
                       std::vector<std::string>{"series", "job", "block", "variant", "attempt",
                                                "kernel", "epoch", "n", "median", "ended_at"});
  int64_t written = 0;
  for (int64_t job = 1; written < rows; ++job) {
    const int machine = static_cast<int>(job) % kMachines;
    const int version = static_cast<int>(job / kMachines) % kVersions;
    const int epoch = 1 + static_cast<int>(3 * written / rows);
    const std::string at =
        absl::FormatTime("%Y-%m-%d %H:%M:%S+00", absl::FromUnixSeconds(1600000000 + 3600 * job),
                         absl::UTCTimeZone());
    for (int block = 1; block <= kBlocks; ++block) {
      for (int variant = 0; variant < kClasses; ++variant) {
        const int kernel = 1 + version * kClasses + variant;
        for (int metric = 0; metric < kMetrics; ++metric, ++written) {
          const double value = 10 + static_cast<double>(random.Next() >> 40) * 0x1p-24;
          copy << std::make_tuple(1 + metric * kMachines + machine, job, block, variant, 1, kernel,
                                  epoch, kIterations, value, at);
        }
      }
    }
  }
  copy.complete();
  tx.commit();
}

// What people brought: texts of a few kernels on each machine, and one that took notes for a day.
void FillImports(pqxx::connection& connection) {
  pqxx::work tx(connection);
  tx.exec(absl::StrCat(
      "INSERT INTO imports (identity, file, sha256, raw, format, machine, source, "
      "submitter, facts, refused, value_count, shipped) SELECT lpad(to_hex(i), 64, "
      "'0'), 'log.txt', repeat('a', 64), 'raw', 'interbench', 'machine' || (1 + i % ",
      kMachines, "), '', 'ann', '{}', 0, 1, false FROM generate_series(1, ", kImports, ") i"));
  tx.exec("INSERT INTO import_variants SELECT id, 0, '', '6.' || id % 50, '' FROM imports");
  tx.exec(
      absl::StrCat("INSERT INTO import_values SELECT i.id, m, 0, 'imported.m' || m || "
                   "'.latency.avg', '', 'ms', true, 'lower', 1, 1, false, false, '', 1, random() "
                   "FROM imports i, generate_series(1, ",
                   kImportedMetrics, ") m"));
  tx.exec(
      "INSERT INTO import_values SELECT 1, 1000 + n, 0, 'vmstat.cs', '', '1/s', true, '', 1, n, "
      "false, false, '', 1, random() FROM generate_series(1, 86400) n");
  tx.exec(
      "INSERT INTO import_series (metric, machine, detail, unit) SELECT DISTINCT v.metric, "
      "i.machine, v.detail, v.unit FROM import_values v JOIN imports i ON i.id = v.import");
  tx.exec(
      "INSERT INTO import_points SELECT DISTINCT s.id, v.import, v.variant FROM import_values v "
      "JOIN imports i ON i.id = v.import JOIN import_series s ON s.metric = v.metric AND s.machine "
      "= i.machine");
  tx.commit();
}

void Fill(const std::string& conninfo, int64_t measurements) {
  pqxx::connection connection(conninfo);
  FillNames(connection);
  FillImports(connection);
  {
    pqxx::nontransaction tx(connection);
    // As a restored dump: rows first, keys when they are there.
    tx.exec(
        "ALTER TABLE boot_summaries DROP CONSTRAINT boot_summaries_pkey, "
        "DROP CONSTRAINT boot_summaries_series_fkey, DROP CONSTRAINT boot_summaries_kernel_fkey, "
        "DROP CONSTRAINT boot_summaries_epoch_fkey");
    tx.exec("SET maintenance_work_mem = '256MB'");
  }
  const absl::Time start = absl::Now();
  FillSummaries(connection, measurements / kIterations);
  std::printf("copied in %s\n",
              absl::FormatDuration(absl::Trunc(absl::Now() - start, absl::Seconds(1))).c_str());
  pqxx::nontransaction tx(connection);
  tx.exec(
      "ALTER TABLE boot_summaries ADD PRIMARY KEY (series, job, block, variant, attempt) "
      "INCLUDE (kernel, epoch, n, median, ended_at)");
  tx.exec(
      "ALTER TABLE boot_summaries ADD FOREIGN KEY (series) REFERENCES history_series, "
      "ADD FOREIGN KEY (kernel) REFERENCES history_kernels, "
      "ADD FOREIGN KEY (epoch) REFERENCES history_epochs");
  tx.exec(
      "INSERT INTO history_points SELECT series, kernel, epoch, count(*), max(ended_at) FROM "
      "boot_summaries GROUP BY 1, 2, 3");
  tx.exec("VACUUM ANALYZE boot_summaries");
  tx.exec(
      "CREATE TABLE alone AS SELECT kernel, epoch, job, block, variant, attempt, n, median, "
      "(extract(epoch FROM ended_at) * 1000000)::bigint AS ended FROM boot_summaries "
      "WHERE series = 777");
  tx.exec("VACUUM ANALYZE history_points");
  tx.exec("ANALYZE");
  const pqxx::row size = tx.exec1(
      "SELECT count(*), pg_size_pretty(pg_relation_size('boot_summaries')), "
      "pg_size_pretty(pg_relation_size('boot_summaries_pkey')) FROM boot_summaries");
  std::printf("%s summaries of %lld measurements, table %s, index %s\n", size[0].c_str(),
              static_cast<long long>(measurements), size[1].c_str(), size[2].c_str());
}

bool ReadsTheIndexAlone(const std::string& conninfo) {
  pqxx::connection connection(conninfo);
  pqxx::nontransaction tx(connection);
  bool alone = false;
  for (const pqxx::row& row :
       tx.exec("EXPLAIN (ANALYZE, COSTS off, TIMING off, SUMMARY off) SELECT kernel, epoch, job, "
               "block, "
               "variant, attempt, n, median, ended_at FROM boot_summaries WHERE series = 777 "
               "ORDER BY job, block, variant, attempt")) {
    std::printf("  %s\n", row[0].c_str());
    alone = alone || std::string(row[0].c_str()).find("Heap Fetches: 0") != std::string::npos;
  }
  return alone;
}

// The least that so many rows can cost.
void ReadAlone(pqxx::connection& connection) {
  pqxx::work tx(connection);
  double sum = 0;
  for (const pqxx::row& row : tx.exec("SELECT * FROM alone")) {
    for (const pqxx::field& field : row) sum += field.as<double>();
  }
  if (sum < 0) std::abort();
}

struct Times {
  double p50 = 0, p99 = 0;  // Milliseconds.
};
Times Ask(plan::SplitMix64& random, const std::function<void(int metric, int machine)>& ask) {
  std::vector<double> times;
  for (int i = 0; i < kAsked; ++i) {
    const int metric = 1 + static_cast<int>(random.Next() % kMetrics);
    const int machine = 1 + static_cast<int>(random.Next() % kMachines);
    const absl::Time start = absl::Now();
    ask(metric, machine);
    times.push_back(absl::ToDoubleMilliseconds(absl::Now() - start));
  }
  std::sort(times.begin(), times.end());
  return {times[times.size() / 2], times[times.size() * 99 / 100]};
}

int Main(int64_t measurements) {
  const auto server = Must(embedded::EphemeralPostgres::Start());
  const std::string conninfo = Must(server->NewDatabase());
  const auto database = Must(store::Database::Open({.conninfo = conninfo}));
  Must(store::Migrate(*database));
  Fill(conninfo, measurements);
  bool good = ReadsTheIndexAlone(conninfo);
  service::HistoryApi api(*database);
  plan::SplitMix64 random(2);
  const auto series = [](int metric, int machine) { return (metric - 1) * kMachines + machine; };
  const auto name = [](int metric) { return absl::StrCat("interbench.m", metric, ".latency.avg"); };
  const auto look_up = [&](int metric, int machine) {
    Must(store::KnownRegressions(*database, series(metric, machine)));
  };
  Ask(random, look_up);  // Connections and plans are there.
  const auto peer = [](const char* what, const Times& times) {
    std::printf("%-34s p50 %8.2f ms          p99 %8.2f ms\n", what, times.p50, times.p99);
    return times;
  };
  const Times one = peer("peer: one look-up by index", Ask(random, look_up));
  pqxx::connection alone(conninfo);
  const Times rows = peer("peer: as many rows, alone in a table",
                          Ask(random, [&](int, int) { ReadAlone(alone); }));
  const auto tell = [&](const char* what, const Times& by, double limit, const Times& times) {
    const double ratio = times.p50 / by.p50;
    good = good && ratio <= limit;
    std::printf("%-34s p50 %8.2f ms (%5.1f×) p99 %8.2f ms (%5.1f×)  limit of p50 %g×%s\n", what,
                times.p50, ratio, times.p99, times.p99 / by.p99, limit,
                ratio <= limit ? "" : "  ABOVE");
  };
  tell("which series (metric, machine)", one, 5, Ask(random, [&](int metric, int machine) {
         Must(store::FindSeries(*database, name(metric), absl::StrCat("machine", machine)));
       }));
  tell("one series, every boot", rows, 5, Ask(random, [&](int metric, int machine) {
         Must(store::ReadSeries(*database, series(metric, machine)));
       }));
  tell("list of series (prefix, machine)", rows, 10, Ask(random, [&](int metric, int machine) {
         Must(store::ListSeries(*database, absl::StrCat("interbench.m", metric),
                                absl::StrCat("machine", machine), 100));
       }));
  tell("whole answer to `history`", rows, 10, Ask(random, [&](int metric, int machine) {
         v1::GetHistoryRequest request;
         request.set_metric(name(metric));
         request.set_machine(absl::StrCat("machine", machine));
         Must(api.GetHistory(request));
       }));
  tell("list of 1000 imported series", rows, 100,
       Ask(random, [&](int, int) { Must(store::ListImportedSeries(*database, "", "", 1000)); }));
  tell("imported, whole answer", rows, 10, Ask(random, [&](int metric, int machine) {
         v1::GetHistoryRequest request;
         request.set_metric(absl::StrCat("imported.m", metric, ".latency.avg"));
         request.set_machine(absl::StrCat("machine", machine));
         Must(api.GetHistory(request));
       }));
  return good ? 0 : 1;
}

}  // namespace
}  // namespace shakedown

int main(int argc, char** argv) {
  int64_t measurements = 10'000'000;
  if (argc > 2 ||
      (argc == 2 && (!absl::SimpleAtoi(argv[1], &measurements) || measurements < 10000))) {
    std::fprintf(stderr, "usage: history_queries [MEASUREMENTS], at least 10000\n");
    return 64;
  }
  return shakedown::Main(measurements);
}
