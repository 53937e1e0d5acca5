#pragma once

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "db/store/database.h"
#include "shakedown/v1/import.pb.h"

namespace shakedown::service {

// Makes the figures and notes of db/published those of the farm, in place of the ones that another
// version of the program brought along. Again: nothing changes.
absl::Status PutPublished(store::Database& database);

// The notes in a file such as db/published/notes.csv. InvalidArgument with the line.
absl::StatusOr<std::vector<v1::NoteView>> ParseNotes(absl::string_view text);

}  // namespace shakedown::service
