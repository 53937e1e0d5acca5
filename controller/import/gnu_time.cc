// GNU time: its default two lines, and the list of -v. A command that failed has no time to speak
// of.
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "controller/import/format.h"
#include "controller/import/shell_time.h"
#include "controller/import/words.h"

namespace shakedown::importer {
namespace {

struct Field {
  absl::string_view name;    // As -v prints it.
  absl::string_view metric;  // Empty: not kept (Linux always says 0).
  absl::string_view unit;
  Direction direction = Direction::kUnknown;
};

constexpr absl::string_view kElapsed = "Elapsed (wall clock) time (h:mm:ss or m:ss)";
constexpr Field kFields[] = {
    {"User time (seconds)", "user", "s", Direction::kLower},
    {"System time (seconds)", "sys", "s", Direction::kLower},
    {"Percent of CPU this job got", "cpu", "%"},
    {kElapsed, "real", "s", Direction::kLower},
    {"Average shared text size (kbytes)", "", ""},
    {"Average unshared data size (kbytes)", "", ""},
    {"Average stack size (kbytes)", "", ""},
    {"Average total size (kbytes)", "", ""},
    {"Maximum resident set size (kbytes)", "max_rss", "KiB", Direction::kLower},
    {"Average resident set size (kbytes)", "", ""},
    {"Major (requiring I/O) page faults", "major_faults", "1", Direction::kLower},
    {"Minor (reclaiming a frame) page faults", "minor_faults", "1", Direction::kLower},
    {"Voluntary context switches", "voluntary_switches", "1"},
    {"Involuntary context switches", "involuntary_switches", "1"},
    {"Swaps", "swaps", "1"},
    {"File system inputs", "inputs", "1"},
    {"File system outputs", "outputs", "1"},
    {"Socket messages sent", "", ""},
    {"Socket messages received", "", ""},
    {"Signals delivered", "", ""},
    {"Page size (bytes)", "", ""},
    {"Exit status", "", ""},
};

const Field* FieldOf(absl::string_view name) {
  for (const Field& field : kFields)
    if (field.name == name) return &field;
  return nullptr;
}

// "Command exited with non-zero status 2", "Command terminated by signal 9".
bool IsFailure(absl::string_view text) {
  return absl::StartsWith(text, "Command exited with non-zero status ") ||
         absl::StartsWith(text, "Command terminated by signal ") ||
         absl::StartsWith(text, "Command stopped by signal ");
}

class List {
 public:
  List(const Lines& lines, size_t at, Sink& sink) : lines_(lines), at_(at), sink_(sink) {}

  size_t Read() {
    const size_t start = at_;
    for (; at_ < lines_.size() && ReadLine(); ++at_) {
    }
    if (at_ == start) return 0;
    if (failed_) {
      sink_.Refuse(lines_[start].number, "time: the command failed, so its times are no result");
      return at_ - start;
    }
    const SourcePtr source = MakeSource("time", "GNU -v", {{"command", command_}});
    for (Result& result : results_) {
      result.source = source;
      sink_.Add(std::move(result));
    }
    return at_ - start;
  }

 private:
  bool ReadLine() {
    absl::string_view text = absl::StripLeadingAsciiWhitespace(lines_[at_].text);
    if (absl::StartsWith(text, "Command being timed: ")) {
      if (!command_.empty() || !results_.empty()) return false;  // The next list.
      text.remove_prefix(21);
      if (text.size() >= 2 && text.front() == '"' && text.back() == '"')
        text = text.substr(1, text.size() - 2);
      command_ = std::string(text);
      return true;
    }
    const size_t colon = text.rfind(": ");
    if (colon == absl::string_view::npos) return false;
    const Field* field = FieldOf(text.substr(0, colon));
    if (field == nullptr) return false;
    ReadValue(*field, text.substr(colon + 2));
    return true;
  }

  void ReadValue(const Field& field, absl::string_view text) {
    if (field.name == "Exit status" && text != "0") failed_ = true;
    if (field.metric.empty()) return;
    const int line = lines_[at_].number;
    if (text == "?%") {
      sink_.Note(line, "time: no percentage of CPU");
      return;
    }
    if (field.unit == "%" && absl::EndsWith(text, "%")) text.remove_suffix(1);
    const std::optional<double> value = field.name == kElapsed ? Clock(text) : Number(text);
    if (!value.has_value()) {
      sink_.Refuse(line, absl::StrCat("time: ", field.name, " ", Shown(text), ": want a number"));
      return;
    }
    results_.push_back({.metric = absl::StrCat("time.", field.metric),
                        .value = *value,
                        .unit = std::string(field.unit),
                        .direction = field.direction,
                        .line = line});
  }

