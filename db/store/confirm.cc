// The paired jobs that decide about suspicions: regressions.h.
#include "absl/strings/str_cat.h"
#include "db/store/regression_event.h"
#include "db/store/regressions.h"
#include "db/store/sql.h"
#include "proto/wire/status.h"
#include "shakedown/v1/build.pb.h"

namespace shakedown::store {
namespace {

constexpr int64_t kBudgetLock = 0x5348414B42554447;  // "SHAKBUDG": one reservation at a time.

absl::Status ReadSide(Transaction& tx, int64_t series, int64_t kernel, ConfirmSide& side) {
  const pqxx::result rows = tx.exec_params(
      "SELECT j.spec, v.variant, b.resolved, b.result FROM boot_summaries u "
      "JOIN jobs j ON j.id = u.job JOIN variants v ON v.job = u.job AND v.variant = u.variant "
      "JOIN builds b ON b.id = v.build WHERE u.series = $1 AND u.kernel = $2 "
      "ORDER BY u.job DESC, u.variant LIMIT 1",
      series, kernel);
  if (rows.empty()) return absl::NotFoundError("no boot of the kernel is left");
  side.variant = rows[0]["variant"].as<uint32_t>();
  RETURN_IF_ERROR(ReadProto(rows[0]["spec"], side.spec));
  RETURN_IF_ERROR(ReadProto(rows[0]["resolved"], side.kernel));
  if (rows[0]["result"].is_null()) return absl::OkStatus();
  v1::BuildResult built;
  RETURN_IF_ERROR(ReadProto(rows[0]["result"], built));
  side.source_version = built.source_version();
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<OpenRegression>> OpenRegressions(Database& database) {
  std::vector<OpenRegression> open;
  RETURN_IF_ERROR(Read(database, [&](Transaction& tx) {
    open.clear();
    const pqxx::result rows = tx.exec(
        "SELECT r.id, r.improvement, s.metric, s.machine, coalesce(r.confirm_request::text, '') AS "
        "request, coalesce(r.confirm_job, 0) AS job, coalesce(j.state <> 'active', false) AS ended "
        "FROM regressions r JOIN history_series s ON s.id = r.series "
        "LEFT JOIN jobs j ON j.id = r.confirm_job "
        "WHERE (r.state = 'suspected' AND r.blocked = '' AND r.confirm_request IS NULL) "
        "OR (r.confirm_request IS NOT NULL AND r.confirm_verdict = '' AND r.blocked = '') "
        "ORDER BY r.id LIMIT 1000");
    for (const pqxx::row& row : rows) {
      open.push_back({row["id"].as<int64_t>(), row["improvement"].as<bool>(),
                      row["metric"].as<std::string>(), row["machine"].as<std::string>(),
                      row["request"].as<std::string>(), row["job"].as<int64_t>(),
                      row["ended"].as<bool>()});
    }
    return absl::OkStatus();
  }));
  return open;
}

absl::StatusOr<ConfirmSides> GetConfirmSides(Database& database, int64_t regression) {
  ConfirmSides sides;
  RETURN_IF_ERROR(Read(database, [&](Transaction& tx) -> absl::Status {
    sides = ConfirmSides();
    const pqxx::result row = tx.exec_params(
        "SELECT r.series, r.good, r.bad, l.sha256 FROM regressions r JOIN history_series s ON s.id "
        "= r.series JOIN history_loads l ON l.id = s.load WHERE r.id = $1",
        regression);
    if (row.empty()) {
      return absl::NotFoundError(absl::StrCat("regression ", regression, ": no such regression"));
    }
    sides.load_sha256 = row[0]["sha256"].as<std::string>();
    const auto series = row[0]["series"].as<int64_t>();
    RETURN_IF_ERROR(ReadSide(tx, series, row[0]["good"].as<int64_t>(), sides.good));
    return ReadSide(tx, series, row[0]["bad"].as<int64_t>(), sides.bad);
  }));
  return sides;
}

absl::StatusOr<std::optional<std::string>> ReserveConfirm(Database& database, int64_t regression,
                                                          int boots, int budget) {
  std::optional<std::string> request;
  RETURN_IF_ERROR(Write(database, [&](Transaction& tx) {
    request.reset();
    tx.exec_params("SELECT pg_advisory_xact_lock($1)", kBudgetLock);
    const auto used = tx.exec(
                            "SELECT coalesce(sum(confirm_boots), 0) FROM regressions "
                            "WHERE confirm_at > now() - interval '1 day'")[0][0]
                          .as<int64_t>();
    if (used + boots > budget) return absl::OkStatus();
    const pqxx::result row = tx.exec_params(
        "UPDATE regressions SET state = 'confirming', confirm_request = gen_random_uuid(), "
        "confirm_boots = $2, confirm_at = now() WHERE id = $1 AND state = 'suspected' "
        "AND blocked = '' AND confirm_request IS NULL RETURNING confirm_request",
        regression, boots);
    if (row.empty()) return absl::OkStatus();
    request = row[0][0].as<std::string>();
    AddEvent(tx, regression, "farm", absl::StrCat("a paired job of at most ", boots, " boots"));
    return absl::OkStatus();
  }));
  return request;
}

absl::Status SetConfirmJob(Database& database, int64_t regression, const std::string& request,
                           int64_t job) {
  RETURN_IF_ERROR(CheckUuid("request", request));
  return Write(database, [&](Transaction& tx) {
    const pqxx::result set = tx.exec_params(
        "UPDATE regressions SET confirm_job = $3 WHERE id = $1 AND confirm_request = $2 "
        "AND confirm_job IS NULL",
        regression, request, job);
    if (set.affected_rows() == 1) AddEvent(tx, regression, "farm", absl::StrCat("job ", job));
    return absl::OkStatus();
  });
}

absl::Status BlockConfirm(Database& database, int64_t regression, absl::string_view why) {
  return Write(database, [&](Transaction& tx) {
    const pqxx::result set = tx.exec_params(
        "UPDATE regressions SET blocked = $2, confirm_boots = 0, "
        "state = CASE WHEN state = 'confirming' THEN 'suspected' ELSE state END "
        "WHERE id = $1 AND confirm_job IS NULL AND blocked = ''",
        regression, Text(why.empty() ? "no job can be made" : why));
    if (set.affected_rows() == 1) AddEvent(tx, regression, "farm", why);
    return absl::OkStatus();
  });
}

absl::StatusOr<bool> DecideConfirm(Database& database, const ConfirmVerdict& verdict) {
  bool decided = false;
  RETURN_IF_ERROR(Write(database, [&](Transaction& tx) {
    const bool told = verdict.state != v1::REGRESSION_STATE_SUSPECTED;
    decided = tx.exec_params(
                    "UPDATE regressions SET confirm_verdict = $3, confirm_text = $4, "
                    "blocked = CASE WHEN $5 THEN blocked ELSE $4 END, "
                    "confirmed = confirmed OR $6 = 'confirmed', "
                    "state = CASE WHEN state = 'confirming' THEN $6 ELSE state END "
                    "WHERE id = $1 AND confirm_job = $2 AND confirm_verdict = ''",
                    verdict.regression, verdict.job, Text(verdict.verdict), Text(verdict.text),
                    told, RegressionStateWord(verdict.state))
                  .affected_rows() == 1;
    if (decided) AddEvent(tx, verdict.regression, "farm", verdict.text);
    return absl::OkStatus();
  }));
  return decided;
}

}  // namespace shakedown::store
