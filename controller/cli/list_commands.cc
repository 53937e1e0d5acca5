// jobs, agents, machines, kernels, builds: what the farm has.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "controller/cli/commands.h"
#include "controller/cli/exit_code.h"
#include "controller/cli/job_parts.h"
#include "controller/cli/look_lines.h"
#include "controller/cli/tables.h"
#include "controller/cli/words.h"
#include "proto/wire/sanitise.h"

namespace shakedown::cli {
namespace {

using Rows = std::vector<std::vector<std::string>>;

// Prints the answer as JSON, or as the table that `rows` makes of it.
template <typename Response, typename MakeRows>
int Show(const Desk& desk, const absl::StatusOr<Response>& answer, bool json,
         const std::vector<Column>& layout, const std::string& none, const MakeRows& make_rows) {
  if (!answer.ok()) return Fail(desk.screen, answer.status());
  if (json) {
    desk.screen.PrintJson(*answer);
    return kOk;
  }
  const Rows rows = make_rows(*answer);
  if (rows.empty()) {
    desk.screen.Note(none);
  } else {
    desk.screen.Print(PrintTable(layout, rows, desk.screen.size().columns));
  }
  return kOk;
}

std::string VariantsText(const v1::JobSpec& spec) {
  std::vector<std::string> texts;
  for (int i = 0; i < spec.variants_size(); ++i) {
    texts.push_back(PrintableLine(VariantText(spec, i)));
  }
  return absl::StrJoin(texts, " / ");
}

int ListJobs(const Desk& desk, const ListArgs& args) {
  v1::ListJobsRequest request;
  request.set_limit(args.limit);
  return Show(desk, desk.farm.ListJobs(request), args.json,
              {{.header = "JOB", .align = Column::Align::kRight},
               {.header = "STATE"},
               {.header = "SUBMITTED"},
               {.header = "BY", .may_shrink = true},
               {.header = "TOOK", .align = Column::Align::kRight},
               {.header = "BLOCKS", .align = Column::Align::kRight},
               {.header = "VARIANTS", .may_shrink = true},
               {.header = "TITLE", .may_shrink = true}},
              "no jobs yet: see shakedown submit --help", [&](const v1::ListJobsResponse& answer) {
                Rows rows;
                for (const v1::JobView& job : answer.jobs()) {
                  rows.push_back({absl::StrCat(job.job()), JobStateWord(job.state()),
                                  TimeText(job.submitted(), desk.screen.zone()),
                                  PrintableLine(job.submitter()),
                                  TookText(job.submitted(), job.ended()), BlocksText(job.spec()),
                                  VariantsText(job.spec()), PrintableLine(job.spec().title())});
                }
                return rows;
              });
}

std::string SlotText(const v1::SlotView& slot) {
  if (!slot.problem().empty()) return PrintableLine(slot.problem(), 400);
  if (slot.build().empty()) return "idle";
  return absl::StrCat("builds ", PrintableLine(slot.build()), ": ",
                      PhaseText(slot.phase(), slot.progress()));
}

int ListAgents(const Desk& desk, const ListArgs& args) {
  return Show(
      desk, desk.farm.ListAgents(), args.json,
      {{.header = "AGENT", .may_shrink = true},
       {.header = "STATE"},
       {.header = "LAST SEEN"},
       {.header = "VERSION", .may_shrink = true},
       {.header = "MACHINES", .may_shrink = true},
       {.header = "BUILD SLOTS", .may_shrink = true}},
      "no agent has called yet", [&](const v1::ListAgentsResponse& answer) {
        Rows rows;
        for (const v1::AgentView& agent : answer.agents()) {
          std::vector<std::string> machines;
          std::vector<std::string> slots;
          for (const v1::MachineView& machine : agent.machines()) {
            machines.push_back(
                absl::StrCat(PrintableLine(machine.name()), " ", MachineStateWord(machine)));
          }
          for (const v1::SlotView& slot : agent.build_slots()) {
            slots.push_back(SlotText(slot));
          }
          rows.push_back({PrintableLine(agent.name()), agent.online() ? "online" : "offline",
                          TimeText(agent.last_seen(), desk.screen.zone()),
                          PrintableLine(agent.version()), absl::StrJoin(machines, ", "),
                          absl::StrJoin(slots, ", ")});
        }
        return rows;
      });
}

int ListMachines(const Desk& desk, const ListArgs& args) {
  return Show(desk, desk.farm.ListMachines(), args.json,
              {{.header = "MACHINE", .may_shrink = true},
               {.header = "AGENT", .may_shrink = true},
               {.header = "STATE"},
               {.header = "TAGS", .may_shrink = true},
               {.header = "DETAIL", .may_shrink = true}},
              "no agent offers a machine", [](const v1::ListMachinesResponse& answer) {
                Rows rows;
                for (const v1::MachineView& machine : answer.machines()) {
                  rows.push_back({PrintableLine(machine.name()), PrintableLine(machine.agent()),
                                  MachineStateWord(machine),
                                  PrintableLine(absl::StrJoin(machine.tags(), " ")),
                                  PrintableLine(machine.detail(), 400)});
                }
                return rows;
              });
}

int ListKernels(const Desk& desk, const ListArgs& args) {
  return Show(desk, desk.farm.ListKernels(), args.json,
              {{.header = "KERNEL"},
               {.header = "SOURCE", .may_shrink = true},
               {.header = "WHAT IT IS", .may_shrink = true}},
              "the catalog is empty", [](const v1::ListKernelsResponse& answer) {
                Rows rows;
                for (const v1::Kernel& kernel : answer.kernels()) {
                  rows.push_back({PrintableLine(kernel.name()), PrintableLine(SourceText(kernel)),
                                  kernel.unbuildable().empty()
                                      ? PrintableLine(kernel.description(), 400)
                                      : absl::StrCat("can not be built: ",
                                                     PrintableLine(kernel.unbuildable(), 400))});
                }
                return rows;
              });
}

std::string BuildState(const v1::BuildView& build) {
  return build.state() == v1::WORK_STATE_ENDED ? PrintableLine(build.status())
                                               : WorkStateWord(build.state());
}

std::string BuildDetail(const v1::BuildView& build) {
  if (build.state() == v1::WORK_STATE_RUNNING) return PhaseText(build.phase(), build.progress());
  return PrintableLine(build.error().empty() ? build.source_version() : build.error(), 400);
}

int ListBuilds(const Desk& desk, const ListArgs& args) {
  v1::ListBuildsRequest request;
  request.set_limit(args.limit);
  return Show(desk, desk.farm.ListBuilds(request), args.json,
              {{.header = "BUILD"},
               {.header = "KERNEL", .may_shrink = true},
               {.header = "STATE"},
               {.header = "KEY"},
               {.header = "CREATED"},
               {.header = "TOOK", .align = Column::Align::kRight},
               {.header = "AGENT", .may_shrink = true},
               {.header = "DETAIL", .may_shrink = true}},
              "nothing was built yet", [&](const v1::ListBuildsResponse& answer) {
                Rows rows;
                for (const v1::BuildView& build : answer.builds()) {
                  const absl::Duration took =
                      absl::Milliseconds(static_cast<int64_t>(build.duration_ms()));
                  rows.push_back({PrintableLine(build.build_id()).substr(0, 8),
                                  PrintableLine(build.kernel()), BuildState(build),
                                  PrintableLine(build.build_key()).substr(0, 12),
                                  TimeText(build.created(), desk.screen.zone()),
                                  build.duration_ms() > 0 ? LengthText(took) : "",
                                  PrintableLine(build.agent()), BuildDetail(build)});
                }
                return rows;
              });
}

}  // namespace

int List(const Desk& desk, const ListArgs& args) {
  switch (args.what) {
    case ListArgs::What::kJobs:
      return ListJobs(desk, args);
    case ListArgs::What::kAgents:
      return ListAgents(desk, args);
    case ListArgs::What::kMachines:
      return ListMachines(desk, args);
    case ListArgs::What::kKernels:
      return ListKernels(desk, args);
    case ListArgs::What::kBuilds:
      return ListBuilds(desk, args);
  }
  return kOther;
}

}  // namespace shakedown::cli
