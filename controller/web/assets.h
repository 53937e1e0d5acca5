// The dashboard's files, read once at the start: what a URL names is looked up in this map and
// never in a file system.
#pragma once

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace shakedown::web {

struct Asset {
  std::string content_type;
  std::string body;
  std::string etag;        // Of the content, in quotes.
  bool immutable = false;  // Its name holds a digest of its content (assets/…).
};

class Assets {
 public:
  // None: every page says that the dashboard was not built.
  Assets() = default;
  // Regular files of known kinds below `folder`, links not followed. NotFound: it has no
  // index.html. OutOfRange: more than 500 files or 32 MiB.
  static absl::StatusOr<Assets> Load(const std::string& folder);

  // For a path of a GET: the file, or index.html for what may be a page's address (no dot in its
  // last part, not below /assets/). nullptr: nothing.
  const Asset* Find(absl::string_view path) const;
  // index.html, which says by itself what it can not find. nullptr: there is none.
  const Asset* Page() const;
  bool empty() const { return files_.empty(); }

 private:
  std::map<std::string, Asset, std::less<>> files_;  // By path: "/index.html".
};

}  // namespace shakedown::web
