#include "db/store/notes.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "db/store/paging.h"
#include "db/store/sql.h"
#include "db/store/withdrawal.h"
#include "proto/wire/status.h"

namespace shakedown::store {
namespace {

constexpr size_t kMaxNote = 4096;
constexpr absl::string_view kKinds[] = {"freeze", "audio", "video", "launch", "browse", "other"};

absl::Status NoSuch(const NoteSubject& subject, absl::string_view what) {
  return absl::NotFoundError(absl::StrCat(subject.text, ": no such ", what));
}

// Imports know kernels and machines that the farm never ran.
absl::Status CheckThere(Transaction& tx, const NoteSubject& subject) {
  const auto there = [&](const char* sql, const auto&... parameters) {
    return tx.exec_params1(sql, parameters...)[0].template as<bool>();
  };
  if (!subject.kernel.empty()) {
    const bool known = there(
        "SELECT EXISTS (SELECT FROM kernels WHERE name = $1) OR EXISTS (SELECT FROM variants WHERE "
        "kernel = $1) OR EXISTS (SELECT FROM import_variants n JOIN imports i ON i.id = n.import "
        "WHERE n.kernel = $1 AND i.withdrawn_at IS NULL)",
        subject.kernel);
    return known ? absl::OkStatus() : NoSuch(subject, "kernel in the catalog or in imports");
  }
  if (!subject.machine.empty()) {
    const bool known = there(
        "SELECT EXISTS (SELECT FROM machines WHERE name = $1) OR EXISTS (SELECT FROM blocks WHERE "
        "machine = $1) OR EXISTS (SELECT FROM imports WHERE machine = $1 AND withdrawn_at IS "
        "NULL)",
        subject.machine);
    return known ? absl::OkStatus() : NoSuch(subject, "machine of the farm or of imports");
  }
  if (subject.boot.block == 0) {
    const bool known = there("SELECT EXISTS (SELECT FROM jobs WHERE id = $1)", subject.job);
    return known ? absl::OkStatus() : NoSuch(subject, "job");
  }
  const bool known = there(
      "SELECT EXISTS (SELECT FROM boots WHERE job = $1 AND block = $2 AND variant = $3 AND "
      "($4 = 0 OR attempt = $4))",
      subject.job, static_cast<int64_t>(subject.boot.block),
      static_cast<int64_t>(subject.boot.variant), static_cast<int64_t>(subject.boot.attempt));
  return known ? absl::OkStatus() : NoSuch(subject, "boot");
}

#define SHAKEDOWN_NOTE_COLUMNS                                         \
  "SELECT id, subject, kind, text, author, source, " SHAKEDOWN_MICROS( \
      "added_at") " AS added, " SHAKEDOWN_WITHDRAWAL_COLUMNS " FROM notes "

v1::NoteView ViewOf(const pqxx::row& row) {
  v1::NoteView view;
  view.set_note(row["id"].as<int64_t>());
  view.set_subject(row["subject"].as<std::string>());
  view.set_kind(row["kind"].as<std::string>());
  view.set_text(row["text"].as<std::string>());
  view.set_author(row["author"].as<std::string>());
  view.set_source(row["source"].as<std::string>());
  *view.mutable_added() = ReadTime(row["added"]);
  ReadWithdrawal(row, view);
  return view;
}

absl::Status CheckNote(const std::string& kind, const std::string& text) {
  if (std::find(std::begin(kKinds), std::end(kKinds), kind) == std::end(kKinds)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "kind ", Quoted(kind), ": want freeze, audio, video, launch, browse or other"));
  }
  if (!text.empty() && text.size() <= kMaxNote && Text(text) == text) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("note of ", text.size(), " bytes: want 1 to ",
                                                 kMaxNote, " bytes of UTF-8 without NUL"));
}

}  // namespace

