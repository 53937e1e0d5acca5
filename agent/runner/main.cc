// shakedown-runner: as /init of an initramfs, as process 1 of the guest, or as a command for
// people.
#include <unistd.h>

#include "absl/strings/string_view.h"
#include "agent/runner/cli.h"
#include "agent/runner/loads/program_start.h"
#include "agent/runner/service.h"
#include "agent/runner/setup/init.h"
#include "agent/runner/setup/initramfs.h"

int main(int argc, char** argv) {
  using namespace shakedown::runner;
  if (argc == 2 && absl::string_view(argv[1]) == kSayOneByte) return SayOneByte();
  if (getpid() != 1) return RunCommandLine(argc, argv);
  if (access(kModuleList, F_OK) == 0) PowerOffMachine(LeaveInitramfs().message());
  RunAsInit(ServeAgent);
}
