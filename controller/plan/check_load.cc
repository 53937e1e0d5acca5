#include "controller/plan/check_load.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "controller/plan/check_interbench.h"
#include "proto/wire/ids.h"
#include "proto/wire/load_kind.h"

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
  if (!(make.jobs_per_cpu() >= 0 && make.jobs_per_cpu() <= 64)) {
    errors.Add(where, ": jobs_per_cpu ", make.jobs_per_cpu(), ": want 0 to 64");
  }
  if (make.jobs() > 0 && make.jobs_per_cpu() > 0) {
    errors.Add(where, ": jobs and jobs_per_cpu: want one of the two");
  }
  errors.CheckRange(absl::StrCat(where, ": number of targets"), make.targets_size(), 0, 64);
  for (const std::string& target : make.targets()) {
    if (!IsTarget(target)) {
      errors.Add(where, ": target ", Quoted(target),
                 ": want 1 to 200 of letters, digits and . _ / + -, relative, without \"..\"");
    }
  }
  if (!make.tree().empty()) {
    const absl::Status ok = CheckName("tree", make.tree());
    if (!ok.ok()) errors.Add(where, ": ", std::string(ok.message()));
  }
  const std::string& target = make.config_target();
  if (!target.empty() && target != "allnoconfig" && target != "defconfig" &&
      target != "tinyconfig") {
    errors.Add(where, ": config_target ", Quoted(target),
               ": want allnoconfig, defconfig or tinyconfig");
  }
  if (!target.empty() && !make.config().empty()) {
    errors.Add(where, ": config_target and config: want one of the two");
  }
  errors.CheckRange(absl::StrCat(where, ": bytes of config"), make.config().size(), 0, 1 << 20);
}

using Words = google::protobuf::RepeatedPtrField<std::string>;

// Words of a program and its arguments, or, `fewest` being 0, perhaps none.
void CheckWords(const Words& words, int fewest, const std::string& where, Errors& errors) {
  errors.CheckRange(absl::StrCat(where, ": number of command words"), words.size(), fewest, 64);
  for (const std::string& word : words) {
    if (word.size() > 4096 || std::any_of(word.begin(), word.end(), absl::ascii_iscntrl)) {
      errors.Add(where, ": command word ", Quoted(word),
                 ": want at most 4096 bytes without control characters");
    }
  }
}

void CheckProgram(const Words& words, int fewest, const std::string& where, Errors& errors) {
  CheckWords(words, fewest, where, errors);
  if (!words.empty() && words[0].empty()) {
    errors.Add(where, ": command \"\": want a program's name");
  }
}

void CheckNice(int nice, const std::string& where, Errors& errors) {
  if (nice < -20 || nice > 19) errors.Add(where, ": nice ", nice, ": want -20 to 19");
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
  CheckProgram(latt.command(), 0, where, errors);
  if (latt.command_size() > 0 && latt.has_make()) {
    errors.Add(where, ": command ", Quoted(latt.command(0)), " and make: want one of the two");
  }
  if (latt.has_make()) CheckMake(latt.make(), where, errors);
  if (latt.make().cold()) errors.Add(where, ": make: cold: want it of make alone");
}

void CheckBeside(const v1::Beside& beside, const std::string& where, Errors& errors) {
  if (beside.has_make()) CheckMake(beside.make(), absl::StrCat(where, ": beside: make"), errors);
  if (beside.make().cold()) errors.Add(where, ": beside: make: cold: want it of make alone");
  if (beside.has_command()) {
    CheckProgram(beside.command().words(), 1, absl::StrCat(where, ": beside"), errors);
  }
  if (beside.has_burn_threads()) {
    errors.CheckRange(absl::StrCat(where, ": beside: burn_threads"), beside.burn_threads(), 1,
                      1024);
  }
}

void CheckLaunch(const v1::LaunchLoad& launch, const std::string& where, Errors& errors) {
  errors.CheckRange(absl::StrCat(where, ": count"), launch.count(), 0, 10000);
  errors.CheckRange(absl::StrCat(where, ": pause_ms"), launch.pause_ms(), 0, 60000);
  CheckProgram(launch.program(), 0, where, errors);
  CheckBeside(launch.beside(), where, errors);
}

