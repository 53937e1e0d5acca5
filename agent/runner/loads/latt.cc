#include "agent/runner/loads/latt.h"

#include <signal.h>
#include <time.h>

#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "agent/runner/loads/conditions.h"
#include "agent/runner/loads/latt_clients.h"
#include "agent/runner/loads/latt_command.h"
#include "agent/runner/loads/latt_work.h"
#include "agent/runner/loads/prepare_build.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::runner {
namespace {

constexpr uint32_t kMostClients = 512;
constexpr uint32_t kLongestSleepMs = 60000;
constexpr uint32_t kMostWorkKib = 64 << 10;
constexpr uint32_t kLongestRepeat = 24 * 3600;
constexpr char kClassicProfile[] = "2009-09-08", kLastProfile[] = "0.1";
constexpr uint32_t kLastWorkKib = 64;
// Telling the progress wakes other processes: rarely, and between two rounds.
constexpr absl::Duration kTellEvery = absl::Seconds(10);

absl::Status InRange(absl::string_view what, uint32_t value, uint32_t most) {
  if (value <= most) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("latt: ", what, " ", value, ", want at most ", most));
}

absl::StatusOr<LattCommand> CommandOf(const v1::LattLoad& load, const LoadContext& context,
                                      v1::LoadRun& run) {
  RETURN_IF_ERROR(InRange("seconds", load.seconds(), kLongestRepeat));
  LattCommand latt;
  latt.repeat_for = absl::Seconds(load.seconds());
  latt.command.argv = {load.command().begin(), load.command().end()};
  latt.command.share_output = context.share_output;
  latt.command.own_environment = context.for_person;
  latt.any_status = context.for_person;
  if (latt.command.argv.empty()) {
    ASSIGN_OR_RETURN(latt.build, PrepareBuild(load.make(), context, run));
    latt.command.argv = latt.build->Argv();
    latt.command.folder = latt.build->tree;
  }
  return latt;
}

// Blocked, a person's ^C waits here until it is asked for.
bool WasInterrupted() {
  sigset_t signals;
  sigprocmask(SIG_BLOCK, nullptr, &signals);
  if (sigismember(&signals, SIGINT) == 0) return false;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  const timespec now = {0, 0};
  return sigtimedwait(&signals, nullptr, &now) == SIGINT;
}

struct Outcome {
  LattStats stats;
  LattCommandReport command;
  absl::Duration took;  // From the first pause to the command's end.
};

absl::StatusOr<Outcome> RunOnce(const LattParameters& parameters, const LattCommand& command,
                                const LoadContext& context, absl::string_view progress) {
  Outcome outcome;
  LattCommandProcess process;
  RETURN_IF_ERROR(process.Start(command));
  LattClients clients;
  RETURN_IF_ERROR(clients.Start(parameters.clients, size_t{parameters.work_kib} << 10));
  SleepSequence pauses(parameters.min_sleep_ms, parameters.sleep_width_ms);
  const absl::Duration start = context.clock.Elapsed();
  absl::Duration told = start;
  for (;;) {
    context.clock.Sleep(absl::Milliseconds(pauses.NextMs()));
    if (WasInterrupted()) process.Interrupt();
    if (process.HasEnded()) break;
    RETURN_IF_ERROR(clients.Round(outcome.stats, context.trace));
    if (context.clock.Elapsed() - told < kTellEvery) continue;
    told = context.clock.Elapsed();
    context.progress(0, absl::StrCat(progress, ", ", outcome.stats.wakeup.n(), " entries"));
  }
  outcome.took = context.clock.Elapsed() - start;
  ASSIGN_OR_RETURN(outcome.command, process.Report());
  return outcome;
}

std::string FormatClassic(const LattParameters& parameters, const LatencyStats& stats) {
  std::string text = absl::StrCat("Entries: ", stats.n(), " (clients=", parameters.clients, ")\n");
  if (stats.n() == 0) return text;
  absl::StrAppend(&text, "\nAverages:\n", std::string(30, '-'), "\n");
  absl::StrAppendFormat(&text, "\tMax\t%9.0f usec\n", static_cast<double>(stats.max()));
  absl::StrAppendFormat(&text, "\tAvg\t%9.0f usec\n", stats.Mean());
  absl::StrAppendFormat(&text, "\tStdev\t%9.0f usec\n", stats.StandardDeviation());
  return text;
}

// The printed word for a value that n = 1 does not have is "nan", as in the original.
std::string FormatBlock(absl::string_view title, const LatencyStats& stats) {
  if (stats.n() == 0) return "";
  const double sd = stats.StandardDeviation();
  std::string text = absl::StrCat("\n", title, "\n", std::string(37, '-'), "\n");
  absl::StrAppendFormat(&text, "\tMax \t\t%8.0f usec\n", static_cast<double>(stats.max()));
  absl::StrAppendFormat(&text, "\tAvg \t\t%8.0f usec\n", stats.Mean());
  absl::StrAppendFormat(&text, "\tStdev \t\t%8.0f usec\n", sd);
  absl::StrAppendFormat(&text, "\tStdev mean \t%8.0f usec\n",
                        sd / std::sqrt(static_cast<double>(stats.n())));
  return text;
}

void RecordCommand(const LattCommandReport& command, Recorder& recorder) {
  recorder.Add("latt.command.real", command.real_s / command.runs, "s");
  recorder.Add("latt.command.user", command.user_s / command.runs, "s");
  recorder.Add("latt.command.sys", command.system_s / command.runs, "s");
  recorder.Add("latt.command.status", command.exit_code, "1");
  recorder.Add("latt.command.runs", command.runs, "1");
}

