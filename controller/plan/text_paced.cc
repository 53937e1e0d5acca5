// launch and frames, and what runs beside them.
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "controller/plan/text_loads.h"
#include "proto/wire/status.h"

namespace shakedown::plan {
namespace {

// "burn:2", "make", "make:2x", "command:a,b".
Setter BesideInto(v1::Beside* beside) {
  return [beside](const std::string& value) -> absl::Status {
    absl::string_view rest = value;
    if (absl::ConsumePrefix(&rest, "burn:")) {
      return CountInto([=](uint32_t n) { beside->set_burn_threads(n); })(std::string(rest));
    }
    if (absl::ConsumePrefix(&rest, "command:")) {
      return ListInto(beside->mutable_command()->mutable_words())(std::string(rest));
    }
    if (absl::ConsumePrefix(&rest, "make:")) {
      return SetJobs(std::string(rest), beside->mutable_make());
    }
    if (rest != "make") {
      return absl::InvalidArgumentError(
          "want burn:THREADS, make, make:JOBS or command:PROGRAM,ARGUMENT,…");
    }
    beside->mutable_make();
    return absl::OkStatus();
  };
}

std::string PrintBeside(const v1::Beside& beside) {
  if (beside.has_burn_threads()) return absl::StrCat("burn:", beside.burn_threads());
  if (beside.has_command()) {
    return absl::StrCat("command:", absl::StrJoin(beside.command().words(), ","));
  }
  if (!beside.has_make()) return "";
  const std::string jobs = PrintJobs(beside.make());
  return jobs.empty() ? "make" : absl::StrCat("make:", jobs);
}

}  // namespace

void AddLaunchOptions(v1::LaunchLoad* launch, Options* options) {
  auto& values = options->values;
  values["count"] = CountInto([launch](uint32_t n) { launch->set_count(n); });
  values["pause"] = CountInto([launch](uint32_t n) { launch->set_pause_ms(n); });
  values["beside"] = BesideInto(launch->mutable_beside());
  options->flags["cold"] = [launch] { launch->set_cold(true); };
}

void PrintLaunch(const v1::LaunchLoad& launch, const v1::LaunchLoad& assumed,
                 OptionPrinter& print) {
  print.Number("count", launch.count(), assumed.count());
  print.Number("pause", launch.pause_ms(), assumed.pause_ms());
  print.Text("beside", PrintBeside(launch.beside()));
  print.Flag("cold", launch.cold());
}

void AddFramesOptions(v1::FramesLoad* frames, Options* options) {
  auto& values = options->values;
  values["fps"] = CountInto([frames](uint32_t n) { frames->set_fps(n); });
  values["seconds"] = CountInto([frames](uint32_t n) { frames->set_seconds(n); });
  values["cpu"] = CountInto([frames](uint32_t n) { frames->set_cpu_percent(n); });
  values["threads"] = CountInto([frames](uint32_t n) { frames->set_threads(n); });
  values["beside"] = BesideInto(frames->mutable_beside());
  values["loops_per_ms"] =
      NumberInto<uint64_t>([frames](uint64_t n) { frames->set_loops_per_ms(n); });
}

void PrintFrames(const v1::FramesLoad& frames, const v1::FramesLoad& assumed,
                 OptionPrinter& print) {
  print.Number("fps", frames.fps(), assumed.fps());
  print.Number("seconds", frames.seconds(), assumed.seconds());
  print.Number("cpu", frames.cpu_percent(), assumed.cpu_percent());
  print.Number("threads", frames.threads(), assumed.threads());
  print.Text("beside", PrintBeside(frames.beside()));
  print.Number("loops_per_ms", frames.loops_per_ms(), 0);
}

}  // namespace shakedown::plan
