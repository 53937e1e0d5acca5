#include "agent/runner/loads/compilers.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <memory>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "proto/wire/descriptor.h"

namespace shakedown::runner {
namespace {

constexpr absl::string_view kCompilers[] = {"cc", "gcc", "c++", "g++", "clang"};
constexpr absl::string_view kDisguised[] = {"ccache", "distcc", "icecc", "sccache"};

std::string FirstInPath(absl::string_view path, absl::string_view name) {
  for (absl::string_view folder : absl::StrSplit(path, ':')) {
    const std::string file = absl::StrCat(folder, "/", name);
    if (access(file.c_str(), X_OK) == 0) return file;
  }
  return "";
}

std::string RealPath(const std::string& file) {
  const std::unique_ptr<char, void (*)(void*)> real(realpath(file.c_str(), nullptr), free);
  return real ? real.get() : file;
}

// The first piece of a script; empty when it is none.
std::string ScriptText(const std::string& file) {
  const Descriptor fd(open(file.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text(4096, '\0');
  const ssize_t got = read(fd.get(), text.data(), text.size());
  text.resize(got > 0 ? static_cast<size_t>(got) : 0);
  return absl::StartsWith(text, "#!") ? text : "";
}

}  // namespace

absl::Status CheckCompilers(absl::string_view path) {
  for (absl::string_view compiler : kCompilers) {
    const std::string file = FirstInPath(path, compiler);
    if (file.empty()) continue;
    const std::string real = RealPath(file);
    const std::string base = real.substr(real.rfind('/') + 1);
    const std::string script = ScriptText(real);
    for (absl::string_view disguised : kDisguised) {
      if (!absl::StartsWith(base, disguised) && !absl::StrContains(script, disguised)) continue;
      return absl::FailedPreconditionError(
          absl::StrCat("make: the compiler ", file, " is ", disguised,
                       base == compiler ? "" : absl::StrCat(" (", real, ")"),
                       ", want one that compiles: remove it from ", path));
    }
  }
  return absl::OkStatus();
}

}  // namespace shakedown::runner
