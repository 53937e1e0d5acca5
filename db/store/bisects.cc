#include "db/store/bisects.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "db/store/shareable.h"
#include "db/store/sql.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::store {
namespace {

constexpr char kViewColumns[] =
    "SELECT id, submitter, request, state, view, " SHAKEDOWN_MICROS(
        "started_at") " AS started, coalesce(" SHAKEDOWN_MICROS("ended_at") ", 0) AS ended FROM bisects ";

absl::Status NoSuchBisect(int64_t bisect) {
  return absl::NotFoundError(absl::StrCat("bisect ", bisect, ": no such bisect"));
}

absl::Status ReadView(const pqxx::row& row, v1::BisectView& view) {
  RETURN_IF_ERROR(ReadProto(row["view"], view));
  RETURN_IF_ERROR(ReadProto(row["request"], *view.mutable_request()));
  view.set_bisect(row["id"].as<int64_t>());
  view.set_submitter(row["submitter"].as<std::string>());
  view.set_state(row["state"].as<std::string>());
  *view.mutable_started() = ReadTime(row["started"]);
  if (row["ended"].as<int64_t>() != 0) *view.mutable_ended() = ReadTime(row["ended"]);
  return absl::OkStatus();
}

BisectTrial ReadTrial(const pqxx::row& row) {
  BisectTrial trial;
  trial.trial = row["trial"].as<uint32_t>();
  trial.step = row["step"].as<uint32_t>();
  trial.kind = row["kind"].as<std::string>();
  trial.candidate = row["candidate"].as<uint32_t>();
  trial.base = row["base"].as<uint32_t>();
  trial.blocks = row["blocks"].as<uint32_t>();
  trial.request_id = row["request_id"].as<std::string>();
  trial.job = row["job"].as<int64_t>();
  trial.ending = row["ending"].as<std::string>();
  trial.differences = ReadDoubleArray(row["differences"]);
  trial.boots = row["boots"].as<uint32_t>();
  trial.same_as = row["same_as"].as<uint32_t>();
  trial.why = row["why"].as<std::string>();
  return trial;
}

// What the request and the row say is not said again by the view.
std::string ViewBytes(v1::BisectView view) {
  view.clear_request();
  return Canonical(view);
}

// False: another has decided since.
bool LockUnchanged(Transaction& tx, int64_t bisect, int64_t version) {
  return !tx.exec_params(
                "SELECT FROM bisects WHERE id = $1 AND version = $2 AND state = 'running' "
                "FOR NO KEY UPDATE",
                bisect, version)
              .empty();
}

void Decided(Transaction& tx, int64_t bisect, const std::string& state,
             const v1::BisectView& view) {
  tx.exec_params(
      "UPDATE bisects SET version = version + 1, view = $2, state = $3, "
      "ended_at = CASE WHEN $3 = 'running' THEN NULL ELSE now() END WHERE id = $1",
      bisect, Bytes(ViewBytes(view)), state);
  Notify(tx);
}

}  // namespace

absl::StatusOr<int64_t> StartBisect(Database& database, const std::string& submitter,
                                    const v1::StartBisectRequest& request,
                                    const v1::BisectView& view) {
  RETURN_IF_ERROR(CheckUuid("request_id", request.request_id()));
  int64_t bisect = 0;
  RETURN_IF_ERROR(Write(database, [&](Transaction& tx) {
    tx.exec_params(
        "INSERT INTO bisects (request_id, submitter, request, view, regression) "
        "VALUES ($1, $2, $3, $4, $5) ON CONFLICT (request_id) DO NOTHING",
        request.request_id(), Text(submitter), Bytes(Canonical(request)), Bytes(ViewBytes(view)),
        request.regression());
    bisect =
        tx.exec_params1("SELECT id FROM bisects WHERE request_id = $1", request.request_id())[0]
            .as<int64_t>();
    Notify(tx);
    return absl::OkStatus();
  }));
  return bisect;
}

