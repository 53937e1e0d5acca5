#include "agent/machine/hypervisor.h"

#include <libvirt/libvirt.h>
#include <libvirt/virterror.h>

#include <cstdlib>
#include <mutex>
#include <thread>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "agent/machine/embedded_driver.h"
#include "proto/wire/sanitise.h"
#include "proto/wire/status.h"

namespace shakedown::agent {
namespace {

struct FreeDomain {
  void operator()(virDomain* domain) const { virDomainFree(domain); }
};
using Domain = std::unique_ptr<virDomain, FreeDomain>;

// The calling thread's last libvirt error.
absl::Status LastError(absl::string_view what) {
  const virError* error = virGetLastError();
  const std::string text = PrintableLine(
      error != nullptr && error->message != nullptr ? error->message : "no reason given", 600);
  const std::string message = absl::StrCat("libvirt: ", what, ": ", text);
  if (absl::StrContains(text, "No space left") || absl::StrContains(text, "Disk quota exceeded") ||
      absl::StrContains(text, "annot allocate memory")) {
    return absl::ResourceExhaustedError(message);
  }
  return absl::UnavailableError(message);
}

bool LastErrorIs(virErrorNumber code) {
  const virError* error = virGetLastError();
  return error != nullptr && error->code == code;
}

// Errors are values here: nothing is to be written to standard error behind our back.
void KeepQuiet(void*, virErrorPtr) {}

// An embedded driver hears of its QEMU processes through this process's event loop, which must run
// before the connection is opened and for as long as the process lives.
absl::Status StartEventLoop() {
  static std::once_flag once;
  static bool good = false;
  std::call_once(once, [] {
    virSetErrorFunc(nullptr, KeepQuiet);
    if (virInitialize() != 0 || virEventRegisterDefaultImpl() != 0) return;
    good = true;
    std::thread([] {
      for (;;) virEventRunDefaultImpl();
    }).detach();
  });
  return good ? absl::OkStatus() : absl::UnavailableError("libvirt: event loop did not start");
}

DomainState PausedState(virDomainPtr domain, int reason) {
  switch (reason) {
    case VIR_DOMAIN_PAUSED_WATCHDOG:
      return DomainState::kWatchdogFired;
    case VIR_DOMAIN_PAUSED_CRASHED:
      return DomainState::kPanicked;
    case VIR_DOMAIN_PAUSED_IOERROR:
      break;
    default:
      return DomainState::kRunning;
  }
  virDomainDiskError errors[4] = {};
  const int count = virDomainGetDiskErrors(domain, errors, 4, 0);
  bool full = false;
  for (int i = 0; i < count; ++i) {
    full |= errors[i].error == VIR_DOMAIN_DISK_ERROR_NO_SPACE;
    std::free(errors[i].disk);
  }
  return full ? DomainState::kHostDiskFull : DomainState::kHostDiskError;
}

DomainState EndedState(int reason) {
  switch (reason) {
    case VIR_DOMAIN_SHUTOFF_CRASHED:  // Closed its monitor without a word: killed or crashed.
    case VIR_DOMAIN_SHUTOFF_FAILED:
    case VIR_DOMAIN_SHUTOFF_DAEMON:
    case VIR_DOMAIN_SHUTOFF_UNKNOWN:
      return DomainState::kQemuDied;
    case VIR_DOMAIN_SHUTOFF_DESTROYED:
      return DomainState::kDestroyed;
    default:
      return DomainState::kEnded;
  }
}

class LibvirtHypervisor : public Hypervisor {
 public:
  explicit LibvirtHypervisor(virConnectPtr connection) : connection_(connection) {}
  ~LibvirtHypervisor() override { virConnectClose(connection_); }

  absl::Status Start(const std::string& xml) override {
    const Domain domain(virDomainDefineXML(connection_, xml.c_str()));
    if (domain == nullptr) return LastError("define domain");
    if (virDomainCreate(domain.get()) == 0) return absl::OkStatus();
    return LastError(absl::StrCat("start domain ", virDomainGetName(domain.get())));
  }

