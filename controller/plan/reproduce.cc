#include "controller/plan/reproduce.h"

#include <google/protobuf/text_format.h>

#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "controller/plan/load_commands.h"
#include "controller/plan/setup_text.h"
#include "controller/plan/text.h"
#include "proto/wire/ids.h"
#include "proto/wire/shell_quote.h"

namespace shakedown::plan {
namespace {

// Nothing in it depends on the boot.
constexpr char kFunctions[] = R"sh(# shellcheck disable=SC2086 # $targets are several words.
set -eu
RUNNER=${RUNNER:-shakedown-runner}
TREE=${TREE:-/usr/src/load}
targets=$(cat "$TREE/.shakedown-targets" 2>/dev/null || :)
saved=$(mktemp -d)
changes=0
scheduler=
background=

fail() {
  printf '%s\n' "$1" >&2
  exit 1
}
not_repeated() {
  printf 'not repeated by hand: %s\n' "$1" >&2
}
is_systemd() {
  [ -d /run/systemd/system ]
}
# Takes everything back, the last change first.
undo() {
  trap - EXIT
  stop_background
  if [ -n "$scheduler" ]; then kill "$scheduler" || :; fi
  while [ "$changes" -gt 0 ]; do
    if [ -e "$saved/$changes.service" ]; then
      name=$(cat "$saved/$changes.service")
      if is_systemd; then systemctl start "$name" || :; else "/etc/init.d/$name" start || :; fi
    else
      cat "$saved/$changes.old" > "$(cat "$saved/$changes.file")" || :
    fi
    changes=$((changes - 1))
  done
  rm -rf "$saved"
}
stop_background() {
  for pid in $background; do kill "$pid" 2>/dev/null || :; done
  background=
}
trap undo EXIT
trap 'exit 130' HUP INT TERM

# set_file FILE VALUE, with what was there kept for undo; of "a (b) c" that is b.
set_file() {
  [ -e "$1" ] || fail "$1: this machine has no such file"
  old=$(cat "$1")
  case $old in *'('*')'*) old=${old#*'('} old=${old%%')'*} ;; esac
  keep "$1" "$old"
  printf '%s\n' "$2" > "$1"
}
keep() {
  changes=$((changes + 1))
  printf '%s' "$1" > "$saved/$changes.file"
  printf '%s\n' "$2" > "$saved/$changes.old"
}
# set_feature WORD or NO_WORD in the list of scheduler features.
set_feature() {
  case $1 in NO_*) other=${1#NO_} ;; *) other=NO_$1 ;; esac
  features=/sys/kernel/debug/sched/features
  case " $(cat "$features") " in *" $1 "*) return 0 ;; esac
  keep "$features" "$other"
  printf '%s\n' "$1" > "$features"
}
set_governor() {
  [ -e /sys/devices/system/cpu/cpu0/cpufreq/scaling_governor ] || fail 'no cpufreq on this machine'
  for file in /sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor; do
    set_file "$file" "$1"
  done
}
# set_turbo 1 or 0
set_turbo() {
  if [ -e /sys/devices/system/cpu/intel_pstate/no_turbo ]; then
    set_file /sys/devices/system/cpu/intel_pstate/no_turbo "$((1 - $1))"
  else
    set_file /sys/devices/system/cpu/cpufreq/boost "$1"
  fi
}
stop_service() {
  if is_systemd; then
    systemctl is-active --quiet "$1" || return 0
    changes=$((changes + 1))
    printf '%s' "$1" > "$saved/$changes.service"
    systemctl stop "$1"
  else
    [ -x "/etc/init.d/$1" ] || fail "$1: this machine has no such service"
    "/etc/init.d/$1" status > /dev/null || return 0
    changes=$((changes + 1))
    printf '%s' "$1" > "$saved/$changes.service"
    "/etc/init.d/$1" stop
  fi
}
require_ac() {
  for supply in /sys/class/power_supply/*; do
    [ -e "$supply/online" ] || continue
    [ "$(cat "$supply/online")" = 0 ] || return 0
    found=1
  done
  [ -z "${found:-}" ] || fail 'on battery, mains power is wanted'
}
drop_caches() {
  sync
  echo 3 > /proc/sys/vm/drop_caches
}
# settle LOAD CELSIUS SECONDS LIMIT; 0: not looked at.
settle() {
  waited=0
  while [ "$waited" -lt "$4" ]; do
    read -r load rest < /proc/loadavg
    hot=$(cat /sys/class/thermal/thermal_zone*/temp 2>/dev/null | sort -n | tail -n 1 || :)
    awk -v load="$load" -v hot="${hot:-0}" -v waited="$waited" -v a="$1" -v b="$2" -v c="$3" \
      'BEGIN { exit !((a == 0 || load <= a) && (b == 0 || hot / 1000 <= b) && waited >= c) }' &&
      return 0
    sleep 1
    waited=$((waited + 1))
  done
  printf 'not at rest after %s s\n' "$4" >&2
}
# start_scheduler OPS PROGRAM ARGUMENT…; OPS may be empty.
start_scheduler() {
  [ -e /sys/kernel/sched_ext/state ] || fail 'this kernel has no sched_ext'
  ops=$1
  shift
  "$@" > /dev/null 2>&1 &
  scheduler=$!
  waited=0
  until [ "$(cat /sys/kernel/sched_ext/state)" = enabled ] &&
    { [ -z "$ops" ] || [ "$(cat /sys/kernel/sched_ext/root/ops)" = "$ops" ]; }; do
    [ "$waited" -lt 30 ] || fail "sched_ext: $* was not enabled within 30 s"
    sleep 1
    waited=$((waited + 1))
  done
}
check_parameter() {
  case " $(cat /proc/cmdline) " in
    *" $1 "*) ;;
    *) fail "boot parameter $1 is wanted" ;;
  esac
}
)sh";

