// shakedown-agent: offers this host's machines and build slots to a farm. Only wires; see
// agent/session/sync_loop.h.
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "agent/build/build_slot.h"
#include "agent/machine/laptop_machine.h"
#include "agent/machine/libvirt_machine.h"
#include "agent/machine/power_control.h"
#include "agent/session/options.h"
#include "agent/session/power_desk.h"
#include "agent/session/sync_loop.h"
#include "proto/wire/files.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"
#include "spdlog/sinks/stdout_color_sinks.h"
#include "spdlog/spdlog.h"

namespace shakedown::agent {
namespace {

constexpr int kUsage = 64;

struct Flags {
  std::string name, server, token_file, tls_ca, state, libvirt_uri = "qemu:///session", ccache,
                                                       runner;
  std::vector<std::string> machines;
  std::string laptop;
  std::vector<std::string> powers;
  uint32_t build_slots = 0;
  uint32_t cache_gib = 4;
  uint32_t inputs_gib = 8;
};

void Define(CLI::App& app, Flags& flags) {
  app.set_version_flag("--version", SHAKEDOWN_VERSION);
  app.set_config("--config", "",
                 "file with a line 'FLAG = VALUE' for each flag, without its dashes; the command "
                 "line comes first");
  // A misspelt line would be a default that nobody chose.
  app.allow_config_extras(CLI::config_extras_mode::error);
  app.add_option("--name", flags.name, "this agent's name, that of its token")->required();
  app.add_option("--server", flags.server, "the controller, HOST:PORT or unix:PATH")->required();
  app.add_option("--token-file", flags.token_file, "file with the token, mode 0600")->required();
  app.add_option("--tls-ca", flags.tls_ca,
                 "PEM file of the controller's authority; without: no TLS, this host only");
  app.add_option("--state", flags.state, "folder for journal, artefacts, builds and overlays")
      ->required();
  app.add_option("--libvirt-uri", flags.libvirt_uri,
                 "qemu:///session, qemu:///system or qemu:///embed?root=DIR");
  app.add_option("--machine", flags.machines,
                 "'name=vm1 vcpus=2 memory=1024 image=PATH tag=…' (MiB; may be given again)");
  app.add_option("--laptop", flags.laptop,
                 "'name=x1 socket=/run/shakedown/laptop.sock tag=…': this machine itself, through "
                 "shakedown-laptop");
  app.add_option("--power", flags.powers,
                 "'machine=x1 command=/path/plug arg …' or 'machine=x1 wol=aa:bb:cc:dd:ee:ff': how "
                 "this agent switches another machine's power (may be given again)");
  app.add_option("--build-slots", flags.build_slots, "kernels built at a time")
      ->check(CLI::Range(0, 1));
  app.add_option("--ccache", flags.ccache, "ccache folder for kernels [STATE/ccache]");
  app.add_option("--runner", flags.runner, "the static shakedown-runner [beside this program]");
  app.add_option("--inputs-gib", flags.inputs_gib, "unpacked inputs of loads kept at most, GiB")
      ->check(CLI::Range(1, 1024));
  app.add_option("--cache-gib", flags.cache_gib, "artefacts kept at most, GiB")
      ->check(CLI::Range(1, 1024));
}

// What the loop works with; outlives it.
struct Wires {
  std::unique_ptr<StateFolder> state;
  std::unique_ptr<Journal> journal;
  std::unique_ptr<FarmClient> farm;
  std::unique_ptr<ArtefactCache> cache;
  std::unique_ptr<InputCache> inputs;
  std::unique_ptr<PowerDesk> power;
  std::vector<std::unique_ptr<Machine>> machines;
  std::vector<std::unique_ptr<BuildSlot>> slots;
};

absl::StatusOr<std::string> HostBootId() {
  ASSIGN_OR_RETURN(const std::string text, ReadFile("/proc/sys/kernel/random/boot_id", 100));
  return std::string(absl::StripAsciiWhitespace(text));
}

absl::Status MakeLaptop(const Flags& flags, Wires& wires) {
  if (flags.laptop.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(LaptopSpec spec, ParseLaptopSpec(flags.laptop));
  for (const auto& machine : wires.machines) {
    if (machine->Info().name != spec.name) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("machine ", spec.name, ": given twice, want one name for each"));
  }
  LaptopMachineOptions options;
  options.name = spec.name;
  options.socket = std::move(spec.socket);
  options.tags = std::move(spec.tags);
  ASSIGN_OR_RETURN(std::unique_ptr<Machine> machine,
                   MakeLaptopMachine(std::move(options), SystemClock()));
  wires.machines.push_back(std::move(machine));
  return absl::OkStatus();
}

absl::Status MakeMachines(const Flags& flags, Wires& wires) {
  ASSIGN_OR_RETURN(const std::vector<MachineSpec> specs, ParseMachineSpecs(flags.machines));
  for (const MachineSpec& spec : specs) {
    LibvirtMachineOptions options;
    options.name = spec.name;
    options.uri = flags.libvirt_uri;
    options.vcpus = spec.vcpus;
    options.memory_mib = spec.memory_mib;
    options.image = spec.image;
    options.work_folder = absl::StrCat(flags.state, "/vm");
    options.tags = spec.tags;
    absl::StatusOr<std::unique_ptr<Machine>> machine =
        MakeLibvirtMachine(std::move(options), SystemClock());
    if (!machine.ok()) return Annotate(machine.status(), absl::StrCat("machine ", spec.name));
    wires.machines.push_back(*std::move(machine));
  }
  return MakeLaptop(flags, wires);
}

absl::Status MakeSlots(const Flags& flags, Wires& wires) {
  if (flags.build_slots > 0 && access(flags.runner.c_str(), X_OK) != 0) {
    return ErrnoStatus(errno, absl::StrCat("runner ", flags.runner, " (--runner)"));
  }
  for (uint32_t i = 0; i < flags.build_slots; ++i) {
    wires.slots.push_back(MakeBuildSlot({.folder = absl::StrCat(flags.state, "/build"),
                                         .ccache = flags.ccache,
                                         .runner_path = flags.runner}));
  }
  return absl::OkStatus();
}

absl::Status MakePowerDesk(const Flags& flags, Wires& wires) {
  ASSIGN_OR_RETURN(const std::vector<PowerSpec> specs, ParsePowerSpecs(flags.powers));
  if (specs.empty()) return absl::OkStatus();
  std::map<std::string, std::unique_ptr<PowerControl>> switches;
  for (const PowerSpec& spec : specs) switches[spec.machine] = MakePower(spec);
  ASSIGN_OR_RETURN(wires.power, OpenPowerDesk(flags.state + "/power", std::move(switches)));
  return absl::OkStatus();
}

absl::Status Wire(const Flags& flags, const std::string& boot_id, Wires& wires) {
  RETURN_IF_ERROR(CheckName("--name", flags.name));
  FarmAddress address{.server = flags.server};
  ASSIGN_OR_RETURN(address.token, ReadToken(flags.token_file));
  if (!flags.tls_ca.empty()) {
    ASSIGN_OR_RETURN(address.tls_ca, ReadFile(flags.tls_ca, 1 << 20));
  }
  ASSIGN_OR_RETURN(wires.farm, MakeFarmClient(address));
  ASSIGN_OR_RETURN(wires.state, TakeStateFolder(flags.state));
  ASSIGN_OR_RETURN(wires.journal,
                   OpenJournal(absl::StrCat(flags.state, "/journal"), boot_id, SystemClock()));
  ASSIGN_OR_RETURN(wires.cache, MakeArtefactCache({.folder = flags.state + "/artefacts",
                                                   .limit = uint64_t{flags.cache_gib} << 30},
                                                  *wires.farm));
  ASSIGN_OR_RETURN(wires.inputs, MakeInputCache({.folder = flags.state + "/inputs",
                                                 .limit = uint64_t{flags.inputs_gib} << 30},
                                                *wires.cache, *wires.farm));
  RETURN_IF_ERROR(MakePowerDesk(flags, wires));
  RETURN_IF_ERROR(MakeMachines(flags, wires));
  return MakeSlots(flags, wires);
}

SyncLoopParts Parts(const Wires& wires) {
  SyncLoopParts parts;
  for (const auto& machine : wires.machines) parts.machines.push_back(machine.get());
  for (const auto& slot : wires.slots) parts.build_slots.push_back(slot.get());
  parts.journal = wires.journal.get();
  parts.farm = wires.farm.get();
  parts.cache = wires.cache.get();
  parts.inputs = wires.inputs.get();
  parts.power = wires.power.get();
  parts.clock = &SystemClock();
  parts.random = MakeRandom();
  parts.waiters = [](absl::string_view) { return MakeWaiter(); };
  parts.free_bytes = [state = wires.state.get()] { return state->FreeBytes(); };
  return parts;
}

// Runs the loop until it ends or SIGTERM or SIGINT comes, both blocked in every thread.
absl::Status RunUntilSignal(SyncLoop& loop, const sigset_t& signals) {
  std::thread listener([&] {
    int signal = 0;
    sigwait(&signals, &signal);
    loop.RequestStop();
  });
  const absl::Status ran = loop.Run();
  pthread_kill(listener.native_handle(), SIGTERM);
  listener.join();
  return ran;
}

int Fail(const absl::Status& status) {
  spdlog::critical("{}", status.ToString());
  spdlog::default_logger()->flush();
  return EXIT_FAILURE;
}

int Main(Flags flags) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signal(SIGPIPE, SIG_IGN);

