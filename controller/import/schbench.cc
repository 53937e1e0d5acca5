// schbench, 2016 to now: blocks of percentiles. With -i several interval reports come before the
// final one; of each kind the last block of a run is the result.
#include <map>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "controller/import/format.h"
#include "controller/import/words.h"

namespace shakedown::importer {
namespace {

struct Title {
  std::string kind;  // "latency" (until 2023), "wakeup", "request", "rps".
  std::optional<double> runtime;
  std::string samples;
};

std::optional<Title> TitleOf(absl::string_view line) {
  const std::string text = OneSpaced(line);
  absl::string_view rest = text;
  Title title;
  if (Take(&rest, "Latency percentiles (usec)")) title.kind = "latency";
  if (Take(&rest, "Wakeup Latencies percentiles (usec)")) title.kind = "wakeup";
  if (Take(&rest, "Request Latencies percentiles (usec)")) title.kind = "request";
  if (Take(&rest, "RPS percentiles (requests)")) title.kind = "rps";
  if (title.kind.empty()) return std::nullopt;
  // " runtime 30 (s) (2345 total samples)"
  if (Take(&rest, " runtime ")) {
    title.runtime = Number(TakeNumber(&rest));
    Take(&rest, " (s)");
    if (Take(&rest, " (")) title.samples = std::string(TakeNumber(&rest));
  }
  return title;
}

struct Block {
  Title title;
  std::string era;
  int line = 0;
  std::vector<Result> results;
};

class Run {
 public:
  Run(const Lines& lines, size_t at, Sink& sink) : lines_(lines), at_(at), sink_(sink) {}

  size_t Read() {
    const size_t start = at_;
    while (at_ < lines_.size() && ReadLine()) ++at_;
    Flush();
    return at_ - start;
  }

 private:
  // False: the line is none of schbench's.
  bool ReadLine() {
    const absl::string_view text = lines_[at_].text;
    if (text.empty()) return Continues();
    if (std::optional<Title> title = TitleOf(text)) {
      Begin(*std::move(title));
      return true;
    }
    if (block_ == nullptr) return false;
    return ReadRow(text) || ReadRate(text);
  }

  // A blank line ends the run unless more of it follows.
  bool Continues() const {
    const absl::string_view next = TextAt(lines_, at_ + 1);
    return TitleOf(next).has_value() || IsRate(next);
  }

  void Begin(Title title) {
    Block& block = blocks_[title.kind];
    if (block.line > 0) {
      const bool goes_on = title.runtime.has_value() && block.title.runtime.has_value() &&
                           *title.runtime > *block.title.runtime;
      if (goes_on) {
        sink_.Note(block.line, "schbench: an interval report, a later one takes its place");
      } else {
        Flush();
      }
    }
    Block& fresh = blocks_[title.kind];
    fresh = Block{.title = std::move(title), .line = lines_[at_].number};
    block_ = &fresh;
  }

  // "50.0th: 9 (2345 samples)", "* 99.0th: 20", "*99.0000th: 20", "min=1, max=4000", "Over=3".
  bool ReadRow(absl::string_view line) {
    std::string text = OneSpaced(line);
    absl::string_view rest = text;
    if (absl::StartsWith(rest, "min=") || absl::StartsWith(rest, "Over=")) {
      ReadBounds(rest);
      return true;
    }
    Take(&rest, "*");  // schbench's own: the percentile it is about.
    TakeBlanks(&rest);
    const absl::string_view percent = TakeNumber(&rest);
    if (percent.empty() || !Take(&rest, "th:")) return false;
    TakeBlanks(&rest);
    const std::optional<int64_t> value = Count(TakeNumber(&rest));
    TakeBlanks(&rest);
    const bool tail =
        rest.empty() || (Take(&rest, "(") && !TakeNumber(&rest).empty() && rest == " samples)");
    const std::optional<double> at = Number(percent);
    if (!value.has_value() || !tail || !at.has_value()) {
      Refuse(line);
      return true;
    }
    if (block_->era.empty()) block_->era = EraOf(percent);
    Add(absl::StrCat("p", *at), static_cast<double>(*value));
    return true;
  }

  std::string EraOf(absl::string_view percent) const {
    if (block_->title.kind != "latency") return "2023-04 on";
    if (absl::EndsWith(percent, ".0000")) return "2016-04 to 2019-08";
    if (!block_->title.runtime.has_value()) return "2019-08 to 2020-10";
    return "2020-10 to 2023-04";
  }