  absl::StatusOr<DomainState> State(const std::string& name) override {
    const Domain domain(virDomainLookupByName(connection_, name.c_str()));
    int state = 0, reason = 0;
    if (domain == nullptr || virDomainGetState(domain.get(), &state, &reason, 0) != 0) {
      if (LastErrorIs(VIR_ERR_NO_DOMAIN)) return DomainState::kGone;
      return LastError(absl::StrCat("state of domain ", name));
    }
    switch (state) {
      case VIR_DOMAIN_CRASHED:
        return DomainState::kPanicked;
      case VIR_DOMAIN_PAUSED:
        return PausedState(domain.get(), reason);
      case VIR_DOMAIN_SHUTOFF:
        return EndedState(reason);
      default:
        return DomainState::kRunning;
    }
  }

  absl::Status Remove(const std::string& name) override {
    const Domain domain(virDomainLookupByName(connection_, name.c_str()));
    if (domain == nullptr) {
      return LastErrorIs(VIR_ERR_NO_DOMAIN) ? absl::OkStatus()
                                            : LastError(absl::StrCat("look up domain ", name));
    }
    if (virDomainIsActive(domain.get()) == 1 && virDomainDestroy(domain.get()) != 0 &&
        virDomainIsActive(domain.get()) != 0) {
      return LastError(absl::StrCat("destroy domain ", name));
    }
    if (virDomainUndefine(domain.get()) == 0 || LastErrorIs(VIR_ERR_NO_DOMAIN)) {
      return absl::OkStatus();
    }
    return LastError(absl::StrCat("undefine domain ", name));
  }

  absl::StatusOr<std::vector<std::string>> List(const std::string& prefix,
                                                const std::string& folder) override {
    virDomainPtr* found = nullptr;
    const int count = virConnectListAllDomains(connection_, &found, 0);
    if (count < 0) return LastError("list domains");
    std::vector<std::string> names;
    for (int i = 0; i < count; ++i) {
      const Domain domain(found[i]);
      const std::string name = virDomainGetName(domain.get());
      char* xml = virDomainGetXMLDesc(domain.get(), 0);
      const bool ours = xml != nullptr && absl::StartsWith(name, prefix) &&
                        absl::StrContains(xml, absl::StrCat(folder, "/"));
      std::free(xml);
      if (ours) names.push_back(name);
    }
    std::free(found);
    return names;
  }

 private:
  virConnectPtr connection_;
};

}  // namespace

absl::string_view NameOf(DomainState state) {
  switch (state) {
    case DomainState::kRunning:
      return "running";
    case DomainState::kEnded:
      return "ended by the guest";
    case DomainState::kPanicked:
      return "panicked";
    case DomainState::kWatchdogFired:
      return "stopped by its watchdog";
    case DomainState::kHostDiskFull:
      return "stopped: no space left on the host";
    case DomainState::kHostDiskError:
      return "stopped: disk error on the host";
    case DomainState::kQemuDied:
      return "QEMU died";
    case DomainState::kDestroyed:
      return "destroyed by somebody on the host";
    case DomainState::kGone:
      return "gone";
  }
  return "unknown";
}

absl::StatusOr<std::unique_ptr<Hypervisor>> ConnectHypervisor(const std::string& uri) {
  RETURN_IF_ERROR(StartEventLoop());
  ASSIGN_OR_RETURN(const std::string root, EmbeddedRoot(uri));
  if (!root.empty()) RETURN_IF_ERROR(PrepareEmbeddedDriver(root));
  virConnectPtr connection = virConnectOpen(uri.c_str());
  if (connection == nullptr) return LastError(absl::StrCat("connect to ", uri));
  return std::make_unique<LibvirtHypervisor>(connection);
}

}  // namespace shakedown::agent
