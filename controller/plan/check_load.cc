#include "controller/plan/check_load.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/string_view.h"
#include "controller/plan/check_interbench.h"
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
  if (!latt.profile().empty() && latt.profile() != "0.1" && latt.profile() != "2009-09-08") {
    errors.Add(where, ": profile ", Quoted(latt.profile()), ": want 0.1 or 2009-09-08");
  }
  if (latt.profile() == "2009-09-08" && latt.work_kib() > 0) {
    errors.Add(where, ": work_kib ", latt.work_kib(), " in profile 2009-09-08: want 0");
  }
  CheckCommand(latt, where, errors);
  if (latt.has_make()) CheckMake(latt.make(), where, errors);
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
      CheckInterbench(load, absl::StrCat(where, ": interbench"), errors);
      break;
    case v1::Load::KIND_NOT_SET:
      errors.Add(where, " names no load: want make, latt or interbench");
  }
  errors.CheckRange(absl::StrCat(where, ": iterations"), load.iterations(), 0, 100);
  errors.CheckRange(absl::StrCat(where, ": warmups"), load.warmups(), 0, 10);
}

}  // namespace shakedown::plan
