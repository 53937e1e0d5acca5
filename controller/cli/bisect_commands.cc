// bisect, bisect watch|show|list|cancel.
#include <google/protobuf/util/message_differencer.h>

#include <cmath>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "controller/cli/bisect_client.h"
#include "controller/cli/bisect_git.h"
#include "controller/cli/commands.h"
#include "controller/cli/exit_code.h"
#include "controller/cli/input_file.h"
#include "controller/cli/tables.h"
#include "controller/cli/words.h"
#include "controller/compare/statistics/metric.h"
#include "controller/plan/setup_text.h"
#include "controller/plan/text.h"
#include "controller/plan/text_activity.h"
#include "proto/wire/ids.h"
#include "proto/wire/sanitise.h"
#include "proto/wire/status.h"

namespace shakedown::cli {
namespace {

constexpr absl::Duration kPatience = absl::Minutes(2);
constexpr absl::Duration kEvery = absl::Seconds(2);

absl::StatusOr<v1::JobSpec> JobOf(const BisectArgs& args) {
  v1::JobSpec spec;
  for (const std::string& text : args.loads) {
    absl::StatusOr<std::vector<v1::Load>> loads = plan::ParseLoads(
        text, [](const std::string& path) { return ReadInput(path, size_t{1} << 20); });
    if (!loads.ok()) return Annotate(loads.status(), "--load");
    spec.mutable_loads()->Add(loads->begin(), loads->end());
  }
  for (const std::string& text : args.background) {
    absl::StatusOr<v1::Activity> activity = plan::ParseActivity(text);
    if (!activity.ok()) return Annotate(activity.status(), "--background");
    *spec.add_background() = *std::move(activity);
  }
  for (const std::string& text : args.setup) {
    absl::StatusOr<v1::SetupStep> step = plan::ParseSetupStep(text);
    if (!step.ok()) return Annotate(step.status(), "--setup");
    *spec.add_setup() = *std::move(step);
  }
  spec.mutable_machines()->mutable_names()->Assign(args.machines.begin(), args.machines.end());
  spec.mutable_machines()->mutable_tags()->Assign(args.tags.begin(), args.tags.end());
  if (args.attempts.has_value()) spec.set_max_attempts(*args.attempts);
  return spec;
}

absl::StatusOr<v1::StartBisectRequest> RequestOf(const BisectArgs& args) {
  v1::StartBisectRequest request;
  request.set_request_id(NewUuid());
  request.set_regression(args.regression);
  if (args.regression != 0 && args.good.empty()) return request;
  if (args.good.empty() || args.bad.empty() || args.metric.empty() || args.loads.empty()) {
    return absl::InvalidArgumentError("bisect: want --good, --bad, --metric and --load");
  }
  request.set_good(args.good);
  request.set_bad(args.bad);
  request.set_metric(args.metric);
  request.set_min_change(args.min_change);
  request.set_max_boots(args.max_boots);
  ASSIGN_OR_RETURN(*request.mutable_job(), JobOf(args));
  request.mutable_candidates()->Assign(args.candidates.begin(), args.candidates.end());
  if (args.git.empty()) return request;
  if (args.like.empty()) {
    return absl::InvalidArgumentError(
        "--git: want --like KERNEL, whose configuration every commit gets");
  }
  std::error_code error;
  const std::string path = std::filesystem::absolute(args.git, error).lexically_normal().string();
  RETURN_IF_ERROR(SetCommits(
      {.path = path, .good = args.good, .bad = args.bad, .merges = args.merges}, &request));
  request.mutable_git()->set_location(args.location.empty() ? path : args.location);
  request.mutable_git()->set_like(args.like);
  return request;
}

bool IsRatio(const v1::BisectView& view) {
  const auto metric = statistics::FindMetric(view.request().metric());
  return !metric || metric->scale == statistics::Scale::kRatio;
}

std::string AnswerText(const v1::BisectStep& step) {
  switch (step.answer()) {
    case v1::BISECT_ANSWER_GOOD:
      return step.kind() == "verify" ? "no change" : "good";
    case v1::BISECT_ANSWER_BAD:
      return step.kind() == "candidate" ? "bad" : "changes";
    case v1::BISECT_ANSWER_SKIP:
      return "skip";
    case v1::BISECT_ANSWER_IDENTICAL:
      return "identical";
    default:
      return "…";
  }
}

Line StepLine(const v1::BisectStep& step) {
  const Tone tone = step.answer() == v1::BISECT_ANSWER_BAD    ? Tone::kBad
                    : step.answer() == v1::BISECT_ANSWER_GOOD ? Tone::kGood
                                                              : Tone::kDim;
  std::string jobs =
      step.jobs().empty() ? "" : absl::StrCat("  job ", absl::StrJoin(step.jobs(), ", "));
  return {{absl::StrFormat("%3d  ", step.step())},
          {absl::StrFormat("%-9s", AnswerText(step)), tone},
          {absl::StrCat("  ", PrintableLine(step.kernel(), 64), "  ", step.boots(), " boots  ",
                        absl::StrFormat("%.1f%%", 100 * step.confidence()), jobs,
                        step.text().empty() ? "" : "  ", PrintableLine(step.text(), 300))}};
}

std::string LeftText(const v1::BisectView& view) {
  const auto& candidates = view.request().candidates();
  if (candidates.empty() || view.left_high() >= static_cast<uint32_t>(candidates.size())) return "";
  const auto name = [&](uint32_t i) { return PrintableLine(candidates[static_cast<int>(i)], 64); };
  return absl::StrCat(view.left_high() - view.left_low() + 1, " of ", candidates.size() - 1,
                      " still possible: ", name(view.left_low()), " to ", name(view.left_high()));
}

std::vector<Line> EndLines(const v1::BisectView& view) {
  std::vector<Line> lines;
  if (view.state() == "running") {
    lines.push_back({{absl::StrFormat("running: %d boots so far; likeliest %s, %.1f%%; %s",
                                      view.boots(), PrintableLine(view.leader(), 64),
                                      100 * view.confidence(), LeftText(view))}});
    lines.push_back({{PrintableLine(view.text(), 400)}});
    return lines;
  }
  if (view.state() == "found") {
    lines.push_back(
        {{absl::StrCat("culprit: ", PrintableLine(view.culprit(), 64)), Tone::kBold},
         {absl::StrFormat("  at %.2f%% after %d boots", 100 * view.confidence(), view.boots())}});
  } else {
    lines.push_back({{absl::StrCat(view.state() == "cannot_say" ? "can not say" : view.state(),
                                   " after ", view.boots(), " boots"),
                      Tone::kBold}});
    if (view.state() != "refused") lines.push_back({{LeftText(view)}});
  }
  lines.push_back({{PrintableLine(view.text(), 600)}});
  return lines;
}

void PrintBisect(Screen& screen, const v1::BisectView& view) {
  const v1::StartBisectRequest& request = view.request();
  screen.Print(absl::StrCat("Bisect ", view.bisect(), ": ", PrintableLine(request.metric()),
                            ", good ", PrintableLine(request.good()), ", bad ",
                            PrintableLine(request.bad()), ", ", request.candidates_size(),
                            " candidates\n"));
  if (view.change() != 0) {
    screen.Print(IsRatio(view) ? absl::StrFormat("the ends differ by %+.1f%%\n",
                                                 100 * std::expm1(view.change()))
                               : absl::StrFormat("the ends differ by %+.4g\n", view.change()));
  }
  for (const v1::BisectStep& step : view.steps()) screen.Print(StepLine(step));
  for (const Line& line : EndLines(view)) screen.Print(line);
}

int ExitCodeOf(const v1::BisectView& view) {
  if (view.state() == "found" || view.state() == "running") return kOk;
  return kInconclusive;
}

// To its end; prints each step once it has its answer.
int Follow(const Desk& desk, int64_t bisect) {
  v1::GetBisectRequest request;
  request.set_bisect(bisect);
  desk.interrupt.listening = true;
  Patience patience(desk, kPatience);
  int told = 0;
  for (;;) {
    const absl::StatusOr<v1::BisectView> view = desk.bisects->GetBisect(request);
    if (!view.ok()) {
      if (!WorthAnotherTry(view.status()) || !patience.Wait()) {
        return Fail(desk.screen, view.status());
      }
      continue;
    }
    patience.Heard();
    for (; told < view->steps_size(); ++told) {
      const v1::BisectStep& step = view->steps(told);
      if (step.answer() == v1::BISECT_ANSWER_UNSPECIFIED) break;
      desk.screen.Print(StepLine(step));
    }
    if (view->state() != "running") {
      for (const Line& line : EndLines(*view)) desk.screen.Print(line);
      return ExitCodeOf(*view);
    }
    desk.screen.Flush();
    if (desk.interrupt.came) {
      desk.screen.Note(absl::StrCat("bisect ", bisect,
                                    " goes on. Follow it: shakedown bisect watch ", bisect,
                                    "    Cancel it: shakedown bisect cancel ", bisect));
      return kInterrupted;
    }
    desk.clock.Sleep(kEvery);
  }
}

int DryRun(const Desk& desk, const v1::StartBisectRequest& request, bool json) {
  const absl::StatusOr<v1::BisectPlan> plan = desk.bisects->PlanBisect(request);
  if (!plan.ok()) return Fail(desk.screen, plan.status());
  if (json) {
    desk.screen.PrintJson(*plan);
    return kOk;
  }
  v1::BisectView view;
  *view.mutable_request() = request;
  const bool ratio = IsRatio(view);
  const auto amount = [&](double value) {
    return ratio ? absl::StrFormat("%.1f%%", 100 * value) : absl::StrFormat("%.3g", value);
  };
  desk.screen.Print(absl::StrCat(plan->candidates_size(), " candidates; noise: sd ",
                                 amount(plan->sd()), " a block (",
                                 PrintableLine(plan->basis(), 400), ")\n"));
  for (const v1::BisectPlan::Expected& e : plan->expected()) {
    desk.screen.Print(absl::StrFormat(
        "  if the ends differ by %s: about %.0f boots (95%% of the time at most %d) and %.0f "
        "builds; finds the culprit %.0f%% of the time\n",
        amount(e.change()), e.boots(), e.boots_p95(), e.builds(), 100 * e.found()));
  }
  return kOk;
}

int List(const Desk& desk, const BisectArgs& args) {
  v1::ListBisectsRequest request;
  request.set_limit(args.limit);
  request.set_before(args.before);
  const absl::StatusOr<v1::ListBisectsResponse> list = desk.bisects->ListBisects(request);
  if (!list.ok()) return Fail(desk.screen, list.status());
  if (args.json) {
    desk.screen.PrintJson(*list);
    return kOk;
  }
  std::vector<std::vector<std::string>> rows;
  for (const v1::BisectView& view : list->bisects()) {
    rows.push_back({absl::StrCat(view.bisect()), view.state(),
                    PrintableLine(view.culprit().empty() ? view.leader() : view.culprit(), 64),
                    absl::StrFormat("%.1f%%", 100 * view.confidence()), absl::StrCat(view.boots()),
                    PrintableLine(view.request().metric()),
                    absl::StrCat(PrintableLine(view.request().good(), 64), " .. ",
                                 PrintableLine(view.request().bad(), 64)),
                    PrintableLine(view.submitter()), TimeText(view.started(), desk.screen.zone())});
  }
  if (rows.empty()) {
    desk.screen.Note(args.before == 0 ? "no bisect yet" : "no older bisect");
  } else {
    using Align = Column::Align;
    desk.screen.Print(PrintTable({{"BISECT", Align::kRight},
                                  {"STATE"},
                                  {"LIKELIEST", Align::kLeft, true},
                                  {"SURE", Align::kRight},
                                  {"BOOTS", Align::kRight},
                                  {"METRIC"},
                                  {"GOOD .. BAD", Align::kLeft, true},
                                  {"BY"},
                                  {"STARTED"}},
                                 rows, desk.screen.size().columns));
  }
  if (list->bisects_size() == static_cast<int>(request.limit())) {
    desk.screen.Note(
        absl::StrCat("older ones: --before ", list->bisects(list->bisects_size() - 1).bisect()));
  }
  return kOk;
}

int Show(const Desk& desk, const absl::StatusOr<v1::BisectView>& view, bool json) {
  if (!view.ok()) return Fail(desk.screen, view.status());
  if (json) {
    desk.screen.PrintJson(*view);
  } else {
    PrintBisect(desk.screen, *view);
  }
  return kOk;
}

int Start(const Desk& desk, const BisectArgs& args) {
  const absl::StatusOr<v1::StartBisectRequest> request = RequestOf(args);
  if (!request.ok()) return Fail(desk.screen, request.status());
  if (args.dry_run) return DryRun(desk, *request, args.json);
  // The same request id each time: the farm begins it once.
  Patience patience(desk, absl::Seconds(20));
  absl::StatusOr<v1::BisectView> view = desk.bisects->StartBisect(*request);
  while (!view.ok() && WorthAnotherTry(view.status()) && patience.Wait()) {
    view = desk.bisects->StartBisect(*request);
  }
  if (!view.ok()) return Fail(desk.screen, view.status());
  if (args.json) {
    desk.screen.PrintJson(*view);
    return kOk;
  }
  desk.screen.Print(absl::StrCat("Bisect ", view->bisect(),
                                 " begins: ", view->request().candidates_size(), " candidates.\n"));
  if (args.wait) return Follow(desk, view->bisect());
  desk.screen.Print(absl::StrCat("Follow it: shakedown bisect watch ", view->bisect(),
                                 "    Cancel it: shakedown bisect cancel ", view->bisect(), "\n"));
  return kOk;
}

}  // namespace

int Bisect(const Desk& desk, const BisectArgs& args) {
  v1::GetBisectRequest request;
  request.set_bisect(args.number);
  switch (args.what) {
    case BisectArgs::What::kStart:
      return Start(desk, args);
    case BisectArgs::What::kList:
      return List(desk, args);
    case BisectArgs::What::kShow:
      return Show(desk, desk.bisects->GetBisect(request), args.json);
    case BisectArgs::What::kCancel:
      return Show(desk, desk.bisects->CancelBisect(request), args.json);
    case BisectArgs::What::kWatch:
      return Follow(desk, args.number);
  }
  return kOther;
}

}  // namespace shakedown::cli
