#include "agent/build/toolchain.h"

#include <unistd.h>

#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "proto/wire/status.h"
#include "proto/wire/subprocess.h"

namespace shakedown::agent {
namespace {

// Where the sandbox looks: the steps' PATH.
bool IsHere(const std::string& program) {
  for (const char* folder : {"/usr/bin/", "/bin/", "/usr/sbin/", "/sbin/"}) {
    if (access(absl::StrCat(folder, program).c_str(), X_OK) == 0) return true;
  }
  return false;
}

std::set<std::string> MissingPackages(const std::string& compiler) {
  std::set<std::string> missing;
  for (const auto& [program, package] :
       std::vector<std::pair<std::string, std::string>>{{compiler, compiler},
                                                        {"gcc", "gcc"},
                                                        {"ld", "binutils"},
                                                        {"objcopy", "binutils"},
                                                        {"make", "make"},
                                                        {"bc", "bc"},
                                                        {"flex", "flex"},
                                                        {"bison", "bison"},
                                                        {"patch", "patch"},
                                                        {"tar", "tar"},
                                                        {"xz", "xz-utils"},
                                                        {"gzip", "gzip"},
                                                        {"perl", "perl"},
                                                        {"prlimit", "util-linux"},
                                                        {"setpriv", "util-linux"}}) {
    if (!IsHere(program)) missing.insert(package);
  }
  // objtool, which every x86-64 kernel with jump labels builds for itself.
  if (access("/usr/include/gelf.h", R_OK) != 0) missing.insert("libelf-dev");
  return missing;
}

absl::StatusOr<std::string> FirstLine(const std::string& program) {
  Command command;
  command.argv = {program, "--version"};
  command.limit = absl::Seconds(30);
  ASSIGN_OR_RETURN(const std::string text, RunForOutput(command));
  return text.substr(0, text.find('\n'));
}

}  // namespace

absl::StatusOr<Toolchain> FindToolchain(const std::string& compiler) {
  Toolchain toolchain;
  if (!compiler.empty()) toolchain.tools.compiler = compiler;
  const std::set<std::string> missing = MissingPackages(toolchain.tools.compiler);
  if (!missing.empty()) {
    return absl::UnavailableError(
        absl::StrCat("needed to build kernels, and not on this host: apt-get install ",
                     absl::StrJoin(missing, " ")));
  }
  toolchain.tools.ccache = IsHere("ccache");
  ASSIGN_OR_RETURN(const std::string cc, FirstLine(toolchain.tools.compiler));
  ASSIGN_OR_RETURN(const std::string ld, FirstLine("ld"));
  toolchain.versions = absl::StrCat(cc, ", ", ld);
  return toolchain;
}

}  // namespace shakedown::agent
