#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "controller/cli/commands.h"
#include "controller/cli/exit_code.h"
#include "controller/cli/input_file.h"
#include "controller/cli/job_file.h"
#include "controller/cli/words.h"
#include "controller/compare/statistics/metric.h"
#include "controller/plan/check_job.h"
#include "controller/plan/setup_text.h"
#include "controller/plan/text.h"
#include "controller/plan/text_activity.h"
#include "proto/wire/ids.h"
#include "proto/wire/sanitise.h"
#include "proto/wire/status.h"

namespace shakedown::cli {
namespace {

// The smallest number in which each of two variants comes first as often as the other.
constexpr uint32_t kDefaultBlocks = 2;
// A laptop is away for the whole job anyway: enough for verdicts, and a night at most.
constexpr uint32_t kLaptopBlocks = 8;
constexpr size_t kMostVariants = 26;
constexpr size_t kMostLoads = 32;
// A controller restarts in seconds; somebody who gave a wrong address waits this long.
constexpr absl::Duration kSubmitPatience = absl::Seconds(20);

// Of "script=FILE" and "config=FILE": none may be longer than a configuration.
absl::StatusOr<std::string> ReadLoadFile(const std::string& path) {
  return ReadInput(path, 1 << 20);
}

absl::Status Wrong(absl::string_view what) { return absl::InvalidArgumentError(what); }

absl::StatusOr<v1::JobSpec> SpecOfOptions(const SubmitArgs& args) {
  if (args.baseline.empty() || args.challengers.empty() || args.loads.empty()) {
    return Wrong("submit: want a job file, or --baseline, --challenger and --load");
  }
  if (args.challengers.size() + 1 > kMostVariants) {
    return Wrong(absl::StrCat("--challenger: ", args.challengers.size(), " given, want 1 to ",
                              kMostVariants - 1));
  }
  if (args.loads.size() > kMostLoads) {
    return Wrong(absl::StrCat("--load: ", args.loads.size(), " given, want 1 to ", kMostLoads));
  }
  v1::JobSpec spec;
  absl::StatusOr<v1::Variant> baseline = plan::ParseVariant(args.baseline);
  if (!baseline.ok()) return Annotate(baseline.status(), "--baseline");
  *spec.add_variants() = *std::move(baseline);
  for (const std::string& text : args.challengers) {
    absl::StatusOr<v1::Variant> challenger = plan::ParseVariant(text);
    if (!challenger.ok()) return Annotate(challenger.status(), "--challenger");
    *spec.add_variants() = *std::move(challenger);
  }
  for (const std::string& text : args.loads) {
    absl::StatusOr<std::vector<v1::Load>> loads = plan::ParseLoads(text, ReadLoadFile);
    if (!loads.ok()) return Annotate(loads.status(), "--load");
    spec.mutable_loads()->Add(loads->begin(), loads->end());
  }
  const bool laptops = std::count(args.tags.begin(), args.tags.end(), "laptop") > 0;
  spec.set_blocks(laptops ? kLaptopBlocks
                          : kDefaultBlocks);  // Unless a stopping rule is asked for.
  return spec;
}

absl::Status AddBackground(const SubmitArgs& args, v1::JobSpec* spec) {
  for (const std::string& text : args.background) {
    absl::StatusOr<v1::Activity> activity = plan::ParseActivity(text);
    if (!activity.ok()) return Annotate(activity.status(), "--background");
    *spec->add_background() = *std::move(activity);
  }
  return absl::OkStatus();
}

// Which words became what: a tunable that was meant as a boot parameter is seen before a boot fails
// by it.
void PrintWords(Screen& screen, const v1::Variant& variant) {
  std::string parameters, tunables;
  for (const std::string& parameter : variant.boot_parameters()) {
    absl::StrAppend(&parameters, " ", parameter);
  }
  for (const v1::Tunable& tunable : variant.tunables()) {
    absl::StrAppend(&tunables, " ", tunable.name(), "=", tunable.value());
  }
  if (!parameters.empty()) {
    screen.Print(absl::StrCat("       boot parameters: ", PrintableLine(parameters, 1000), "\n"));
  }
  if (!tunables.empty()) {
    screen.Print(absl::StrCat("       tunables: ", PrintableLine(tunables, 1000), "\n"));
  }
}

void PrintPlan(Screen& screen, const v1::JobSpec& spec, const v1::PlanJobResponse& planned) {
  const v1::JobSpec whole = plan::WithDefaults(spec);
  screen.Print(absl::StrCat(Count(whole.variants_size(), "variant", "variants"), ", ",
                            Count(spec.loads_size(), "load", "loads"), ", ",
                            Count(planned.plan().blocks_size(), "block", "blocks"), ", ",
                            Count(planned.boots(), "boot", "boots"), "\n"));
  screen.Print(StoppingLines(whole));
  screen.Print("variants\n");
  for (int i = 0; i < whole.variants_size(); ++i) {
    screen.Print(absl::StrCat("  ", std::string(1, VariantLetter(i)), "  ",
                              PrintableLine(VariantText(whole, i), 400),
                              whole.variants(i).control() ? "  (A again: the control)" : "", "\n"));
    PrintWords(screen, whole.variants(i));
  }
  if (!spec.setup().empty()) screen.Print("setup of each boot, undone at its end\n");
  for (const v1::SetupStep& step : spec.setup()) {
    screen.Print(absl::StrCat("  ", PrintableLine(plan::PrintSetupStep(step), 400), "\n"));
  }
  screen.Print("loads of each boot\n");
  for (const v1::Load& load : whole.loads()) {
    screen.Print(absl::StrCat("  ", PrintableLine(plan::PrintLoad(load), 400), "\n"));
  }
  if (!whole.background().empty()) screen.Print("beside each load\n");
  for (const v1::Activity& activity : whole.background()) {
    screen.Print(absl::StrCat("  ", PrintableLine(plan::PrintActivity(activity), 400), "\n"));
  }
  screen.Print("builds\n");
  for (const std::string& kernel : planned.builds()) {
    screen.Print(absl::StrCat("  ", PrintableLine(kernel), "  to be built\n"));
  }
  for (const std::string& kernel : planned.have()) {
    screen.Print(absl::StrCat("  ", PrintableLine(kernel), "  there or under way\n"));
  }
  screen.Print(absl::StrCat("boot order, seed ", planned.plan().order_seed(), "\n"));
  for (const v1::PlannedBlock& block : planned.plan().blocks()) {
    std::string order;
    for (const uint32_t variant : block.variants()) {
      absl::StrAppend(&order, " ", std::string(1, VariantLetter(std::min(variant, 25U))));
    }
    screen.Print(absl::StrCat("  block ", block.block(), ": ", order, "\n"));
  }
  screen.Print(absl::StrCat(
      "estimate: ", LengthText(absl::Seconds(static_cast<int64_t>(planned.estimate_s()))), " (",
      PrintableLine(planned.estimate_basis(), 400), ")\n"));
}

// "3.2%", or in the metric's unit.
std::string AmountText(const std::string& metric, double amount) {
  const auto known = statistics::FindMetric(metric);
  if (known && known->scale == statistics::Scale::kRatio) {
    return absl::StrFormat("%.2g%%", 100 * amount);
  }
  return absl::StrCat(absl::StrFormat("%.3g", amount), known ? " " : "",
                      known ? std::string(known->unit) : "");
}

void PrintDetection(Screen& screen, double change, const v1::PlanJobResponse& planned) {
  screen.Print(absl::StrFormat("to find a change of %g%% with a chance of 80%%\n", 100 * change));
  for (const v1::DetectEstimate& estimate : planned.detect()) {
    const std::string need =
        estimate.blocks() == 0
            ? "more than 1000 blocks"
            : absl::StrCat(Count(estimate.blocks(), "block", "blocks"), ", ",
                           Count(estimate.boots(), "boot", "boots"), ", ",
                           LengthText(absl::Seconds(static_cast<int64_t>(estimate.seconds()))));
    const std::string finds =
        estimate.detectable() > 0
            ? absl::StrCat("finds ", AmountText(estimate.metric(), estimate.detectable()),
                           " or more")
            : "is too short to find anything";
    screen.Print(absl::StrCat("  ", PrintableLine(estimate.metric()), "  ", need, "; this plan ",
                              finds, "\n    noise: sd ",
                              AmountText(estimate.metric(), estimate.sd()), " a block, from ",
                              PrintableLine(estimate.basis(), 400), "\n"));
  }
  if (!planned.detect_note().empty()) {
    screen.Print(absl::StrCat("  ", PrintableLine(planned.detect_note(), 400), "\n"));
  }
}

void PrintRemarks(Screen& screen, const google::protobuf::RepeatedPtrField<std::string>& remarks) {
  for (const std::string& remark : remarks) {
    screen.Note(absl::StrCat("note: ", PrintableLine(remark, 1000)));
  }
}

int DryRun(const Desk& desk, const SubmitArgs& args, const v1::JobSpec& spec) {
  v1::PlanJobRequest request;
  *request.mutable_spec() = spec;
  request.set_detect(args.detect);
  const absl::StatusOr<v1::PlanJobResponse> planned = desk.farm.PlanJob(request);
  if (!planned.ok()) return Fail(desk.screen, planned.status());
  if (args.json) {
    desk.screen.PrintJson(*planned);
  } else {
    PrintPlan(desk.screen, spec, *planned);
    if (args.detect > 0) PrintDetection(desk.screen, args.detect, *planned);
  }
  PrintRemarks(desk.screen, planned->remarks());
  return kOk;
}

// The same request id each time: the farm takes the job once, whatever was lost on the way.
absl::StatusOr<v1::SubmitJobResponse> Send(const Desk& desk, const v1::SubmitJobRequest& request) {
  Patience patience(desk, kSubmitPatience);
  bool told = false;
  for (;;) {
    absl::StatusOr<v1::SubmitJobResponse> answer = desk.farm.SubmitJob(request);
    if (answer.ok() || !WorthAnotherTry(answer.status())) return answer;
    if (!told) {
      told = true;
      desk.screen.Complain(absl::StrCat(answer.status().message(), "; trying again for ",
                                        LengthText(kSubmitPatience)));
    }
    if (!patience.Wait()) {
      return absl::Status(answer.status().code(),
                          absl::StrCat("given up: ", answer.status().message(),
                                       "; the job may or may not have been taken: see shakedown "
                                       "jobs"));
    }
  }
}

int WaitForEnd(const Desk& desk, const SubmitArgs& args, int64_t job) {
  const Followed followed =
      FollowAndTell(desk, job, args.json ? Progress::kToErrors : Progress::kToOutput);
  if (!followed.ended) return followed.exit_code;
  if (args.json) {
    desk.screen.PrintJson(followed.job);
    return followed.exit_code;
  }
  desk.screen.Print("\n");
  // The report can be asked for again: its failure is told and changes nothing.
  Report(desk, {.job = job});
  return followed.exit_code;
}

}  // namespace

absl::StatusOr<v1::JobSpec> SpecOf(const SubmitArgs& args) {
  v1::JobSpec spec;
  if (args.file.empty()) {
    ASSIGN_OR_RETURN(spec, SpecOfOptions(args));
  } else {
    if (!args.baseline.empty() || !args.challengers.empty() || !args.loads.empty()) {
      return Wrong(absl::StrCat("job file ", Quoted(args.file),
                                ": its variants and loads are in it; want no --baseline, "
                                "--challenger or --load beside it"));
    }
    ASSIGN_OR_RETURN(spec, ReadJobFile(args.file));
  }
  for (const std::string& text : args.setup) {
    absl::StatusOr<v1::SetupStep> step = plan::ParseSetupStep(text);
    if (!step.ok()) return Annotate(step.status(), "--setup");
    *spec.add_setup() = *std::move(step);
  }
  SetStopping(args.stopping, &spec);
  RETURN_IF_ERROR(AddBackground(args, &spec));
  if (args.title.has_value()) spec.set_title(*args.title);
  if (args.attempts.has_value()) spec.set_max_attempts(*args.attempts);
  if (args.seed.has_value()) spec.set_order_seed(*args.seed);
  if (!args.machines.empty()) {
    spec.mutable_machines()->mutable_names()->Assign(args.machines.begin(), args.machines.end());
  }
  if (!args.tags.empty()) {
    spec.mutable_machines()->mutable_tags()->Assign(args.tags.begin(), args.tags.end());
  }
  return spec;
}

int Submit(const Desk& desk, const SubmitArgs& args) {
  const absl::StatusOr<v1::JobSpec> spec = SpecOf(args);
  if (!spec.ok()) return Fail(desk.screen, spec.status());
  if (args.dry_run) return DryRun(desk, args, *spec);
  v1::SubmitJobRequest request;
  request.set_request_id(NewUuid());
  *request.mutable_spec() = *spec;
  const absl::StatusOr<v1::SubmitJobResponse> answer = Send(desk, request);
  if (!answer.ok()) {
    const int code = Fail(desk.screen, answer.status());
    return args.wait ? ExitCodeBesideVerdicts(answer.status()) : code;
  }
  const int64_t job = answer->job();
  PrintRemarks(desk.screen, answer->remarks());
  if (args.json && !args.wait) {
    desk.screen.PrintJson(*answer);
  } else if (args.json) {
    desk.screen.Note(absl::StrCat("Job ", job, " is submitted."));
  } else {
    desk.screen.Print(absl::StrCat("Job ", job, " is submitted.\n"));
    if (!args.wait) {
      desk.screen.Print(absl::StrCat("Follow it: shakedown watch ", job,
                                     "    Cancel it: shakedown cancel ", job, "\n"));
    }
  }
  desk.screen.Flush();
  return args.wait ? WaitForEnd(desk, args, job) : kOk;
}

}  // namespace shakedown::cli
