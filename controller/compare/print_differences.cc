#include "controller/compare/print_differences.h"

#include <algorithm>
#include <map>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "controller/compare/layout.h"
#include "controller/compare/words.h"

namespace shakedown::compare {
namespace {

constexpr size_t kLongest = 120;  // Of a value.
constexpr int kMostSoft = 6;      // That are listed with their values.

// "meltdown: Mitigation: PTI; mds: Not affected": what not all of the variants say.
std::vector<std::string> PartsThatDiffer(const v1::ReportDifference& difference) {
  std::map<std::string, int> seen;
  for (const std::string& value : difference.values()) {
    for (const std::string& part : std::vector<std::string>(absl::StrSplit(value, "; "))) {
      ++seen[part];
    }
  }
  std::vector<std::string> values;
  for (const std::string& value : difference.values()) {
    std::vector<std::string> parts = absl::StrSplit(value, "; ");
    parts.erase(std::remove_if(parts.begin(), parts.end(),
                               [&](const std::string& part) {
                                 return seen[part] >= difference.values_size();
                               }),
                parts.end());
    values.push_back(absl::StrJoin(parts, "; "));
  }
  return values;
}

std::string Print(const v1::Report& report, const v1::ReportDifference& difference,
                  const PrintOptions& options) {
  std::vector<std::string> values(difference.values().begin(), difference.values().end());
  if (difference.name() == "mitigations" && !options.all) values = PartsThatDiffer(difference);
  std::vector<std::string> sides;
  for (size_t i = 0; i < values.size() && i < static_cast<size_t>(report.variants_size()); ++i) {
    std::string value = Ascii(values[i].empty() ? "-" : values[i]);
    if (!options.all && value.size() > kLongest) value = value.substr(0, kLongest - 3) + "...";
    sides.push_back(absl::StrCat(Ascii(report.variants(static_cast<int>(i)).letter()), " ", value));
  }
  const std::string head = absl::StrCat("  ", Ascii(difference.name()), ": ");
  const std::string line = absl::StrCat(head, absl::StrJoin(sides, " | "));
  if (line.size() <= kProseWidth) return line + "\n";
  std::string out = Wrap("  ", absl::StrCat(Ascii(difference.name()), ":"));
  for (const std::string& side : sides) out += Wrap("    ", side);
  return out;
}

}  // namespace

std::string PrintDifferences(const v1::Report& report, const PrintOptions& options) {
  std::string out = "\nDifferences between the variants\n";
  if (report.differences().empty()) out += "  none: the same kernel, run the same way\n";
  int soft = 0;
  std::vector<std::string> named;
  for (const v1::ReportDifference& difference : report.differences()) {
    if (difference.tier() == "soft" && ++soft > kMostSoft && !options.all) {
      named.push_back(Ascii(difference.name()));
      continue;
    }
    out += Print(report, difference, options);
  }
  if (!named.empty()) {
    out += Wrap("  ", absl::StrCat("also (--all has the values): ", absl::StrJoin(named, ", ")));
  }
  return out;
}

}  // namespace shakedown::compare
