#include "db/store/connect.h"

#include <libpq-fe.h>

#include <algorithm>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace shakedown::store {
namespace {

// Values in a conninfo stand in quotes, with \ and ' escaped.
std::string QuotedValue(const char* value) {
  std::string quoted = "'";
  for (const char* c = value; *c != 0; ++c) {
    if (*c == '\\' || *c == '\'') quoted += '\\';
    quoted += *c;
  }
  return quoted + "'";
}

bool Has(const PQconninfoOption* options, absl::string_view keyword) {
  for (; options->keyword != nullptr; ++options) {
    if (options->keyword == keyword) return options->val != nullptr;
  }
  return false;
}

// The caller's conninfo with our defaults where it says nothing.
absl::StatusOr<std::string> WithDefaults(const DatabaseOptions& options) {
  char* error = nullptr;
  PQconninfoOption* parsed = PQconninfoParse(options.conninfo.c_str(), &error);
  if (parsed == nullptr) {
    PQfreemem(error);
    return absl::InvalidArgumentError(
        "database: conninfo can not be read; \"host=… dbname=… user=…\" or a postgresql:// URI is "
        "wanted");
  }
  std::string text;
  for (const PQconninfoOption* option = parsed; option->keyword != nullptr; ++option) {
    if (option->val == nullptr) continue;
    absl::StrAppend(&text, option->keyword, "=", QuotedValue(option->val), " ");
  }
  const auto add = [&](absl::string_view keyword, auto value) {
    if (!Has(parsed, keyword)) absl::StrAppend(&text, keyword, "=", value, " ");
  };
  const int64_t wait_s = std::max<int64_t>(2, absl::ToInt64Seconds(options.wait));
  add("connect_timeout", wait_s);
  add("keepalives_idle", 10);
  add("keepalives_interval", 5);
  add("keepalives_count", 3);
  add("tcp_user_timeout",
      absl::ToInt64Milliseconds(options.statement_limit));  // Bytes nobody acknowledges.
  add("application_name", "shakedown");
  PQconninfoFree(parsed);
  return text;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
// Deprecated since libpqxx 7 has it always so; 6.4 re-opens silently and a transaction's first half
// is lost.
void StayBroken(pqxx::connection& connection) { connection.inhibit_reactivation(true); }
#pragma GCC diagnostic pop

}  // namespace

absl::StatusOr<std::unique_ptr<pqxx::connection>> Connect(const DatabaseOptions& options) {
  absl::StatusOr<std::string> conninfo = WithDefaults(options);
  if (!conninfo.ok()) return conninfo.status();
  try {
    auto connection = std::make_unique<pqxx::connection>(*conninfo);
    StayBroken(*connection);
    connection->set_client_encoding("UTF8");
    const int64_t limit_ms = absl::ToInt64Milliseconds(options.statement_limit);
    pqxx::nontransaction tx(*connection);
    tx.exec(absl::StrCat("SET statement_timeout = ", limit_ms,
                         "; SET lock_timeout = ", limit_ms / 2,
                         "; SET idle_in_transaction_session_timeout = 60000; SET timezone = 'UTC'; "
                         "SET extra_float_digits = 1; SET bytea_output = 'hex'; "
                         "SET client_min_messages = warning"));
    tx.commit();
    return connection;
  } catch (const std::exception& e) {
    std::string what = e.what();
    std::replace(what.begin(), what.end(), '\n', ' ');
    absl::StripTrailingAsciiWhitespace(&what);
    return absl::UnavailableError(absl::StrCat("database: ", what));
  }
}

}  // namespace shakedown::store
