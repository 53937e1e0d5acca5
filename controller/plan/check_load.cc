#include "controller/plan/check_load.h"

#include <algorithm>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "controller/plan/interbench_names.h"
#include "proto/wire/ids.h"

namespace shakedown::plan {
namespace {

// A make target and nothing make reads as an option or a variable: "vmlinux", "kernel/sched/".
bool IsTarget(absl::string_view target) {
  return !target.empty() && target.size() <= 200 && target[0] != '-' && target[0] != '/' &&
         target.find("..") == absl::string_view::npos &&
         std::all_of(target.begin(), target.end(), [](char c) {
           return absl::ascii_isalnum(c) || c == '_' || c == '.' || c == '/' || c == '-' ||
                  c == '+';
         });
}

void CheckMake(const v1::MakeLoad& make, const std::string& where, Errors& errors) {
  errors.CheckRange(absl::StrCat(where, ": jobs"), make.jobs(), 0, 1024);
  errors.CheckRange(absl::StrCat(where, ": number of targets"), make.targets_size(), 0, 64);
  for (const std::string& target : make.targets()) {
    if (!IsTarget(target)) {
      errors.Add(where, ": target ", Quoted(target),
                 ": want 1 to 200 of letters, digits and . _ / + -, relative, without \"..\"");
    }
  }
}

void CheckCommand(const v1::LattLoad& latt, const std::string& where, Errors& errors) {
  errors.CheckRange(absl::StrCat(where, ": number of command words"), latt.command_size(), 0, 64);
  for (const std::string& word : latt.command()) {
    if (word.size() > 4096 || std::any_of(word.begin(), word.end(), absl::ascii_iscntrl)) {
      errors.Add(where, ": command word ", Quoted(word),
                 ": want at most 4096 bytes without control characters");
    }
  }
  if (latt.command_size() > 0 && latt.command(0).empty()) {
    errors.Add(where, ": command \"\": want a program's name");
  }
  if (latt.command_size() > 0 && latt.has_make()) {
    errors.Add(where, ": command ", Quoted(latt.command(0)), " and make: want one of the two");
  }
}

void CheckLatt(const v1::LattLoad& latt, const std::string& where, Errors& errors) {
  errors.CheckRange(absl::StrCat(where, ": clients"), latt.clients(), 0, 512);
  errors.CheckRange(absl::StrCat(where, ": min_sleep_ms"), latt.min_sleep_ms(), 0, 60000);
  errors.CheckRange(absl::StrCat(where, ": sleep_width_ms"), latt.sleep_width_ms(), 0, 60000);
  errors.CheckRange(absl::StrCat(where, ": work_kib"), latt.work_kib(), 0, 65536);
  errors.CheckRange(absl::StrCat(where, ": seconds"), latt.seconds(), 0, 3600);
  CheckCommand(latt, where, errors);
  if (latt.has_make()) CheckMake(latt.make(), where, errors);
}

using Names = google::protobuf::RepeatedPtrField<std::string>;

template <typename Known>
void CheckNames(const Names& names, const Known& known, const std::string& what, Errors& errors) {
  std::set<absl::string_view> seen;
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      errors.Add(what, " ", Quoted(name), ": want one of ", absl::StrJoin(known, ", "));
    } else if (!seen.insert(name).second) {
      errors.Add(what, " ", Quoted(name), ": named twice, want each once");
    }
  }
}

void CheckInterbench(const v1::InterbenchLoad& bench, const std::string& where, Errors& errors) {
  CheckNames(bench.benchmarks(), kInterbenchBenchmarks, absl::StrCat(where, ": benchmark"), errors);
  CheckNames(bench.loads(), kInterbenchLoads, absl::StrCat(where, ": background load"), errors);
  if (bench.benchmarks_size() == 1 && bench.loads_size() == 1 &&
      bench.benchmarks(0) == bench.loads(0)) {
    errors.Add(where, ": benchmark ", Quoted(bench.benchmarks(0)),
               " under itself alone: interbench skips that, want another background load");
  }
  errors.CheckRange(absl::StrCat(where, ": seconds"), bench.seconds(), 0, 600);
  errors.CheckRange(absl::StrCat(where, ": loops_per_ms"), bench.loops_per_ms(), 0, 1000000000);
  errors.CheckRange(absl::StrCat(where, ": burn_threads"), bench.burn_threads(), 0, 1024);
}

}  // namespace

void CheckLoad(const v1::Load& load, const std::string& where, Errors& errors) {
  switch (load.kind_case()) {
    case v1::Load::kMake:
      CheckMake(load.make(), absl::StrCat(where, ": make"), errors);
      break;
    case v1::Load::kLatt:
      CheckLatt(load.latt(), absl::StrCat(where, ": latt"), errors);
      break;
    case v1::Load::kInterbench:
      CheckInterbench(load.interbench(), absl::StrCat(where, ": interbench"), errors);
      break;
    case v1::Load::KIND_NOT_SET:
      errors.Add(where, " names no load: want make, latt or interbench");
  }
  errors.CheckRange(absl::StrCat(where, ": iterations"), load.iterations(), 0, 100);
  errors.CheckRange(absl::StrCat(where, ": warmups"), load.warmups(), 0, 10);
}

}  // namespace shakedown::plan
