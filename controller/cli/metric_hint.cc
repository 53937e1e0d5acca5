#include "controller/cli/metric_hint.h"

#include <algorithm>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "controller/cli/suggestion.h"
#include "proto/wire/ids.h"

namespace shakedown::cli {
namespace {

constexpr uint32_t kMostSeries = 1000;

void AddMetrics(const v1::ListSeriesRequest& request, HistoryClient& history,
                std::set<std::string>& metrics) {
  const absl::StatusOr<v1::ListSeriesResponse> series = history.ListSeries(request);
  if (!series.ok()) return;
  for (const v1::SeriesView& one : series->series()) metrics.insert(one.key().metric());
}

// "interbench", "interbench.video" of "interbench.video.burn".
std::set<std::string> BeginningsOf(const std::vector<std::string>& metrics) {
  std::set<std::string> all;
  for (const std::string& metric : metrics) {
    for (size_t dot = metric.find('.'); dot != std::string::npos; dot = metric.find('.', dot + 1)) {
      all.insert(metric.substr(0, dot));
    }
  }
  return all;
}

}  // namespace

std::string MetricHint(absl::string_view word, MetricWord wanted,
                       const std::vector<std::string>& known) {
  if (word.empty() || std::find(known.begin(), known.end(), word) != known.end()) return "";
  std::vector<std::string> begin;
  for (const std::string& metric : known) {
    if (absl::StartsWith(metric, word)) begin.push_back(metric);
  }
  if (!begin.empty() && wanted == MetricWord::kBeginning) return "";
  if (!begin.empty()) {
    return absl::StrCat("; ", begin.size(),
                        begin.size() == 1 ? " metric begins so, " : " metrics begin so, such as ",
                        Quoted(*std::min_element(begin.begin(), begin.end())));
  }
  std::vector<std::string> names = known;
  const std::set<std::string> beginnings = BeginningsOf(known);
  names.insert(names.end(), beginnings.begin(), beginnings.end());
  return DidYouMean(word, names);
}

absl::Status WithMetricHint(const absl::Status& status, const std::string& metric,
                            MetricWord wanted, const std::string& machine, HistoryClient& history) {
  if (!absl::IsNotFound(status) || metric.empty()) return status;
  std::set<std::string> metrics;
  v1::ListSeriesRequest request;
  request.set_limit(kMostSeries);
  request.set_machine(machine);
  AddMetrics(request, history, metrics);
  request.set_metric(metric);  // A long list may not reach them.
  AddMetrics(request, history, metrics);
  return {
      status.code(),
      absl::StrCat(status.message(), MetricHint(metric, wanted, {metrics.begin(), metrics.end()}))};
}

}  // namespace shakedown::cli