class Script {
 public:
  void Line(absl::string_view line = "") { absl::StrAppend(&text_, line, "\n"); }
  void Comment(absl::string_view text) { Line(ShellComment(text)); }
  // Several lines, each a comment.
  void Comments(absl::string_view text) {
    for (absl::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
      Comment(absl::StrCat("  ", line));
    }
  }
  void Call(absl::string_view function, const std::vector<std::string>& arguments) {
    std::string line(function);
    for (const std::string& argument : arguments) absl::StrAppend(&line, " ", ShellQuote(argument));
    Line(line);
  }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

std::string OutcomeText(const v1::BootView& boot) {
  if (boot.state() != v1::WORK_STATE_ENDED) return "has not ended";
  const std::string name =
      absl::AsciiStrToLower(absl::StripPrefix(v1::Outcome_Name(boot.outcome()), "OUTCOME_"));
  return boot.reason().empty() ? absl::StrCat("was ", name)
                               : absl::StrCat("was ", name, ": ", boot.reason());
}

void AddHead(const BootToRepeat& boot, Script& script) {
  script.Line("#!/bin/sh");
  script.Comment(
      absl::StrCat("Repeats boot ", boot.boot.name(), " by hand: it ", OutcomeText(boot.boot)));
  script.Comment(absl::StrCat("job ", boot.job, ": ", boot.spec.title()));
  script.Comment(
      absl::StrCat("machine: ", boot.boot.machine().empty() ? "none yet" : boot.boot.machine()));
  script.Comment(absl::StrCat("variant: ", PrintVariant(boot.variant)));
  script.Comment("For root, in the kernel below, with shakedown-runner in PATH or as $RUNNER.");
  script.Line();
}

void AddKernel(const BootToRepeat& boot, Script& script) {
  script.Comment("The kernel");
  const auto fact = [&](absl::string_view name, absl::string_view value) {
    if (!value.empty()) script.Comment(absl::StrCat("  ", name, ": ", value));
  };
  fact("catalog entry", boot.kernel.name());
  fact("source", boot.build.source_version());
  fact("toolchain", boot.build.toolchain());
  fact("build key", boot.build.build_key());
  fact("image, sha256", boot.image.sha256());
  fact("config, sha256", boot.config.sha256());
  fact("release", boot.expected.release());
  fact("version", boot.expected.version());
  fact("build id", boot.expected.build_id());
  fact("command line it had", boot.result.identity().command_line());
  script.Comment("To get it: the entry below in kernels/catalog, then");
  script.Comment(
      absl::StrCat("  shakedown submit --baseline ", ShellQuote(boot.kernel.name()),
                   " … builds it as the farm did; by hand: unpack the source, apply the "
                   "patches in order, merge the config, make olddefconfig, make bzImage."));
  std::string entry;
  google::protobuf::TextFormat::PrintToString(boot.kernel, &entry);
  script.Comments(entry);
  script.Line();
}

void AddChecks(const BootToRepeat& boot, Script& script) {
  script.Comment("Is this the kernel?");
  if (!boot.expected.release().empty()) {
    const std::string release = ShellQuote(boot.expected.release());
    script.Line(absl::StrCat("[ \"$(uname -r)\" = ", release,
                             " ] || fail \"this is kernel $(uname -r), wanted is \"", release));
  }
  for (const auto* parameters : {&boot.kernel.boot_parameters(), &boot.variant.boot_parameters()}) {
    for (const std::string& parameter : *parameters) script.Call("check_parameter", {parameter});
  }
  script.Line();
}

// "kernel.x" → /proc/sys/kernel/x, "sched/x" → debugfs. Of a name that CheckJob took.
std::string FileOf(const std::string& name) {
  if (absl::StartsWith(name, "sched/")) return absl::StrCat("/sys/kernel/debug/", name);
  return absl::StrCat("/proc/sys/", absl::StrReplaceAll(name, {{".", "/"}}));
}

void SetTunable(const v1::Tunable& tunable, Script& script) {
  if (tunable.name() == "sched/features") {
    script.Call("set_feature", {tunable.value()});
  } else {
    script.Call("set_file", {FileOf(tunable.name()), tunable.value()});
  }
}

void AddTunables(const BootToRepeat& boot, Script& script) {
  script.Comment("Tunables of the kernel, then of the variant");
  for (const v1::Tunable& tunable : boot.kernel.tunables()) SetTunable(tunable, script);
  for (const v1::Tunable& tunable : boot.variant.tunables()) SetTunable(tunable, script);
  script.Line();
}

void AddStep(const v1::SetupStep& step, Script& script) {
  if (!step.stop_service().empty()) script.Call("stop_service", {step.stop_service()});
  if (!step.governor().empty()) script.Call("set_governor", {step.governor()});
  if (step.has_turbo()) script.Call("set_turbo", {step.turbo() ? "1" : "0"});
  if (step.has_autogroup()) {
    script.Call("set_file",
                {"/proc/sys/kernel/sched_autogroup_enabled", step.autogroup() ? "1" : "0"});
  }
  if (step.has_tunable()) SetTunable(step.tunable(), script);
  if (step.require_ac()) script.Line("require_ac");
}

void AddSetup(const BootToRepeat& boot, Script& script) {
  script.Comment("Setup steps");
  for (int i = 0; i < boot.spec.setup_size(); ++i) {
    script.Comment(PrintSetupStep(boot.spec.setup(i)));
    if (i < boot.result.setup_size()) {
      script.Comment(absl::StrCat("  there was: ", boot.result.setup(i).before()));
      if (!boot.result.setup(i).undo().empty()) {
        script.Comment(absl::StrCat("  undone by: ", boot.result.setup(i).undo()));
      }
    }
    AddStep(boot.spec.setup(i), script);
  }
  if (boot.variant.has_sched_ext()) {
    const v1::SchedExt& scheduler = boot.variant.sched_ext();
    std::vector<std::string> words = {scheduler.ops()};
    words.insert(words.end(), scheduler.command().begin(), scheduler.command().end());
    script.Call("start_scheduler", words);
  }
  script.Line();
}

void AddBeforeLoad(const BootToRepeat& boot, Script& script) {
  script.Line("before_load() {");
  script.Line("  :");
  for (const v1::SetupStep& step : boot.spec.setup()) {
    if (step.drop_caches()) script.Line("  drop_caches");
    if (!step.has_settle()) continue;
    const v1::Settle& settle = step.settle();
    script.Call("  settle", {absl::StrCat(settle.max_load()), absl::StrCat(settle.max_celsius()),
                             absl::StrCat(settle.seconds()),
                             absl::StrCat(settle.limit_s() == 0 ? 120 : settle.limit_s())});
  }
  for (const v1::Activity& activity : boot.spec.background()) {
    if (activity.has_command()) {
      script.Line(absl::StrCat("  nice -n ", activity.nice(), " ",
                               QuotedWords(activity.command().words()),
                               " > /dev/null 2>&1 & background=\"$background $!\""));
    } else {
      script.Call("  not_repeated",
                  {absl::StrCat("background ", activity.has_video() ? "video" : "audio")});
    }
  }
  script.Line("}");
  script.Line();
}

void AddLoads(const BootToRepeat& boot, Script& script) {
  for (int i = 0; i < boot.spec.loads_size(); ++i) {
    const v1::Load& load = boot.spec.loads(i);
    script.Comment(absl::StrCat("Load ", i + 1, ": ", PrintLoad(load)));
    const LoadCommands commands = CommandsOf(load);
    if (!commands.original.empty()) {
      script.Comment(absl::StrCat("  the original: ", commands.original));
    }
    script.Line("before_load");
    for (const std::string& line : commands.lines) script.Line(line);
    script.Line("stop_background");
    script.Line();
  }
}

}  // namespace

std::string ReproduceScript(const BootToRepeat& boot) {
  Script script;
  AddHead(boot, script);
  AddKernel(boot, script);
  script.Line(kFunctions);
  AddChecks(boot, script);
  AddTunables(boot, script);
  AddSetup(boot, script);
  AddBeforeLoad(boot, script);
  AddLoads(boot, script);
  script.Comment("What was changed is taken back by undo, which the shell calls at its end.");
  return script.Take();
}

}  // namespace shakedown::plan
