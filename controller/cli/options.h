// The command line as plain values.
#ifndef SHAKEDOWN_CONTROLLER_CLI_OPTIONS_H_
#define SHAKEDOWN_CONTROLLER_CLI_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "controller/cli/settings.h"
#include "controller/cli/stopping_args.h"
#include "shakedown/v1/farm.pb.h"

namespace shakedown::cli {

struct SubmitArgs {
  std::string file;  // Empty: the job is in the options.
  std::string baseline;
  std::vector<std::string> challengers;
  std::vector<std::string> loads;
  StoppingArgs stopping;
  std::vector<std::string> background;
  std::vector<std::string> setup;  // Added to those of a job file.
  std::optional<std::string> title;
  std::vector<std::string> machines;
  std::vector<std::string> tags;
  std::optional<uint32_t> attempts;
  std::optional<uint64_t> seed;
  bool wait = false;
  bool dry_run = false;
  double detect = 0;  // A part; with dry_run. 0: not asked.
  bool json = false;
};
struct WatchArgs {
  int64_t job = 0;
};
struct ReportArgs {
  int64_t job = 0;
  bool json = false;
  std::string format;  // Empty: text. See GetReportRequest; the farm refuses what it does not know.
  std::string asterisk;
  std::string layout;
  bool baseline_first = false;  // With a layout.
  bool all = false;
};
struct ReproduceArgs {
  std::string boot;  // "17.3B", "17.3B.2".
};
struct CancelArgs {
  int64_t job = 0;
};
struct LogsArgs {
  std::string name;  // "17.1B", "17.1B.2", a build's id or at least 8 digits of its beginning.
  bool follow = false;
  bool raw = false;
};
struct ListArgs {
  enum class What { kJobs, kAgents, kMachines, kKernels, kBuilds };
  What what = What::kJobs;
  uint32_t limit = 50;  // Jobs and builds.
  bool json = false;
};
struct JobArgs {
  int64_t job = 0;
  bool json = false;
};
struct BootsArgs {
  int64_t job = 0;
  bool json = false;
};
struct KernelShowArgs {
  std::string name;
  bool json = false;
};
struct KernelAddArgs {
  std::string name;
  std::string from;
  std::vector<std::string> patches;
  std::vector<std::string> options;
  uint32_t strip = 1;
  std::string description;
};
struct KernelRemoveArgs {
  std::string name;
};
struct InputAddArgs {
  std::string name;
  std::string file;  // tar, plain or packed with gzip, xz or zstd.
};
struct InputListArgs {
  bool json = false;
};
struct MachineSetArgs {
  v1::SetMachineRequest::Wish wish = v1::SetMachineRequest::WISH_UNSPECIFIED;
  std::string name;
  std::string reason;
};
struct BuildSignArgs {
  std::string what;      // A build's id or at least 8 digits of its beginning, or a kernel.
  std::string key_file;  // The secret key's: it is on no command line.
};
struct KeyNewArgs {
  std::string out;
};
struct KernelLintArgs {
  std::vector<std::string> files;  // Empty: the whole catalog.
  std::string catalog;
  std::string configs;
};

// Two CSV files, judged without a farm.
struct CompareArgs {
  std::string base;
  std::string challenger;
  std::vector<std::string> metrics;  // NAME:lower|higher:ratio|difference:UNIT.
  double level = 0.95;
  bool classic = false;
  bool json = false;
};

// A series in a CSV file, searched for steps without a farm.
struct ChangePointsArgs {
  std::string file;
  std::string column;  // Empty: the last one.
  double min_magnitude = 0.025;
  bool json = false;
};

// Texts of other tools, read without a farm.
struct ParseArgs {
  std::vector<std::string> files;  // - is standard input.
  bool json = false;
};

using CommandArgs =
    std::variant<SubmitArgs, WatchArgs, ReportArgs, CancelArgs, LogsArgs, ListArgs, JobArgs,
                 BootsArgs, KernelShowArgs, KernelAddArgs, KernelRemoveArgs, KernelLintArgs,
                 InputAddArgs, InputListArgs, CompareArgs, ChangePointsArgs, ReproduceArgs,
                 ParseArgs, MachineSetArgs, BuildSignArgs, KeyNewArgs>;

struct Invocation {
  ConnectionFlags connection;
  CommandArgs command;
};

// What there is to say in place of running a command: help, version, or an error in one line.
struct Answer {
  int exit_code = 0;
  std::string text;
};

// `arguments` without the program's name.
std::variant<Invocation, Answer> ParseArguments(const std::vector<std::string>& arguments);

}  // namespace shakedown::cli

#endif  // SHAKEDOWN_CONTROLLER_CLI_OPTIONS_H_
