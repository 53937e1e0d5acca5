// latt: 0.1 (two quantities, "Entries logged") and the version of 2009-09-08 (one, "Entries: N
// (clients=C)"), whose latencies are those of wake-ups without work.
#include "controller/import/latt.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "controller/import/format.h"
#include "controller/import/words.h"

namespace shakedown::importer {
namespace {

using Context = std::vector<std::pair<std::string, std::string>>;

// "Parameters: min_wait=100ms, max_wait=500ms, clients=8"
std::optional<Context> ParametersOf(absl::string_view text) {
  if (!Take(&text, "Parameters: ")) return std::nullopt;
  Context context;
  for (absl::string_view word : Words(text)) {
    if (absl::EndsWith(word, ",")) word.remove_suffix(1);
    const size_t equals = word.find('=');
    if (equals == absl::string_view::npos) return std::nullopt;
    const std::string name(word.substr(0, equals));
    absl::string_view value = word.substr(equals + 1);
    if (name != "min_wait" && name != "max_wait" && name != "clients") return std::nullopt;
    const absl::string_view digits = TakeNumber(&value);
    if (!Count(digits) || value != (name == "clients" ? "" : "ms")) return std::nullopt;
    context.emplace_back(name == "clients" ? name : name + "_ms", std::string(digits));
  }
  return context;
}

class Report {
 public:
  Report(const Lines& lines, size_t at, Sink& sink) : lines_(lines), at_(at), sink_(sink) {}

  size_t Read() {
    const size_t start = at_;
    if (!ReadStart()) return 0;
    while (at_ < lines_.size() && ReadLine()) ++at_;
    return at_ - start;
  }

 private:
  bool ReadStart() {
    const absl::string_view text = lines_[at_].text;
    if (absl::StartsWith(text, "Parameters: min_wait=")) {
      const std::optional<Context> context = ParametersOf(text);
      if (context.has_value()) {
        source_ = MakeSource("latt", "0.1", *context);
      } else {
        sink_.Refuse(lines_[at_].number, absl::StrCat("latt: ", Shown(text)));
      }
    } else if (const std::optional<LattCell> cell = LattEntries(text)) {
      source_ = MakeSource("latt", "2009-09-08", {{"clients", cell->clients}});
      AddLattValue(*cell, source_, "latt.", lines_[at_].number, sink_);
      what_ = "wakeup";
    } else if (!absl::StartsWith(text, "Entries logged: ") && text != "Wakeup averages") {
      return false;
    } else {
      --at_;  // Read again as a line of the report.
    }
    if (source_ == nullptr) source_ = MakeSource("latt", "0.1");
    ++at_;
    return true;
  }

  bool ReadLine() {
    const absl::string_view text = lines_[at_].text;
    const std::vector<absl::string_view> words = Words(text);
    // A blank line is part of the report when more of it follows.
    if (words.empty()) return source_->form == "0.1" && NextIsTitle();
    if (words.size() == 3 && words[0] == "Entries" && words[1] == "logged:")
      return ReadEntries(words[2]);
    if (text == "Wakeup averages" || text == "Work averages") {
      what_ = words[0] == "Work" ? "work" : "wakeup";
      return true;
    }
    if (text == "Averages:" || text.find_first_not_of('-') == absl::string_view::npos) return true;
    if (const std::optional<LattCell> cell = LattNumber(text)) {
      if (what_.empty()) {
        sink_.Refuse(lines_[at_].number,
                     absl::StrCat("latt: ", Shown(text), " without a title that says of what"));
      } else {
        AddLattValue(*cell, source_, absl::StrCat("latt.", what_, "."), lines_[at_].number, sink_);
      }
      return true;
    }
    if (words[0] == "Max" || words[0] == "Avg" || words[0] == "Stdev") {
      sink_.Refuse(lines_[at_].number,
                   absl::StrCat("latt: ", Shown(text), ": want a name and a number of usec"));
      return true;
    }
    return false;
  }

  bool NextIsTitle() const {
    const absl::string_view next = TextAt(lines_, at_ + 1);
    return next == "Wakeup averages" || next == "Work averages";
  }

  bool ReadEntries(absl::string_view number) {
    const std::optional<int64_t> count = Count(number);
    if (!count.has_value()) {
      sink_.Refuse(lines_[at_].number, absl::StrCat("latt: entries ", Shown(number)));
    } else {
      const LattCell cell = {"entries", static_cast<double>(*count), ""};
      AddLattValue(cell, source_, "latt.", lines_[at_].number, sink_);
    }
    return true;
  }

  const Lines& lines_;
  size_t at_;
  Sink& sink_;
  SourcePtr source_;
  std::string what_;
};

}  // namespace

std::optional<LattCell> LattEntries(absl::string_view text) {
  const std::vector<absl::string_view> words = Words(text);
  if (words.size() != 3 || words[0] != "Entries:") return std::nullopt;
  const std::optional<int64_t> count = Count(words[1]);
  absl::string_view clients = words[2];
  if (!count.has_value() || !Take(&clients, "(clients=") || !absl::EndsWith(clients, ")"))
    return std::nullopt;
  clients.remove_suffix(1);
  if (!Count(clients)) return std::nullopt;
  return LattCell{"entries", static_cast<double>(*count), std::string(clients)};
}

std::optional<LattCell> LattNumber(absl::string_view text) {
  std::vector<absl::string_view> words = Words(text);
  if (words.size() < 3 || words.back() != "usec") return std::nullopt;
  words.pop_back();
  const absl::string_view number = words.back();
  words.pop_back();
  LattCell cell;
  if (words.size() == 1 && words[0] == "Max") cell.name = "max";
  if (words.size() == 1 && words[0] == "Avg") cell.name = "avg";
  if (words.size() == 1 && words[0] == "Stdev") cell.name = "stdev";
  if (words.size() == 2 && words[0] == "Stdev" && words[1] == "mean") cell.name = "stdev_mean";
  const std::optional<double> value = Number(number);
  if (cell.name.empty() || (!value.has_value() && !IsNan(number))) return std::nullopt;
  cell.value = value;
  return cell;
}

void AddLattValue(const LattCell& cell, const SourcePtr& source, absl::string_view prefix, int line,
                  Sink& sink) {
  const std::string metric = absl::StrCat(prefix, cell.name);
  if (!cell.value.has_value()) {
    sink.Note(line, absl::StrCat(metric, ": printed as nan, no value"));
    return;
  }
  const bool entries = cell.name == "entries";
  sink.Add({.source = source,
            .metric = metric,
            .value = *cell.value,
            .unit = entries ? "1" : "us",
            .direction = entries ? Direction::kHigher : Direction::kLower,
            .line = line});
}

size_t ReadLatt(const Lines& lines, size_t at, Sink& sink) {
  absl::string_view text = absl::StripLeadingAsciiWhitespace(lines[at].text);
  if (Take(&text, "latt-0.1: [options]")) {
    sink.Refuse(lines[at].number, "latt: its usage text, so it did not run");
    return 1;
  }
  return Report(lines, at, sink).Read();
}

}  // namespace shakedown::importer
