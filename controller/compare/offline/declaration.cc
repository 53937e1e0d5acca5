#include "controller/compare/offline/declaration.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace shakedown::offline {
namespace {

using statistics::Direction;
using statistics::Role;
using statistics::Scale;

absl::Status Wrong(absl::string_view text, absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("metric \"", absl::CHexEscape(text.substr(0, 200)), "\": ", what));
}

absl::Status SetRole(absl::string_view text, absl::string_view value, Declaration& declaration) {
  if (value == "primary") {
    declaration.metric.role = Role::kPrimary;
  } else if (value == "secondary") {
    declaration.metric.role = Role::kSecondary;
  } else if (value == "info") {
    declaration.metric.role = Role::kInfo;
  } else {
    return Wrong(text, "role is none of primary, secondary, info");
  }
  declaration.has_role = true;
  return absl::OkStatus();
}

absl::Status SetExtra(absl::string_view text, absl::string_view part, Declaration& declaration,
                      bool& has_floor) {
  const std::vector<absl::string_view> pair = absl::StrSplit(part, absl::MaxSplits('=', 1));
  if (pair.size() == 2 && pair[0] == "role") return SetRole(text, pair[1], declaration);
  double value = 0;
  if (pair.size() != 2 || !absl::SimpleAtod(pair[1], &value) || !std::isfinite(value) || value < 0)
    return Wrong(text, absl::StrCat("\"", absl::CHexEscape(part),
                                    "\" is no KEY=NUMBER with a number from 0"));
  statistics::Metric& metric = declaration.metric;
  if (pair[0] == "resolution") {
    metric.resolution = value;
    if (!has_floor) metric.floor = std::max(metric.floor, 2 * value);
  } else if (pair[0] == "floor") {
    metric.floor = value;
    has_floor = true;
  } else if (pair[0] == "delta_rel" && value > 0) {
    metric.delta_rel = value;
  } else if (pair[0] == "delta_abs" && value > 0) {
    metric.delta_abs = value;
  } else {
    return Wrong(text, absl::StrCat("\"", absl::CHexEscape(part),
                                    "\" is none of resolution=, floor=, delta_rel= and delta_abs= "
                                    "(both above 0), role="));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Declaration> ParseDeclaration(absl::string_view text) {
  if (text.size() > 300) return Wrong(text, "longer than 300 bytes");
  std::vector<absl::string_view> parts;
  for (absl::string_view part : absl::StrSplit(text, ':'))
    parts.push_back(absl::StripAsciiWhitespace(part));
  if (parts.size() < 4) return Wrong(text, "want NAME:lower|higher:ratio|difference:UNIT");
  if (parts[0].empty()) return Wrong(text, "no name in front of the first colon");
  for (const char c : absl::StrCat(parts[0], parts[3]))
    if (!absl::ascii_isprint(static_cast<unsigned char>(c)) || c == '"' || c == '\\')
      return Wrong(text, "name and unit: want printable ASCII without quotes and backslashes");
  if (parts[3].size() > 16) return Wrong(text, "the unit is longer than 16 bytes");
  if (parts[1] != "lower" && parts[1] != "higher")
    return Wrong(text, absl::StrCat("direction is \"", absl::CHexEscape(parts[1]),
                                    "\", want lower or higher (which one is better)"));
  if (parts[2] != "ratio" && parts[2] != "difference")
    return Wrong(text, absl::StrCat("scale is \"", absl::CHexEscape(parts[2]),
                                    "\", want ratio, or difference for what can be 0"));
  Declaration declaration;
  declaration.metric = statistics::MakeMetric(
      {parts[0].data(), parts[0].size()},
      parts[1] == "lower" ? Direction::kLowerIsBetter : Direction::kHigherIsBetter,
      parts[2] == "ratio" ? Scale::kRatio : Scale::kDifference, {parts[3].data(), parts[3].size()});
  bool has_floor = false;
  for (size_t i = 4; i < parts.size(); ++i) {
    const absl::Status status = SetExtra(text, parts[i], declaration, has_floor);
    if (!status.ok()) return status;
  }
  return declaration;
}

absl::string_view DeclarationInComment(absl::string_view comment) {
  for (absl::string_view word : {"metric ", "metric:", "metric="}) {
    absl::string_view rest = comment;
    if (absl::ConsumePrefix(&rest, word) && rest.find(':') != absl::string_view::npos)
      return absl::StripAsciiWhitespace(rest);
  }
  const std::vector<absl::string_view> parts = absl::StrSplit(comment, ':');
  if (parts.size() < 4) return {};
  const absl::string_view direction = absl::StripAsciiWhitespace(parts[1]);
  return direction == "lower" || direction == "higher" ? comment : absl::string_view();
}

}  // namespace shakedown::offline
