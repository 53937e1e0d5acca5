#include <charconv>
#include <cmath>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "controller/compare/offline/offline_compare.h"
#include "controller/compare/offline/printed.h"
#include "controller/compare/statistics/classic_asterisk.h"

namespace shakedown::offline {
namespace {

using statistics::Effect;
using statistics::Side;

// The shortest decimal that reads back as the same double.
std::string Number(double value) {
  if (!std::isfinite(value)) return "null";
  char text[32];
  const auto [end, code] = std::to_chars(text, text + sizeof(text), value);
  return std::string(text, end);
}

std::string Number(std::optional<double> value) { return value ? Number(*value) : "null"; }

std::string Text(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += {'\\', c};
    } else if (static_cast<unsigned char>(c) < 0x20) {
      absl::StrAppendFormat(&quoted, "\\u%04x", c);
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

std::string Bool(bool value) { return value ? "true" : "false"; }

class Object {
 public:
  void Add(absl::string_view key, absl::string_view json) {
    absl::StrAppend(&body_, body_.empty() ? "" : ",", "\"", key, "\":", json);
  }
  std::string Close() const { return absl::StrCat("{", body_, "}"); }

 private:
  std::string body_;
};

void AddMark(const OfflineResult& result, const OfflineRow& row, Object& object) {
  const statistics::Metric& metric = row.candidate.metric;
  const double base = PrintedValue(row.candidate.effect->base_median);
  const double challenger = PrintedValue(row.candidate.effect->challenger_median);
  if (result.classic) {
    const Side side = ClassicStar(metric, base, challenger);
    object.Add("mark", Text(side == Side::kChallenger ? "*" : ""));
    object.Add("base_mark", Text(side == Side::kBase ? "*" : ""));
    return;
  }
  const char mark = row.judgement.mark;
  object.Add("mark", Text(mark == ' ' ? std::string_view() : std::string_view(&mark, 1)));
  const statistics::Stars stars = DefaultStars(metric, base, challenger, row.judgement.verdict);
  object.Add("base_star", Text(stars.base));
  object.Add("challenger_star", Text(stars.challenger));
}

std::string Row(const OfflineResult& result, const OfflineRow& row) {
  const statistics::Metric& metric = row.candidate.metric;
  const Effect& effect = *row.candidate.effect;
  Object object;
  object.Add("metric", Text(metric.name));
  object.Add("unit", Text(metric.unit));
  object.Add("direction", metric.direction == statistics::Direction::kLowerIsBetter ? "\"lower\""
                                                                                    : "\"higher\"");
  object.Add("scale", metric.scale == statistics::Scale::kRatio ? "\"ratio\"" : "\"difference\"");
  object.Add("role", metric.role == statistics::Role::kPrimary     ? "\"primary\""
                     : metric.role == statistics::Role::kSecondary ? "\"secondary\""
                                                                   : "\"info\"");
  object.Add("n_base", absl::StrCat(effect.n_base));
  object.Add("n_challenger", absl::StrCat(effect.n_challenger));
  object.Add("paired", Bool(effect.paired));
  object.Add("base_median", Number(effect.base_median));
  object.Add("base_mad", Number(effect.base_mad));
  object.Add("challenger_median", Number(effect.challenger_median));
  object.Add("challenger_mad", Number(effect.challenger_mad));
  object.Add("estimate", Number(effect.estimate));
  object.Add("ci", effect.interval ? absl::StrCat("[", Number(effect.interval->lo), ",",
                                                  Number(effect.interval->hi), "]")
                                   : "[null,null]");
  object.Add("level", Number(effect.level));
  object.Add("attained_level", Number(effect.attained));
  object.Add("p", Number(effect.p));
  object.Add("p_exact", Bool(effect.exact));
  object.Add("p_adjusted", Number(row.judgement.p_adjusted));
  object.Add("verdict", Text(VerdictName(row.judgement.verdict)));
  AddMark(result, row, object);
  object.Add("preliminary", Bool(row.judgement.preliminary));
  object.Add("cannot_reach", Bool(row.judgement.cannot_reach));
  object.Add("note", Text(row.judgement.note));
  return object.Close();
}

}  // namespace

std::string PrintJson(const OfflineResult& result) {
  std::string rows;
  for (const OfflineRow& row : result.rows)
    absl::StrAppend(&rows, rows.empty() ? "" : ",\n", Row(result, row));
  std::string notes;
  for (const std::string& note : result.notes)
    absl::StrAppend(&notes, notes.empty() ? "" : ",", Text(note));
  Object object;
  object.Add("metrics", absl::StrCat("[", rows, "]"));
  object.Add("base", Text(result.base_name));
  object.Add("challenger", Text(result.challenger_name));
  object.Add("asterisk", result.classic ? "\"classic\"" : "\"default\"");
  if (result.classic) object.Add("notice", Text(statistics::kClassicNotice));
  object.Add("notes", absl::StrCat("[", notes, "]"));
  return object.Close() + "\n";
}

}  // namespace shakedown::offline
