#include "agent/laptop/daemon.h"

#include <pwd.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "agent/laptop/boot/boot_loader.h"
#include "agent/laptop/boot/boot_transaction.h"
#include "agent/laptop/boot/command_line.h"
#include "agent/laptop/boot/host.h"
#include "agent/laptop/keeper/keeper.h"
#include "agent/laptop/keeper/server.h"
#include "proto/wire/clock.h"
#include "proto/wire/files.h"
#include "proto/wire/sanitise.h"
#include "proto/wire/status.h"

namespace shakedown::laptop {
namespace {

constexpr char kRoot[] = "/";
constexpr absl::Duration kRound = absl::Seconds(1);

std::atomic<bool> stop = false;

void Log(absl::string_view line) {
  fprintf(stderr, "%s\n", Printable(line).c_str());  // Into the system's journal.
}

// Of deploy/systemd/sysusers.conf.
constexpr char kLoadUser[] = "shakedown-load";

absl::Duration Uptime() {
  const absl::StatusOr<std::string> text = ReadFile("/proc/uptime", 100);
  double seconds = 0;
  if (!text.ok() || !absl::SimpleAtod(text->substr(0, text->find(' ')), &seconds)) {
    return absl::ZeroDuration();
  }
  return absl::Seconds(seconds);
}

absl::StatusOr<std::string> RunnersCgroup() {
  ASSIGN_OR_RETURN(const std::string text, ReadFile("/proc/self/cgroup", 4096));
  ASSIGN_OR_RETURN(const std::string folder, CgroupFolder(text));
  return folder + "/runner";
}

absl::StatusOr<PlaceOptions> Place(const DaemonOptions& options, const LaptopPaths& paths) {
  PlaceOptions place{.runner = options.runner};
  ASSIGN_OR_RETURN(place.cgroup, RunnersCgroup());
  place.hidden = {"/home", "/root",          "/boot",     "/efi",           "/media",
                  "/mnt",  "/etc/shakedown", paths.state, paths.agent_state};
  place.load_user = kLoadUser;
  return place;
}

KeeperOptions OptionsOfKeeper(const BootLoader& loader, const LaptopPaths& paths) {
  KeeperOptions options;
  options.owner_path = paths.owner;
  options.config = paths.config;
  options.agent_state = paths.agent_state;
  options.loader = loader.Name();
  options.zone = absl::LocalTimeZone();
  options.uptime = Uptime();
  options.input_image = [state = paths.state](size_t index) { return InputPath(state, index); };
  options.log = Log;
  return options;
}

ServerOptions OptionsOfServer(const LaptopPaths& paths) {
  ServerOptions options{.socket = paths.socket, .refuse = paths.refuse};
  if (const passwd* agent = getpwnam("shakedown")) {
    options.agent = agent->pw_uid;
    options.group = agent->pw_gid;
  }
  return options;
}

std::string NotifySocket() {
  const char* path = getenv("NOTIFY_SOCKET");
  return path == nullptr ? "" : path;
}

absl::StatusOr<std::unique_ptr<BootTransaction>> OpenTransaction(const LaptopPaths& paths,
                                                                 BootLoader& loader, Host& host) {
  if (mkdir(paths.state.c_str(), 0700) != 0 && errno != EEXIST) {
    return ErrnoStatus(errno, paths.state);
  }
  return OpenBootTransaction({.root = kRoot, .state = paths.state}, loader, host);
}

void StopOnSignals() {
  struct sigaction action = {};
  action.sa_handler = [](int) { stop = true; };  // Without SA_RESTART: poll() returns.
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGINT, &action, nullptr);
  signal(SIGPIPE, SIG_IGN);
}

}  // namespace

namespace {

absl::Status Serve(const DaemonOptions& options, const LaptopPaths& paths, Host& host) {
  ASSIGN_OR_RETURN(const std::unique_ptr<BootLoader> loader,
                   MakeBootLoader(kRoot, host, options.loader));
  ASSIGN_OR_RETURN(const std::unique_ptr<BootTransaction> transaction,
                   OpenTransaction(paths, *loader, host));
  if (!TokenIn(host.CommandLine()).empty() && transaction->Where().stage == v1::BOOT_STAGE_NONE) {
    return absl::InternalError("a test kernel runs that no transaction knows of");
  }
  ASSIGN_OR_RETURN(StateFile state, StateFile::Open(paths.state + "/keeper.txtpb"));
  const std::unique_ptr<Seat> seat = MakeLogindSeat(host);
  const std::unique_ptr<Vigil> vigil = MakeSystemdVigil(host, NotifySocket());
  ASSIGN_OR_RETURN(PlaceOptions where, Place(options, paths));
  const std::unique_ptr<RunnerPlace> place = MakeProcessPlace(host, std::move(where));
  Keeper keeper({*transaction, host, *seat, *vigil, *place, state, SystemClock()},
                OptionsOfKeeper(*loader, paths));
  ASSIGN_OR_RETURN(const std::unique_ptr<Server> server,
                   Listen(OptionsOfServer(paths), keeper, SystemClock()));
  vigil->Ready(absl::StrCat("serves ", paths.socket));
  while (!stop && keeper.fatal().ok()) server->Step(kRound);
  keeper.EndRunner();
  return keeper.fatal();
}

}  // namespace

absl::Status RunDaemon(const DaemonOptions& options, const LaptopPaths& paths, Host& host) {
  StopOnSignals();
  const absl::Status served = Serve(options, paths, host);
  if (served.ok() || stop || TokenIn(host.CommandLine()).empty()) return served;
  // Nobody else brings the machine home from a test kernel: a full disk or a damaged file must not
  // keep it there. The one-shot entry is spent, so a restart is the way.
  Log(absl::StrCat("home, because of: ", served.message()));
  const absl::Status rebooted = host.Reboot(Host::RebootKind::kOrdinary);
  if (!rebooted.ok()) Log(rebooted.message());
  return served;
}

absl::Status UndoBoot(const LaptopPaths& paths, Host& host) {
  // The loader does not matter: each takes back what any has armed.
  ASSIGN_OR_RETURN(const std::unique_ptr<BootLoader> loader, MakeBootLoader(kRoot, host));
  ASSIGN_OR_RETURN(const std::unique_ptr<BootTransaction> transaction,
                   OpenTransaction(paths, *loader, host));
  return transaction->Restore();
}

}  // namespace shakedown::laptop
