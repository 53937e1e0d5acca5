#include "agent/session/journal_file.h"

#include <sqlite3.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "proto/wire/digest.h"
#include "proto/wire/status.h"

namespace shakedown::agent {
namespace {

// A rollback journal, not a write-ahead log: damage in a log's last frames would be dropped without
// a word. TRUNCATE saves syncing the folder at each commit.
constexpr char kSetUp[] =
    "PRAGMA locking_mode=EXCLUSIVE;"
    "PRAGMA journal_mode=TRUNCATE;"
    "PRAGMA synchronous=FULL;"
    "PRAGMA application_id=0x53444a31;"  // "SDJ1"
    "CREATE TABLE IF NOT EXISTS records ("
    "  sequence INTEGER PRIMARY KEY AUTOINCREMENT,"
    "  kind TEXT NOT NULL, work TEXT NOT NULL, id TEXT NOT NULL, epoch INTEGER NOT NULL,"
    "  body BLOB NOT NULL, boot_id TEXT NOT NULL, wall_us INTEGER NOT NULL,"
    "  checksum TEXT NOT NULL);";

// The sequence is not in it: SQLite gives it on insert.
std::string Checksum(const JournalRecord& record) {
  std::string all;
  for (const std::string* field :
       {&record.kind, &record.work, &record.id, &record.body, &record.boot_id}) {
    absl::StrAppend(&all, field->size(), ":", *field, ";");
  }
  absl::StrAppend(&all, record.epoch, ";", record.wall_us);
  return Sha256Hex(all);
}

class Statement {
 public:
  Statement(sqlite3* db, const char* sql) { sqlite3_prepare_v2(db, sql, -1, &statement_, nullptr); }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;

  void Text(int index, const std::string& value) {
    sqlite3_bind_text64(statement_, index, value.data(), value.size(), SQLITE_TRANSIENT,
                        SQLITE_UTF8);
  }
  void Blob(int index, const std::string& value) {
    sqlite3_bind_blob64(statement_, index, value.empty() ? "" : value.data(), value.size(),
                        SQLITE_TRANSIENT);
  }
  void Int(int index, int64_t value) { sqlite3_bind_int64(statement_, index, value); }
  // A statement that could not be prepared gives SQLITE_MISUSE here.
  int Step() { return sqlite3_step(statement_); }
  std::string Column(int index) {
    const void* data = sqlite3_column_blob(statement_, index);
    const int size = sqlite3_column_bytes(statement_, index);
    return size == 0 ? "" : std::string(static_cast<const char*>(data), size);
  }
  int64_t IntColumn(int index) { return sqlite3_column_int64(statement_, index); }

 private:
  sqlite3_stmt* statement_ = nullptr;
};

class SqliteFile : public JournalFile {
 public:
  explicit SqliteFile(std::string path) : path_(std::move(path)) {}
  ~SqliteFile() override { sqlite3_close(db_); }

  absl::Status Open() {
    constexpr int kFlags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(path_.c_str(), &db_, kFlags, nullptr) != SQLITE_OK) return Error("open");
    sqlite3_extended_result_codes(db_, 1);
    if (chmod(path_.c_str(), 0600) != 0) return ErrnoStatus(errno, path_);
    RETURN_IF_ERROR(Run(kSetUp, "set up"));
    Statement check(db_, "PRAGMA quick_check(1)");
    if (check.Step() != SQLITE_ROW) return Error("check");
    const std::string verdict = check.Column(0);
    return verdict == "ok" ? absl::OkStatus() : Damaged(verdict);
  }

  absl::StatusOr<std::vector<JournalRecord>> ReadAll() override {
    std::vector<JournalRecord> records;
    Statement read(db_,
                   "SELECT sequence, kind, work, id, epoch, body, boot_id, wall_us, checksum "
                   "FROM records ORDER BY sequence");
    int step;
    while ((step = read.Step()) == SQLITE_ROW) {
      JournalRecord record{.sequence = read.IntColumn(0),
                           .kind = read.Column(1),
                           .work = read.Column(2),
                           .id = read.Column(3),
                           .epoch = read.IntColumn(4),
                           .body = read.Column(5),
                           .boot_id = read.Column(6),
                           .wall_us = read.IntColumn(7)};
      if (Checksum(record) != read.Column(8)) {
        return Damaged(absl::StrCat("record ", record.sequence, " (", record.kind, " ", record.id,
                                    ") does not match its checksum"));
      }
      records.push_back(std::move(record));
    }
    if (step != SQLITE_DONE) return Error("read");
    return records;
  }

  absl::Status Commit(JournalRecord& add, const std::vector<int64_t>& remove) override {
    RETURN_IF_ERROR(Run("BEGIN IMMEDIATE", "begin"));
    absl::Status done = RemoveAndAdd(add, remove);
    if (done.ok()) done = Run("COMMIT", "commit");
    if (!done.ok()) sqlite3_exec(db_, "ROLLBACK", nullptr, nullptr, nullptr);
    return done;
  }

  absl::Status Damaged(absl::string_view how) const override {
    return absl::DataLossError(absl::StrCat(
        "journal ", path_, " is damaged: ", how, "; move it away (mv ", path_, " ", path_,
        ".damaged) and start again: the farm then counts this agent's open work as lost and plans "
        "it anew"));
  }

 private:
  absl::Status RemoveAndAdd(JournalRecord& add, const std::vector<int64_t>& remove) {
    for (const int64_t sequence : remove) {
      Statement statement(db_, "DELETE FROM records WHERE sequence = ?");
      statement.Int(1, sequence);
      if (statement.Step() != SQLITE_DONE) return Error("remove a record");
    }
    Statement statement(db_,
                        "INSERT INTO records (kind, work, id, epoch, body, boot_id, wall_us, "
                        "checksum) VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
    statement.Text(1, add.kind);
    statement.Text(2, add.work);
    statement.Text(3, add.id);
    statement.Int(4, add.epoch);
    statement.Blob(5, add.body);
    statement.Text(6, add.boot_id);
    statement.Int(7, add.wall_us);
    statement.Text(8, Checksum(add));
    if (statement.Step() != SQLITE_DONE) return Error("add a record");
    add.sequence = sqlite3_last_insert_rowid(db_);
    return absl::OkStatus();
  }

  absl::Status Run(const char* sql, const char* what) {
    return sqlite3_exec(db_, sql, nullptr, nullptr, nullptr) == SQLITE_OK ? absl::OkStatus()
                                                                          : Error(what);
  }

  absl::Status Error(const char* what) {
    const int code = sqlite3_errcode(db_) & 0xff;
    if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB) return Damaged(sqlite3_errmsg(db_));
    const std::string text = absl::StrCat("journal ", path_, ": ", what, ": ", sqlite3_errmsg(db_));
    if (code == SQLITE_FULL) return absl::ResourceExhaustedError(text);
    if (code == SQLITE_BUSY) {
      return absl::FailedPreconditionError(absl::StrCat(text, " (held by another process)"));
    }
    return absl::InternalError(text);
  }

  const std::string path_;
  sqlite3* db_ = nullptr;
};

}  // namespace

absl::StatusOr<std::unique_ptr<JournalFile>> OpenJournalFile(const std::string& path) {
  auto file = std::make_unique<SqliteFile>(path);
  RETURN_IF_ERROR(file->Open());
  return file;
}

}  // namespace shakedown::agent
