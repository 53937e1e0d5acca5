// explain, boot, queue: what stands behind an overview.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "controller/cli/commands.h"
#include "controller/cli/exit_code.h"
#include "controller/cli/tables.h"
#include "controller/cli/words.h"
#include "proto/wire/sanitise.h"

namespace shakedown::cli {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string Fact(const std::string& name, const std::string& value) {
  return value.empty() ? "" : absl::StrFormat("%-12s %s\n", name, PrintableLine(value, 2000));
}

// A metric of a load run: its measured iterations in a line.
Rows ValueRows(const v1::LoadRun& run) {
  std::map<std::string, std::vector<std::string>> values;
  std::map<std::string, std::string> units;
  std::vector<std::string> order;
  for (const v1::Measurement& m : run.measurements()) {
    if (values.find(m.metric()) == values.end()) order.push_back(m.metric());
    values[m.metric()].push_back(absl::StrFormat(m.warmup() ? "(%.6g)" : "%.6g", m.value()));
    units[m.metric()] = m.unit();
  }
  Rows rows;
  for (const std::string& metric : order) {
    rows.push_back(
        {PrintableLine(metric), PrintableLine(units[metric]), absl::StrJoin(values[metric], " ")});
  }
  return rows;
}

std::string SeriesText(const v1::LoadRun& run) {
  std::vector<std::string> names;
  for (const v1::Series& series : run.series()) names.push_back(series.name());
  return absl::StrJoin(names, ", ");
}

void PrintRun(Screen& screen, const v1::GetBootResponse& boot, const v1::LoadRun& run) {
  const std::string name = static_cast<int>(run.load()) < boot.loads_size()
                               ? boot.loads(static_cast<int>(run.load()))
                               : "load";
  screen.Print(absl::StrCat("\n", PrintableLine(name, 400), "  (",
                            LengthText(absl::Milliseconds(run.duration_ms())), ")\n"));
  const Rows rows = ValueRows(run);
  if (!rows.empty()) {
    screen.Print(PrintTable({{.header = "METRIC"},
                             {.header = "UNIT"},
                             {.header = "VALUES, (WARM-UPS)", .may_shrink = true}},
                            rows, screen.size().columns));
  }
  for (const v1::Disturbance& d : run.disturbances()) {
    screen.Print(absl::StrCat("disturbed: ", PrintableLine(d.fact(), 400), "\n"));
  }
  for (const std::string& warning : run.warnings())
    screen.Print(absl::StrCat("note: ", PrintableLine(warning, 400), "\n"));
  screen.Print(Fact("telemetry", SeriesText(run)));
}

void PrintBoot(Screen& screen, const v1::GetBootResponse& boot) {
  const v1::BootView& view = boot.view();
  const v1::BootResult& result = boot.result();
  screen.Print(absl::StrCat(
      Fact("boot", view.name()), Fact("variant", boot.variant()), Fact("machine", view.machine()),
      Fact("state", view.state() == v1::WORK_STATE_ENDED ? OutcomeWord(view.outcome())
                                                         : WorkStateWord(view.state())),
      Fact("reason", view.reason()), Fact("phase", view.phase()),
      Fact("started", TimeText(view.started(), screen.zone())),
      Fact("took", TookText(view.started(), view.ended())),
      Fact("up after", view.boot_ms() == 0
                           ? ""
                           : absl::StrFormat("%.1f s", static_cast<double>(view.boot_ms()) / 1000)),
      Fact("attempts", boot.attempts_size() > 1 ? absl::StrJoin(boot.attempts(), ", ") : ""),
      Fact("release", result.identity().release()), Fact("version", result.identity().version()),
      Fact("build id", result.identity().build_id()),
      Fact("command line", result.identity().command_line()),
      Fact("build", boot.build().build_key())));
  for (const v1::Tunable& tunable : result.identity().tunables()) {
    screen.Print(Fact("tunable", absl::StrCat(tunable.name(), "=", tunable.value())));
  }
  for (const v1::SetupRecord& step : result.setup()) {
    screen.Print(Fact("setup", absl::StrCat(step.step(), ", before: ", step.before(),
                                            step.undone() ? ", undone" : ", NOT undone")));
  }
  for (const v1::LoadRun& run : result.load_runs()) PrintRun(screen, boot, run);
  if (result.fingerprint().facts().empty()) return;
  screen.Print("\nMachine and kernel\n");
  std::map<std::string, std::string> facts(result.fingerprint().facts().begin(),
                                           result.fingerprint().facts().end());
  Rows rows;
  for (const auto& [name, value] : facts)
    rows.push_back({PrintableLine(name), PrintableLine(value, 400)});
  screen.Print(PrintTable({{.header = "FACT"}, {.header = "VALUE", .may_shrink = true}}, rows,
                          screen.size().columns));
}

std::string SpanText(uint64_t seconds) {
  return seconds == 0 ? "" : LengthText(absl::Seconds(static_cast<int64_t>(seconds)));
}

}  // namespace

int Explain(const Desk& desk, const ExplainArgs& args) {
  v1::ExplainRequest request;
  request.set_job(args.job);
  request.set_metric(args.metric);
  request.set_variant(args.variant);
  const absl::StatusOr<v1::ExplainResponse> answer = desk.detail->Explain(request);
  if (!answer.ok()) return Fail(desk.screen, answer.status());
  desk.screen.Print(Printable(answer->text()));
  return kOk;
}

int ShowBoot(const Desk& desk, const BootArgs& args) {
  v1::GetBootRequest request;
  request.set_boot(args.boot);
  const absl::StatusOr<v1::GetBootResponse> answer = desk.detail->GetBoot(request);
  if (!answer.ok()) return Fail(desk.screen, answer.status());
  args.json ? desk.screen.PrintJson(*answer) : PrintBoot(desk.screen, *answer);
  return kOk;
}

int ShowQueue(const Desk& desk, const QueueArgs& args) {
  v1::ListQueueRequest request;
  request.set_limit(args.limit);
  const absl::StatusOr<v1::ListQueueResponse> answer = desk.detail->ListQueue(request);
  if (!answer.ok()) return Fail(desk.screen, answer.status());
  if (args.json) {
    desk.screen.PrintJson(*answer);
    return kOk;
  }
  if (answer->entries().empty()) {
    desk.screen.Note("the queue is empty");
    return kOk;
  }
  Rows rows;
  for (const v1::QueueEntry& entry : answer->entries()) {
    rows.push_back(
        {absl::StrCat(entry.position()), absl::StrCat(entry.job()), PrintableLine(entry.title()),
         PrintableLine(entry.submitter()),
         absl::StrCat(entry.running(), "/", entry.running() + entry.queued() + entry.waiting()),
         SpanText(entry.remaining_s()),
         entry.running() > 0 ? "runs" : SpanText(entry.starts_in_s()),
         PrintableLine(entry.reason(), 400)});
  }
  desk.screen.Print(PrintTable({{.header = "POS", .align = Column::Align::kRight},
                                {.header = "JOB", .align = Column::Align::kRight},
                                {.header = "TITLE", .may_shrink = true},
                                {.header = "BY", .may_shrink = true},
                                {.header = "BOOTS", .align = Column::Align::kRight},
                                {.header = "LEFT", .align = Column::Align::kRight},
                                {.header = "STARTS IN", .align = Column::Align::kRight},
                                {.header = "WHY IT WAITS", .may_shrink = true}},
                               rows, desk.screen.size().columns));
  return kOk;
}

}  // namespace shakedown::cli
