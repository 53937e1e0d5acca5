#include "controller/compare/offline/offline_compare.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "controller/compare/offline/csv.h"
#include "controller/compare/offline/declaration.h"
#include "controller/compare/statistics/stability.h"

namespace shakedown::offline {
namespace {

using statistics::Metric;
using statistics::Role;
using statistics::Scale;

using Declarations = absl::flat_hash_map<std::string, Declaration>;

bool SameDeclaration(const Declaration& a, const Declaration& b) {
  return a.metric.direction == b.metric.direction && a.metric.scale == b.metric.scale &&
         a.metric.unit == b.metric.unit && a.metric.role == b.metric.role &&
         a.metric.floor == b.metric.floor && a.metric.delta_rel == b.metric.delta_rel &&
         a.metric.delta_abs == b.metric.delta_abs;
}

absl::Status CheckColumn(const Declaration& declaration, const Samples& base,
                         const Samples& challenger) {
  const std::string& name = declaration.metric.name;
  if (base.Find(name) || challenger.Find(name)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("metric \"", name, "\" is declared but is a column of neither file"));
}

absl::Status AddComments(const std::string& file, const Samples& samples, Declarations& into) {
  for (size_t i = 0; i < samples.comments.size(); ++i) {
    const absl::string_view text = DeclarationInComment(samples.comments[i]);
    if (text.empty()) continue;
    absl::StatusOr<Declaration> declaration = ParseDeclaration(text);
    const std::string where =
        absl::StrCat(file, ": line ", samples.comment_lines[i], ", column 1: ");
    if (!declaration.ok())
      return absl::InvalidArgumentError(absl::StrCat(where, declaration.status().message()));
    const auto [at, fresh] = into.emplace(declaration->metric.name, *declaration);
    if (!fresh && !SameDeclaration(at->second, *declaration))
      return absl::InvalidArgumentError(
          absl::StrCat(where, "metric \"", at->first, "\" is declared twice, not alike"));
  }
  return absl::OkStatus();
}

absl::StatusOr<Declarations> Declare(const OfflineOptions& options, const Samples& base,
                                     const Samples& challenger) {
  Declarations declarations;
  absl::Status status = AddComments(options.base_name, base, declarations);
  if (status.ok()) status = AddComments(options.challenger_name, challenger, declarations);
  if (!status.ok()) return status;
  Declarations of_options;
  for (const std::string& text : options.metrics) {
    absl::StatusOr<Declaration> declaration = ParseDeclaration(text);
    if (!declaration.ok()) return declaration.status();
    if (!of_options.emplace(declaration->metric.name, *declaration).second)
      return absl::InvalidArgumentError(
          absl::StrCat("metric \"", declaration->metric.name, "\" is declared twice by options"));
  }
  for (auto& [name, declaration] : of_options) declarations[name] = declaration;
  for (const auto& [name, declaration] : declarations) {
    status = CheckColumn(declaration, base, challenger);
    if (!status.ok()) return status;
  }
  return declarations;
}

bool AllAboveZero(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return value > 0; });
}

// What is known of a column: declared, ours by name, or taken from its values.
struct Known {
  Metric metric;
  bool has_role;
  bool guessed;
};

Known Describe(const Column& base, const Column& challenger, const Declarations& declarations) {
  const auto declared = declarations.find(base.name);
  if (declared != declarations.end())
    return {declared->second.metric, declared->second.has_role, false};
  if (const auto ours = statistics::FindMetric(base.name)) return {*ours, false, false};
  const bool ratio = AllAboveZero(base.values) && AllAboveZero(challenger.values);
  return {statistics::MakeMetric(base.name, statistics::Direction::kLowerIsBetter,
                                 ratio ? Scale::kRatio : Scale::kDifference, ""),
          false, true};
}

