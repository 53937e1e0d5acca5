// inputs add, list.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "controller/cli/commands.h"
#include "controller/cli/exit_code.h"
#include "controller/cli/tables.h"
#include "controller/cli/words.h"
#include "proto/wire/descriptor.h"
#include "proto/wire/ids.h"
#include "proto/wire/sanitise.h"
#include "proto/wire/status.h"

namespace shakedown::cli {
namespace {

constexpr size_t kPiece = 256 << 10;
constexpr uint64_t kMaxArchive = 2ull << 30;

absl::StatusOr<Descriptor> OpenArchive(const std::string& path) {
  Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat info;
  if (file.get() < 0 || fstat(file.get(), &info) != 0) return ErrnoStatus(errno, path);
  if (!S_ISREG(info.st_mode) || info.st_size == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": want a regular file that is not empty, a tar archive"));
  }
  if (static_cast<uint64_t>(info.st_size) <= kMaxArchive) return file;
  return absl::InvalidArgumentError(
      absl::StrCat(path, ": has ", info.st_size, " bytes, want at most ", kMaxArchive));
}

absl::StatusOr<std::string> ReadPiece(const Descriptor& file, const std::string& path) {
  std::string piece(kPiece, '\0');
  ssize_t got;
  do {
    got = read(file.get(), piece.data(), piece.size());
  } while (got < 0 && errno == EINTR);
  if (got < 0) return ErrnoStatus(errno, path);
  piece.resize(static_cast<size_t>(got));
  return piece;
}

std::string SizeText(uint64_t bytes) {
  if (bytes < 1 << 20) return absl::StrCat((bytes + 1023) >> 10, " KiB");
  return absl::StrCat((bytes + (1 << 20) - 1) >> 20, " MiB");
}

}  // namespace

int AddInput(const Desk& desk, const InputAddArgs& args) {
  if (const absl::Status name = CheckName("input", args.name); !name.ok()) {
    return Fail(desk.screen, name);
  }
  const absl::StatusOr<Descriptor> file = OpenArchive(args.file);
  if (!file.ok()) return Fail(desk.screen, file.status());
  const auto next = [&]() -> absl::StatusOr<std::string> {
    if (desk.interrupt.came) return absl::CancelledError("interrupted, nothing was taken");
    return ReadPiece(*file, args.file);
  };
  desk.interrupt.listening = true;
  const absl::StatusOr<v1::AddInputResponse> answer = desk.farm.AddInput(args.name, next);
  if (desk.interrupt.came && !answer.ok()) return kInterrupted;
  if (!answer.ok()) return Fail(desk.screen, answer.status());
  const v1::InputView& input = answer->input();
  desk.screen.Print(absl::StrCat(
      "Input ", PrintableLine(input.name()), " is in the farm: ", SizeText(input.size()),
      ", SHA-256 ", PrintableLine(input.sha256()), ". A job builds it with make { tree: \"",
      PrintableLine(input.name()), "\" }.\n"));
  return kOk;
}

int ListInputs(const Desk& desk, const InputListArgs& args) {
  const absl::StatusOr<v1::ListInputsResponse> answer = desk.farm.ListInputs();
  if (!answer.ok()) return Fail(desk.screen, answer.status());
  if (args.json) {
    desk.screen.PrintJson(*answer);
    return kOk;
  }
  if (answer->inputs().empty()) {
    desk.screen.Note("no inputs yet: see shakedown inputs add --help");
    return kOk;
  }
  std::vector<std::vector<std::string>> rows;
  for (const v1::InputView& input : answer->inputs()) {
    rows.push_back({PrintableLine(input.name()), SizeText(input.size()),
                    PrintableLine(input.sha256()).substr(0, 12),
                    TimeText(input.added(), desk.screen.zone()), PrintableLine(input.submitter())});
  }
  desk.screen.Print(PrintTable({{.header = "INPUT"},
                                {.header = "SIZE", .align = Column::Align::kRight},
                                {.header = "SHA-256"},
                                {.header = "ADDED"},
                                {.header = "BY", .may_shrink = true}},
                               rows, desk.screen.size().columns));
  return kOk;
}

}  // namespace shakedown::cli
