// Rows as the messages people see. Used by jobs, builds and reports.
#ifndef SHAKEDOWN_DB_STORE_VIEWS_H_
#define SHAKEDOWN_DB_STORE_VIEWS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "db/store/signature_rows.h"
#include "db/store/sql.h"
#include "db/store/words.h"
#include "proto/wire/ids.h"
#include "shakedown/v1/farm.pb.h"

namespace shakedown::store {

// What fills a BuildView, from `builds b`.
#define SHAKEDOWN_BUILD_COLUMNS                                                               \
  "b.id, b.kernel, b.request_key, coalesce(b.build_key, '') AS build_key, b.state, b.error, " \
  "b.result, "                                                                                \
  "coalesce(b.duration_ms, 0) AS duration_ms, coalesce(b.agent, '') AS agent, "               \
  "coalesce(s.phase, '') AS phase, coalesce(s.progress, 0) AS progress, " SHAKEDOWN_MICROS(   \
      "b.created_at") " AS created"
#define SHAKEDOWN_BUILD_TABLES                                                             \
  "builds b LEFT JOIN slot_pulse s ON s.build = b.id AND s.agent = b.agent AND b.state = " \
  "'running'"

absl::Status FillBuild(const pqxx::row& row, v1::BuildView& view);

// `tail`: WHERE, ORDER BY and LIMIT over `builds b`, with $1.
template <typename Parameter>
absl::StatusOr<std::vector<v1::BuildView>> ReadBuilds(Transaction& tx, absl::string_view tail,
                                                      const Parameter& parameter) {
  std::vector<v1::BuildView> views;
  const pqxx::result rows = tx.exec_params(
      absl::StrCat("SELECT " SHAKEDOWN_BUILD_COLUMNS " FROM " SHAKEDOWN_BUILD_TABLES " ", tail),
      parameter);
  for (const pqxx::row& row : rows) {
    absl::Status filled = FillBuild(row, views.emplace_back());
    if (!filled.ok()) return filled;
  }
  FillSigners(tx, views);
  return views;
}

// The boots of a job in plan order, with the result's columns `result` and `console_tail` beside
// them.
#define SHAKEDOWN_BOOTS_OF_JOB \
  "SELECT o.attempt_id, o.block, o.variant, o.attempt, o.state, coalesce(o.outcome, '') AS " \
  "outcome, " \
  "o.reason, coalesce(o.machine, k.machine, '') AS machine, o.cancel_requested, "                    \
  "coalesce(p.phase, CASE WHEN o.state = 'running' AND l.takes_blocks AND l.attempt_id <> "            \
  "o.attempt_id THEN 'queued on ' || l.name ELSE '' END) AS phase, "                                 \
  "coalesce(p.progress, 0) AS progress, "                                                            \
  "coalesce(r.console_tail, '') AS console_tail, coalesce(r.boot_ms, 0) AS boot_ms, r.result, "      \
  SHAKEDOWN_MICROS("o.leased_at") " AS started, " SHAKEDOWN_MICROS("o.ended_at") " AS ended "        \
  "FROM boots o JOIN blocks k ON k.job = o.job AND k.block = o.block "                               \
  "LEFT JOIN machine_pulse p ON p.machine = o.machine AND p.attempt_id = o.attempt_id "              \
  "AND o.state = 'running' "                                                                         \
  "LEFT JOIN machines l ON l.name = o.machine AND l.epoch = o.epoch "                                \
  "LEFT JOIN boot_results r ON r.attempt_id = o.attempt_id "                                         \
  "WHERE o.job = $1 ORDER BY o.block, o.position, o.attempt"

void FillBoot(int64_t job, const pqxx::row& row, v1::BootView& view);

}  // namespace shakedown::store

#endif  // SHAKEDOWN_DB_STORE_VIEWS_H_
