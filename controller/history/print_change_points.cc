#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "controller/compare/offline/json_text.h"
#include "controller/history/series_file.h"
#include "proto/wire/sanitise.h"

namespace shakedown::history {
namespace {

constexpr size_t kShownKey = 28;

std::string Shown(absl::string_view key) {
  const std::string plain = absl::CHexEscape(key);
  return plain.size() <= kShownKey ? plain : absl::StrCat(plain.substr(0, kShownKey - 3), "...");
}

// What happened to the median, with its sign: "+8.1 %".
std::string Change(const ChangePoint& point) {
  if (point.before_median == 0) return "from 0";
  return absl::StrFormat("%+.1f %%", 100 * (point.after_median / point.before_median - 1));
}

}  // namespace

std::string PrintChangePoints(const SeriesFile& series, const std::vector<ChangePoint>& points,
                              const ChangePointOptions& options) {
  std::string text =
      absl::StrFormat("%d points; steps of more than %.3g %% with p below %.3g: %s.\n",
                      series.points.size(), 100 * options.min_magnitude, options.final_p,
                      points.empty() ? std::string("none") : absl::StrCat(points.size()));
  if (series.left_out > 0)
    absl::StrAppendFormat(&text, "Rows without a value, left out: %d.\n", series.left_out);
  if (points.empty()) return text;
  absl::StrAppendFormat(&text, "\n%6s  %-28s %9s %9s %9s %9s\n", "index", "first of the new",
                        "before", "after", "change", "p");
  for (const ChangePoint& point : points) {
    absl::StrAppendFormat(&text, "%6d  %-28s %9.5g %9.5g %9s %9.2g\n", point.index,
                          Shown(series.points[point.index].key), point.before_median,
                          point.after_median, Change(point), point.p);
  }
  absl::StrAppend(&text,
                  "\nA step is a reason to measure again, paired and in blocks; it does not say\n"
                  "what caused it.\n");
  return text;
}

std::string PrintChangePointsJson(const SeriesFile& series,
                                  const std::vector<ChangePoint>& points) {
  std::string rows;
  for (const ChangePoint& point : points) {
    absl::StrAppend(&rows, rows.empty() ? "" : ",\n", "{\"index\":", point.index,
                    ",\"key\":", offline::JsonString(ToUtf8(series.points[point.index].key)),
                    ",\"magnitude\":", offline::JsonNumber(point.magnitude),
                    ",\"p\":", offline::JsonNumber(point.p),
                    ",\"before_median\":", offline::JsonNumber(point.before_median),
                    ",\"after_median\":", offline::JsonNumber(point.after_median), "}");
  }
  return absl::StrCat("{\"changepoints\":[", rows, "],\"points\":", series.points.size(),
                      ",\"left_out\":", series.left_out, "}\n");
}

}  // namespace shakedown::history
