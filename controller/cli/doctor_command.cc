// doctor: this host and the farm, each thing with what mends it.
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "controller/cli/clients.h"
#include "controller/cli/commands.h"
#include "controller/cli/doctor/examine.h"
#include "controller/cli/exit_code.h"
#include "controller/cli/text_width.h"
#include "proto/wire/sanitise.h"

namespace shakedown::cli {
namespace {

constexpr absl::Duration kPatience = absl::Seconds(3);

v1::DoctorReport::Finding Finding(const std::string& name, const char* level,
                                  absl::string_view found, const std::string& mend) {
  v1::DoctorReport::Finding finding;
  finding.set_name(name);
  finding.set_level(level);
  finding.set_found(PrintableLine(found, 300));
  finding.set_mend(mend);
  return finding;
}

// A host without a farm of its own is well, too.
v1::DoctorReport::Finding ExamineFarm(const ConnectionFlags& flags, const Environment& environment,
                                      Clock& clock) {
  const absl::StatusOr<ConnectionFlags> settings = FindSettings(flags, environment);
  if (!settings.ok())
    return Finding("farm", "note", settings.status().message(),
                   "deploy/quickstart starts one, shakedown contexts set names another");
  const absl::StatusOr<Clients> clients = Connect(*settings);
  if (!clients.ok()) return Finding("farm", "bad", clients.status().message(), "see the message");
  clients->farm->AwaitConnection(kPatience);
  const absl::Duration before = clock.Elapsed();
  const absl::StatusOr<v1::ListMachinesResponse> machines = clients->farm->ListMachines();
  if (!machines.ok()) {
    return Finding("farm", "bad", machines.status().message(),
                   absl::IsUnavailable(machines.status())
                       ? "is the controller running? deploy/quickstart --status"
                       : "see the message");
  }
  int sick = 0;
  for (const v1::MachineView& machine : machines->machines()) {
    sick += machine.state() == "idle" || machine.state() == "running" ? 0 : 1;
  }
  const std::string found = absl::StrCat(settings->server, " answers in ",
                                         absl::ToInt64Milliseconds(clock.Elapsed() - before),
                                         " ms, ", machines->machines_size(), " machines",
                                         sick > 0 ? absl::StrCat(", ", sick, " not fit") : "");
  if (sick > 0 || machines->machines().empty())
    return Finding("farm", "note", found, "shakedown machines says why");
  return Finding("farm", "good", found, "");
}

void Print(Screen& screen, const v1::DoctorReport& report) {
  size_t widest = 0;
  for (const v1::DoctorReport::Finding& finding : report.findings())
    widest = std::max(widest, finding.name().size());
  for (const v1::DoctorReport::Finding& finding : report.findings()) {
    const bool good = finding.level() == "good";
    screen.Print(absl::StrCat(good                        ? "ok    "
                              : finding.level() == "note" ? "note  "
                                                          : "BAD   ",
                              finding.name(), std::string(widest - finding.name().size() + 2, ' '),
                              finding.found(), "\n"));
    if (!good)
      screen.Print(absl::StrCat(std::string(widest + 8, ' '), "-> ", finding.mend(), "\n"));
  }
}

}  // namespace

int Doctor(Screen& screen, const DoctorArgs& args, const ConnectionFlags& flags,
           const Environment& environment, Clock& clock) {
  v1::DoctorReport report = ExamineHost(*MakeHostProbe(), args.state);
  *report.add_findings() = ExamineFarm(flags, environment, clock);
  args.json ? screen.PrintJson(report) : Print(screen, report);
  return AnyBad(report) ? kOther : kOk;
}

}  // namespace shakedown::cli