absl::StatusOr<std::optional<int64_t>> FindBisectByRequest(Database& database,
                                                           const std::string& request_id) {
  RETURN_IF_ERROR(CheckUuid("request_id", request_id));
  std::optional<int64_t> bisect;
  RETURN_IF_ERROR(Read(database, [&](Transaction& tx) {
    bisect.reset();
    const pqxx::result row =
        tx.exec_params("SELECT id FROM bisects WHERE request_id = $1", request_id);
    if (!row.empty()) bisect = row[0][0].as<int64_t>();
    return absl::OkStatus();
  }));
  return bisect;
}

absl::StatusOr<std::vector<int64_t>> DueBisects(Database& database) {
  std::vector<int64_t> due;
  RETURN_IF_ERROR(Read(database, [&](Transaction& tx) {
    due.clear();
    const pqxx::result rows = tx.exec(
        "SELECT id FROM bisects WHERE state = 'running' UNION "
        "SELECT bisect FROM bisect_trials WHERE ending = 'running' ORDER BY 1 LIMIT 100");
    for (const pqxx::row& row : rows) due.push_back(row[0].as<int64_t>());
    return absl::OkStatus();
  }));
  return due;
}

absl::StatusOr<Bisect> GetBisect(Database& database, int64_t bisect) {
  Bisect found;
  RETURN_IF_ERROR(Read(database, [&](Transaction& tx) -> absl::Status {
    found = Bisect();
    const pqxx::result rows = tx.exec_params(
        "SELECT submitter, request, state, version FROM bisects WHERE id = $1", bisect);
    if (rows.empty()) return NoSuchBisect(bisect);
    found.bisect = bisect;
    found.submitter = rows[0]["submitter"].as<std::string>();
    found.state = rows[0]["state"].as<std::string>();
    found.version = rows[0]["version"].as<int64_t>();
    RETURN_IF_ERROR(ReadProto(rows[0]["request"], found.request));
    const pqxx::result trials = tx.exec_params(
        "SELECT trial, step, kind, candidate, base, blocks, request_id, coalesce(job, 0) AS job, "
        "ending, differences, boots, same_as, why FROM bisect_trials WHERE bisect = $1 "
        "ORDER BY trial",
        bisect);
    for (const pqxx::row& row : trials) found.trials.push_back(ReadTrial(row));
    return absl::OkStatus();
  }));
  return found;
}

absl::StatusOr<v1::BisectView> GetBisectView(Database& database, int64_t bisect) {
  v1::BisectView view;
  RETURN_IF_ERROR(Read(database, [&](Transaction& tx) -> absl::Status {
    const pqxx::result rows = tx.exec_params(absl::StrCat(kViewColumns, "WHERE id = $1"), bisect);
    if (rows.empty()) return NoSuchBisect(bisect);
    return ReadView(rows[0], view);
  }));
  return view;
}

absl::StatusOr<std::vector<v1::BisectView>> ListBisects(Database& database, uint32_t limit,
                                                        int64_t before) {
  std::vector<v1::BisectView> views;
  RETURN_IF_ERROR(Read(database, [&](Transaction& tx) -> absl::Status {
    views.clear();
    const pqxx::result rows = tx.exec_params(
        absl::StrCat(kViewColumns, "WHERE $2 = 0 OR id < $2 ORDER BY id DESC LIMIT $1"),
        static_cast<int64_t>(limit), before);
    for (const pqxx::row& row : rows) {
      v1::BisectView& view = views.emplace_back();
      RETURN_IF_ERROR(ReadView(row, view));
      view.clear_steps();
      view.clear_probabilities();
      view.mutable_request()->clear_candidates();
      view.mutable_request()->clear_parents();
    }
    return absl::OkStatus();
  }));
  return views;
}