// Without a word on roles, up to three metrics are what the comparison is about: all primary.
absl::Status SetRoles(std::vector<Known>& known) {
  const bool none_said =
      std::none_of(known.begin(), known.end(), [](const Known& k) { return k.has_role; });
  if (none_said && known.size() <= statistics::kMostPrimaries)
    for (Known& k : known)
      if (k.metric.role != Role::kInfo) k.metric.role = Role::kPrimary;
  if (!none_said)  // Primary is then only what was said to be.
    for (Known& k : known)
      if (!k.has_role && k.metric.role == Role::kPrimary) k.metric.role = Role::kSecondary;
  const auto primaries = std::count_if(
      known.begin(), known.end(), [](const Known& k) { return k.metric.role == Role::kPrimary; });
  if (primaries > statistics::kMostPrimaries)
    return absl::InvalidArgumentError(absl::StrCat(
        primaries, " metrics have role=primary, want at most ", statistics::kMostPrimaries));
  return absl::OkStatus();
}

absl::Status CheckScale(const std::string& file, const Samples& samples, const Metric& metric) {
  if (metric.scale != Scale::kRatio) return absl::OkStatus();
  const auto column = static_cast<size_t>(samples.Find(metric.name) - samples.columns.data());
  const std::vector<double>& values = samples.columns[column].values;
  for (size_t i = 0; i < values.size(); ++i)
    if (!(values[i] > 0))
      return absl::InvalidArgumentError(absl::StrCat(
          file, ": line ", samples.lines[i], ", column ", samples.column_numbers[column], ": ",
          metric.name, " is ", values[i],
          ", and a ratio wants values above 0; declare the scale as difference if it can be 0"));
  return absl::OkStatus();
}

// Rows of the two files that belong together: the same index of both lists.
struct Pairing {
  std::vector<size_t> base;
  std::vector<size_t> challenger;
};

Pairing PairBlocks(const Samples& base, const Samples& challenger) {
  if (base.blocks == challenger.blocks) {  // The usual case, and a million rows come faster.
    std::vector<size_t> rows(base.blocks.size());
    std::iota(rows.begin(), rows.end(), size_t{0});
    return {rows, rows};
  }
  absl::flat_hash_map<absl::string_view, size_t> rows;
  rows.reserve(challenger.blocks.size());
  for (size_t i = 0; i < challenger.blocks.size(); ++i) rows.emplace(challenger.blocks[i], i);
  Pairing pairing;
  for (size_t i = 0; i < base.blocks.size(); ++i) {
    const auto row = rows.find(base.blocks[i]);
    if (row == rows.end()) continue;
    pairing.base.push_back(i);
    pairing.challenger.push_back(row->second);
  }
  return pairing;
}

std::vector<double> Pick(const std::vector<double>& values, const std::vector<size_t>& rows) {
  std::vector<double> picked;
  picked.reserve(rows.size());
  for (size_t row : rows) picked.push_back(values[row]);
  return picked;
}

void NoteLeftOut(const Samples& samples, size_t used, const std::string& file,
                 OfflineResult& result) {
  if (const size_t alone = samples.Rows() - used; alone > 0)
    result.notes.push_back(
        absl::StrCat(alone, alone == 1 ? " block" : " blocks", " only in ", file, ": left out."));
}

absl::StatusOr<Pairing> Pair(const Samples& base, const Samples& challenger,
                             OfflineResult& result) {
  if (base.blocks.empty() != challenger.blocks.empty())
    return absl::InvalidArgumentError(
        absl::StrCat("only ", base.blocks.empty() ? result.challenger_name : result.base_name,
                     " has a column \"block\"; want it in both files (paired) or in neither"));
  result.paired = !base.blocks.empty();
  Pairing pairing;
  if (!result.paired) return pairing;
  pairing = PairBlocks(base, challenger);
  if (pairing.base.empty())
    return absl::InvalidArgumentError(
        "no block is in both files; want the same names in their "
        "columns \"block\"");
  NoteLeftOut(base, pairing.base.size(), result.base_name, result);
  NoteLeftOut(challenger, pairing.base.size(), result.challenger_name, result);
  return pairing;
}

void NoteOneSided(const Samples& of, const Samples& other, const std::string& file,
                  OfflineResult& result) {
  for (const Column& column : of.columns)
    if (!other.Find(column.name))
      result.notes.push_back(absl::StrCat(column.name, " is only in ", file, ": left out."));
}

