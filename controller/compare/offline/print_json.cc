#include <optional>

#include "absl/strings/str_cat.h"
#include "controller/compare/offline/json_text.h"
#include "controller/compare/offline/offline_compare.h"
#include "controller/compare/offline/printed.h"
#include "controller/compare/statistics/classic_asterisk.h"

namespace shakedown::offline {
namespace {

using statistics::Effect;
using statistics::Side;

std::string Number(std::optional<double> value) { return value ? JsonNumber(*value) : "null"; }

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
    object.Add("mark", JsonString(side == Side::kChallenger ? "*" : ""));
    object.Add("base_mark", JsonString(side == Side::kBase ? "*" : ""));
    return;
  }
  const char mark = row.judgement.mark;
  object.Add("mark", JsonString(mark == ' ' ? std::string_view() : std::string_view(&mark, 1)));
  const statistics::Stars stars = DefaultStars(metric, base, challenger, row.judgement.verdict);
  object.Add("base_star", JsonString(stars.base));
  object.Add("challenger_star", JsonString(stars.challenger));
}

std::string Row(const OfflineResult& result, const OfflineRow& row) {
  const statistics::Metric& metric = row.candidate.metric;
  const Effect& effect = *row.candidate.effect;
  Object object;
  object.Add("metric", JsonString(metric.name));
  object.Add("unit", JsonString(metric.unit));
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
  object.Add("verdict", JsonString(VerdictName(row.judgement.verdict)));
  AddMark(result, row, object);
  object.Add("preliminary", Bool(row.judgement.preliminary));
  object.Add("cannot_reach", Bool(row.judgement.cannot_reach));
  object.Add("note", JsonString(row.judgement.note));
  return object.Close();
}

}  // namespace

std::string PrintJson(const OfflineResult& result) {
  std::string rows;
  for (const OfflineRow& row : result.rows)
    absl::StrAppend(&rows, rows.empty() ? "" : ",\n", Row(result, row));
  std::string notes;
  for (const std::string& note : result.notes)
    absl::StrAppend(&notes, notes.empty() ? "" : ",", JsonString(note));
  Object object;
  object.Add("metrics", absl::StrCat("[", rows, "]"));
  object.Add("base", JsonString(result.base_name));
  object.Add("challenger", JsonString(result.challenger_name));
  object.Add("asterisk", result.classic ? "\"classic\"" : "\"default\"");
  if (result.classic) object.Add("notice", JsonString(statistics::kClassicNotice));
  object.Add("notes", absl::StrCat("[", notes, "]"));
  return object.Close() + "\n";
}

}  // namespace shakedown::offline
