// `time` of bash, ksh and BusyBox (real, user, sys on three lines), of time -p (plain seconds, by
// POSIX), of zsh and of csh (one line).
#include "controller/import/shell_time.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "controller/import/format.h"
#include "controller/import/words.h"

namespace shakedown::importer {
namespace {

constexpr absl::string_view kNames[] = {"real", "user", "sys"};

bool StartsWithName(absl::string_view text, absl::string_view name) {
  return absl::StartsWith(text, name) && text.size() > name.size() &&
         (text[name.size()] == ' ' || text[name.size()] == '\t');
}

// "2m40.232s"
std::optional<double> MinutesAndSeconds(absl::string_view text) {
  const absl::string_view minutes = TakeNumber(&text);
  const std::optional<int64_t> count = Count(minutes);
  if (!count.has_value() || *count > 100'000'000 || !Take(&text, "m")) return std::nullopt;
  TakeBlanks(&text);
  const absl::string_view seconds = TakeNumber(&text);
  if (text != "s") return std::nullopt;
  return SecondsAfter(*count * 60, seconds);
}

// "0.21" of time -p.
std::optional<TimeCell> PlainCell(absl::string_view text, absl::string_view name) {
  const std::vector<absl::string_view> words = Words(text);
  if (words.size() != 2 || words[0] != name) return std::nullopt;
  absl::string_view number = words[1];
  const absl::string_view seconds = TakeNumber(&number);
  if (!number.empty() || seconds.find_first_of(".,") == absl::string_view::npos)
    return std::nullopt;
  const std::optional<double> value = SecondsAfter(0, seconds);
  if (!value.has_value()) return std::nullopt;
  return TimeCell{std::string(name), *value};
}

// Three lines of `time -p`; only all three are taken for it, since they say no unit.
size_t ReadPlain(const Lines& lines, size_t at, Sink& sink) {
  std::vector<TimeCell> cells;
  for (size_t i = 0; i < 3; ++i) {
    const std::optional<TimeCell> cell = PlainCell(TextAt(lines, at + i), kNames[i]);
    if (!cell.has_value()) break;
    cells.push_back(*cell);
  }
  if (cells.empty()) return 0;
  if (cells.size() < 3) {
    sink.Refuse(lines[at].number, "time: no unit, and not the three lines of time -p");
    return cells.size();
  }
  const SourcePtr source = MakeSource("time", "-p");
  for (size_t i = 0; i < 3; ++i)
    AddTime(cells[i].name, cells[i].seconds, source, lines[at + i].number, sink);
  return 3;
}

size_t ReadThreeLines(const Lines& lines, size_t at, Sink& sink) {
  if (!StartsWithName(absl::StripLeadingAsciiWhitespace(lines[at].text), "real")) return 0;
  const size_t plain = ReadPlain(lines, at, sink);
  if (plain > 0) return plain;
  const std::vector<absl::string_view> words = Words(lines[at].text);
  if (!absl::ascii_isdigit(words[1][0])) return 0;  // "real work", "real time": prose.
  const SourcePtr source = MakeSource("time", "bash");
  size_t taken = 0;
  for (; taken < 3; ++taken) {
    const absl::string_view text = absl::StripLeadingAsciiWhitespace(TextAt(lines, at + taken));
    if (!StartsWithName(text, kNames[taken])) break;
    const std::optional<TimeCell> cell = ShellTimeCell(text);
    if (cell.has_value()) {
      AddTime(cell->name, cell->seconds, source, lines[at + taken].number, sink);
    } else {
      sink.Refuse(lines[at + taken].number,
                  absl::StrCat("time: ", Shown(text), ": want minutes and seconds, as 1m2.345s"));
    }
  }
  if (taken < 3) {
    sink.Refuse(lines[at + taken - 1].number,
                absl::StrCat("time: no line with ", kNames[taken], " follows: broken off"));
  }
  return taken;
}

// "make  0.00s user 0.00s system 1% cpu 0.204 total"
size_t ReadZsh(const Lines& lines, size_t at, Sink& sink) {
  const absl::string_view text = lines[at].text;
  if (!absl::EndsWith(text, " total") || !absl::StrContains(text, "% cpu ")) return 0;
  const std::vector<absl::string_view> words = Words(text);
  const size_t n = words.size();
  if (n < 8 || words[n - 3] != "cpu" || words[n - 5] != "system" || words[n - 7] != "user")
    return 0;
  const auto seconds = [](absl::string_view word) -> std::optional<double> {
    if (!absl::EndsWith(word, "s")) return std::nullopt;
    word.remove_suffix(1);
    return SecondsAfter(0, word);
  };
  const absl::string_view total = words[n - 2];
  const std::optional<double> user = seconds(words[n - 8]);
  const std::optional<double> sys = seconds(words[n - 6]);
  const std::optional<double> real =
      absl::StrContains(total, ':') ? Clock(total) : SecondsAfter(0, total);
  const std::optional<double> cpu = Number(words[n - 4].substr(0, words[n - 4].size() - 1));
  const int line = lines[at].number;
  if (!user.has_value() || !sys.has_value() || !real.has_value() || !cpu.has_value()) {
    sink.Refuse(line, absl::StrCat("time (zsh): ", Shown(text)));
    return 1;
  }
  const size_t command_end = words[n - 8].data() - text.data();
  const SourcePtr source = MakeSource(
      "time", "zsh",
      {{"command", std::string(absl::StripAsciiWhitespace(text.substr(0, command_end)))}});
  AddTime("real", *real, source, line, sink);
  AddTime("user", *user, source, line, sink);
  AddTime("sys", *sys, source, line, sink);
  sink.Add({.source = source, .metric = "time.cpu", .value = *cpu, .unit = "%", .line = line});
  return 1;
}

// "0.000u 0.010s 0:00.21 4.7%\t0+0k 0+0io 0pf+0w"
size_t ReadCsh(const Lines& lines, size_t at, Sink& sink) {
  const std::vector<absl::string_view> words = Words(lines[at].text);
  if (words.size() < 4 || words.size() > 7 || !absl::EndsWith(words[0], "u") ||
      !absl::EndsWith(words[1], "s") || !absl::StrContains(words[2], ':') ||
      !absl::EndsWith(words[3], "%"))
    return 0;
  const auto before_last = [](absl::string_view word) { return word.substr(0, word.size() - 1); };
  if (!Number(before_last(words[0]))) return 0;
  const std::optional<double> user = SecondsAfter(0, before_last(words[0]));
  const std::optional<double> sys = SecondsAfter(0, before_last(words[1]));
  const std::optional<double> real = Clock(words[2]);
  const std::optional<double> cpu = Number(before_last(words[3]));
  const int line = lines[at].number;
  if (!user.has_value() || !sys.has_value() || !real.has_value() || !cpu.has_value()) {
    sink.Refuse(line, absl::StrCat("time (csh): ", Shown(lines[at].text)));
    return 1;
  }
  const SourcePtr source = MakeSource("time", "csh");
  AddTime("real", *real, source, line, sink);
  AddTime("user", *user, source, line, sink);
  AddTime("sys", *sys, source, line, sink);
  sink.Add({.source = source, .metric = "time.cpu", .value = *cpu, .unit = "%", .line = line});
  return 1;
}

}  // namespace

std::optional<TimeCell> ShellTimeCell(absl::string_view text) {
  text = absl::StripAsciiWhitespace(text);
  for (const absl::string_view name : kNames) {
    if (!StartsWithName(text, name)) continue;
    const std::optional<double> seconds =
        MinutesAndSeconds(absl::StripAsciiWhitespace(text.substr(name.size())));
    if (!seconds.has_value()) return std::nullopt;
    return TimeCell{std::string(name), *seconds};
  }
  return std::nullopt;
}

void AddTime(absl::string_view name, double seconds, const SourcePtr& source, int line,
             Sink& sink) {
  sink.Add({.source = source,
            .metric = absl::StrCat("time.", name),
            .value = seconds,
            .unit = "s",
            .direction = Direction::kLower,
            .line = line});
}

size_t ReadShellTime(const Lines& lines, size_t at, Sink& sink) {
  size_t taken = ReadThreeLines(lines, at, sink);
  if (taken == 0) taken = ReadZsh(lines, at, sink);
  if (taken == 0) taken = ReadCsh(lines, at, sink);
  if (taken > 0) return taken;
  // Without "real" above, of which the text has been cut.
  const absl::string_view text = absl::StripLeadingAsciiWhitespace(lines[at].text);
  const std::optional<TimeCell> cell = ShellTimeCell(text);
  if (!cell.has_value()) return 0;
  AddTime(cell->name, cell->seconds, MakeSource("time", "bash"), lines[at].number, sink);
  return 1;
}

}  // namespace shakedown::importer