  flags.state = std::filesystem::absolute(flags.state).lexically_normal().native();
  if (flags.ccache.empty()) flags.ccache = flags.state + "/ccache";
  if (flags.runner.empty()) {
    flags.runner =
        std::filesystem::read_symlink("/proc/self/exe").parent_path() / "shakedown-runner";
  }
  const absl::StatusOr<std::string> boot_id = HostBootId();
  if (!boot_id.ok()) return Fail(boot_id.status());
  Wires wires;
  if (const absl::Status wired = Wire(flags, *boot_id, wires); !wired.ok()) return Fail(wired);
  SyncLoopOptions options;
  options.agent = flags.name;
  options.version = SHAKEDOWN_VERSION;
  options.boot_id = *boot_id;
  options.log_folder = flags.state + "/logs";
  std::unique_ptr<SyncLoop> loop = MakeSyncLoop(std::move(options), Parts(wires));
  spdlog::info("agent {} {}: {} machines, {} build slots, farm {}", flags.name, SHAKEDOWN_VERSION,
               wires.machines.size(), wires.slots.size(), flags.server);
  const absl::Status ran = RunUntilSignal(*loop, signals);
  // Work that did not end still has threads here: no object may go away under them.
  if (!ran.ok()) std::_Exit(Fail(ran));
  spdlog::info("agent {} has stopped", flags.name);
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace shakedown::agent

// What an owner says to a laptop's agent, the part that is root understands.
void BecomeLaptop(char** argv) {
  for (const char* verb : {"enroll", "pause", "resume", "leave", "status"}) {
    if (argv[1] == nullptr || absl::string_view(argv[1]) != verb) continue;
    const std::string program =
        std::filesystem::read_symlink("/proc/self/exe").parent_path() / "shakedown-laptop";
    execv(program.c_str(), argv);
    perror(program.c_str());
    std::_Exit(EXIT_FAILURE);
  }
}

int main(int argc, char** argv) {
  BecomeLaptop(argv);
  spdlog::set_default_logger(spdlog::stderr_color_mt("agent"));
  spdlog::set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %l %v");
  CLI::App app("shakedown-agent: offers this host's machines and build slots to a farm");
  shakedown::agent::Flags flags;
  shakedown::agent::Define(app, flags);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? EXIT_SUCCESS : shakedown::agent::kUsage;
  }
  return shakedown::agent::Main(std::move(flags));
}