void Record(absl::string_view name, const LatencyStats& stats, absl::Duration took,
            Recorder& recorder) {
  if (stats.n() == 0) return;
  const auto add = [&](absl::string_view what, double value, absl::string_view unit) {
    recorder.Add(absl::StrCat("latt.", name, ".", what), value, unit);
  };
  add("max", static_cast<double>(stats.max()), "us");
  add("avg", stats.Mean(), "us");
  if (stats.n() > 1) add("stdev", stats.StandardDeviation(), "us");
  add("p50", stats.Quantile(0.5), "us");
  add("p95", stats.Quantile(0.95), "us");
  add("p99", stats.Quantile(0.99), "us");
  add("n", static_cast<double>(stats.n()), "1");
  recorder.AddHistogram(absl::StrCat("latt.", name), stats.histogram(), took);
}

}  // namespace

absl::StatusOr<LattParameters> LattParametersOf(const v1::LattLoad& load) {
  LattParameters parameters;
  RETURN_IF_ERROR(InRange("clients", load.clients(), kMostClients));
  RETURN_IF_ERROR(InRange("min_sleep_ms", load.min_sleep_ms(), kLongestSleepMs));
  RETURN_IF_ERROR(InRange("sleep_width_ms", load.sleep_width_ms(), kLongestSleepMs));
  RETURN_IF_ERROR(InRange("work_kib", load.work_kib(), kMostWorkKib));
  if (load.clients() > 0) parameters.clients = load.clients();
  if (load.min_sleep_ms() > 0) parameters.min_sleep_ms = load.min_sleep_ms();
  if (load.sleep_width_ms() > 0) parameters.sleep_width_ms = load.sleep_width_ms();
  parameters.work_kib = load.work_kib();
  parameters.classic = load.profile() == kClassicProfile;
  if (load.profile() == kLastProfile && load.work_kib() == 0) parameters.work_kib = kLastWorkKib;
  if (!load.profile().empty() && !parameters.classic && load.profile() != kLastProfile) {
    return absl::InvalidArgumentError(absl::StrCat("latt: profile ", Quoted(load.profile()),
                                                   ", want ", kClassicProfile, " or ",
                                                   kLastProfile));
  }
  if (parameters.classic && parameters.work_kib > 0) {
    return absl::InvalidArgumentError(absl::StrCat("latt: work_kib ", load.work_kib(),
                                                   " in profile ", kClassicProfile, ", want 0"));
  }
  return parameters;
}

std::string FormatLatt(const LattParameters& parameters, const LattStats& stats) {
  if (parameters.classic) return FormatClassic(parameters, stats.wakeup);
  return absl::StrCat("\nParameters: min_wait=", parameters.min_sleep_ms,
                      "ms, max_wait=", parameters.sleep_width_ms,
                      "ms, clients=", parameters.clients, "\nEntries logged: ", stats.wakeup.n(),
                      "\n", FormatBlock("Wakeup averages", stats.wakeup),
                      FormatBlock("Work averages", stats.work));
}

absl::StatusOr<v1::LoadRun> RunLattLoad(const v1::Load& load, const LoadContext& context) {
  RETURN_IF_ERROR(LattParametersOf(load.latt()).status());  // Before a tree is prepared.
  v1::LoadRun prepared;
  ASSIGN_OR_RETURN(const LattCommand command, CommandOf(load.latt(), context, prepared));
  ASSIGN_OR_RETURN(v1::LoadRun run, RunLattAround(load, command, context));
  run.mutable_warnings()->MergeFrom(prepared.warnings());
  run.set_output(absl::StrCat(prepared.output(), run.output()));
  return run;
}

absl::StatusOr<v1::LoadRun> RunLattAround(const v1::Load& load, const LattCommand& command,
                                          const LoadContext& context) {
  ASSIGN_OR_RETURN(const LattParameters parameters, LattParametersOf(load.latt()));
  v1::LoadRun run;
  for (const std::string& warning : PlaceWarnings("latt", ReadConditions())) {
    run.add_warnings(warning);
  }
  const uint32_t all = AllIterations(load);
  for (uint32_t i = 1; i <= all; ++i) {
    const std::string what = absl::StrCat("latt, ", parameters.clients, " clients around ",
                                          command.command.argv[0], ", iteration ", i, " of ", all);
    context.progress(static_cast<double>(i - 1) / all, what);
    absl::StatusOr<Outcome> outcome = RunOnce(parameters, command, context, what);
    if (!outcome.ok()) return Annotate(outcome.status(), absl::StrCat("iteration ", i));
    const LattStats& stats = outcome->stats;
    if (stats.wakeup.n() < 2 && !context.for_person) {
      return absl::FailedPreconditionError(absl::StrCat(
          stats.wakeup.n(), " entries: ", command.command.argv[0], " took ",
          outcome->command.real_s, " s, want one that lasts some seconds, or `seconds`"));
    }
    absl::StrAppend(run.mutable_output(), FormatLatt(parameters, stats));
    Recorder recorder(run, i, IsWarmup(load, i));
    Record("wakeup", stats.wakeup, outcome->took, recorder);
    Record("work", stats.work, outcome->took, recorder);
    RecordCommand(outcome->command, recorder);
  }
  if (command.build) RETURN_IF_ERROR(RemoveNamedObjects(*command.build));
  return run;
}

}  // namespace shakedown::runner
