// compare: two CSV files, no farm.
#include <string>

#include "controller/cli/commands.h"
#include "controller/cli/exit_code.h"
#include "controller/compare/offline/csv.h"
#include "controller/compare/offline/offline_compare.h"
#include "proto/wire/files.h"
#include "proto/wire/sanitise.h"

namespace shakedown::cli {

int Compare(Screen& screen, const CompareArgs& args) {
  const absl::StatusOr<std::string> base = ReadFile(args.base, offline::kMostBytes);
  if (!base.ok()) return Fail(screen, base.status());
  const absl::StatusOr<std::string> challenger = ReadFile(args.challenger, offline::kMostBytes);
  if (!challenger.ok()) return Fail(screen, challenger.status());
  offline::OfflineOptions options;
  options.base_name = ToUtf8(args.base);
  options.challenger_name = ToUtf8(args.challenger);
  options.metrics = args.metrics;
  options.level = args.level;
  options.classic = args.classic;
  options.json = args.json;
  const absl::StatusOr<std::string> answer =
      offline::RunOfflineCompare(*base, *challenger, options);
  if (!answer.ok()) return Fail(screen, answer.status());
  screen.Print(*answer);
  return kOk;
}

}  // namespace shakedown::cli
