#include "controller/import/plain.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "controller/import/words.h"
#include "proto/wire/sanitise.h"

namespace shakedown::importer {
namespace {

constexpr absl::string_view kFirstLine = "# shakedown results 1";
constexpr absl::string_view kColumns[] = {"kernel",    "metric",    "detail",    "value",
                                          "unit",      "unit_from", "direction", "run",
                                          "iteration", "warmup",    "marks"};

// The next line, taken off, without its end.
absl::string_view NextLine(absl::string_view* rest) {
  const size_t end = rest->find('\n');
  absl::string_view line = rest->substr(0, end);
  *rest = end == absl::string_view::npos ? absl::string_view() : rest->substr(end + 1);
  absl::ConsumeSuffix(&line, "\r");
  return line;
}

bool IsPlain(absl::string_view raw) { return NextLine(&raw) == kFirstLine; }

void ReadHeadLine(absl::string_view line, PlainHead& head) {
  if (absl::ConsumePrefix(&line, "# machine: ")) {
    head.machine = std::string(absl::StripAsciiWhitespace(line));
  } else if (absl::ConsumePrefix(&line, "# source: ")) {
    head.source = std::string(absl::StripAsciiWhitespace(line));
  } else if (absl::ConsumePrefix(&line, "# measured: ")) {
    head.measured = std::string(absl::StripAsciiWhitespace(line));
  } else if (absl::ConsumePrefix(&line, "# fact: ")) {
    const std::pair<absl::string_view, absl::string_view> fact =
        absl::StrSplit(line, absl::MaxSplits('=', 1));
    head.facts.emplace(absl::StripAsciiWhitespace(fact.first),
                       absl::StripAsciiWhitespace(fact.second));
  }
}

class Reader {
 public:
  explicit Reader(Sink& sink) : sink_(sink) {}

  void Read(absl::string_view raw) {
    for (absl::string_view rest = raw; !rest.empty();) {
      const absl::string_view line = NextLine(&rest);
      ++number_;
      if (line.empty() || line[0] == '#') continue;
      const std::optional<std::vector<std::string>> fields = CsvFields(line);
      if (!fields.has_value()) {
        Refuse("a quote that does not close, or text behind one");
      } else if (columns_.empty()) {
        if (!ReadHeading(*fields)) return;
      } else {
        ReadRow(*fields);
      }
    }
    if (columns_.empty()) Refuse("no heading: want kernel,metric,value and more");
  }

 private:
  void Refuse(absl::string_view why) { sink_.Refuse(number_, absl::StrCat("results: ", why)); }

  bool ReadHeading(const std::vector<std::string>& names) {
    for (size_t i = 0; i < names.size(); ++i) {
      const bool known =
          std::find(std::begin(kColumns), std::end(kColumns), names[i]) != std::end(kColumns);
      const bool again = std::find(names.begin(), names.begin() + i, names[i]) != names.begin() + i;
      if (known && !again) continue;
      Refuse(absl::StrCat("column ", Shown(names[i]), known ? " twice" : "", ": want some of ",
                          absl::StrJoin(kColumns, ",")));
      return false;
    }
    for (const char* wanted : {"kernel", "metric", "value"}) {
      if (std::find(names.begin(), names.end(), wanted) != names.end()) continue;
      Refuse(absl::StrCat("no column ", wanted));
      return false;
    }
    columns_ = names;
    return true;
  }

  // Empty when there is no such column.
  const std::string& Field(const std::vector<std::string>& fields, absl::string_view name) const {
    static const auto& none = *new std::string();
    const auto at = std::find(columns_.begin(), columns_.end(), name);
    return at == columns_.end() ? none : fields[at - columns_.begin()];
  }

  void ReadRow(const std::vector<std::string>& fields) {
    if (fields.size() != columns_.size()) {
      return Refuse(absl::StrCat(fields.size(), " fields, want ", columns_.size()));
    }
    const auto field = [&](absl::string_view name) { return Field(fields, name); };
    for (const std::string& text : fields) {
      if (PrintableLine(text, text.size() + 1) == text) continue;
      return Refuse(absl::StrCat(Shown(text), ": want printable UTF-8, single blanks within"));
    }
    const std::optional<double> value = Number(field("value"));
    if (!value.has_value()) {
      return Refuse(absl::StrCat("value ", Shown(field("value")), ": want a number"));
    }
    if (field("kernel").empty() || field("metric").empty()) {
      return Refuse("want a kernel and a metric");
    }
    Result result{
        .metric = field("metric"), .value = *value, .unit = field("unit"), .line = number_};
    if (!ReadWords(field("direction"), field("unit_from"), result)) return;
    const std::string run = CountOr1(field("run"));
    const std::string iteration = CountOr1(field("iteration"));
    const std::string warmup = field("warmup");
    if (run.empty() || iteration.empty()) {
      return Refuse("want whole numbers from 1 to 1000000000 as run and iteration");
    }
    if (warmup != "" && warmup != "0" && warmup != "1") {
      return Refuse(absl::StrCat("warmup ", Shown(warmup), ": want 0 or 1"));
    }
    for (const absl::string_view mark : absl::StrSplit(field("marks"), '|', absl::SkipEmpty())) {
      result.marks.emplace_back(absl::StripAsciiWhitespace(mark));
    }
    result.source = MakeSource(kPlainTool, "results 1",
                               {{"kernel", field("kernel")},
                                {"detail", field("detail")},
                                {"run", run},
                                {"iteration", iteration},
                                {"warmup", warmup == "1" ? "1" : ""}});
    sink_.Add(std::move(result));
  }