void CheckFrames(const v1::FramesLoad& frames, const std::string& where, Errors& errors) {
  const uint32_t fps = frames.fps();
  if (fps != 0 && fps != 25 && fps != 30 && fps != 60) {
    errors.Add(where, ": fps ", fps, ": want 25, 30 or 60");
  }
  const uint32_t threads = std::max(1u, frames.threads());
  errors.CheckRange(absl::StrCat(where, ": seconds"), frames.seconds(), 0, 3600);
  errors.CheckRange(absl::StrCat(where, ": threads"), frames.threads(), 0, 64);
  errors.CheckRange(absl::StrCat(where, ": cpu_percent"), frames.cpu_percent(), 0,
                    uint64_t{100} * threads);
  errors.CheckRange(absl::StrCat(where, ": loops_per_ms"), frames.loops_per_ms(), 0, 1000000000);
  CheckBeside(frames.beside(), where, errors);
}

void CheckCommand(const v1::CommandLoad& command, const std::string& where, Errors& errors) {
  if (command.words().empty() == command.script().empty()) {
    errors.Add(where, ": ", command.words().empty() ? "neither" : "both",
               " words and script: want one of the two");
  }
  CheckProgram(command.words(), 0, where, errors);
  errors.CheckRange(absl::StrCat(where, ": bytes of script"), command.script().size(), 0, 64 << 10);
  if (!command.script().empty() && command.script().substr(0, 2) != "#!") {
    errors.Add(where, ": script ", Quoted(command.script()),
               ": want \"#!\" and an interpreter in its first line");
  }
  errors.CheckRange(absl::StrCat(where, ": parallel"), command.parallel(), 0, 64);
  CheckLatt(command.latt(), absl::StrCat(where, ": latt"), errors);
  if (command.latt().command_size() > 0 || command.latt().has_make()) {
    errors.Add(where, ": latt: a command of its own: want that of the load");
  }
}

void CheckTool(const v1::ToolLoad& tool, const std::string& where, Errors& errors) {
  static constexpr absl::string_view kTools[] = {"hackbench", "cyclictest",     "stress-ng",
                                                 "sysbench",  "perf-messaging", "perf-pipe"};
  if (std::find(std::begin(kTools), std::end(kTools), tool.tool()) == std::end(kTools)) {
    errors.Add(where, " ", Quoted(tool.tool()), ": want one of ", absl::StrJoin(kTools, ", "));
  }
  CheckWords(tool.arguments(), 0, where, errors);
  if (tool.tool() == "stress-ng" && tool.arguments().empty()) {
    errors.Add(where, ": stress-ng without arguments: want its stressors, as --switch 2");
  }
  errors.CheckRange(absl::StrCat(where, ": seconds"), tool.seconds(), 0, 3600);
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
    case v1::Load::kLaunch:
      CheckLaunch(load.launch(), absl::StrCat(where, ": launch"), errors);
      break;
    case v1::Load::kFrames:
      CheckFrames(load.frames(), absl::StrCat(where, ": frames"), errors);
      break;
    case v1::Load::kCommand:
      CheckCommand(load.command(), absl::StrCat(where, ": command"), errors);
      break;
    case v1::Load::kTool:
      CheckTool(load.tool(), absl::StrCat(where, ": tool"), errors);
      break;
    case v1::Load::KIND_NOT_SET:
      errors.Add(where, " names no load: want ", kLoadKinds);
  }
  CheckNice(load.nice(), where, errors);
  if (load.has_interbench() && load.nice() != 0) {
    errors.Add(where, ": interbench: nice ", load.nice(), ": want bench_nice and load_nice");
  }
  errors.CheckRange(absl::StrCat(where, ": iterations"), load.iterations(), 0, 100);
  errors.CheckRange(absl::StrCat(where, ": warmups"), load.warmups(), 0, 10);
}

void CheckActivities(const google::protobuf::RepeatedPtrField<v1::Activity>& activities,
                     Errors& errors) {
  errors.CheckRange("number of background activities", activities.size(), 0, 16);
  std::set<std::string> seen;
  int number = 0;
  for (const v1::Activity& activity : activities) {
    const std::string where = absl::StrCat("background activity ", ++number);
    if (activity.kind_case() == v1::Activity::KIND_NOT_SET ||
        (!activity.audio() && !activity.video() && !activity.has_command())) {
      errors.Add(where, " is nothing: want audio, video or command");
    }
    if (activity.has_command()) CheckProgram(activity.command().words(), 1, where, errors);
    CheckNice(activity.nice(), where, errors);
    if (activity.name().empty()) continue;
    const absl::Status ok = CheckName("name", activity.name());
    if (!ok.ok()) errors.Add(where, ": ", std::string(ok.message()));
    if (!seen.insert(activity.name()).second) {
      errors.Add(where, ": name ", Quoted(activity.name()), ": named twice, want each once");
    }
  }
}

}  // namespace shakedown::plan
