#include "agent/runner/loops_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "proto/wire/files.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::runner {
namespace {

constexpr uint64_t kFewest = 1000, kMost = 1000000000;

std::optional<uint64_t> Kept(const std::string& path,
                             const std::function<void(absl::string_view)>& say) {
  const absl::StatusOr<std::string> text = ReadFile(path, 4096);
  if (!text.ok()) return std::nullopt;
  uint64_t loops = 0;
  if (absl::SimpleAtoi(absl::StripAsciiWhitespace(*text), &loops) && loops >= kFewest &&
      loops <= kMost) {
    return loops;
  }
  say(absl::StrCat(path, ": ", Quoted(*text), ", want ", kFewest, " to ", kMost,
                   ": it is measured anew"));
  return std::nullopt;
}

void Keep(const std::string& path, uint64_t loops,
          const std::function<void(absl::string_view)>& say) {
  const std::string text = absl::StrCat(loops);
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0 || write(fd, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    say(absl::StrCat(ErrnoStatus(errno, path).message(),
                     ": the loops per ms are not kept, the next run may burn other work"));
  }
  if (fd >= 0) close(fd);
}

}  // namespace

absl::StatusOr<uint64_t> LoopsPerMs(const LoopsWish& wish,
                                    const std::function<absl::StatusOr<uint64_t>()>& measure,
                                    const std::function<void(absl::string_view)>& say) {
  const std::string path = absl::StrCat(wish.folder, "/", kLoopsFile);
  uint64_t loops = wish.force ? 0 : wish.given;
  if (loops == 0 && !wish.force) {
    if (const std::optional<uint64_t> kept = Kept(path, say)) return *kept;
  }
  if (loops == 0) {
    say("measuring the loops per ms");
    ASSIGN_OR_RETURN(loops, measure());
  }
  Keep(path, loops, say);
  return loops;
}

}  // namespace shakedown::runner