  bool ReadWords(const std::string& direction, const std::string& unit_from, Result& result) {
    if (direction == "lower") {
      result.direction = Direction::kLower;
    } else if (direction == "higher") {
      result.direction = Direction::kHigher;
    } else if (!direction.empty()) {
      Refuse(absl::StrCat("direction ", Shown(direction), ": want lower, higher or nothing"));
      return false;
    }
    result.unit_said = unit_from != "default";
    if (unit_from.empty() || unit_from == "default") return true;
    Refuse(absl::StrCat("unit_from ", Shown(unit_from), ": want default or nothing"));
    return false;
  }

  // Empty: not such a number.
  static std::string CountOr1(const std::string& text) {
    if (text.empty()) return "1";
    const std::optional<int64_t> count = Count(text);
    const bool fits = count.has_value() && *count >= 1 && *count <= 1'000'000'000;
    return fits ? absl::StrCat(*count) : "";
  }

  Sink& sink_;
  int number_ = 0;
  std::vector<std::string> columns_;
};

std::string Exact(double value) {
  char text[40];
  const auto [end, error] = std::to_chars(text, text + sizeof(text), value);
  return std::string(text, end);
}

}  // namespace

std::optional<std::vector<std::string>> CsvFields(absl::string_view line) {
  std::vector<std::string> fields(1);
  for (size_t i = 0; i < line.size();) {
    if (line[i] == ',') {
      fields.emplace_back();
      ++i;
      continue;
    }
    if (line[i] != '"') {
      fields.back() += line[i++];
      continue;
    }
    if (!fields.back().empty()) return std::nullopt;
    for (++i;; ++i) {
      if (i >= line.size()) return std::nullopt;
      if (line[i] != '"') {
        fields.back() += line[i];
      } else if (line.substr(i + 1, 1) == "\"") {
        fields.back() += line[++i];
      } else {
        break;
      }
    }
    ++i;
    if (i < line.size() && line[i] != ',') return std::nullopt;
  }
  return fields;
}

std::string CsvField(absl::string_view text) {
  if (text.find_first_of(",\"#") == absl::string_view::npos) return std::string(text);
  return absl::StrCat("\"", absl::StrReplaceAll(text, {{"\"", "\"\""}}), "\"");
}

std::optional<PlainHead> PlainHeadOf(absl::string_view raw) {
  if (!IsPlain(raw)) return std::nullopt;
  PlainHead head;
  for (absl::string_view rest = raw; !rest.empty();) {
    const absl::string_view line = NextLine(&rest);
    if (line.empty() || line[0] != '#') break;
    ReadHeadLine(line, head);
  }
  return head;
}

Parsed ParsePlain(absl::string_view raw) {
  Sink sink;
  Reader(sink).Read(raw);
  return sink.Take();
}

void FillPlainRow(const Source& source, Row& row) {
  row.detail.clear();
  for (const auto& [name, value] : source.context) {
    if (name == "detail") row.detail = value;
    if (name == "run") (void)absl::SimpleAtoi(value, &row.run);
    if (name == "iteration") (void)absl::SimpleAtoi(value, &row.iteration);
    if (name == "warmup") row.warmup = true;
  }
}

std::string PrintPlain(const PlainHead& head, const std::vector<Row>& rows) {
  std::string out = absl::StrCat(kFirstLine, "\n");
  const auto add = [&](absl::string_view name, absl::string_view value) {
    if (!value.empty()) absl::StrAppend(&out, "# ", name, ": ", PrintableLine(value, 2000), "\n");
  };
  add("machine", head.machine);
  add("source", head.source);
  add("measured", head.measured);
  for (const auto& [name, value] : head.facts) add("fact", absl::StrCat(name, "=", value));
  absl::StrAppend(&out, absl::StrJoin(kColumns, ","), "\n");
  for (const Row& row : rows) {
    absl::StrAppend(&out, CsvField(row.variant), ",", CsvField(row.metric), ",",
                    CsvField(row.detail), ",", Exact(row.value), ",", CsvField(row.unit), ",",
                    row.unit_said ? "" : "default", ",", DirectionWord(row.direction), ",", row.run,
                    ",", row.iteration, ",", row.warmup ? "1" : "0", ",",
                    CsvField(absl::StrJoin(row.marks, "|")), "\n");
  }
  return out;
}

}  // namespace shakedown::importer
