#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "controller/compare/offline/offline_compare.h"
#include "controller/compare/offline/printed.h"
#include "controller/compare/statistics/classic_asterisk.h"

namespace shakedown::offline {
namespace {

using statistics::Effect;
using statistics::Metric;
using statistics::Scale;
using statistics::Side;

constexpr size_t kProse = 72;
constexpr int kNameWidth = 18;

// Words put in lines of at most kProse columns, the later ones with `indent` in front. A word that
// is longer than a line is cut to fit.
std::string Wrap(absl::string_view text, absl::string_view indent = "") {
  std::string all;
  std::string line;
  for (absl::string_view word : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    while (!word.empty()) {
      const size_t room = kProse - indent.size();
      const absl::string_view part = word.substr(0, room);
      word.remove_prefix(part.size());
      if (!line.empty() && line.size() + 1 + part.size() > kProse) {
        absl::StrAppend(&all, line, "\n");
        line = std::string(indent);
      } else if (!line.empty()) {
        line += ' ';
      }
      absl::StrAppend(&line, part);
    }
  }
  return absl::StrCat(all, line, "\n");
}

// The change in percent on a ratio scale, in the unit otherwise.
std::string Change(const Metric& metric, double change, int width) {
  if (metric.scale == Scale::kDifference) {
    const std::string text = PrintValue(change, width - 1);
    return change > 0 ? "+" + text : text;
  }
  const double percent = change * 100;
  if (std::fabs(percent) >= 1e4) return PrintValue(percent, width - 2) + "%";
  return absl::StrFormat(std::fabs(percent) < 100 ? "%+.2f%%" : "%+.0f%%", percent);
}

std::string IntervalText(const Metric& metric, const Effect& effect) {
  if (!effect.interval) return "-";
  return absl::StrCat("[", Change(metric, effect.interval->lo, 8), ", ",
                      Change(metric, effect.interval->hi, 8), "]");
}

std::string P(std::optional<double> p) {
  if (!p) return "-";
  if (*p < 0.0001) return "<.0001";
  return absl::StrFormat("%.4f", *p);
}

struct Cells {
  std::string base_star;
  std::string challenger_star;
  std::string mark;
};

Cells Marks(const OfflineResult& result, const OfflineRow& row) {
  const Metric& metric = row.candidate.metric;
  const double base = PrintedValue(row.candidate.effect->base_median);
  const double challenger = PrintedValue(row.candidate.effect->challenger_median);
  if (result.classic) {
    const Side side = ClassicStar(metric, base, challenger);
    return {side == Side::kBase ? " *" : "", side == Side::kChallenger ? " *" : "", ""};
  }
  const statistics::Stars stars = DefaultStars(metric, base, challenger, row.judgement.verdict);
  Cells cells{std::string(stars.base), "", std::string(1, row.judgement.mark)};
  if (stars.challenger == "(*)") cells.challenger_star = "(*)";
  return cells;
}

// name 18 | A 8 star 3 | B 8 star 3 | change 8 | interval 20 | p 6 | mark 1: 78 columns at most.
std::string TableRow(absl::string_view name, const std::string& a, const std::string& b,
                     const Cells& cells, const std::string& change, const std::string& interval,
                     const std::string& p) {
  std::string row;
  if (name.size() > kNameWidth) {
    absl::StrAppend(&row, name, "\n");
    name = "";
  }
  absl::StrAppendFormat(&row, "%-18s%8s%-3s%8s%-3s%8s %20s %6s %1s", name, a, cells.base_star, b,
                        cells.challenger_star, change, interval, p, cells.mark);
  row.erase(row.find_last_not_of(' ') + 1);
  return row + "\n";
}

std::string Named(const Metric& metric) {
  return metric.unit.empty() ? metric.name : absl::StrCat(metric.name, " ", metric.unit);
}

// "12 blocks" or "4 v 5 boots"; all rows of a comparison have the same.
std::string Numbers(const OfflineResult& result) {
  const Effect& effect = *result.rows.front().candidate.effect;
  if (effect.paired)
    return absl::StrCat(effect.n_base, effect.n_base == 1 ? " block" : " blocks", ", paired");
  return absl::StrCat(effect.n_base, " v ", effect.n_challenger, " boots, unpaired");
}

std::string Footer(const OfflineResult& result) {
  const Effect& effect = *result.rows.front().candidate.effect;
  std::string text;
  if (result.classic) {
    text = absl::StrCat("* ", statistics::kClassicNotice,
                        ": gains of at least 5 % or 5 ms (points) are starred.");
  } else {
    text = absl::StrFormat(
        "* better, ! worse, + and - small but real, = same, ? inconclusive, . insufficient; (*): "
        "only "
        "the 2010 rule stars it. %s; %.4g %% intervals (%s); p adjusted by Holm (primary metrics) "
        "or "
        "Benjamini-Hochberg (others).",
        effect.paired ? "Hodges-Lehmann of the paired changes, signed rank (Pratt)"
                      : "Hodges-Lehmann of all pairs, Mann-Whitney",
        effect.level * 100,
        effect.interval ? absl::StrFormat("attained: %.2f %%", effect.attained * 100)
                        : "none: too few boots");
    if (std::any_of(result.rows.begin(), result.rows.end(),
                    [](const OfflineRow& row) { return !row.candidate.effect->exact; }))
      absl::StrAppend(&text, " p by approximation: too many values or ties to count.");
  }
  return Wrap(text);
}

}  // namespace

std::string PrintText(const OfflineResult& result) {
  std::string text = Wrap(absl::StrCat("A = ", result.base_name, "  B = ", result.challenger_name));
  absl::StrAppend(&text, Numbers(result), "\n");
  if (result.classic) absl::StrAppend(&text, statistics::kClassicNotice, "\n");
  absl::StrAppend(&text, "\n",
                  TableRow("metric", "A", "B", {}, "change",
                           absl::StrFormat("%.4g%% CI", result.level * 100), "p adj"));
  for (const OfflineRow& row : result.rows) {
    const Effect& effect = *row.candidate.effect;
    absl::StrAppend(
        &text, TableRow(Named(row.candidate.metric), PrintValue(effect.base_median),
                        PrintValue(effect.challenger_median), Marks(result, row),
                        Change(row.candidate.metric, effect.estimate, 8),
                        IntervalText(row.candidate.metric, effect), P(row.judgement.p_adjusted)));
  }
  absl::StrAppend(&text, "\n", Footer(result));
  for (const std::string& note : result.notes) absl::StrAppend(&text, Wrap("- " + note, "  "));
  for (const OfflineRow& row : result.rows)
    if (!row.judgement.note.empty() && row.judgement.verdict != statistics::Verdict::kInsufficient)
      absl::StrAppend(
          &text,
          Wrap(absl::StrCat("- ", row.candidate.metric.name, ": ", row.judgement.note, "."), "  "));
  return text;
}

}  // namespace shakedown::offline
