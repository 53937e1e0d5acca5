#include "agent/laptop/boot/journal.h"

#include <optional>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "proto/wire/digest.h"
#include "proto/wire/files.h"
#include "proto/wire/status.h"

namespace shakedown::laptop {
namespace {

constexpr absl::string_view kMagic = "shakedown-journal ";
constexpr size_t kMaxFile = size_t{256} << 20;
constexpr size_t kMaxHead = 256;

absl::Status Fatal(const absl::Status& status) {
  return status.ok() ? status : absl::InternalError(absl::StrCat("journal: ", status.message()));
}

std::string Encode(uint64_t number, const Record& record) {
  const std::string body = absl::Base64Escape(record.body);
  const std::string head = absl::StrCat(kMagic, number, " ", record.kind, " ", record.boot_id, " ",
                                        absl::ToUnixMicros(record.wall), " ", body.size(), " ");
  Sha256 digest;
  digest.Add(head);
  digest.Add(body);
  return absl::StrCat(head, digest.Finish(), "\n", body, "\n");
}

struct Decoded {
  uint64_t number = 0;
  Record record;
  size_t size = 0;  // Bytes that it took.
};

// The sound record at the start of `text`.
std::optional<Decoded> Decode(absl::string_view text) {
  const size_t end = text.substr(0, kMaxHead).find('\n');
  if (end == absl::string_view::npos) return std::nullopt;
  const std::vector<absl::string_view> words = absl::StrSplit(text.substr(0, end), ' ');
  Decoded decoded;
  int64_t wall = 0;
  uint64_t length = 0;
  if (words.size() != 7 || !absl::SimpleAtoi(words[1], &decoded.number) ||
      !absl::SimpleAtoi(words[4], &wall) || !absl::SimpleAtoi(words[5], &length) ||
      length > kMaxRecord * 2 || text.size() < end + 1 + length + 1) {
    return std::nullopt;
  }
  std::string body;
  if (!absl::Base64Unescape(text.substr(end + 1, length), &body)) return std::nullopt;
  decoded.record = {.kind = std::string(words[2]),
                    .boot_id = std::string(words[3]),
                    .wall = absl::FromUnixMicros(wall),
                    .body = std::move(body)};
  decoded.size = end + 1 + length + 1;
  if (Encode(decoded.number, decoded.record) != text.substr(0, decoded.size)) return std::nullopt;
  return decoded;
}

bool HasSoundRecord(absl::string_view text) {
  for (size_t at = text.find(kMagic); at != absl::string_view::npos;
       at = text.find(kMagic, at + 1)) {
    if (Decode(text.substr(at))) return true;
  }
  return false;
}

}  // namespace

absl::StatusOr<std::unique_ptr<BootJournal>> BootJournal::Open(const std::string& path,
                                                               Disk& disk) {
  std::unique_ptr<BootJournal> journal(new BootJournal(path, disk));
  RETURN_IF_ERROR(Fatal(RemoveTree(disk, path + ".shakedown-new")));
  if (Exists(path)) {
    RETURN_IF_ERROR(journal->Load());
  } else {
    RETURN_IF_ERROR(Fatal(disk.Create(path, 0600)));
  }
  // Also when it was there: a crash may have come between its making and this.
  RETURN_IF_ERROR(Fatal(disk.SyncFolder(FolderOf(path))));
  return journal;
}

absl::Status BootJournal::Load() {
  const absl::StatusOr<std::string> file = ReadFile(path_, kMaxFile);
  if (!file.ok()) return Fatal(file.status());
  absl::string_view rest = *file;
  for (;;) {
    std::optional<Decoded> decoded = Decode(rest);
    if (!decoded || (!records_.empty() && decoded->number != next_)) break;
    next_ = decoded->number + 1;
    rest.remove_prefix(decoded->size);
    records_.push_back(std::move(decoded->record));
  }
  if (rest.empty()) return absl::OkStatus();
  const size_t sound = file->size() - rest.size();
  if (HasSoundRecord(rest)) {
    return absl::DataLossError(
        absl::StrCat(path_, ": damaged at byte ", sound,
                     ", before sound records: find out why, then remove the file; the boot that "
                     "was under way is lost"));
  }
  RETURN_IF_ERROR(Fatal(disk_.Truncate(path_, sound)));
  return Fatal(disk_.Sync(path_));
}

absl::Status BootJournal::Append(Record record) {
  if (record.body.size() > kMaxRecord) {
    return absl::InternalError(absl::StrCat("journal: record ", record.kind, " of ",
                                            record.body.size(), " bytes, want at most ",
                                            kMaxRecord));
  }
  RETURN_IF_ERROR(Fatal(disk_.Append(path_, Encode(next_, record))));
  RETURN_IF_ERROR(Fatal(disk_.Sync(path_)));
  ++next_;
  record.wall = absl::FromUnixMicros(absl::ToUnixMicros(record.wall));
  records_.push_back(std::move(record));
  return absl::OkStatus();
}

absl::Status BootJournal::Replace(std::vector<Record> records) {
  std::string text;
  for (const Record& record : records) absl::StrAppend(&text, Encode(next_++, record));
  RETURN_IF_ERROR(Fatal(ReplaceFile(disk_, path_, text, 0600)));
  records_ = std::move(records);
  return absl::OkStatus();
}

}  // namespace shakedown::laptop
