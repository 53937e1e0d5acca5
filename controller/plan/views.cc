#include "controller/plan/views.h"

#include <algorithm>
#include <string>

namespace shakedown::plan {

LastAttempts LastAttemptsOf(const v1::JobView& job) {
  LastAttempts last;
  for (const v1::BootView& boot : job.boots()) {
    const v1::BootView*& slot = last[{boot.block(), boot.variant()}];
    if (slot == nullptr || boot.attempt() >= slot->attempt()) slot = &boot;
  }
  return last;
}

bool Meets(const v1::MachineView& machine, const v1::MachineSelector& selector) {
  const auto has = [](const auto& list, const std::string& item) {
    return std::find(list.begin(), list.end(), item) != list.end();
  };
  return (selector.names().empty() || has(selector.names(), machine.name())) &&
         std::all_of(selector.tags().begin(), selector.tags().end(),
                     [&](const std::string& tag) { return has(machine.tags(), tag); });
}

}  // namespace shakedown::plan