absl::StatusOr<NoteSubject> ParseNoteSubject(absl::string_view text) {
  NoteSubject subject;
  subject.text = std::string(text);
  absl::string_view rest = text;
  if (absl::ConsumePrefix(&rest, "kernel:")) {
    RETURN_IF_ERROR(CheckName("kernel", rest));
    subject.kernel = std::string(rest);
    return subject;
  }
  if (absl::ConsumePrefix(&rest, "machine:")) {
    RETURN_IF_ERROR(CheckName("machine", rest));
    subject.machine = std::string(rest);
    return subject;
  }
  if (const auto boot = ParseBootName(text); boot.ok()) {
    subject.boot = *boot;
    subject.job = boot->job;
    // In one spelling: FormatBootName takes attempt 0 for the first.
    const std::string first = FormatBootName({boot->job, boot->block, boot->variant, 1});
    subject.text = boot->attempt == 0 ? first : absl::StrCat(first, ".", boot->attempt);
    return subject;
  }
  const bool digits = !text.empty() && text.size() <= 18 &&
                      text.find_first_not_of("0123456789") == absl::string_view::npos;
  if (digits && absl::SimpleAtoi(text, &subject.job) && subject.job >= 1) {
    subject.text = absl::StrCat(subject.job);
    return subject;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("subject ", Quoted(text),
                   ": want a job (17), a boot (17.3B, 17.3B.2), kernel:NAME or machine:NAME"));
}

absl::StatusOr<v1::NoteView> AddNote(Database& database, const NoteSubject& subject,
                                     const std::string& kind, const std::string& text,
                                     const std::string& author) {
  RETURN_IF_ERROR(CheckNote(kind, text));
  v1::NoteView view;
  RETURN_IF_ERROR(Write(database, [&](Transaction& tx) -> absl::Status {
    RETURN_IF_ERROR(CheckThere(tx, subject));
    const int64_t id =
        tx.exec_params1(
              "INSERT INTO notes (subject, job, kind, text, author, source, shipped) "
              "VALUES ($1, nullif($2, 0), $3, $4, $5, '', false) RETURNING id",
              subject.text, subject.job, kind, text, Text(author))[0]
            .as<int64_t>();
    view = ViewOf(tx.exec_params1(SHAKEDOWN_NOTE_COLUMNS "WHERE id = $1", id));
    return absl::OkStatus();
  }));
  return view;
}

absl::StatusOr<v1::NoteView> WithdrawNote(Database& database, int64_t note, const std::string& by,
                                          const std::string& why) {
  RETURN_IF_ERROR(CheckWhyWithdrawn(why));
  v1::NoteView view;
  RETURN_IF_ERROR(Write(database, [&](Transaction& tx) -> absl::Status {
    tx.exec_params(
        "UPDATE notes SET withdrawn_at = now(), withdrawn_by = $2, withdrawn_why = $3 "
        "WHERE id = $1 AND withdrawn_at IS NULL AND NOT shipped",
        note, Text(by), why);
    const pqxx::result rows = tx.exec_params(SHAKEDOWN_NOTE_COLUMNS "WHERE id = $1", note);
    if (rows.empty()) return absl::NotFoundError(absl::StrCat("note ", note, ": no such note"));
    view = ViewOf(rows[0]);
    return view.has_withdrawn() ? absl::OkStatus() : CannotWithdrawShipped("note", note);
  }));
  return view;
}