  const Lines& lines_;
  size_t at_;
  Sink& sink_;
  std::string command_;
  bool failed_ = false;
  std::vector<Result> results_;
};

// "0.00user 0.00system 0:00.21elapsed 3%CPU (…)": a number and the word glued to it.
std::optional<absl::string_view> Glued(absl::string_view word, absl::string_view suffix) {
  if (!absl::EndsWith(word, suffix)) return std::nullopt;
  return word.substr(0, word.size() - suffix.size());
}

bool IsDefault(absl::string_view text) {
  const std::vector<absl::string_view> words = Words(text);
  return words.size() >= 4 && absl::EndsWith(words[0], "user") &&
         absl::ascii_isdigit(words[0][0]) && absl::EndsWith(words[1], "system") &&
         absl::EndsWith(words[2], "elapsed") && absl::EndsWith(words[3], "%CPU");
}

// The second line, and what the first holds in parentheses.
void ReadCounts(absl::string_view text, const SourcePtr& source, int line, Sink& sink) {
  static constexpr std::pair<absl::string_view, absl::string_view> kCounts[] = {
      {"maxresident)k", "max_rss"},
      {"inputs", "inputs"},
      {"outputs", "outputs"},
      {"major", "major_faults"},
      {"minor)pagefaults", "minor_faults"},
      {"swaps", "swaps"}};
  std::string spaced(text);
  for (char& c : spaced)
    if (c == '+' || c == '(') c = ' ';
  for (const absl::string_view word : Words(spaced)) {
    bool known = absl::EndsWith(word, "avgtext") || absl::EndsWith(word, "avgdata");
    for (const auto& [suffix, metric] : kCounts) {
      const std::optional<absl::string_view> number = Glued(word, suffix);
      const std::optional<int64_t> count = number.has_value() ? Count(*number) : std::nullopt;
      if (!count.has_value()) continue;
      known = true;
      const bool rss = metric == "max_rss";
      sink.Add({.source = source,
                .metric = absl::StrCat("time.", metric),
                .value = static_cast<double>(*count),
                .unit = rss ? "KiB" : "1",
                .direction = rss || absl::EndsWith(metric, "faults") ? Direction::kLower
                                                                     : Direction::kUnknown,
                .line = line});
      break;
    }
    if (!known) sink.Refuse(line, absl::StrCat("time: ", Shown(word)));
  }
}

size_t ReadDefault(const Lines& lines, size_t at, Sink& sink) {
  const absl::string_view text = lines[at].text;
  const std::vector<absl::string_view> words = Words(text);
  const int line = lines[at].number;
  const SourcePtr source = MakeSource("time", "GNU");
  const std::optional<double> user = Number(*Glued(words[0], "user"));
  const std::optional<double> sys = Number(*Glued(words[1], "system"));
  const std::optional<double> real = Clock(*Glued(words[2], "elapsed"));
  const absl::string_view percent = *Glued(words[3], "%CPU");
  const std::optional<double> cpu = Number(percent);
  if (!user.has_value() || !sys.has_value() || !real.has_value() ||
      (!cpu.has_value() && percent != "?")) {
    sink.Refuse(line, absl::StrCat("time: ", Shown(text)));
    return 1;
  }
  AddTime("real", *real, source, line, sink);
  AddTime("user", *user, source, line, sink);
  AddTime("sys", *sys, source, line, sink);
  if (cpu.has_value())
    sink.Add({.source = source, .metric = "time.cpu", .value = *cpu, .unit = "%", .line = line});
  size_t taken = 1;
  if (words.size() > 4) ReadCounts(text.substr(words[4].data() - text.data()), source, line, sink);
  // A mailer may have broken the first line before or in its parentheses.
  while (taken < 3) {
    const absl::string_view next = TextAt(lines, at + taken);
    if (IsDefault(next)) break;
    if (!absl::EndsWith(next, "maxresident)k") && !absl::EndsWith(next, "swaps") &&
        !absl::EndsWith(next, "pagefaults"))
      break;
    ReadCounts(next, source, lines[at + taken].number, sink);
    ++taken;
  }
  return taken;
}

}  // namespace

size_t ReadGnuTime(const Lines& lines, size_t at, Sink& sink) {
  if (IsFailure(lines[at].text)) {
    size_t end = at + 1;
    const absl::string_view next = TextAt(lines, end);
    if (IsDefault(next)) {
      end += absl::EndsWith(TextAt(lines, end + 1), "swaps") ? 2 : 1;
    } else {
      Sink unused;
      if (end < lines.size()) end += List(lines, end, unused).Read();
    }
    if (end == at + 1) return 0;
    sink.Refuse(lines[at].number,
                absl::StrCat("time: ", Shown(lines[at].text), ": its times are no result"));
    return end - at;
  }
  if (IsDefault(lines[at].text)) return ReadDefault(lines, at, sink);
  return List(lines, at, sink).Read();
}

}  // namespace shakedown::importer
