#include "controller/scheduler/explain_queue.h"

#include <algorithm>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace shakedown::scheduler {
namespace {

template <typename List>
bool Has(const List& list, const std::string& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

bool Fits(const v1::QueueEntry& entry, const v1::MachineView& machine) {
  if (!entry.machines().empty() && !Has(entry.machines(), machine.name())) return false;
  return std::all_of(entry.tags().begin(), entry.tags().end(),
                     [&](const std::string& tag) { return Has(machine.tags(), tag); });
}

bool Usable(const v1::MachineView& machine) {
  return machine.state() == "idle" || machine.state() == "running";
}

std::string Wanted(const v1::QueueEntry& entry) {
  std::string text = entry.machines().empty()
                         ? "any machine"
                         : absl::StrCat("machine ", absl::StrJoin(entry.machines(), " or "));
  if (!entry.tags().empty()) absl::StrAppend(&text, " with ", absl::StrJoin(entry.tags(), ", "));
  return text;
}

std::string WhyNot(const v1::QueueEntry& entry,
                   const std::vector<const v1::MachineView*>& fitting) {
  if (entry.running() > 0) return "";
  if (entry.queued() + entry.waiting() == 0) return "its blocks are being judged";
  if (fitting.empty()) return absl::StrCat("the farm has no such machine: wants ", Wanted(entry));
  const auto usable = std::find_if(fitting.begin(), fitting.end(),
                                   [](const v1::MachineView* machine) { return Usable(*machine); });
  if (usable == fitting.end()) {
    const v1::MachineView& one = *fitting.front();
    return absl::StrCat(
        one.name(), " is ", one.state(),
        one.detail().empty() ? "" : absl::StrCat(": ", one.detail()),
        fitting.size() > 1 ? absl::StrCat(", as are ", fitting.size() - 1, " more") : "");
  }
  if (!entry.builds().empty())
    return absl::StrCat("waits for the build of ", absl::StrJoin(entry.builds(), ", "));
  const auto busy =
      std::find_if(fitting.begin(), fitting.end(),
                   [](const v1::MachineView* machine) { return machine->state() == "running"; });
  if (busy != fitting.end()) return absl::StrCat((*busy)->name(), " is busy: ", (*busy)->detail());
  return absl::StrCat((*usable)->name(), " is about to take it");
}

}  // namespace

void ExplainQueue(const std::vector<v1::MachineView>& machines,
                  std::vector<v1::QueueEntry>& entries) {
  std::map<std::string, double> free_in;  // Seconds.
  for (v1::QueueEntry& entry : entries) {
    std::vector<const v1::MachineView*> fitting;
    for (const v1::MachineView& machine : machines) {
      if (Fits(entry, machine)) fitting.push_back(&machine);
    }
    entry.set_reason(WhyNot(entry, fitting));
    fitting.erase(std::remove_if(fitting.begin(), fitting.end(),
                                 [](const v1::MachineView* machine) { return !Usable(*machine); }),
                  fitting.end());
    if (fitting.empty()) continue;
    double first = free_in[fitting.front()->name()];
    for (const v1::MachineView* machine : fitting)
      first = std::min(first, free_in[machine->name()]);
    if (entry.running() == 0) entry.set_starts_in_s(static_cast<uint64_t>(first + 0.5));
    for (const v1::MachineView* machine : fitting) {
      free_in[machine->name()] +=
          static_cast<double>(entry.remaining_s()) / static_cast<double>(fitting.size());
    }
  }
}

}  // namespace shakedown::scheduler