absl::StatusOr<bool> BeginBisectTrial(Database& database, int64_t bisect, int64_t version,
                                      const BisectTrial& trial, const v1::BisectView& view) {
  bool done = false;
  const std::string request_id = NewUuid();
  RETURN_IF_ERROR(Write(database, [&](Transaction& tx) {
    done = LockUnchanged(tx, bisect, version);
    if (!done) return absl::OkStatus();
    tx.exec_params(
        "INSERT INTO bisect_trials (bisect, trial, step, kind, candidate, base, blocks, "
        "request_id) SELECT $1, coalesce(max(trial), 0) + 1, $2, $3, $4, $5, $6, $7 "
        "FROM bisect_trials WHERE bisect = $1",
        bisect, static_cast<int64_t>(trial.step), trial.kind, static_cast<int64_t>(trial.candidate),
        static_cast<int64_t>(trial.base), static_cast<int64_t>(trial.blocks), request_id);
    Decided(tx, bisect, "running", view);
    return absl::OkStatus();
  }));
  return done;
}

absl::StatusOr<bool> EndBisect(Database& database, int64_t bisect, int64_t version,
                               const std::string& state, const v1::BisectView& view) {
  bool done = false;
  RETURN_IF_ERROR(Write(database, [&](Transaction& tx) {
    done = LockUnchanged(tx, bisect, version);
    if (done) Decided(tx, bisect, state, view);
    return absl::OkStatus();
  }));
  return done;
}

absl::Status CancelBisect(Database& database, int64_t bisect, const std::string& text) {
  return Write(database, [&](Transaction& tx) -> absl::Status {
    const pqxx::result rows =
        tx.exec_params("SELECT state, view FROM bisects WHERE id = $1 FOR NO KEY UPDATE", bisect);
    if (rows.empty()) return NoSuchBisect(bisect);
    if (rows[0]["state"].as<std::string>() != "running") return absl::OkStatus();
    v1::BisectView view;
    RETURN_IF_ERROR(ReadProto(rows[0]["view"], view));
    view.set_text(text);
    Decided(tx, bisect, "cancelled", view);
    return absl::OkStatus();
  });
}

absl::Status SetBisectTrialJob(Database& database, int64_t bisect, uint32_t trial, int64_t job) {
  return Write(database, [&](Transaction& tx) {
    tx.exec_params("UPDATE bisect_trials SET job = $3 WHERE bisect = $1 AND trial = $2", bisect,
                   static_cast<int64_t>(trial), job);
    return absl::OkStatus();
  });
}

absl::StatusOr<bool> EndBisectTrial(Database& database, int64_t bisect, const BisectTrial& trial) {
  bool done = false;
  RETURN_IF_ERROR(Write(database, [&](Transaction& tx) {
    done = tx.exec_params(
                 "UPDATE bisect_trials SET ending = $3, differences = $4::double precision[], "
                 "boots = $5, same_as = $6, why = $7, ended_at = now() "
                 "WHERE bisect = $1 AND trial = $2 AND ending = 'running'",
                 bisect, static_cast<int64_t>(trial.trial), trial.ending,
                 DoubleArray(trial.differences), static_cast<int64_t>(trial.boots),
                 static_cast<int64_t>(trial.same_as), Text(trial.why))
               .affected_rows() == 1;
    if (done) Notify(tx);
    return absl::OkStatus();
  }));
  return done;
}

absl::StatusOr<std::map<std::string, std::string>> BuildKeysOf(
    Database& database, const std::vector<std::string>& request_keys) {
  std::map<std::string, std::string> keys;
  RETURN_IF_ERROR(Read(database, [&](Transaction& tx) {
    keys.clear();
    const pqxx::result rows = tx.exec_params(
        "SELECT DISTINCT ON (b.request_key) b.request_key, b.build_key FROM builds b "
        "WHERE b.request_key = ANY ($1::text[]) AND b.state = 'built' AND " SHAKEDOWN_SHAREABLE
        " ORDER BY b.request_key, b.created_at DESC",
        TextArray(request_keys));
    for (const pqxx::row& row : rows) {
      keys[row[0].as<std::string>()] = row[1].as<std::string>();
    }
    return absl::OkStatus();
  }));
  return keys;
}

}  // namespace shakedown::store
