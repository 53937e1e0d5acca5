#include <sys/socket.h>
#include <sys/un.h>

#include <cstddef>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "agent/laptop/keeper/vigil.h"
#include "proto/wire/descriptor.h"
#include "proto/wire/files.h"

namespace shakedown::laptop {
namespace {

constexpr absl::Duration kLimit = absl::Seconds(20);
// Without Restart=no a unit that is started anew has not failed, and nothing would follow.
constexpr char kDropIn[] =
    "# Made by shakedown-laptop in a test kernel; gone with it.\n"
    "[Unit]\nFailureAction=reboot-force\n[Service]\nRestart=no\n";

class SystemdVigil : public Vigil {
 public:
  SystemdVigil(Host& host, std::string notify_socket, std::string run)
      : host_(host), notify_socket_(std::move(notify_socket)), run_(std::move(run)) {}

  std::vector<std::string> Begin() override {
    std::vector<std::string> problems;
    const auto note = [&](const absl::Status& status) {
      if (!status.ok()) problems.emplace_back(status.message());
    };
    note(Do({"systemctl", "mask", "--runtime", "sleep.target", "suspend.target", "hibernate.target",
             "hybrid-sleep.target", "suspend-then-hibernate.target"}));
    note(Do({"systemd-run", "--quiet", "--collect", "--unit=shakedown-awake", "systemd-inhibit",
             "--what=sleep:idle:handle-lid-switch", "--who=Shakedown",
             "--why=a test kernel is being measured", "--mode=block", "sleep", "infinity"}));
    note(Do({"busctl", "set-property", "org.freedesktop.systemd1", "/org/freedesktop/systemd1",
             "org.freedesktop.systemd1.Manager", "RuntimeWatchdogUSec", "t",
             absl::StrCat(absl::ToInt64Microseconds(kMachineWatchdog))}));
    const absl::Status written = WriteDropIn();
    note(written);
    const absl::Status reloaded = Do({"systemctl", "daemon-reload"});
    note(reloaded);
    // From here on this daemon's own end is the way home.
    if (written.ok() && reloaded.ok()) note(Do({"systemctl", "stop", "--no-block", kWayHomeUnit}));
    Notify(absl::StrCat("WATCHDOG_USEC=", absl::ToInt64Microseconds(kDaemonWatchdog)));
    return problems;
  }

  void Beat() override { Notify("WATCHDOG=1"); }

  void Ready(const std::string& status) override {
    Notify(absl::StrCat("READY=1\nSTATUS=", status));
  }

 private:
  absl::Status Do(std::vector<std::string> argv) {
    return host_.Run({.argv = std::move(argv), .limit = kLimit}).status();
  }

  absl::Status WriteDropIn() {
    const std::string folder = run_ + "/systemd/system/shakedown-laptop.service.d";
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    return WriteFileAtomically(folder + "/50-test-kernel.conf", kDropIn);
  }

  // sd_notify(3): a datagram; a name that starts with "@" is an abstract one.
  void Notify(const std::string& text) {
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    if (notify_socket_.empty() || notify_socket_.size() >= sizeof address.sun_path) return;
    memcpy(address.sun_path, notify_socket_.data(), notify_socket_.size());
    if (address.sun_path[0] == '@') address.sun_path[0] = '\0';
    const Descriptor fd(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const auto length =
        static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + notify_socket_.size());
    // Lost: systemd does what it does to a daemon that is silent.
    static_cast<void>(sendto(fd.get(), text.data(), text.size(), MSG_NOSIGNAL,
                             reinterpret_cast<const sockaddr*>(&address), length));
  }

  Host& host_;
  const std::string notify_socket_, run_;
};

}  // namespace

std::unique_ptr<Vigil> MakeSystemdVigil(Host& host, std::string notify_socket, std::string run) {
  return std::make_unique<SystemdVigil>(host, std::move(notify_socket), std::move(run));
}

}  // namespace shakedown::laptop
