// cyclictest -h and -H: a row a latency, a column a thread, and the summary behind it.
#include <set>

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
    if (seen_.count("# Max Latencies") == 0)
      sink_.Refuse(lines_[start_].number, "cyclictest: a histogram without its end: broken off");
    return at_ - start_;
  }

 private:
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
      sink_.Add(
          {.source = MakeSource("cyclictest", "histogram",
                                {{"thread", absl::StrCat(i - 1)},
                                 {absl::StrCat("latency_", unit_.unit), absl::StrCat(counts[0])}}),
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
      seen_.insert(std::string(row.label));
      AddSummary(row.name, halves[1]);
      return true;
    }
    return absl::StartsWith(text, "# Histogram Overflow at cycle number") ||
           absl::StartsWith(text, "# Thread ") || absl::StartsWith(text, "# Break");
  }

  void AddSummary(absl::string_view name, absl::string_view numbers) {
    const std::vector<absl::string_view> words = Words(numbers);
    const int line = lines_[at_].number;
    // -H has a column of sums behind the threads', which the latencies leave out.
    if (width_ > 0 && words.size() != width_ - 1 && words.size() + 1 != width_ - 1) {
      sink_.Refuse(line, absl::StrCat("cyclictest: ", Shown(lines_[at_].text), ": want ",
                                      width_ - 1, " numbers"));
      return;
    }
    for (size_t i = 0; i < words.size() && i < kMostThreads; ++i) {
      const std::optional<int64_t> value = Count(words[i]);
      if (!value.has_value()) {
        sink_.Refuse(line, absl::StrCat("cyclictest: ", Shown(words[i]), ": want a number"));
      } else if (name == "samples" || name == "overflows") {
        sink_.Add({.source = ThreadSource(i),
                   .metric = absl::StrCat("cyclictest.", name),
                   .value = static_cast<double>(*value),
                   .unit = "1",
                   .line = line});
      } else {
        AddCyclictest(name, static_cast<double>(*value), unit_, ThreadSource(i), line, sink_);
      }
    }
  }

  const Lines& lines_;
  size_t at_;
  const size_t start_;
  Sink& sink_;
  const CyclictestUnit unit_;
  size_t width_ = 0;  // Of a row; 0: none yet.
  std::set<std::string> seen_;
  std::vector<SourcePtr> sources_;
};

}  // namespace

size_t ReadHistogram(const Lines& lines, size_t at, Sink& sink) {
  if (lines[at].text != "# Histogram") return 0;
  return Histogram(lines, at, sink).Read();
}

}  // namespace shakedown::importer