absl::Status PutShippedNotes(Database& database, const std::vector<v1::NoteView>& notes) {
  std::vector<std::string> keys;
  for (const v1::NoteView& note : notes) {
    RETURN_IF_ERROR(CheckNote(note.kind(), note.text()));
    ASSIGN_OR_RETURN(const NoteSubject subject, ParseNoteSubject(note.subject()));
    if (subject.job != 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("note on ", note.subject(), ": want a kernel or a machine"));
    }
    keys.push_back(absl::StrCat(note.subject(), "\n", note.kind(), "\n", note.text()));
  }
  return Write(database, [&](Transaction& tx) {
    for (const v1::NoteView& note : notes) {
      tx.exec_params(
          "INSERT INTO notes (subject, kind, text, author, source, shipped) "
          "SELECT $1, $2, $3, $4, $5, true WHERE NOT EXISTS (SELECT FROM notes WHERE shipped AND "
          "subject = $1 AND kind = $2 AND text = $3) ON CONFLICT DO NOTHING",
          note.subject(), note.kind(), note.text(), Text(note.author()), Text(note.source()));
    }
    tx.exec_params(
        "DELETE FROM notes WHERE shipped AND concat_ws(E'\\n', subject, kind, text) <> ALL "
        "($1::text[])",
        TextArray(keys));
    return absl::OkStatus();
  });
}

absl::StatusOr<v1::ListNotesResponse> ListNotes(Database& database,
                                                const v1::ListNotesRequest& request) {
  ASSIGN_OR_RETURN(const int64_t limit, PageSize(request.limit()));
  NoteSubject subject;
  if (!request.subject().empty()) {
    ASSIGN_OR_RETURN(subject, ParseNoteSubject(request.subject()));
  }
  const int64_t whole_job = subject.boot.block == 0 ? subject.job : 0;
  v1::ListNotesResponse response;
  RETURN_IF_ERROR(Read(database, [&](Transaction& tx) {
    response.Clear();
    // Of "17.3B" those of its attempts, too.
    const pqxx::result rows = tx.exec_params(
        SHAKEDOWN_NOTE_COLUMNS
        "WHERE ($1 = '' OR job = nullif($2, 0) OR subject = $1 OR (job = nullif($3, 0) AND "
        "starts_with(subject, $1 || '.'))) AND ($4 = 0 OR id < $4) AND (withdrawn_at IS NOT NULL) "
        "= $6 "
        "ORDER BY id DESC LIMIT $5 + 1",
        subject.text, whole_job, subject.job, request.before(), limit, request.withdrawn());
    for (const pqxx::row& row : rows) {
      if (response.notes_size() == limit) {
        response.set_next_before(response.notes(response.notes_size() - 1).note());
        break;
      }
      *response.add_notes() = ViewOf(row);
    }
    return absl::OkStatus();
  }));
  return response;
}

absl::StatusOr<std::vector<v1::NoteView>> NotesAbout(Database& database,
                                                     const std::vector<std::string>& subjects,
                                                     int64_t job, uint32_t limit) {
  std::vector<v1::NoteView> notes;
  RETURN_IF_ERROR(Read(database, [&](Transaction& tx) {
    notes.clear();
    for (const pqxx::row& row : tx.exec_params(
             SHAKEDOWN_NOTE_COLUMNS "WHERE (subject = ANY ($1::text[]) OR job = nullif($2, 0)) AND "
                                    "withdrawn_at IS NULL "
                                    "ORDER BY id DESC LIMIT $3",
             TextArray(subjects), job, static_cast<int64_t>(limit))) {
      notes.push_back(ViewOf(row));
    }
    std::reverse(notes.begin(), notes.end());
    return absl::OkStatus();
  }));
  return notes;
}

absl::StatusOr<std::map<std::string, uint32_t>> CountNotes(
    Database& database, const std::vector<std::string>& subjects) {
  std::map<std::string, uint32_t> counts;
  RETURN_IF_ERROR(Read(database, [&](Transaction& tx) {
    counts.clear();
    for (const pqxx::row& row : tx.exec_params(
             "SELECT subject, count(*) FROM notes WHERE subject = ANY ($1::text[]) "
             "AND withdrawn_at IS NULL GROUP BY 1",
             TextArray(subjects))) {
      counts[row[0].as<std::string>()] = row[1].as<uint32_t>();
    }
    return absl::OkStatus();
  }));
  return counts;
}

}  // namespace shakedown::store
