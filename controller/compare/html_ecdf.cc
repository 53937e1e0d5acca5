#include "controller/compare/html_ecdf.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "controller/compare/html_text.h"

namespace shakedown::compare {
namespace {

constexpr double kWidth = 420;
constexpr double kHeight = 180;
constexpr double kLeft = 44;
constexpr double kTop = 10;

// Decades of the smallest latency above 0 and of the largest.
struct Axis {
  double lo = std::numeric_limits<double>::infinity();
  double hi = 0;

  void Take(const v1::ReportCurve& curve) {
    for (const double value : curve.values()) {
      if (!(value > 0) || !std::isfinite(value)) continue;
      lo = std::min(lo, value);
      hi = std::max(hi, value);
    }
  }
  // Shorter ones, 0 too, stand on the left edge.
  double X(double value) const {
    const double from = std::log10(lo);
    const double at = std::log10(std::clamp(value, lo, hi));
    return kLeft + kWidth * (at - from) / (std::log10(hi) - from);
  }
};

double Y(double share) { return kTop + kHeight * (1 - std::clamp(share, 0.0, 1.0)); }

std::string Line(const v1::ReportLatency& latency, const v1::ReportCurve& curve, const Axis& axis,
                 const std::string& kind) {
  std::string points;
  for (int i = 0; i < std::min(curve.values_size(), latency.shares_size()); ++i) {
    if (!std::isfinite(curve.values(i))) continue;
    absl::StrAppendFormat(&points, "%s%.1f,%.1f", points.empty() ? "" : " ",
                          axis.X(curve.values(i)), Y(latency.shares(i)));
  }
  return absl::StrCat("<polyline class=\"", kind, "\" points=\"", points, "\"/>");
}

std::string Grid(const Axis& axis) {
  std::string out;
  for (const double share : {0.0, 0.5, 0.9, 1.0}) {
    absl::StrAppendFormat(&out,
                          "<line x1=\"%.0f\" y1=\"%.1f\" x2=\"%.0f\" y2=\"%.1f\"/>"
                          "<text x=\"%.0f\" y=\"%.1f\" text-anchor=\"end\">%.0f%%</text>",
                          kLeft, Y(share), kLeft + kWidth, Y(share), kLeft - 4, Y(share) + 4,
                          100 * share);
  }
  const auto tick = [&](double value) {
    absl::StrAppendFormat(&out,
                          "<line x1=\"%.1f\" y1=\"%.0f\" x2=\"%.1f\" y2=\"%.0f\"/>"
                          "<text x=\"%.1f\" y=\"%.0f\" text-anchor=\"middle\">%g</text>",
                          axis.X(value), kTop, axis.X(value), kTop + kHeight, axis.X(value),
                          kTop + kHeight + 15, value);
  };
  int ticks = 0;
  for (double decade = std::ceil(std::log10(axis.lo)); decade <= std::log10(axis.hi); ++decade) {
    tick(std::pow(10, decade));
    ++ticks;
  }
  if (ticks < 2) {  // Less than two decades: the ends say how far apart they are.
    tick(axis.lo);
    tick(axis.hi);
  }
  return out;
}

}  // namespace

std::string LatencyPlot(const v1::ReportLatency& latency) {
  Axis axis;
  for (const v1::ReportLatencyRow& row : latency.rows()) {
    for (const v1::ReportCurve& boot : row.boots()) axis.Take(boot);
    axis.Take(row.merged());
  }
  if (latency.shares().empty() || !(axis.hi > axis.lo)) return "";
  std::string lines;
  std::string letters;
  for (int v = 0; v < latency.rows_size(); ++v) {
    const v1::ReportLatencyRow& row = latency.rows(v);
    const std::string side = absl::StrCat("v", v % 4);
    for (const v1::ReportCurve& boot : row.boots()) {
      lines += Line(latency, boot, axis, absl::StrCat(side, " boot"));
    }
    if (row.has_merged()) lines += Line(latency, row.merged(), axis, absl::StrCat(side, " all"));
    const double y = kTop + 14 + 16 * v;
    absl::StrAppendFormat(&letters,
                          "<polyline class=\"%s all\" points=\"%.0f,%.0f %.0f,%.0f\"/>"
                          "<text x=\"%.0f\" y=\"%.0f\">%s</text>",
                          side, kLeft + 8, y - 4, kLeft + 34, y - 4, kLeft + 39, y,
                          HtmlText(row.letter()));
  }
  return absl::StrFormat(
      "<figure><svg class=\"ecdf\" width=\"%.0f\" height=\"%.0f\" role=\"img\">%s%s%s</svg>"
      "<figcaption>%s (%s): share of latencies up to a length; thin a boot, thick all of a "
      "variant.%s<br>For display: verdicts compare one value a boot.</figcaption></figure>\n",
      kLeft + kWidth + 20, kTop + kHeight + 22, Grid(axis), lines, letters,
      HtmlText(latency.metric()), HtmlText(latency.unit()),
      latency.from_intended_start() ? " Counted from the intended start." : "");
}

}  // namespace shakedown::compare
