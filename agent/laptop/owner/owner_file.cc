#include "agent/laptop/owner/owner_file.h"

#include <fcntl.h>
#include <google/protobuf/text_format.h>
#include <sys/stat.h>

#include <cerrno>
#include <functional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "agent/laptop/owner/hours.h"
#include "agent/laptop/owner/order_words.h"
#include "agent/laptop/owner/owner_rules.h"
#include "proto/wire/descriptor.h"
#include "proto/wire/digest.h"
#include "proto/wire/files.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"
#include "proto/wire/text_proto.h"

namespace shakedown::laptop {
namespace {

constexpr size_t kMaxFile = 1 << 20;
constexpr uint32_t kMaxCountdown = 3600;

std::map<std::pair<std::string, int>, int> Lines(
    const v1::OwnerRules& rules, const google::protobuf::TextFormat::ParseInfoTree& tree) {
  std::map<std::pair<std::string, int>, int> lines;
  const google::protobuf::Descriptor* type = rules.GetDescriptor();
  for (int i = 0; i < type->field_count(); ++i) {
    const google::protobuf::FieldDescriptor* field = type->field(i);
    const int count = field->is_repeated() ? rules.GetReflection()->FieldSize(rules, field) : 1;
    for (int index = 0; index < count; ++index) {
      const auto place = tree.GetLocation(field, field->is_repeated() ? index : -1);
      if (place.line >= 0) lines[{field->name(), index}] = place.line + 1;
    }
  }
  return lines;
}

absl::Status At(const OwnerFile& file, const std::string& field, int index,
                absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(file.Place(field, index), ": ", field, " ", what));
}

absl::Status CheckSigners(const OwnerFile& file) {
  for (int i = 0; i < file.rules.kernel_signers_size(); ++i) {
    const std::string& key = file.rules.kernel_signers(i).key();
    if (!IsSha256Hex(key)) {
      return At(file, "kernel_signers", i,
                absl::StrCat("key ", Quoted(key), ", want 64 lower-case hex digits"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckTimes(const OwnerFile& file) {
  for (int i = 0; i < file.rules.hours_size(); ++i) {
    const absl::Status hours = CheckHours(file.rules.hours(i));
    if (!hours.ok()) return At(file, "hours", i, hours.message());
  }
  if (!file.rules.stop_date().empty() && !ParseStopDate(file.rules.stop_date())) {
    return At(file, "stop_date", 0,
              absl::StrCat(Quoted(file.rules.stop_date()), ", want YYYY-MM-DD"));
  }
  return absl::OkStatus();
}

absl::Status CheckNumbers(const OwnerFile& file) {
  const v1::OwnerRules& rules = file.rules;
  if (rules.min_battery_percent() > 100) {
    return At(file, "min_battery_percent", 0,
              absl::StrCat(rules.min_battery_percent(), ", want 0 to 100"));
  }
  if (rules.countdown_seconds() > kMaxCountdown) {
    return At(file, "countdown_seconds", 0,
              absl::StrCat(rules.countdown_seconds(), ", want at most ", kMaxCountdown));
  }
  if (!v1::Network_IsValid(rules.network())) {
    return At(file, "network", 0, absl::StrCat(static_cast<int>(rules.network()), " is unknown"));
  }
  return absl::OkStatus();
}

absl::Status CheckWords(const OwnerFile& file) {
  for (int i = 0; i < file.rules.loads_size(); ++i) {
    if (!IsLoadWord(file.rules.loads(i))) {
      return At(file, "loads", i,
                absl::StrCat(Quoted(file.rules.loads(i)), ", want ", LoadWords()));
    }
  }
  for (int i = 0; i < file.rules.setup_steps_size(); ++i) {
    if (!IsSetupWord(file.rules.setup_steps(i))) {
      return At(file, "setup_steps", i,
                absl::StrCat(Quoted(file.rules.setup_steps(i)), ", want ", SetupWords()));
    }
  }
  // An empty start would allow everything.
  for (int i = 0; i < file.rules.boot_parameters_size(); ++i) {
    if (file.rules.boot_parameters(i).empty()) return At(file, "boot_parameters", i, "is empty");
  }
  for (int i = 0; i < file.rules.tunables_size(); ++i) {
    if (file.rules.tunables(i).empty()) return At(file, "tunables", i, "is empty");
  }
  return absl::OkStatus();
}

}  // namespace

std::string OwnerFile::Place(const std::string& field, int index) const {
  const auto line = lines.find({field, index});
  return line == lines.end() ? path : absl::StrCat(path, ":", line->second);
}

absl::StatusOr<OwnerFile> ParseOwnerFile(absl::string_view text, std::string path) {
  OwnerFile file;
  file.path = std::move(path);
  google::protobuf::TextFormat::ParseInfoTree tree;
  RETURN_IF_ERROR(ParseTextProto(text, file.path, &file.rules, 1, &tree));
  file.lines = Lines(file.rules, tree);
  for (const auto& check : {CheckSigners, CheckTimes, CheckNumbers, CheckWords}) {
    RETURN_IF_ERROR(check(file));
  }
  return file;
}

absl::StatusOr<OwnerFile> ReadOwnerFile(const std::string& path, unsigned owner) {
  const Descriptor fd(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  if (fd.get() < 0) return ErrnoStatus(errno, path);
  struct stat about = {};
  if (fstat(fd.get(), &about) != 0) return ErrnoStatus(errno, path);
  if (!S_ISREG(about.st_mode)) {
    return absl::PermissionDeniedError(absl::StrCat(path, ": is no regular file"));
  }
  if (about.st_uid != owner || (about.st_mode & 022) != 0) {
    return absl::PermissionDeniedError(absl::StrFormat(
        "%s: owner %d, mode %04o, want owner %d and nobody else who may write (chown root, "
        "chmod 0644)",
        path, about.st_uid, about.st_mode & 07777, owner));
  }
  ASSIGN_OR_RETURN(const std::string text,
                   ReadFile(absl::StrCat("/proc/self/fd/", fd.get()), kMaxFile));
  return ParseOwnerFile(text, path);
}

}  // namespace shakedown::laptop
