#include "agent/build/compiler_cache.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "proto/wire/digest.h"
#include "proto/wire/status.h"
#include "proto/wire/subprocess.h"

namespace shakedown::agent {
namespace {

namespace fs = std::filesystem;

constexpr size_t kKeepCaches = 8;

// Makes room for one more.
absl::Status RemoveOldCaches(const std::string& folder) {
  std::vector<std::pair<fs::file_time_type, std::string>> caches;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (!absl::StartsWith(it->path().filename().string(), "own-")) continue;
    caches.emplace_back(fs::last_write_time(it->path(), error), it->path().string());
  }
  std::sort(caches.rbegin(), caches.rend());
  for (size_t i = kKeepCaches - 1; i < caches.size(); ++i) fs::remove_all(caches[i].second, error);
  return error ? ErrnoStatus(error.value(), folder) : absl::OkStatus();
}

absl::Status Copy(const std::string& from, const std::string& part, const std::string& to,
                  const std::atomic<bool>* cancel) {
  std::error_code error;
  fs::remove_all(part, error);
  Command command;
  command.argv = {"cp", "--archive", "--reflink=auto", from, part};
  command.limit = absl::Minutes(10);
  command.cancel = cancel;
  RETURN_IF_ERROR(RunForOutput(command).status());
  fs::rename(part, to, error);
  return error ? ErrnoStatus(error.value(), to) : absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> LayOutCompilerCache(const std::string& folder,
                                                const std::string& kernel, bool trusted,
                                                const std::optional<BuildUser>& user,
                                                const std::atomic<bool>* cancel) {
  std::string shared = absl::StrCat(folder, "/debian");
  RETURN_IF_ERROR(GiveFolder(user, shared));
  if (trusted) return shared;
  std::string own = absl::StrCat(folder, "/own-", Sha256Hex(kernel).substr(0, 16));
  std::error_code error;
  if (!fs::exists(own, error)) {
    RETURN_IF_ERROR(RemoveOldCaches(folder));
    RETURN_IF_ERROR(Copy(shared, absl::StrCat(folder, "/part"), own, cancel));
  }
  RETURN_IF_ERROR(GiveFolder(user, own));
  fs::last_write_time(own, fs::file_time_type::clock::now(), error);
  return own;
}

}  // namespace shakedown::agent
