// cyclictest -h and -H: a row a latency, a column a thread, and the summary behind it.
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "controller/import/cyclictest.h"
#include "controller/import/format.h"
#include "controller/import/words.h"

namespace shakedown::importer {
namespace {

// More than -h allows in practice; a column is a CPU.
constexpr size_t kMostThreads = 4096;

class Histogram {
 public:
  Histogram(const Lines& lines, size_t at, Sink& sink)
      : lines_(lines),
        at_(at + 1),
        start_(at),
        sink_(sink),
        unit_(UnitOfCommand(CommandBefore(lines, at, "cyclictest"))) {}

  size_t Read() {
    for (; at_ < lines_.size(); ++at_) {
      const absl::string_view text = lines_[at_].text;
      if (text.empty() || text == "# Histogram") break;
      if (absl::StartsWith(text, "#")) {
        if (!ReadSummary(text)) break;
      } else if (absl::ascii_isdigit(text[0])) {
        ReadRow(text);
      } else {
        break;
      }
    }
    Finish();
    return at_ - start_;
  }

 private:
  // Only the minima say how many threads there were: -H has a column of sums behind theirs.
  void Finish() {
    if (threads_ == 0 || !ended_) {
      sink_.Refuse(lines_[start_].number, "cyclictest: a histogram without its end: broken off");
    } else if (width_ > 0 && threads_ + 1 != width_ && threads_ + 2 != width_) {
      sink_.Refuse(lines_[start_].number, absl::StrCat("cyclictest: a histogram of ", width_ - 1,
                                                       " columns for ", threads_, " threads"));
    } else {
      for (auto& [thread, result] : pending_)
        if (thread < threads_) sink_.Add(std::move(result));
    }
  }

  const SourcePtr& ThreadSource(size_t thread) {
    while (sources_.size() <= thread) {
      sources_.push_back(
          MakeSource("cyclictest", "histogram", {{"thread", absl::StrCat(sources_.size())}}));
    }
    return sources_[thread];
  }

  void ReadRow(absl::string_view text) {
    const std::vector<absl::string_view> words = Words(text);
    std::vector<int64_t> counts;
    for (const absl::string_view word : words) {
      const std::optional<int64_t> count = Count(word);
      if (count.has_value()) counts.push_back(*count);
    }
    if (width_ == 0) width_ = words.size();
    if (counts.size() != words.size() || words.size() != width_ || width_ < 2 ||
        width_ > kMostThreads) {
      sink_.Refuse(lines_[at_].number, absl::StrCat("cyclictest: histogram row ", Shown(text)));
      return;
    }
    for (size_t i = 1; i < counts.size(); ++i) {
      if (counts[i] == 0) continue;
      const SourcePtr source =
          MakeSource("cyclictest", "histogram",
                     {{"thread", absl::StrCat(i - 1)},
                      {absl::StrCat("latency_", unit_.unit), absl::StrCat(counts[0])}});
      Keep(i - 1, {.source = source,
                   .metric = "cyclictest.histogram",
                   .value = static_cast<double>(counts[i]),
                   .unit = "1",
                   .line = lines_[at_].number});
    }
  }

  // "# Min Latencies: 00005 00007". False: a comment that is none of the histogram's.
  bool ReadSummary(absl::string_view text) {
    struct Row {
      absl::string_view label, name;
    };
    static constexpr Row kRows[] = {{"# Total", "samples"},
                                    {"# Min Latencies", "min"},
                                    {"# Avg Latencies", "avg"},
                                    {"# Max Latencies", "max"},
                                    {"# Histogram Overflows", "overflows"}};
    const std::vector<absl::string_view> halves = absl::StrSplit(text, absl::MaxSplits(':', 1));
    if (halves.size() != 2) return false;
    for (const Row& row : kRows) {
      if (halves[0] != row.label) continue;
      AddSummary(row.name, halves[1]);
      return true;
    }
    return absl::StartsWith(text, "# Histogram Overflow at cycle number") ||
           absl::StartsWith(text, "# Thread ") || absl::StartsWith(text, "# Break");
  }

  void AddSummary(absl::string_view name, absl::string_view numbers) {
    const std::vector<absl::string_view> words = Words(numbers);
    const int line = lines_[at_].number;
    if (words.size() > kMostThreads) {
      sink_.Refuse(line, "cyclictest: more threads than any machine has");
      return;
    }
    if (name == "min") threads_ = words.size();
    ended_ = ended_ || name == "max";
    for (size_t i = 0; i < words.size(); ++i) {
      const std::optional<int64_t> value = Count(words[i]);
      if (!value.has_value()) {
        sink_.Refuse(line, absl::StrCat("cyclictest: ", Shown(words[i]), ": want a number"));
        continue;
      }
      const bool count = name == "samples" || name == "overflows";
      Keep(i, {.source = ThreadSource(i),
               .metric = absl::StrCat("cyclictest.", name),
               .value = static_cast<double>(*value),
               .unit = count ? "1" : unit_.unit,
               .unit_said = count || unit_.said,
               .direction = count ? Direction::kUnknown : Direction::kLower,
               .line = line});
    }
  }

  void Keep(size_t thread, Result result) {
    if (pending_.size() < kMostResults) pending_.emplace_back(thread, std::move(result));
  }

  const Lines& lines_;
  size_t at_;
  const size_t start_;
  Sink& sink_;
  const CyclictestUnit unit_;
  size_t width_ = 0;    // Of a row; 0: none yet.
  size_t threads_ = 0;  // 0: not said yet.
  bool ended_ = false;
  std::vector<std::pair<size_t, Result>> pending_;  // With the thread it is of.
  std::vector<SourcePtr> sources_;
};

}  // namespace

size_t ReadHistogram(const Lines& lines, size_t at, Sink& sink) {
  if (lines[at].text != "# Histogram") return 0;
  return Histogram(lines, at, sink).Read();
}

}  // namespace shakedown::importer
