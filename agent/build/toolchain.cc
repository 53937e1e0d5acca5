#include "agent/build/toolchain.h"

#include <unistd.h>

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
  std::vector<std::string> missing;
  for (const std::string& program :
       {toolchain.tools.compiler, std::string("gcc"), std::string("ld"), std::string("objcopy"),
        std::string("make"), std::string("bc"), std::string("flex"), std::string("bison"),
        std::string("patch"), std::string("tar"), std::string("xz"), std::string("gzip"),
        std::string("perl"), std::string("prlimit"), std::string("setpriv")}) {
    if (!IsHere(program)) missing.push_back(program);
  }
  if (!missing.empty()) {
    return absl::UnavailableError(absl::StrCat("not on this host, and needed to build kernels: ",
                                               absl::StrJoin(missing, ", ")));
  }
  toolchain.tools.ccache = IsHere("ccache");
  ASSIGN_OR_RETURN(const std::string cc, FirstLine(toolchain.tools.compiler));
  ASSIGN_OR_RETURN(const std::string ld, FirstLine("ld"));
  toolchain.versions = absl::StrCat(cc, ", ", ld);
  return toolchain;
}

}  // namespace shakedown::agent
