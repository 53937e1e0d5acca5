#include "db/store/regressions.h"

#include "absl/strings/str_cat.h"
#include "db/store/regression_event.h"
#include "db/store/sql.h"
#include "proto/wire/status.h"

namespace shakedown::store {
namespace {

using State = v1::RegressionState;

// Its row, locked. Empty: there is none.
pqxx::result Lock(Transaction& tx, int64_t regression) {
  return tx.exec_params("SELECT * FROM regressions WHERE id = $1 FOR NO KEY UPDATE", regression);
}

absl::Status NoSuch(int64_t regression) {
  return absl::NotFoundError(absl::StrCat("regression ", regression, ": no such regression"));
}

constexpr char kView[] =
    "SELECT r.*, s.metric, s.machine, s.unit, l.text AS loads, g.kernel AS good_kernel, "
    "g.version AS good_version, b.kernel AS bad_kernel, b.version AS bad_version, "
    "b.class AS class, coalesce((SELECT max(id) FROM bisects WHERE regression = r.id), 0) AS "
    "bisect "
    "FROM regressions r "
    "JOIN history_series s ON s.id = r.series JOIN history_loads l ON l.id = s.load "
    "JOIN history_kernels g ON g.id = r.good JOIN history_kernels b ON b.id = r.bad ";

v1::RegressionView ToView(const pqxx::row& row) {
  v1::RegressionView view;
  view.set_regression(row["id"].as<int64_t>());
  view.set_state(RegressionStateOf(row["state"].as<std::string>()));
  view.mutable_series()->set_metric(row["metric"].as<std::string>());
  view.mutable_series()->set_machine(row["machine"].as<std::string>());
  view.mutable_series()->set_loads(row["loads"].as<std::string>());
  view.mutable_series()->set_config_class(row["class"].as<std::string>());
  view.set_unit(row["unit"].as<std::string>());
  view.set_good(row["good_kernel"].as<std::string>());
  view.set_good_version(row["good_version"].as<std::string>());
  view.set_bad(row["bad_kernel"].as<std::string>());
  view.set_bad_version(row["bad_version"].as<std::string>());
  view.set_magnitude(row["magnitude"].as<double>());
  view.set_p(row["p"].as<double>());
  view.set_confirm_job(row["confirm_job"].as<int64_t>(0));
  view.set_bisect(row["bisect"].as<int64_t>());
  view.set_confirm_verdict(row["confirm_verdict"].as<std::string>());
  view.set_confirm_text(row["confirm_text"].as<std::string>());
  view.set_improvement(row["improvement"].as<bool>());
  view.set_suspected_because(row["because"].as<std::string>());
  view.set_blocked(row["blocked"].as<std::string>());
  view.set_confirmed(row["confirmed"].as<bool>());
  return view;
}

void ReadEvents(Transaction& tx, v1::RegressionView& view) {
  const pqxx::result rows = tx.exec_params(
      "SELECT by, state, why, " SHAKEDOWN_MICROS("at") " AS at FROM regression_events "
      "WHERE regression = $1 ORDER BY ordinal",
      view.regression());
  for (const pqxx::row& row : rows) {
    v1::RegressionEvent* event = view.add_events();
    *event->mutable_at() = ReadTime(row["at"]);
    event->set_by(row["by"].as<std::string>());
    event->set_state(RegressionStateOf(row["state"].as<std::string>()));
    event->set_why(row["why"].as<std::string>());
  }
}

void Insert(Transaction& tx, const NewSuspicion& s) {
  const pqxx::result row = tx.exec_params(
      "INSERT INTO regressions (series, good, bad, improvement, state, magnitude, p, because) "
      "VALUES ($1, $2, $3, $4, 'suspected', $5, $6, $7) ON CONFLICT DO NOTHING RETURNING id",
      s.series, s.good, s.bad, s.improvement, s.magnitude, s.p, Text(s.because));
  if (!row.empty()) AddEvent(tx, row[0][0].as<int64_t>(), "farm", s.because);
}

}  // namespace

absl::StatusOr<std::vector<int64_t>> JobsToWatch(Database& database) {
  std::vector<int64_t> jobs;
  RETURN_IF_ERROR(Read(database, [&](Transaction& tx) {
    jobs.clear();
    const pqxx::result rows = tx.exec(
        "SELECT id FROM jobs j WHERE NOT watched AND state <> 'active' AND NOT EXISTS "
        "(SELECT FROM boots o JOIN history_todo t USING (attempt_id) WHERE o.job = j.id) "
        "ORDER BY id LIMIT 20");
    for (const pqxx::row& row : rows) jobs.push_back(row[0].as<int64_t>());
    return absl::OkStatus();
  }));
  return jobs;
}

absl::StatusOr<std::vector<KnownRegression>> KnownRegressions(Database& database, int64_t series) {
  std::vector<KnownRegression> known;
  RETURN_IF_ERROR(Read(database, [&](Transaction& tx) {
    known.clear();
    const pqxx::result rows = tx.exec_params(
        "SELECT id, good, bad, improvement FROM regressions WHERE series = $1 ORDER BY id", series);
    for (const pqxx::row& row : rows) {
      known.push_back(
          {row[0].as<int64_t>(), row[1].as<int64_t>(), row[2].as<int64_t>(), row[3].as<bool>()});
    }
    return absl::OkStatus();
  }));
  return known;
}

absl::StatusOr<bool> AddSuspicions(Database& database, int64_t job,
                                   const std::vector<NewSuspicion>& suspicions) {
  bool added = false;
  RETURN_IF_ERROR(Write(database, [&](Transaction& tx) -> absl::Status {
    added = tx.exec_params("UPDATE jobs SET watched = true WHERE id = $1 AND NOT watched", job)
                .affected_rows() == 1;
    if (!added) return absl::OkStatus();
    for (const NewSuspicion& s : suspicions) {
      tx.exec_params("SELECT FROM history_series WHERE id = $1 FOR NO KEY UPDATE", s.series);
    }
    for (const NewSuspicion& s : suspicions) {
      const auto now =
          tx.exec_params1("SELECT count(*) FROM regressions WHERE series = $1", s.series)[0]
              .as<size_t>();
      if (now == s.known) continue;
      added = false;
      return absl::AbortedError(absl::StrCat("series ", s.series, ": others suspect meanwhile"));
    }
    for (const NewSuspicion& s : suspicions) Insert(tx, s);
    return absl::OkStatus();
  }));
  return added;
}

absl::StatusOr<v1::RegressionView> GetRegression(Database& database, int64_t regression) {
  v1::RegressionView view;
  RETURN_IF_ERROR(Read(database, [&](Transaction& tx) -> absl::Status {
    const pqxx::result row = tx.exec_params(absl::StrCat(kView, "WHERE r.id = $1"), regression);
    if (row.empty()) return NoSuch(regression);
    view = ToView(row[0]);
    ReadEvents(tx, view);
    return absl::OkStatus();
  }));
  return view;
}

absl::StatusOr<std::vector<v1::RegressionView>> ListRegressions(Database& database, bool open,
                                                                uint32_t limit, int64_t before) {
  std::vector<v1::RegressionView> all;
  RETURN_IF_ERROR(Read(database, [&](Transaction& tx) {
    all.clear();
    const pqxx::result rows = tx.exec_params(
        absl::StrCat(kView,
                     "WHERE ($1 = 0 OR r.id < $1) AND (NOT $2 OR r.state IN ('suspected', "
                     "'confirming', 'confirmed', 'acknowledged')) ORDER BY r.id DESC LIMIT $3"),
        before, open, static_cast<int64_t>(limit));
    for (const pqxx::row& row : rows) all.push_back(ToView(row));
    return absl::OkStatus();
  }));
  return all;
}

absl::Status SetRegression(Database& database, int64_t regression, v1::RegressionState state,
                           const std::string& by, const std::string& why) {
  return Write(database, [&](Transaction& tx) -> absl::Status {
    const pqxx::result row = Lock(tx, regression);
    if (row.empty()) return NoSuch(regression);
    const State now = RegressionStateOf(row[0]["state"].as<std::string>());
    const bool closed = now == v1::REGRESSION_STATE_REFUTED || now == v1::REGRESSION_STATE_FIXED ||
                        now == v1::REGRESSION_STATE_WONT_FIX;
    const bool blocked = !row[0]["blocked"].as<std::string>().empty();
    State wanted = state;
    if (state == v1::REGRESSION_STATE_SUSPECTED) {
      if (!closed && now != v1::REGRESSION_STATE_ACKNOWLEDGED && !blocked) {
        return absl::FailedPreconditionError(
            absl::StrCat("regression ", regression, ": is open (", RegressionStateWord(now), ")"));
      }
      if (row[0]["confirmed"].as<bool>()) wanted = v1::REGRESSION_STATE_CONFIRMED;
    } else if (closed) {
      return absl::FailedPreconditionError(absl::StrCat("regression ", regression, ": is closed (",
                                                        RegressionStateWord(now),
                                                        "), open it again first"));
    }
    tx.exec_params("UPDATE regressions SET state = $2 WHERE id = $1", regression,
                   RegressionStateWord(wanted));
    // To be confirmed by another job than before.
    if (wanted == v1::REGRESSION_STATE_SUSPECTED) {
      tx.exec_params(
          "UPDATE regressions SET blocked = '', confirm_request = NULL, confirm_job = NULL, "
          "confirm_verdict = '', confirm_text = '' WHERE id = $1",
          regression);
    }
    AddEvent(tx, regression, by, why);
    return absl::OkStatus();
  });
}

}  // namespace shakedown::store
