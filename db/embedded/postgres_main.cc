// shakedown-postgres start|stop|status --dir DIR [--user NAME] [--allow NAME]…: the private
// PostgreSQL of one folder. start and status print the conninfo. Exit: 0 done or running, 1 failed,
// 3 not running, 64 usage.
#include <iostream>
#include <string>

#include "absl/strings/str_cat.h"
#include "db/embedded/server.h"
#include "proto/wire/ids.h"

namespace {

using shakedown::embedded::ServerOptions;
using shakedown::embedded::ServerStatus;

constexpr int kFailed = 1, kNotRunning = 3, kUsage = 64;

int Usage(const std::string& why) {
  std::cerr << "shakedown-postgres: " << why
            << "\nusage: shakedown-postgres start|stop|status --dir DIR [--user NAME] [--allow "
               "NAME]...\n";
  return kUsage;
}

int Fail(const absl::Status& status) {
  std::cerr << "shakedown-postgres: " << status.message() << "\n";
  return kFailed;
}

int Print(const absl::StatusOr<ServerStatus>& status) {
  if (!status.ok()) return Fail(status.status());
  if (!status->running) {
    std::cerr << "not running\n";
    return kNotRunning;
  }
  std::cout << status->conninfo << "\n";
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return Usage("a command is wanted");
  const std::string verb = argv[1];
  ServerOptions options;
  for (int i = 2; i < argc; i += 2) {
    const std::string flag = argv[i];
    if (i + 1 == argc) return Usage(absl::StrCat(flag, ": a value is wanted"));
    if (flag == "--dir") {
      options.dir = argv[i + 1];
    } else if (flag == "--user") {
      options.user = argv[i + 1];
    } else if (flag == "--allow") {
      options.allow.push_back(argv[i + 1]);
    } else {
      return Usage(absl::StrCat("unknown option ", shakedown::Quoted(flag)));
    }
  }
  if (options.dir.empty()) return Usage("--dir DIR is wanted");
  if (verb == "start") return Print(shakedown::embedded::Start(options));
  if (verb == "status") return Print(shakedown::embedded::Status(options));
  if (verb != "stop") return Usage(absl::StrCat("unknown command ", shakedown::Quoted(verb)));
  const absl::Status stopped = shakedown::embedded::Stop(options);
  return stopped.ok() ? 0 : Fail(stopped);
}
