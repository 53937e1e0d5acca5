// The command line as plain values.
#ifndef SHAKEDOWN_CONTROLLER_CLI_OPTIONS_H_
#define SHAKEDOWN_CONTROLLER_CLI_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "controller/cli/completion.h"
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
  bool compact = false;    // A few lines of the terminal, not all of it.
  bool fail_fast = false;  // Leave at the first boot or build that its kernel fails.
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

// Two CSV files, judged without a farm; with a machine kernels, by the farm's stored results.
struct CompareArgs {
  std::vector<std::string> what;  // At least two, the baseline first.
  std::string machine;            // Empty: `what` are files.
  // Of files NAME:lower|higher:ratio|difference:UNIT; of kernels one beginning of metrics' names.
  std::vector<std::string> metrics;
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

// A job's number as it is parsed from "@last", until the farm is asked for the newest one.
inline constexpr int64_t kLastJob = -1;
inline constexpr absl::string_view kLast = "@last";

// What stands behind an overview.
struct ExplainArgs {
  int64_t job = 0;
  std::string metric;   // A name, or its beginning.
  std::string variant;  // A letter; empty: every challenger.
};
struct BootArgs {
  std::string boot;  // "17.3B", "17.3B.2".
  bool json = false;
};
// The farms that the command knows by name; needs no farm.
struct ContextsArgs {
  enum class What { kList, kUse, kSet, kRemove };
  What what = What::kList;
  std::string name;
  std::string server, token_file, tls_ca;  // kSet.
  bool use = false;                        // kSet: make it the current one.
  bool json = false;
};
// What a shell may complete `words` to; see completion.h.
struct CompleteArgs {
  std::vector<std::string> words;
};
// Looks at this host and the farm; changes nothing.
struct DoctorArgs {
  std::string state = "/var/lib/shakedown";  // Where a farm of this host keeps its files.
  bool json = false;
};
struct QueueArgs {
  uint32_t limit = 100;
  bool json = false;
};

// Texts of other tools into the farm.
struct ImportArgs {
  std::vector<std::string> files;  // - is standard input.
  std::string kernel;              // With tunables behind it.
  std::string machine;
  std::vector<std::string> columns;  // COLUMN=KERNEL.
  std::string source;
  std::string measured;            // YYYY-MM-DD.
  std::vector<std::string> facts;  // NAME=VALUE.
  bool dry_run = false;
  bool yes = false;
  bool json = false;
};
struct ImportsArgs {
  int64_t import = 0;  // 0: list them.
  bool withdraw = false;
  std::string because;     // Of withdraw.
  bool withdrawn = false;  // List those that were withdrawn.
  std::string kernel;
  std::string machine;
  uint32_t limit = 50;
  int64_t before = 0;
  bool raw = false;
  bool csv = false;
  bool json = false;
};
struct NoteArgs {
  std::string subject;
  std::string kind;
  std::string text;
  bool json = false;
};
struct NotesArgs {
  std::string subject;   // Empty: all.
  int64_t withdraw = 0;  // 0: list them.
  std::string because;   // Of withdraw.
  bool withdrawn = false;
  uint32_t limit = 50;
  int64_t before = 0;
  bool json = false;
};

// Years of results.
struct HistoryArgs {
  std::string metric;
  std::string machine;  // Empty: all.
  std::string since, until;
  std::vector<std::string> kernels;
  bool absolute = false;
  bool csv = false;
  bool json = false;
};
struct SeriesArgs {
  std::string metric;  // Its beginning.
  std::string machine;
  bool imported = false;  // Those of imports only.
  uint32_t limit = 100;
  bool json = false;
};
struct RegressionsArgs {
  enum class What { kList, kShow, kAcknowledge, kFixed, kWontFix, kReopen };
  What what = What::kList;
  int64_t regression = 0;
  std::string why;
  bool open = false;    // Of a list.
  uint32_t limit = 50;  // Likewise.
  bool json = false;
};

// A search for the kernel that changed a metric.
struct BisectArgs {
  enum class What { kStart, kWatch, kShow, kList, kCancel };
  What what = What::kStart;
  int64_t number = 0;  // Of watch, show and cancel.
  std::string good;
  std::string bad;
  std::string metric;
  std::vector<std::string> loads;
  std::vector<std::string> machines;
  std::vector<std::string> tags;
  std::vector<std::string> setup;
  std::vector<std::string> background;
  std::vector<std::string> candidates;
  std::string git;  // Path of a tree here; empty: kernels of the catalog.
  std::string like;
  std::string location;  // Of the tree on the building host; empty: as here.
  bool merges = false;
  double min_change = 0;  // A part, or in the metric's unit; 0: the metric's default.
  uint32_t max_boots = 0;
  std::optional<uint32_t> attempts;
  int64_t regression = 0;
  bool dry_run = false;
  bool wait = false;
  uint32_t limit = 50;  // Of list.
  int64_t before = 0;   // Of list; 0: the newest.
  bool json = false;
};

struct NotifyArgs {
  enum class What { kAdd, kList, kRemove, kTest };
  What what = What::kList;
  std::string name;
  std::vector<std::string> events;
  std::string webhook;
  std::string email;
  std::vector<std::string> filter;
  std::string secret_file;
  bool json = false;
};

struct ExportArgs {
  std::string format;
  std::vector<int64_t> jobs;     // Empty: by time.
  std::optional<int64_t> since;  // Seconds since 1970.
  std::optional<int64_t> until;
  bool imports = false;
};

using CommandArgs =
    std::variant<SubmitArgs, WatchArgs, ReportArgs, CancelArgs, LogsArgs, ListArgs, JobArgs,
                 BootsArgs, KernelShowArgs, KernelAddArgs, KernelRemoveArgs, KernelLintArgs,
                 InputAddArgs, InputListArgs, CompareArgs, ChangePointsArgs, ReproduceArgs,
                 ParseArgs, ExplainArgs, BootArgs, QueueArgs, ContextsArgs, CompleteArgs,
                 DoctorArgs, ImportArgs, ImportsArgs, NoteArgs, NotesArgs, HistoryArgs, SeriesArgs,
                 RegressionsArgs, BisectArgs, NotifyArgs, ExportArgs, MachineSetArgs, BuildSignArgs,
                 KeyNewArgs>;

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
std::variant<Invocation, Answer> ParseArguments(std::vector<std::string> arguments);

// What stands where the last of `words` is typed.
Offer OfferForArguments(const std::vector<std::string>& words);

}  // namespace shakedown::cli

#endif  // SHAKEDOWN_CONTROLLER_CLI_OPTIONS_H_
