#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "agent/runner/cli_options.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::runner {
namespace {

constexpr char kOptions[] =
    R"(interbench [options]
  -l N     loops per ms (the file interbench.loops_per_ms, else measured)
  -L N     threads of Burn and Ring (online CPUs; 4 in profile 0.31)
  -t S     seconds of a pair, rounded up to tens (30)
  -B N     nice of the benchmark     -N N  nice of the load
  -u       all but the timekeepers on one CPU
  -b       measure the loops per ms even if they are known
  -c       console only: no log file
  -r       real time: Audio, Video and Custom at SCHED_FIFO 95, in us
  -C P     CPU percent of Custom     -I U  its interval, us; both or neither
  -m TEXT  a comment
  -w L     only this load            -x L  without this load
  -W B     only this benchmark       -X B  without this benchmark
  -h       this text
  --profile HEAD|0.31  --max-file MIB  --json  --iterations N  --warmups N  --limit SECONDS
)";

template <typename Set>
Option NiceOption(std::string name, Set set) {
  return {true, [name, set](absl::string_view value) -> absl::Status {
            int32_t number = 0;
            if (!absl::SimpleAtoi(value, &number) || number < -20 || number > 19) {
              return absl::InvalidArgumentError(
                  absl::StrCat("option ", name, ": ", Quoted(value), ", want -20 to 19"));
            }
            set(number);
            return absl::OkStatus();
          }};
}

// Sets of names that -w, -x, -W and -X build.
struct Selection {
  std::vector<std::string> only;
  std::set<std::string> without;
};

Options InterbenchOptions(LoadCommandLine& line, Selection& benchmarks, Selection& loads) {
  Options options = CommonOptions(line);
  v1::InterbenchLoad* bench = line.load.mutable_interbench();
  options["-l"] = AtLeastOne("-l", [=](uint32_t n) { bench->set_loops_per_ms(n); });
  options["-L"] = AtLeastOne("-L", [=](uint32_t n) { bench->set_burn_threads(n); });
  options["-t"] = AtLeastOne("-t", [=](uint32_t n) { bench->set_seconds(n); });
  options["-B"] = NiceOption("-B", [=](int32_t n) { bench->set_bench_nice(n); });
  options["-N"] = NiceOption("-N", [=](int32_t n) { bench->set_load_nice(n); });
  options["-u"] = Flag([=] { bench->set_single_cpu(true); });
  options["-b"] = Flag([&line] { line.force_calibration = true; });
  options["-c"] = Flag([&line] { line.console_only = true; });
  options["-r"] = Flag([=] { bench->set_realtime(true); });
  options["-C"] = AtLeastOne("-C", [=](uint32_t n) { bench->set_custom_percent(n); });
  options["-I"] = AtLeastOne("-I", [=](uint32_t n) { bench->set_custom_interval_us(n); });
  options["-m"] = TextOption([&line](std::string text) { line.comment = std::move(text); });
  options["-w"] = TextOption([&](std::string name) { loads.only.push_back(std::move(name)); });
  options["-x"] = TextOption([&](std::string name) { loads.without.insert(std::move(name)); });
  options["-W"] = TextOption([&](std::string name) { benchmarks.only.push_back(std::move(name)); });
  options["-X"] = TextOption([&](std::string name) { benchmarks.without.insert(std::move(name)); });
  options["-h"] = Flag([&line] { line.answer = {"", kOptions, 0}; });
  options["--profile"] = TextOption([=](std::string name) { bench->set_profile(std::move(name)); });
  options["--max-file"] =
      NumberOption("--max-file", [=](uint32_t n) { bench->set_max_file_mib(n); });
  return options;
}

// Those of `all` that are selected; InvalidArgument: a name that is not there, or none is left.
absl::Status Select(absl::string_view what, const Selection& selection,
                    const std::vector<std::string>& all,
                    google::protobuf::RepeatedPtrField<std::string>& names) {
  const auto has = [](const auto& list, absl::string_view name) {
    for (const std::string& other : list) {
      if (absl::EqualsIgnoreCase(name, other)) return true;
    }
    return false;
  };
  for (const std::string& name : selection.only) {
    if (!has(all, name)) {
      return absl::InvalidArgumentError(
          absl::StrCat("interbench: ", what, " ", Quoted(name), " is not among those of this run"));
    }
  }
  for (const std::string& name : all) {
    const bool wanted = selection.only.empty() || has(selection.only, name);
    if (wanted && !has(selection.without, name)) names.Add(std::string(name));
  }
  if (!names.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("interbench: no ", what, " is left"));
}

}  // namespace

absl::StatusOr<LoadCommandLine> ParseInterbenchCommandLine(const std::vector<std::string>& words) {
  LoadCommandLine line;
  Selection benchmarks, loads;
  ASSIGN_OR_RETURN(const std::vector<std::string> rest,
                   TakeOptions(words, InterbenchOptions(line, benchmarks, loads)));
  if (line.answer.has_value()) return line;
  if (!rest.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("interbench: ", Quoted(rest[0]), ": want options only"));
  }
  v1::InterbenchLoad& bench = *line.load.mutable_interbench();
  if ((bench.custom_percent() == 0) != (bench.custom_interval_us() == 0)) {
    return absl::InvalidArgumentError("interbench: -C and -I: want both or neither");
  }
  std::vector<std::string> tasks = {"Audio", "Video"};
  if (!bench.realtime()) tasks.insert(tasks.end(), {"X", "Gaming"});
  std::vector<std::string> all = {"None", "Video", "X", "Burn", "Write", "Read"};
  if (bench.profile() != "0.31") all.push_back("Ring");
  all.insert(all.end(), {"Compile", "Memload"});
  if (bench.custom_percent() > 0) {
    tasks.push_back("Custom");
    all.push_back("Custom");
  }
  RETURN_IF_ERROR(Select("benchmark", benchmarks, tasks, *bench.mutable_benchmarks()));
  RETURN_IF_ERROR(Select("load", loads, all, *bench.mutable_loads()));
  line.memload_by_default = loads.only.empty();
  return line;
}

}  // namespace shakedown::runner
