// For tests: a laptop's file tree, its boot loader and its kernels, as far as a boot transaction
// meets them.
#ifndef SHAKEDOWN_AGENT_LAPTOP_BOOT_FAKE_LAPTOP_H_
#define SHAKEDOWN_AGENT_LAPTOP_BOOT_FAKE_LAPTOP_H_

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/laptop/boot/boot_loader.h"
#include "agent/laptop/boot/boot_transaction.h"
#include "agent/laptop/boot/host.h"

namespace shakedown::laptop {

inline constexpr char kSafeRelease[] = "6.1.0-13-amd64";
inline constexpr char kTestRelease[] = "6.12.0-sd";
inline constexpr char kAttempt[] = "0b0e3f7a-4d1c-4e52-9d2b-0f6f6a1c9a11";

// Answers from its fields; runs a few tools of the names that a laptop has.
class FakeHost : public Host {
 public:
  FakeHost(std::string root, std::unique_ptr<Disk> disk)
      : root_(std::move(root)), disk_(std::move(disk)) {}

  std::string boot_id = "b0000000-0000-4000-8000-000000000000";
  std::string command_line;
  std::string release = kSafeRelease;
  absl::Time now = absl::FromUnixSeconds(1'800'000'000);
  std::map<std::string, std::string> journals;  // By boot_id without dashes.
  std::string list_boots;
  std::function<absl::Status(RebootKind)> reboot = [](RebootKind) { return absl::OkStatus(); };
  std::function<void()> before_tool = [] {};
  absl::Status mkinitramfs;  // What it ends with.
  bool dep_works = true;     // MODULES=dep.
  std::vector<std::string> ran;

  std::string BootId() override { return boot_id; }
  std::string CommandLine() override { return command_line; }
  std::string Release() override { return release; }
  absl::Time Now() override { return now; }
  absl::Status Reboot(RebootKind kind) override { return reboot(kind); }
  absl::StatusOr<std::string> Run(const Tool& tool) override;
  Disk& disk() override { return *disk_; }

 private:
  absl::StatusOr<std::string> MakeInitramfsFile(const Tool& tool);
  absl::StatusOr<std::string> Journal(const Tool& tool) const;

  const std::string root_;
  const std::unique_ptr<Disk> disk_;
};

// "grub" or "systemd-boot": writes the tree of a Debian laptop into the folder `root`, which is
// there and empty, and the files of a boot order into `agent`, beside it.
void MakeLaptop(const std::string& root, const std::string& loader);
BootFiles MakeBootFiles(const std::string& agent, v1::BootOrder* order);
void WriteText(const std::string& path, const std::string& text);
std::string ReadText(const std::string& path);  // Empty: none.

struct Booted {
  bool stuck = false;  // The loader shows its menu and waits for somebody.
  std::string why;
  std::string release;
  std::string command_line;
};
// What the machine's loader starts now, by the rules that are in its files, which it changes as the
// real one does. `kexec`: what was loaded is started, without a loader.
Booted BootMachine(const std::string& root, const std::string& loader, bool kexec);

// Every name below `root` with mode and content, without proc, sys, run and the state folder.
std::map<std::string, std::string> Snapshot(const std::string& root);

inline constexpr char kState[] = "/var/lib/shakedown-laptop";  // Below the root.

}  // namespace shakedown::laptop

#endif  // SHAKEDOWN_AGENT_LAPTOP_BOOT_FAKE_LAPTOP_H_
