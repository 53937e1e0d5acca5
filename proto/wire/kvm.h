// Whether guests can run on this host's processor.
#ifndef SHAKEDOWN_PROTO_WIRE_KVM_H_
#define SHAKEDOWN_PROTO_WIRE_KVM_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace shakedown {

// Pure: whether /proc/cpuinfo names a virtualisation extension (vmx or svm).
bool HasVirtualisation(absl::string_view cpuinfo);

// OK when the processor has an extension and /dev/kvm makes a machine with a processor. Else why
// not. A device alone proves nothing: there are sandboxes whose /dev/kvm opens and whose guests do
// not run.
absl::Status CheckKvm();

}  // namespace shakedown

#endif  // SHAKEDOWN_PROTO_WIRE_KVM_H_
