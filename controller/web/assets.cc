#include "controller/web/assets.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "proto/wire/digest.h"
#include "proto/wire/files.h"
#include "proto/wire/status.h"

namespace shakedown::web {
namespace {

namespace fs = std::filesystem;
constexpr size_t kMaxFiles = 500;
constexpr size_t kMaxBytes = 32 << 20;
constexpr char kIndex[] = "/index.html";

// nullptr: not a kind that is served.
const char* ContentType(const std::string& extension) {
  static const std::map<std::string, const char*> types = {
      {".html", "text/html; charset=utf-8"},
      {".js", "text/javascript; charset=utf-8"},
      {".css", "text/css; charset=utf-8"},
      {".svg", "image/svg+xml"},
      {".png", "image/png"},
      {".woff2", "font/woff2"},
      {".json", "application/json"},
      {".txt", "text/plain; charset=utf-8"}};
  const auto found = types.find(extension);
  return found == types.end() ? nullptr : found->second;
}

}  // namespace

absl::StatusOr<Assets> Assets::Load(const std::string& folder) {
  Assets assets;
  size_t bytes = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; entry != end && !error;
       entry.increment(error)) {
    const char* type = ContentType(entry->path().extension());
    if (type == nullptr || entry->is_symlink() || !entry->is_regular_file()) continue;
    ASSIGN_OR_RETURN(std::string body, ReadFile(entry->path(), kMaxBytes));
    bytes += body.size();
    if (bytes > kMaxBytes || assets.files_.size() == kMaxFiles) {
      return absl::OutOfRangeError(absl::StrCat("dashboard ", folder, ": want at most ", kMaxFiles,
                                                " files of together ", kMaxBytes, " bytes"));
    }
    const std::string path = absl::StrCat("/", entry->path().lexically_relative(folder).string());
    const std::string etag = absl::StrCat("\"", Sha256Hex(body).substr(0, 32), "\"");
    assets.files_[path] = {type, std::move(body), etag, absl::StartsWith(path, "/assets/")};
  }
  if (error || assets.files_.count(kIndex) == 0) {
    return absl::NotFoundError(
        absl::StrCat("dashboard ", folder, ": no index.html there, want the built page"));
  }
  return assets;
}

const Asset* Assets::Find(absl::string_view path) const {
  if (const auto found = files_.find(path); found != files_.end()) return &found->second;
  const absl::string_view last = path.substr(path.rfind('/') + 1);
  // "17.1B" in /logs/17.1B and /boots/17.1B is a page's address, too, and so is "debian-6.12".
  const bool page = !absl::StrContains(last, '.') || absl::StartsWith(path, "/logs/") ||
                    absl::StartsWith(path, "/boots/") || absl::StartsWith(path, "/kernels/");
  return page && !absl::StartsWith(path, "/assets/") ? Page() : nullptr;
}

const Asset* Assets::Page() const {
  const auto index = files_.find(kIndex);
  return index == files_.end() ? nullptr : &index->second;
}

}  // namespace shakedown::web
