// history, series, regressions: years of results.
#include "controller/cli/commands.h"
#include "controller/cli/exit_code.h"
#include "controller/cli/history_lines.h"
#include "controller/cli/metric_hint.h"
#include "controller/cli/series_lines.h"

namespace shakedown::cli {
namespace {

v1::RegressionState StateOf(RegressionsArgs::What what) {
  switch (what) {
    case RegressionsArgs::What::kAcknowledge:
      return v1::REGRESSION_STATE_ACKNOWLEDGED;
    case RegressionsArgs::What::kFixed:
      return v1::REGRESSION_STATE_FIXED;
    case RegressionsArgs::What::kWontFix:
      return v1::REGRESSION_STATE_WONT_FIX;
    default:
      return v1::REGRESSION_STATE_SUSPECTED;
  }
}

int ListRegressions(const Desk& desk, const RegressionsArgs& args) {
  v1::ListRegressionsRequest request;
  request.set_open_only(args.open);
  request.set_limit(args.limit);
  const auto answer = desk.history->ListRegressions(request);
  if (!answer.ok()) return Fail(desk.screen, answer.status());
  if (args.json) {
    desk.screen.PrintJson(*answer);
  } else if (answer->regressions().empty()) {
    desk.screen.Note(args.open ? "no open regressions" : "no regressions");
  } else {
    desk.screen.Print(RegressionsText(*answer, desk.screen.size().columns));
  }
  return kOk;
}

absl::StatusOr<v1::RegressionView> GetOrSet(const Desk& desk, const RegressionsArgs& args) {
  if (args.what == RegressionsArgs::What::kShow) {
    v1::GetRegressionRequest request;
    request.set_regression(args.regression);
    return desk.history->GetRegression(request);
  }
  v1::SetRegressionRequest request;
  request.set_regression(args.regression);
  request.set_state(StateOf(args.what));
  request.set_why(args.why);
  return desk.history->SetRegression(request);
}

}  // namespace

int History(const Desk& desk, const HistoryArgs& args) {
  v1::GetHistoryRequest request;
  request.set_metric(args.metric);
  request.set_machine(args.machine);
  request.set_since(args.since);
  request.set_until(args.until);
  request.set_absolute(args.absolute);
  for (const std::string& pattern : args.kernels) request.add_kernels(pattern);
  const auto answer = desk.history->GetHistory(request);
  if (!answer.ok()) {
    return Fail(desk.screen, WithMetricHint(answer.status(), args.metric, MetricWord::kWhole,
                                            args.machine, *desk.history));
  }
  if (args.json) {
    desk.screen.PrintJson(*answer);
  } else if (args.csv) {
    desk.screen.Print(HistoryCsv(*answer));
  } else {
    for (int i = 0; i < answer->series_size(); ++i) {
      if (i > 0) desk.screen.Print("\n");
      desk.screen.Print(
          HistoryText(answer->series(i), desk.screen.size().columns, desk.screen.unicode()));
    }
  }
  return kOk;
}

int ListSeries(const Desk& desk, const SeriesArgs& args) {
  v1::ListSeriesRequest request;
  request.set_metric(args.metric);
  request.set_machine(args.machine);
  request.set_imported_only(args.imported);
  request.set_limit(args.limit);
  const auto answer = desk.history->ListSeries(request);
  if (!answer.ok()) return Fail(desk.screen, answer.status());
  if (args.json) {
    desk.screen.PrintJson(*answer);
    return kOk;
  }
  const std::string text = SeriesText(*answer, desk.screen.size().columns, desk.screen.zone());
  if (text.empty()) {
    desk.screen.Note("no such series: they grow with measured boots and with imports");
    return kOk;
  }
  desk.screen.Print(text);
  if (static_cast<uint32_t>(answer->series_size()) == args.limit) {
    desk.screen.Note(absl::StrCat("the first ", args.limit,
                                  ": the beginning of a METRIC, --machine, --imported or a higher "
                                  "--limit show others"));
  }
  return kOk;
}

int Regressions(const Desk& desk, const RegressionsArgs& args) {
  if (args.what == RegressionsArgs::What::kList) return ListRegressions(desk, args);
  const absl::StatusOr<v1::RegressionView> answer = GetOrSet(desk, args);
  if (!answer.ok()) return Fail(desk.screen, answer.status());
  if (args.json) {
    desk.screen.PrintJson(*answer);
  } else if (args.what == RegressionsArgs::What::kShow) {
    desk.screen.Print(RegressionText(*answer, desk.screen.zone()));
  } else {
    desk.screen.Print(absl::StrCat(RegressionTitle(*answer), "\n"));
  }
  return kOk;
}

}  // namespace shakedown::cli
