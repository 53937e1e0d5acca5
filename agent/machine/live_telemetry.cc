#include "agent/machine/live_telemetry.h"

#include <cmath>
#include <limits>
#include <string>

#include "agent/machine/guest_data.h"
#include "proto/wire/sanitise.h"

namespace shakedown::agent {
namespace {

constexpr float kNone = std::numeric_limits<float>::quiet_NaN();

template <typename Values>
void KeepEverySecond(Values& values) {
  int kept = 0;
  for (int i = 0; i < values.size(); i += 2) values.Set(kept++, values.Get(i));
  values.Truncate(kept);
}

v1::LiveTelemetry::Line* LineOf(const v1::TelemetrySample::Value& value, v1::LiveTelemetry& view) {
  for (v1::LiveTelemetry::Line& line : *view.mutable_lines()) {
    if (line.name() == value.name()) return &line;
  }
  if (view.lines_size() == LiveTelemetry::kMostLines || !IsMetricName(value.name())) return nullptr;
  v1::LiveTelemetry::Line* line = view.add_lines();
  line->set_name(value.name());
  line->set_unit(PrintableLine(value.unit(), kMaxUnit));
  // It was not there before.
  line->mutable_values()->Resize(view.at_ms_size() - 1, kNone);
  return line;
}

}  // namespace

void LiveTelemetry::Begin(uint32_t load) {
  view_.Clear();
  view_.set_load(load);
  every_ = 1;
  come_ = 0;
}

void LiveTelemetry::Thin() {
  KeepEverySecond(*view_.mutable_at_ms());
  for (v1::LiveTelemetry::Line& line : *view_.mutable_lines()) {
    KeepEverySecond(*line.mutable_values());
  }
  every_ *= 2;
}

void LiveTelemetry::Add(const v1::TelemetrySample& sample) {
  const int before = view_.at_ms_size();
  if (before > 0 && sample.at_ms() <= view_.at_ms(before - 1)) return;
  if (come_++ % every_ != 0) return;
  // kMostSamples is even: the sample in hand is one of those that are kept from now on.
  if (before == kMostSamples) Thin();
  view_.add_at_ms(sample.at_ms());
  for (const v1::TelemetrySample::Value& value : sample.values()) {
    v1::LiveTelemetry::Line* line = LineOf(value, view_);
    if (line == nullptr || line->values_size() == view_.at_ms_size()) continue;
    const auto number = static_cast<float>(value.value());
    line->add_values(std::isfinite(number) ? number : kNone);
  }
  for (v1::LiveTelemetry::Line& line : *view_.mutable_lines()) {
    line.mutable_values()->Resize(view_.at_ms_size(), kNone);
  }
}

}  // namespace shakedown::agent
