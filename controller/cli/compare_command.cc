// compare: two CSV files, no farm.
#include <string>

#include "absl/strings/str_cat.h"
#include "controller/cli/commands.h"
#include "controller/cli/exit_code.h"
#include "controller/cli/input_file.h"
#include "controller/compare/offline/csv.h"
#include "controller/compare/offline/offline_compare.h"
#include "proto/wire/sanitise.h"

namespace shakedown::cli {

namespace {

// A kernel's name in place of a file's is the usual mistake.
absl::StatusOr<std::string> ReadCsv(const std::string& path) {
  absl::StatusOr<std::string> text = ReadInput(path, offline::kMostBytes);
  if (!absl::IsNotFound(text.status())) return text;
  return AsNoInput(absl::NotFoundError(absl::StrCat(
      text.status().message(), "; to compare kernels by stored results say --machine NAME")));
}

}  // namespace

int Compare(Screen& screen, const CompareArgs& args) {
  const absl::StatusOr<std::string> base = ReadCsv(args.what[0]);
  if (!base.ok()) return Fail(screen, base.status());
  const absl::StatusOr<std::string> challenger = ReadCsv(args.what[1]);
  if (!challenger.ok()) return Fail(screen, challenger.status());
  offline::OfflineOptions options;
  options.base_name = ToUtf8(args.what[0]);
  options.challenger_name = ToUtf8(args.what[1]);
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
