#include "controller/cli/why_waits.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "controller/cli/job_parts.h"
#include "controller/cli/words.h"
#include "controller/plan/views.h"
#include "proto/wire/sanitise.h"

namespace shakedown::cli {
namespace {

constexpr size_t kMostMachines = 3;  // Named; the others are counted.

bool Open(const v1::BootView& boot) { return boot.state() != v1::WORK_STATE_ENDED; }

std::string BuildWait(const v1::JobView& job, const v1::BootView& boot) {
  if (boot.variant() >= static_cast<uint32_t>(job.spec().variants_size())) return "";
  const std::string& kernel = job.spec().variants(static_cast<int>(boot.variant())).kernel();
  for (const v1::BuildView& build : job.builds()) {
    if (build.kernel() != kernel || build.state() == v1::WORK_STATE_ENDED) continue;
    return absl::StrCat("build of ", PrintableLine(kernel), ": ",
                        build.state() == v1::WORK_STATE_RUNNING
                            ? PhaseText(build.phase(), build.progress())
                            : WorkStateWord(build.state()));
  }
  return absl::StrCat("build of ", PrintableLine(kernel));
}

// Of a boot that another of its block must come before: that one, or the build it waits for.
std::string BlockWait(const v1::JobView& job, const v1::BootView& boot) {
  bool passed = false;
  for (const v1::BootView& other : job.boots()) {
    if (&other == &boot) passed = true;
    if (&other == &boot || other.block() != boot.block() || !Open(other)) continue;
    if (other.state() == v1::WORK_STATE_WAITING) return BuildWait(job, other);
    if (!passed || other.state() == v1::WORK_STATE_RUNNING) {
      return absl::StrCat("after ", PrintableLine(other.name()));
    }
  }
  return "";
}

std::string MachineText(const v1::MachineView& machine) {
  const std::string detail = PrintableLine(machine.detail(), 200);
  const std::string state = machine.state() == "running" ? "is busy"
                            : machine.state() == "needs_hands"
                                ? "needs hands"
                                : absl::StrCat("is ", MachineStateWord(machine));
  return absl::StrCat(PrintableLine(machine.name()), " ", state, detail.empty() ? "" : ": ",
                      detail);
}

std::string MachineWait(const v1::JobView& job, const v1::BootView& boot,
                        const v1::ListMachinesResponse& machines) {
  std::vector<std::string> busy;
  size_t more = 0;
  for (const v1::MachineView& machine : machines.machines()) {
    const bool wanted = boot.machine().empty() ? plan::Meets(machine, job.spec().machines())
                                               : machine.name() == boot.machine();
    if (!wanted) continue;
    if (machine.state() == "idle") return "next";
    if (busy.size() == kMostMachines) {
      ++more;
    } else {
      busy.push_back(MachineText(machine));
    }
  }
  if (busy.empty()) return "no machine fits";
  return absl::StrCat(absl::StrJoin(busy, ", "), more > 0 ? absl::StrCat(", ", more, " more") : "");
}

}  // namespace

std::string WhyWaits(const v1::JobView& job, const v1::BootView& boot,
                     const v1::ListMachinesResponse& machines) {
  if (boot.state() == v1::WORK_STATE_WAITING) return BuildWait(job, boot);
  if (boot.state() != v1::WORK_STATE_QUEUED) return "";
  if (std::string before = BlockWait(job, boot); !before.empty()) return before;
  // Blocks begin in their order: the first that has not begun is the one that machines are for.
  if (boot.machine().empty()) {
    for (const v1::BootView& other : job.boots()) {
      if (other.block() == boot.block()) break;
      if (Open(other) && other.machine().empty()) {
        return absl::StrCat("after block ", other.block());
      }
    }
  }
  return MachineWait(job, boot, machines);
}

}  // namespace shakedown::cli
