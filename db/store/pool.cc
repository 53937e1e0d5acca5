#include "db/store/pool.h"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "db/store/connect.h"
#include "proto/wire/status.h"

namespace shakedown::store {
namespace {

constexpr int kRaces = 5;  // Tries of a transaction that meets a deadlock.

std::string OneLine(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  absl::StripTrailingAsciiWhitespace(&text);
  return text;
}

bool StartsWith(const std::string& state, absl::string_view prefix) {
  return absl::StartsWith(state, prefix);
}

absl::Status SqlStatus(const pqxx::sql_error& e) {
  const std::string state = e.sqlstate();
  const std::string what = OneLine(e.what());
  if (StartsWith(state, "08") || StartsWith(state, "57P") || state == "53300" || state == "25006") {
    return absl::UnavailableError(absl::StrCat("database: ", what));
  }
  if (state == "57014") return absl::DeadlineExceededError(absl::StrCat("database: ", what));
  if (state == "55P03") return absl::AbortedError(absl::StrCat("database: ", what));
  if (StartsWith(state, "53"))
    return absl::ResourceExhaustedError(absl::StrCat("database: ", what));
  if (state == "23505") return absl::AlreadyExistsError(what);
  if (state == "23514" || StartsWith(state, "22")) return absl::InvalidArgumentError(what);
  return absl::InternalError(absl::StrCat(what, " [", state, "] in: ", e.query()));
}

// What one try came to. Sound: the connection can be used again. Raced: worth another try.
struct Try {
  absl::Status status;
  bool sound = true;
  bool raced = false;
  bool broken = false;
};

template <typename Action>
Try Guard(Action action) try {
  return {action()};
} catch (const pqxx::in_doubt_error& e) {
  return {absl::UnknownError(absl::StrCat("database: ", OneLine(e.what()))), false};
} catch (const pqxx::broken_connection& e) {
  return {absl::UnavailableError(absl::StrCat("database: ", OneLine(e.what()))), false, false,
          true};
} catch (const pqxx::transaction_rollback& e) {
  return {absl::AbortedError(absl::StrCat("database: ", OneLine(e.what()))), true, true};
} catch (const pqxx::sql_error& e) {
  absl::Status status = SqlStatus(e);
  const bool gone = absl::IsUnavailable(status);
  return {std::move(status), !gone, false, gone};
} catch (const std::exception& e) {
  return {absl::InternalError(absl::StrCat("store: ", OneLine(e.what()))), false};
}

Try WriteOnce(pqxx::connection& connection, Body body) {
  return Guard([&]() -> absl::Status {
    pqxx::work tx(connection);
    RETURN_IF_ERROR(body(tx));
    tx.exec("SET LOCAL statement_timeout = 0");  // A COMMIT is never cancelled.
    tx.commit();
    return absl::OkStatus();
  });
}

Try ReadOnce(pqxx::connection& connection, Body body) {
  return Guard([&]() -> absl::Status {
    pqxx::transaction<pqxx::repeatable_read, pqxx::read_only> tx(connection);
    return body(tx);
  });
}

template <typename Once>
absl::Status Repeat(Database& database, bool again_when_broken, Once once) {
  for (int i = 1;; ++i) {
    absl::StatusOr<std::unique_ptr<pqxx::connection>> connection = database.pool().Take();
    if (!connection.ok()) return connection.status();
    Try result = once(**connection);
    database.pool().Give(*std::move(connection), result.sound);
    const bool again =
        (result.raced && i < kRaces) || (result.broken && again_when_broken && i == 1);
    if (!again) return std::move(result.status);
  }
}

// True when nothing has arrived on an idle connection: the server's farewell or its end makes it
// readable.
bool Quiet(const pqxx::connection& connection) {
  pollfd fd = {connection.sock(), POLLIN, 0};
  return connection.is_open() && fd.fd >= 0 && poll(&fd, 1, 0) == 0;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Database>> Database::Open(DatabaseOptions options) {
  auto database =
      std::unique_ptr<Database>(new Database(std::make_unique<Pool>(std::move(options))));
  RETURN_IF_ERROR(database->Ping());
  return database;
}

Database::Database(std::unique_ptr<Pool> pool) : pool_(std::move(pool)) {}
Database::~Database() = default;

const DatabaseOptions& Database::options() const { return pool_->options(); }

absl::Status Database::Ping() {
  return Read(*this, [](Transaction& tx) {
    tx.exec("SELECT 1");
    return absl::OkStatus();
  });
}

std::unique_ptr<pqxx::connection> Database::Pool::TakeIdle() {
  while (!idle_.empty()) {
    std::unique_ptr<pqxx::connection> connection = std::move(idle_.back());
    idle_.pop_back();
    if (Quiet(*connection)) return connection;
  }
  return nullptr;
}

absl::StatusOr<std::unique_ptr<pqxx::connection>> Database::Pool::Take() {
  {
    std::unique_lock lock(mutex_);
    if (!given_.wait_for(lock, absl::ToChronoMilliseconds(options_.wait),
                         [&] { return out_ < options_.connections; })) {
      return absl::UnavailableError(absl::StrCat("database: all ", options_.connections,
                                                 " connections were busy for ",
                                                 absl::FormatDuration(options_.wait)));
    }
    ++out_;
    if (auto connection = TakeIdle()) return connection;
  }
  absl::StatusOr<std::unique_ptr<pqxx::connection>> connection = Connect(options_);
  if (!connection.ok()) Give(nullptr, false);
  return connection;
}

void Database::Pool::Give(std::unique_ptr<pqxx::connection> connection, bool sound) {
  std::vector<std::unique_ptr<pqxx::connection>> closed;  // Closed after the lock is gone.
  {
    std::lock_guard lock(mutex_);
    --out_;
    if (!sound) closed.swap(idle_);
    if (sound && connection != nullptr && connection->is_open()) {
      idle_.push_back(std::move(connection));
    }
  }
  given_.notify_one();
}

absl::Status Write(Database& database, Body body) {
  return Repeat(database, false,
                [&](pqxx::connection& connection) { return WriteOnce(connection, body); });
}

absl::Status Read(Database& database, Body body) {
  return Repeat(database, true,
                [&](pqxx::connection& connection) { return ReadOnce(connection, body); });
}

void Notify(Transaction& tx) { tx.exec("NOTIFY shakedown"); }

}  // namespace shakedown::store