  void ReadBounds(absl::string_view text) {
    for (absl::string_view word : Words(text)) {
      if (absl::EndsWith(word, ",")) word.remove_suffix(1);
      const size_t equals = word.find('=');
      const absl::string_view name = word.substr(0, std::min(equals, word.size()));
      const std::optional<int64_t> value =
          equals == absl::string_view::npos ? std::nullopt : Count(word.substr(equals + 1));
      if (!value.has_value() || (name != "min" && name != "max" && name != "Over")) {
        Refuse(text);
      } else if (name == "Over") {
        sink_.Note(lines_[at_].number, absl::StrCat("schbench: samples past its table: ", *value));
      } else if (name != "min" || *value > 0) {  // 0 is how schbench says that min is not set.
        Add(name, static_cast<double>(*value));
      }
    }
  }

  static bool IsRate(absl::string_view line) {
    const absl::string_view text = absl::StripLeadingAsciiWhitespace(line);
    return absl::StartsWith(text, "average rps:") || absl::StartsWith(text, "current rps:") ||
           absl::StartsWith(text, "final rps was ") || absl::StartsWith(text, "sched delay:") ||
           absl::StartsWith(text, "avg worker transfer:");
  }

  bool ReadRate(absl::string_view line) {
    if (!IsRate(line)) return false;
    const std::vector<absl::string_view> words = Words(line);
    if (absl::StartsWith(words[0], "current")) {
      interval_line_ = lines_[at_].number;
      return true;
    }
    interval_line_ = 0;
    if (words[0] == "sched") {
      sink_.Note(lines_[at_].number, "schbench: sched delay, which is 0 when its threads are gone");
    } else if (words[0] == "avg") {
      AddRate("transfer", words.size() > 4 && words[4] == "ops/sec" ? words[3] : "", "1/s");
    } else {
      AddRate(words[0] == "final" ? "final_rps" : "average_rps",
              words.size() == (words[0] == "final" ? 4u : 3u) ? words.back() : "", "1/s");
    }
    return true;
  }

  void AddRate(absl::string_view name, absl::string_view number, absl::string_view unit) {
    const std::optional<double> value = Number(number);
    if (!value.has_value()) return Refuse(lines_[at_].text);
    block_->results.push_back({.metric = absl::StrCat("schbench.", name),
                               .value = *value,
                               .unit = std::string(unit),
                               .direction = Direction::kHigher,
                               .line = lines_[at_].number});
  }

  void Add(absl::string_view name, double value) {
    const bool rps = block_->title.kind == "rps";
    block_->results.push_back({.metric = absl::StrCat("schbench.", block_->title.kind, ".", name),
                               .value = value,
                               .unit = rps ? "1/s" : "us",
                               .direction = rps ? Direction::kHigher : Direction::kLower,
                               .line = lines_[at_].number});
  }

  void Refuse(absl::string_view text) {
    sink_.Refuse(lines_[at_].number, absl::StrCat("schbench: ", Shown(text)));
  }

  // The run has ended: what is left are its final blocks.
  void Flush() {
    if (interval_line_ > 0) {
      sink_.Refuse(interval_line_,
                   "schbench: an interval report without the final one: broken off");
    }
    for (auto& [kind, block] : blocks_) {
      if (interval_line_ > 0 || block.line == 0) continue;
      if (block.results.empty()) sink_.Refuse(block.line, "schbench: a title without percentiles");
      std::vector<std::pair<std::string, std::string>> context;
      if (block.title.runtime.has_value())
        context.emplace_back("runtime_s", absl::StrCat(*block.title.runtime));
      context.emplace_back("samples", block.title.samples);
      const SourcePtr source = MakeSource("schbench", block.era, std::move(context));
      for (Result& result : block.results) {
        result.source = source;
        sink_.Add(std::move(result));
      }
    }
    blocks_.clear();
    block_ = nullptr;
    interval_line_ = 0;
  }

  const Lines& lines_;
  size_t at_;
  Sink& sink_;
  std::map<std::string, Block> blocks_;
  Block* block_ = nullptr;
  int interval_line_ = 0;  // Of the last interval report after which no final one came.
};

}  // namespace

size_t ReadSchbench(const Lines& lines, size_t at, Sink& sink) {
  if (!TitleOf(lines[at].text).has_value()) return 0;
  return Run(lines, at, sink).Read();
}

}  // namespace shakedown::importer
