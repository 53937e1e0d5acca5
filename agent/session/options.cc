#include "agent/session/options.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <random>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "proto/wire/files.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::agent {
namespace {

constexpr uint32_t kMostVcpus = 512;
constexpr uint32_t kLeastMemory = 128;
constexpr uint32_t kMostMemory = 1 << 20;
constexpr size_t kLongestToken = 4096;

absl::Status ParseNumber(absl::string_view key, absl::string_view value, uint32_t least,
                         uint32_t most, uint32_t* number) {
  if (absl::SimpleAtoi(value, number) && *number >= least && *number <= most) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat(key, "=", Quoted(value), ": want a number from ", least, " to ", most));
}

using KeyAndValue = std::pair<absl::string_view, absl::string_view>;

KeyAndValue SplitPart(absl::string_view part) {
  return absl::StrSplit(part, absl::MaxSplits('=', 1));
}

absl::Status ParsePath(absl::string_view key, absl::string_view value, std::string& path) {
  path = std::string(value);
  if (!value.empty() && value[0] == '/') return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(key, "=", Quoted(value), ": want an absolute path without spaces"));
}

// What all kinds of machine have. Nothing: `key` is another's.
template <typename Spec>
std::optional<absl::Status> ParseCommonPart(const KeyAndValue& part, Spec& spec) {
  const auto& [key, value] = part;
  if (key == "name") {
    spec.name = std::string(value);
    return CheckName("name", value);
  }
  if (key == "tag") {
    spec.tags.emplace_back(value);
    return CheckName("tag", value);
  }
  return std::nullopt;
}

absl::Status ParsePart(absl::string_view part, LaptopSpec& spec) {
  const KeyAndValue both = SplitPart(part);
  if (const auto common = ParseCommonPart(both, spec)) return *common;
  if (both.first == "socket") return ParsePath(both.first, both.second, spec.socket);
  return absl::InvalidArgumentError(absl::StrCat(Quoted(part), ": want name=, socket= or tag="));
}

absl::Status ParsePart(absl::string_view part, MachineSpec& spec) {
  const KeyAndValue both = SplitPart(part);
  const auto& [key, value] = both;
  if (const auto common = ParseCommonPart(both, spec)) return *common;
  if (key == "vcpus") return ParseNumber(key, value, 1, kMostVcpus, &spec.vcpus);
  if (key == "memory") return ParseNumber(key, value, kLeastMemory, kMostMemory, &spec.memory_mib);
  if (key == "image") return ParsePath(key, value, spec.image);
  return absl::InvalidArgumentError(
      absl::StrCat(Quoted(part), ": want name=, vcpus=, memory= (MiB), image= or tag="));
}

class LockedFolder : public StateFolder {
 public:
  LockedFolder(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}
  ~LockedFolder() override { close(fd_); }

  absl::StatusOr<uint64_t> FreeBytes() const override {
    struct statvfs disk;
    if (statvfs(path_.c_str(), &disk) != 0) return ErrnoStatus(errno, path_);
    return static_cast<uint64_t>(disk.f_bavail) * disk.f_frsize;
  }

 private:
  const std::string path_;
  const int fd_;
};

}  // namespace

absl::StatusOr<MachineSpec> ParseMachineSpec(absl::string_view text) {
  MachineSpec spec;
  for (const absl::string_view part : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    RETURN_IF_ERROR(Annotate(ParsePart(part, spec), absl::StrCat("machine ", Quoted(text))));
  }
  const char* missing = spec.name.empty()      ? "name="
                        : spec.vcpus == 0      ? "vcpus="
                        : spec.memory_mib == 0 ? "memory="
                        : spec.image.empty()   ? "image="
                                               : nullptr;
  if (missing == nullptr) return spec;
  return absl::InvalidArgumentError(
      absl::StrCat("machine ", Quoted(text), ": ", missing, " is missing"));
}

absl::StatusOr<LaptopSpec> ParseLaptopSpec(absl::string_view text) {
  LaptopSpec spec;
  for (const absl::string_view part : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    RETURN_IF_ERROR(Annotate(ParsePart(part, spec), absl::StrCat("laptop ", Quoted(text))));
  }
  if (!spec.name.empty()) return spec;
  return absl::InvalidArgumentError(absl::StrCat("laptop ", Quoted(text), ": name= is missing"));
}

absl::StatusOr<std::vector<MachineSpec>> ParseMachineSpecs(const std::vector<std::string>& texts) {
  std::vector<MachineSpec> specs;
  std::set<std::string> names;
  for (const std::string& text : texts) {
    ASSIGN_OR_RETURN(MachineSpec spec, ParseMachineSpec(text));
    if (!names.insert(spec.name).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("machine ", spec.name, ": given twice, want one name for each"));
    }
    specs.push_back(std::move(spec));
  }
  return specs;
}

absl::StatusOr<std::string> ReadToken(const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0) return ErrnoStatus(errno, absl::StrCat("token file ", path));
  if ((info.st_mode & 077) != 0) {
    return absl::PermissionDeniedError(absl::StrCat(
        "token file ", path, ": mode 0", (info.st_mode >> 6) & 7, (info.st_mode >> 3) & 7,
        info.st_mode & 7, " lets others use it, want 0600 (chmod 600 ", path, ")"));
  }
  ASSIGN_OR_RETURN(const std::string content, ReadFile(path, kLongestToken));
  const std::string token(absl::StripAsciiWhitespace(content));
  const bool good = !token.empty() && std::all_of(token.begin(), token.end(), [](char c) {
    return absl::ascii_isgraph(static_cast<unsigned char>(c));
  });
  if (good) return token;
  return absl::InvalidArgumentError(
      absl::StrCat("token file ", path, ": want one line of printable characters without spaces"));
}

absl::StatusOr<std::unique_ptr<StateFolder>> TakeStateFolder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return ErrnoStatus(error.value(), absl::StrCat("state folder ", path));
  const std::string lock = absl::StrCat(path, "/lock");
  const int fd = open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return ErrnoStatus(errno, lock);
  if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    const int why = errno;
    close(fd);
    if (why != EWOULDBLOCK) return ErrnoStatus(why, lock);
    const absl::StatusOr<std::string> holder = ReadFile(lock, 100);
    return absl::FailedPreconditionError(
        absl::StrCat("state folder ", path, " is in use by another agent, process ",
                     holder.ok() ? absl::StripAsciiWhitespace(*holder) : "unknown",
                     ": end that one or give another --state"));
  }
  const std::string pid = absl::StrCat(getpid(), "\n");
  if (ftruncate(fd, 0) != 0 || pwrite(fd, pid.data(), pid.size(), 0) < 0) {
    const int why = errno;
    close(fd);
    return ErrnoStatus(why, lock);
  }
  return std::make_unique<LockedFolder>(path, fd);
}

Random MakeRandom() {
  return [] {
    thread_local std::mt19937_64 generator(std::random_device{}());
    return std::uniform_real_distribution<double>(0, 1)(generator);
  };
}

}  // namespace shakedown::agent
