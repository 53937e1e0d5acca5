// shakedown-laptop: the part of a laptop's agent that is root, and what its owner types. Only
// wires; without a verb it is the daemon (keeper/keeper.h).
#include <pwd.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "agent/laptop/boot/host.h"
#include "agent/laptop/daemon.h"
#include "agent/laptop/keeper/commands.h"
#include "agent/laptop/keeper/enroll.h"
#include "agent/laptop/owner/owner_file.h"
#include "agent/laptop/owner/owner_template.h"
#include "proto/wire/files.h"
#include "proto/wire/sanitise.h"
#include "proto/wire/status.h"

namespace shakedown::laptop {
namespace {

constexpr int kFailed = 1, kUsage = 64;
constexpr size_t kMaxFile = 1 << 20;

struct Flags {
  DaemonOptions daemon;
  bool json = false, yes = false, try_boot = false;
  std::string until, token_file, tls_ca_file;
  Enrolment enrolment;
};

void Print(absl::string_view line) { std::cout << Printable(line) << "\n" << std::flush; }

bool Consents(const Flags& flags, absl::string_view question) {
  if (flags.yes) return true;
  std::cout << question << " [yes/no] " << std::flush;
  std::string answer;
  return std::getline(std::cin, answer) && answer == "yes";
}

absl::Status Status(const Flags& flags, const LaptopPaths& paths) {
  v1::LaptopRequest request;
  request.mutable_status();
  ASSIGN_OR_RETURN(const v1::LaptopReply reply, AskDaemon(paths.socket, request));
  std::cout << (flags.json ? StatusJson(reply.status())
                           : StatusText(reply.status(), absl::LocalTimeZone()));
  return absl::OkStatus();
}

absl::Status Pause(const Flags& flags, const LaptopPaths& paths) {
  v1::OwnerCommand command;
  ASSIGN_OR_RETURN(const int64_t until,
                   ParseUntil(flags.until, absl::Now(), absl::LocalTimeZone()));
  command.mutable_pause()->set_until(until);
  return Command(paths, command);
}

absl::Status TryBoot(const Flags& flags, const LaptopPaths& paths) {
  Print(
      "This machine will restart into its own kernel once, from a one-shot entry, and again back.");
  if (!Consents(flags, "Now?")) return absl::CancelledError("not tried");
  v1::OwnerCommand command;
  command.mutable_try_boot();
  RETURN_IF_ERROR(Command(paths, command));
  Print("It restarts soon. `shakedown-laptop status` tells afterwards what became of it.");
  return absl::OkStatus();
}

absl::StatusOr<std::string> Token(const std::string& file) {
  if (!file.empty() && file != "-") return ReadFile(file, kMaxFile);
  if (isatty(STDIN_FILENO)) std::cout << "Token: " << std::flush;
  std::string line;
  std::getline(std::cin, line);
  return line;
}

absl::Status Enroll(Flags& flags, const LaptopPaths& paths, Host& host) {
  if (flags.enrolment.server.empty() && flags.try_boot) return TryBoot(flags, paths);
  ASSIGN_OR_RETURN(const std::string token, Token(flags.token_file));
  flags.enrolment.token = std::string(absl::StripAsciiWhitespace(token));
  if (!flags.tls_ca_file.empty()) {
    ASSIGN_OR_RETURN(flags.enrolment.tls_ca, ReadFile(flags.tls_ca_file, kMaxFile));
  }
  EnrolTools tools{.host = host, .say = Print};
  tools.consents = [&](absl::string_view question) { return Consents(flags, question); };
  if (const passwd* agent = getpwnam("shakedown")) {
    tools.agent_uid = agent->pw_uid;
    tools.agent_gid = agent->pw_gid;
  }
  RETURN_IF_ERROR(Enrol(flags.enrolment, paths, tools));
  return flags.try_boot ? TryBoot(flags, paths) : absl::OkStatus();
}

absl::Status Leave(const Flags& flags, const LaptopPaths& paths, Host& host) {
  Print("Takes back all that is Shakedown's: boots, units, token, configuration, rules, state.");
  if (!Consents(flags, "Leave the farm?")) return absl::CancelledError("nothing was changed");
  return LeaveFarm(
      paths, host, [&] { return UndoBoot(paths, host); }, Print);
}

absl::Status Rules(const LaptopPaths& paths) {
  ASSIGN_OR_RETURN(const OwnerFile owner, ReadOwnerFile(paths.owner));
  for (const std::string& line : RulesInWords(owner)) Print(line);
  return absl::OkStatus();
}

std::string ProgramBeside(const std::string& name) {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
}

absl::Status Run(CLI::App& app, Flags& flags) {
  const LaptopPaths paths = PathsBelow("");
  const std::unique_ptr<Host> host = MakeHost();
  const auto simple = [&](auto set) {
    v1::OwnerCommand command;
    set(command);
    return Command(paths, command);
  };
  if (app.got_subcommand("status")) return Status(flags, paths);
  if (app.got_subcommand("pause")) return Pause(flags, paths);
  if (app.got_subcommand("resume")) return simple([](auto& c) { c.mutable_resume(); });
  if (app.got_subcommand("refuse")) return RefuseReboot(paths);
  if (app.got_subcommand("stop")) return StopNow(paths, *host);
  if (app.got_subcommand("rules")) return Rules(paths);
  if (geteuid() != 0) return absl::PermissionDeniedError("want root (sudo)");
  if (app.got_subcommand("enroll")) return Enroll(flags, paths, *host);
  if (app.got_subcommand("leave")) return Leave(flags, paths, *host);
  if (flags.daemon.runner.empty()) flags.daemon.runner = ProgramBeside("shakedown-runner");
  return RunDaemon(flags.daemon, paths, *host);
}

void Define(CLI::App& app, Flags& flags) {
  app.set_version_flag("--version", SHAKEDOWN_VERSION);
  app.require_subcommand(0, 1);
  app.add_option("--loader", flags.daemon.loader,
                 "grub, systemd-boot or kexec [the one that has booted this machine]");
  app.add_option("--runner", flags.daemon.runner, "the static shakedown-runner [beside this]");
  CLI::App* status = app.add_subcommand("status", "how things stand");
  status->add_flag("--json", flags.json, "for programs");
  CLI::App* pause = app.add_subcommand("pause", "no boot is started; what runs goes on");
  pause->add_option("--until", flags.until, "22:30, 2027-01-31 or '2027-01-31 22:30'");
  app.add_subcommand("resume", "ends a pause or a refusal");
  app.add_subcommand("refuse", "keeps the machine from the restart that is counted down");
  app.add_subcommand("stop", "back to your own kernel at once, and paused");
  app.add_subcommand("rules", "checks the owner's file and says what it means");
  CLI::App* leave = app.add_subcommand("leave", "undoes everything, without a network too");
  leave->add_flag("--yes", flags.yes, "does not ask");
  CLI::App* enroll = app.add_subcommand("enroll", "joins a farm");
  enroll->add_option("--server", flags.enrolment.server, "the controller, HOST:PORT");
  enroll->add_option("--name", flags.enrolment.name, "the agent's name, that of its token");
  enroll->add_option("--token-file", flags.token_file, "file with the token, - or none: asked for");
  enroll->add_option("--tls-ca", flags.tls_ca_file, "PEM file of the controller's authority");
  enroll->add_option("--signer", flags.enrolment.signers, "public key whose kernels may be booted");
  enroll->add_flag("--yes", flags.yes, "does not ask");
  enroll->add_flag("--try-boot", flags.try_boot,
                   "proves with the machine's own kernel that a one-shot boot comes home");
}

}  // namespace
}  // namespace shakedown::laptop

int main(int argc, char** argv) {
  using namespace shakedown::laptop;
  CLI::App app("shakedown-laptop: boots this machine into test kernels and back");
  Flags flags;
  Define(app, flags);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kUsage;
  }
  const absl::Status status = Run(app, flags);
  if (status.ok()) return 0;
  std::cerr << "shakedown-laptop: " << shakedown::Printable(status.message()) << "\n";
  return kFailed;
}
