// What a person saw: notes on jobs, boots, kernels and machines.
#ifndef SHAKEDOWN_DB_STORE_NOTES_H_
#define SHAKEDOWN_DB_STORE_NOTES_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "db/store/database.h"
#include "proto/wire/ids.h"
#include "shakedown/v1/import.pb.h"

namespace shakedown::store {

// One of job, boot, kernel and machine.
struct NoteSubject {
  std::string text;  // "17", "17.3B", "17.3B.2", "kernel:debian-6.12", "machine:x1".
  int64_t job = 0;   // Of a job or a boot; else 0.
  BootName boot;     // Of a boot, block 0 otherwise. Attempt 0: whichever.
  std::string kernel;
  std::string machine;
};

// InvalidArgument with what is wanted.
absl::StatusOr<NoteSubject> ParseNoteSubject(absl::string_view text);

// NotFound: there is no such job, boot, kernel or machine (of the farm or of an import).
// InvalidArgument: the kind, the length of the text, NUL in it.
absl::StatusOr<v1::NoteView> AddNote(Database& database, const NoteSubject& subject,
                                     const std::string& kind, const std::string& text,
                                     const std::string& author);

// From now on it is in no list and no report. Withdrawn before: as it was then. NotFound: "note 17:
// no such note". FailedPrecondition: it came with the program. InvalidArgument: `why`.
absl::StatusOr<v1::NoteView> WithdrawNote(Database& database, int64_t note, const std::string& by,
                                          const std::string& why);

// Makes these the ones that came with the program: subject, kind, text, author and source of each
// are read.
absl::Status PutShippedNotes(Database& database, const std::vector<v1::NoteView>& notes);

// As ListNotesRequest says. InvalidArgument: subject, limit.
absl::StatusOr<v1::ListNotesResponse> ListNotes(Database& database,
                                                const v1::ListNotesRequest& request);

// Those that were not withdrawn on any of the subjects ("kernel:…", "machine:…") and, unless it is
// 0, on the job and its boots; the newest `limit` in the order they were made.
absl::StatusOr<std::vector<v1::NoteView>> NotesAbout(Database& database,
                                                     const std::vector<std::string>& subjects,
                                                     int64_t job, uint32_t limit);

// How many are on each of these subjects ("kernel:…", "machine:…"); those without are left out.
absl::StatusOr<std::map<std::string, uint32_t>> CountNotes(
    Database& database, const std::vector<std::string>& subjects);

}  // namespace shakedown::store

#endif  // SHAKEDOWN_DB_STORE_NOTES_H_