absl::StatusOr<std::vector<Known>> KnowMetrics(const Samples& base, const Samples& challenger,
                                               const Declarations& declarations,
                                               OfflineResult& result) {
  std::vector<Known> known;
  for (const Column& column : base.columns) {
    const Column* other = challenger.Find(column.name);
    if (!other) continue;
    known.push_back(Describe(column, *other, declarations));
    const Metric& metric = known.back().metric;
    if (known.back().guessed)
      result.notes.push_back(
          absl::StrCat(metric.name, " is not declared: taken as lower is better, ",
                       metric.scale == Scale::kRatio ? "ratio" : "difference", " scale, no unit."));
    absl::Status status = CheckScale(result.base_name, base, metric);
    if (status.ok()) status = CheckScale(result.challenger_name, challenger, metric);
    if (!status.ok()) return status;
  }
  if (known.empty())
    return absl::InvalidArgumentError("no metric is in both files; want a column of the same name");
  const absl::Status status = SetRoles(known);
  if (!status.ok()) return status;
  return known;
}

// The rows of BASE are taken to be in the order they were measured.
void NoteDrift(const statistics::Candidate& candidate, OfflineResult& result) {
  const auto drift = statistics::FindDrift(candidate.effect->differences);
  if (drift && drift->flagged)
    result.notes.push_back(
        absl::StrCat(candidate.metric.name, ": the differences drift in the order of the rows."));
}

}  // namespace

absl::StatusOr<OfflineResult> CompareOffline(absl::string_view base_csv,
                                             absl::string_view challenger_csv,
                                             const OfflineOptions& options) {
  if (!(options.level > 0.5 && options.level < 1))
    return absl::InvalidArgumentError(
        absl::StrCat("level ", options.level, ": want above 0.5 and below 1, such as 0.95"));
  const absl::StatusOr<Samples> base = ReadSamples(options.base_name, base_csv);
  if (!base.ok()) return base.status();
  const absl::StatusOr<Samples> challenger = ReadSamples(options.challenger_name, challenger_csv);
  if (!challenger.ok()) return challenger.status();
  const absl::StatusOr<Declarations> declarations = Declare(options, *base, *challenger);
  if (!declarations.ok()) return declarations.status();

  OfflineResult result{
      options.base_name, options.challenger_name, options.level, options.classic, false, {}, {}};
  const absl::StatusOr<Pairing> pairing = Pair(*base, *challenger, result);
  if (!pairing.ok()) return pairing.status();
  const absl::StatusOr<std::vector<Known>> known =
      KnowMetrics(*base, *challenger, *declarations, result);
  if (!known.ok()) return known.status();
  NoteOneSided(*base, *challenger, result.base_name, result);
  NoteOneSided(*challenger, *base, result.challenger_name, result);

  std::vector<statistics::Candidate> candidates;
  for (const Known& one : *known) {
    const std::vector<double>& a = base->Find(one.metric.name)->values;
    const std::vector<double>& b = challenger->Find(one.metric.name)->values;
    candidates.push_back(
        {one.metric, result.paired ? ComparePaired(one.metric, Pick(a, pairing->base),
                                                   Pick(b, pairing->challenger), options.level)
                                   : CompareUnpaired(one.metric, a, b, options.level)});
  }
  const std::vector<statistics::Judgement> judgements =
      Judge(candidates, {.primary_level = options.level});
  for (size_t i = 0; i < candidates.size(); ++i) {
    NoteDrift(candidates[i], result);
    result.rows.push_back({std::move(candidates[i]), judgements[i]});
  }
  return result;
}

absl::StatusOr<std::string> RunOfflineCompare(absl::string_view base_csv,
                                              absl::string_view challenger_csv,
                                              const OfflineOptions& options) {
  const absl::StatusOr<OfflineResult> result = CompareOffline(base_csv, challenger_csv, options);
  if (!result.ok()) return result.status();
  return options.json ? PrintJson(*result) : PrintText(*result);
}

}  // namespace shakedown::offline
