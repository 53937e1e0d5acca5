#include "proto/wire/kvm.h"

#include <fcntl.h>
#include <linux/kvm.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "proto/wire/files.h"
#include "proto/wire/status.h"

namespace shakedown {
namespace {

struct Fd {
  int fd;
  ~Fd() {
    if (fd >= 0) close(fd);
  }
};

}  // namespace

bool HasVirtualisation(absl::string_view cpuinfo) {
  for (const absl::string_view line : absl::StrSplit(cpuinfo, '\n')) {
    if (!absl::StartsWith(line, "flags")) continue;
    for (const absl::string_view flag : absl::StrSplit(line, ' ')) {
      if (flag == "vmx" || flag == "svm") return true;
    }
  }
  return false;
}

absl::Status CheckKvm() {
  ASSIGN_OR_RETURN(const std::string cpuinfo, ReadFile("/proc/cpuinfo"));
  if (!HasVirtualisation(cpuinfo)) {
    return absl::FailedPreconditionError("the processor has neither vmx nor svm");
  }
  const Fd kvm{open("/dev/kvm", O_RDWR | O_CLOEXEC)};
  if (kvm.fd < 0) return ErrnoStatus(errno, "/dev/kvm");
  const int version = ioctl(kvm.fd, KVM_GET_API_VERSION, 0);
  if (version != KVM_API_VERSION) {
    return absl::FailedPreconditionError(
        absl::StrCat("/dev/kvm: API version ", version, ", want ", KVM_API_VERSION));
  }
  const Fd machine{ioctl(kvm.fd, KVM_CREATE_VM, 0)};
  if (machine.fd < 0) return ErrnoStatus(errno, "/dev/kvm: create a machine");
  const Fd processor{ioctl(machine.fd, KVM_CREATE_VCPU, 0)};
  if (processor.fd < 0) return ErrnoStatus(errno, "/dev/kvm: create a processor");
  return absl::OkStatus();
}

}  // namespace shakedown
