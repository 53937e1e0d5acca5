#include "controller/plan/load_commands.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "controller/plan/text.h"
#include "controller/plan/text_words.h"
#include "proto/wire/shell_quote.h"

namespace shakedown::plan {
namespace {

using WordList = google::protobuf::RepeatedPtrField<std::string>;

uint32_t Or(uint32_t value, uint32_t assumed) { return value == 0 ? assumed : value; }

std::string Nice(const v1::Load& load) {
  return load.nice() == 0 ? "" : absl::StrCat("nice -n ", load.nice(), " ");
}

std::string Repeats(const v1::Load& load) {
  std::string text;
  if (load.iterations() > 1) absl::StrAppend(&text, " --iterations ", load.iterations());
  if (load.warmups() > 0) absl::StrAppend(&text, " --warmups ", load.warmups());
  return text;
}

std::string Jobs(const v1::MakeLoad& make) {
  if (make.jobs_per_cpu() > 0) {
    return absl::StrCat("-j\"$(awk -v n=\"$(nproc)\" 'BEGIN { j = n * ", make.jobs_per_cpu(),
                        "; k = int(j); print k < j ? k + 1 : k }')\"");
  }
  if (make.jobs() > 0) return absl::StrCat("-j", make.jobs());
  return "-j\"$((2 * $(nproc)))\"";
}

std::string Targets(const v1::MakeLoad& make) {
  if (!make.targets().empty()) return QuotedWords(make.targets());
  return "$targets";  // None or several words.
}

std::string MakeLine(const v1::MakeLoad& make) {
  return absl::StrCat("make -C \"$TREE\" ", Jobs(make), " ", Targets(make));
}

void AddMake(const v1::Load& load, LoadCommands& commands) {
  const v1::MakeLoad& make = load.make();
  if (!make.tree().empty()) {
    commands.lines.push_back(ShellComment(
        absl::StrCat("TREE must be the input ", make.tree(), ", sha256 ", make.tree_sha256())));
  }
  if (!make.config().empty() || !make.config_target().empty()) {
    commands.lines.push_back(ShellComment(
        make.config().empty() ? absl::StrCat("TREE is configured by make ", make.config_target())
                              : "TREE has the job's own .config"));
  }
  const std::string run = absl::StrCat(Nice(load), "\"$RUNNER\" make -C \"$TREE\" ", Jobs(make));
  commands.original = absl::StrCat("time ", MakeLine(make));
  commands.lines.push_back(
      absl::StrCat(run, make.cold() ? " --cold" : "", Repeats(load), " ", Targets(make)));
}

// Options that latt and ours share.
std::string LattOptions(const v1::LattLoad& latt) {
  const uint32_t work = latt.work_kib() == 0 && latt.profile() == "0.1" ? 64 : latt.work_kib();
  return absl::StrCat(" -c ", Or(latt.clients(), 4), " -s ", Or(latt.min_sleep_ms(), 100), " -S ",
                      Or(latt.sleep_width_ms(), 500), " -x ", work);
}

void AddLatt(const v1::Load& load, const v1::LattLoad& latt, const std::string& command,
             LoadCommands& commands) {
  std::string run = absl::StrCat(Nice(load), "\"$RUNNER\" latt", LattOptions(latt));
  if (latt.seconds() > 0) absl::StrAppend(&run, " --seconds ", latt.seconds());
  commands.lines.push_back(absl::StrCat(run, Repeats(load), " -- ", command));
  // The original takes one word for the shell.
  commands.original = absl::StrCat("latt", LattOptions(latt), " ", ShellQuote(command));
}

std::string Each(absl::string_view option, const WordList& names) {
  std::string text;
  for (const std::string& name : names) absl::StrAppend(&text, " ", option, " ", ShellQuote(name));
  return text;
}

void AddInterbench(const v1::Load& load, LoadCommands& commands) {
  const v1::InterbenchLoad& bench = load.interbench();
  std::string options = absl::StrCat(" -t ", Or(bench.seconds(), 30));
  if (bench.loops_per_ms() > 0) absl::StrAppend(&options, " -l ", bench.loops_per_ms());
  if (bench.burn_threads() > 0) absl::StrAppend(&options, " -L ", bench.burn_threads());
  if (bench.bench_nice() != 0) absl::StrAppend(&options, " -B ", bench.bench_nice());
  if (bench.load_nice() != 0) absl::StrAppend(&options, " -N ", bench.load_nice());
  if (bench.realtime()) absl::StrAppend(&options, " -r");
  if (bench.single_cpu()) absl::StrAppend(&options, " -u");
  if (bench.custom_percent() > 0) absl::StrAppend(&options, " -C ", bench.custom_percent());
  if (bench.custom_interval_us() > 0) absl::StrAppend(&options, " -I ", bench.custom_interval_us());
  absl::StrAppend(&options, Each("-W", bench.benchmarks()), Each("-w", bench.loads()));
  commands.original = absl::StrCat("interbench", options);
  if (!bench.profile().empty()) {
    absl::StrAppend(&options, " --profile ", ShellQuote(bench.profile()));
  }
  commands.lines.push_back(absl::StrCat("\"$RUNNER\" interbench", options, Repeats(load)));
}

// The load's own text, of which every word is one of the runner's command line.
std::string RunnerLine(const v1::Load& load) {
  const absl::StatusOr<std::vector<std::string>> words = SplitWords(PrintLoad(load));
  std::string line = "\"$RUNNER\"";
  for (const std::string& word : words.value_or(std::vector<std::string>())) {
    absl::StrAppend(&line, " ", ShellQuote(word));
  }
  return line;
}

void AddCommand(const v1::Load& load, LoadCommands& commands) {
  const v1::CommandLoad& command = load.command();
  if (command.script().empty()) {
    commands.lines.push_back(RunnerLine(load));
    commands.original = absl::StrCat(Nice(load), "time -p ", QuotedWords(command.words()));
    return;
  }
  commands.lines.push_back(absl::StrCat("printf %s ", ShellQuote(command.script()),
                                        " > \"$saved/script\"; chmod +x \"$saved/script\""));
  v1::Load without = load;
  without.mutable_command()->clear_script();
  commands.lines.push_back(RunnerLine(without) + " script=\"$saved/script\"");
  commands.original = Nice(load) + "time -p \"$saved/script\"";
}

// The program as the load itself calls it.
std::string ToolLine(const v1::ToolLoad& tool) {
  const std::string seconds = absl::StrCat(Or(tool.seconds(), 10));
  std::string line = ShellQuote(tool.tool());
  if (tool.tool() == "perf-messaging") line = "perf bench sched messaging";
  if (tool.tool() == "perf-pipe") line = "perf bench sched pipe";
  if (tool.tool() == "cyclictest") absl::StrAppend(&line, " -q -D ", seconds);
  if (tool.tool() == "stress-ng") {
    absl::StrAppend(&line, " --metrics-brief --timeout ", seconds, "s");
  }
  if (!tool.arguments().empty()) absl::StrAppend(&line, " ", QuotedWords(tool.arguments()));
  if (tool.tool() == "sysbench") {
    absl::StrAppend(&line, tool.arguments().empty() ? " threads" : "", " --time=", seconds, " run");
  }
  return line;
}

}  // namespace

std::string QuotedWords(const WordList& words) {
  return absl::StrJoin(words, " ", [](std::string* out, const std::string& word) {
    absl::StrAppend(out, ShellQuote(word));
  });
}

LoadCommands CommandsOf(const v1::Load& load) {
  LoadCommands commands;
  if (load.has_make()) {
    AddMake(load, commands);
  } else if (load.has_latt()) {
    const v1::LattLoad& latt = load.latt();
    AddLatt(load, latt,
            latt.command().empty() ? MakeLine(latt.make()) : QuotedWords(latt.command()), commands);
  } else if (load.has_interbench()) {
    AddInterbench(load, commands);
  } else if (load.has_command()) {
    AddCommand(load, commands);
  } else {
    commands.lines.push_back(RunnerLine(load));
    if (load.has_tool()) commands.original = Nice(load) + ToolLine(load.tool());
  }
  return commands;
}

}  // namespace shakedown::plan
