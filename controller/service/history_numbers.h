#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "controller/compare/statistics/metric.h"
#include "controller/history/known_steps.h"
#include "controller/history/series.h"
#include "db/store/regressions.h"
#include "db/store/series.h"

namespace shakedown::service {

// The store's content of a series as controller/history reads it. Epochs are numbered as in
// `content.epochs`.
history::Numbers ToNumbers(const store::SeriesContent& content);

std::vector<history::KnownStep> ToSteps(const std::vector<store::KnownRegression>& known);

// What is known of the metric; of one that nobody knows: for information, as a ratio where every
// number is above 0. `known`: whether it is.
statistics::Metric MetricOf(const std::string& name, const std::string& unit,
                            const history::Numbers& numbers, bool* known);

}  // namespace shakedown::service
