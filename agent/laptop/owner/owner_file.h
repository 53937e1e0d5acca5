// The owner's file: read, checked, and its lines remembered, so that a refusal can name one.
#ifndef SHAKEDOWN_AGENT_LAPTOP_OWNER_OWNER_FILE_H_
#define SHAKEDOWN_AGENT_LAPTOP_OWNER_OWNER_FILE_H_

#include <map>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "shakedown/v1/owner.pb.h"

namespace shakedown::laptop {

inline constexpr char kOwnerPath[] = "/etc/shakedown/owner.txtpb";

struct OwnerFile {
  std::string path;  // As refusals name it.
  v1::OwnerRules rules;
  // Line, from 1, of a field by its name and, for repeated ones, its index (else 0). What is not
  // there is not in the file.
  std::map<std::pair<std::string, int>, int> lines;

  // "PATH:7", or "PATH" when the field is not in the file.
  std::string Place(const std::string& field, int index = 0) const;
};

// InvalidArgument: "PATH:LINE: what", for text that is no OwnerRules (unknown fields too) and for
// values that mean nothing.
absl::StatusOr<OwnerFile> ParseOwnerFile(absl::string_view text, std::string path);

// PermissionDenied unless the file belongs to user `owner` (root) and only that user may write it;
// no link is followed. NotFound: there is none, so nothing is allowed. At most 1 MiB.
absl::StatusOr<OwnerFile> ReadOwnerFile(const std::string& path, unsigned owner = 0);

}  // namespace shakedown::laptop

#endif  // SHAKEDOWN_AGENT_LAPTOP_OWNER_OWNER_FILE_H_
