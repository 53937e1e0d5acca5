// What the output of a build tells while it comes: how far it is, and why it failed.
#ifndef SHAKEDOWN_AGENT_BUILD_COMPILE_LOG_H_
#define SHAKEDOWN_AGENT_BUILD_COMPILE_LOG_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace shakedown::agent {

// Bounded whatever comes in. Pure.
class CompileLog {
 public:
  void Add(absl::string_view bytes);

  // Lines such as "  CC      kernel/sched/fair.o".
  uint32_t Objects() const { return objects_; }

  // The first error lines of compiler, linker, kconfig or patch, at most 20 lines and 8 KiB;
  // without any, the last lines that came.
  std::string FirstErrors() const;

  // The host's fault: the disk was full, or the kernel ended the compiler for want of memory.
  // Empty: neither was seen.
  const std::string& HostFault() const { return host_fault_; }

 private:
  void Line(absl::string_view line);

  std::string partial_;
  uint32_t objects_ = 0;
  std::vector<std::string> errors_;
  size_t error_bytes_ = 0;
  int follow_ = 0;  // Lines of source and caret that belong to the last error.
  std::vector<std::string> last_;
  std::string host_fault_;
};

}  // namespace shakedown::agent

#endif  // SHAKEDOWN_AGENT_BUILD_COMPILE_LOG_H_
