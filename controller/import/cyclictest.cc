// cyclictest's summary: a line a thread, redrawn while it runs; the last one of each thread counts.
#include "controller/import/cyclictest.h"

#include <map>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "controller/import/format.h"
#include "controller/import/words.h"

namespace shakedown::importer {
namespace {

struct Thread {
  int line = 0;
  double cycles = 0, min = 0, act = 0, avg = 0, max = 0;
  std::string thread, priority, interval;
};

// "T: 0 (29164) P:80 I:1000 C: 2975 Min: 21 Act: 51 Avg: 89 Max: 2862"
std::optional<Thread> ThreadOf(absl::string_view text) {
  const auto next = [&text](absl::string_view label) -> absl::string_view {
    TakeBlanks(&text);
    if (!Take(&text, label)) return {};
    TakeBlanks(&text);
    return TakeNumber(&text);
  };
  Thread thread;
  thread.thread = std::string(next("T:"));
  const absl::string_view tid = next("(");
  if (thread.thread.empty() || tid.empty() || !Take(&text, ")")) return std::nullopt;
  thread.priority = std::string(next("P:"));
  thread.interval = std::string(next("I:"));
  if (thread.priority.empty() || thread.interval.empty()) return std::nullopt;
  const std::pair<absl::string_view, double*> numbers[] = {{"C:", &thread.cycles},
                                                           {"Min:", &thread.min},
                                                           {"Act:", &thread.act},
                                                           {"Avg:", &thread.avg},
                                                           {"Max:", &thread.max}};
  for (const auto& [label, value] : numbers) {
    const std::optional<double> number = Number(next(label));
    if (!number.has_value()) return std::nullopt;
    *value = *number;
  }
  if (!text.empty()) return std::nullopt;
  return thread;
}

bool IsThread(absl::string_view text) {
  return absl::StartsWith(text, "T:") && absl::StrContains(text, "P:") &&
         absl::StrContains(text, "I:");
}

class Run {
 public:
  Run(const Lines& lines, Sink& sink, CyclictestUnit unit)
      : lines_(lines), sink_(sink), unit_(std::move(unit)) {}

  void ReadThread(size_t at) {
    const std::optional<Thread> thread = ThreadOf(lines_[at].text);
    if (!thread.has_value()) {
      sink_.Refuse(lines_[at].number, absl::StrCat("cyclictest: ", Shown(lines_[at].text)));
      return;
    }
    Thread& last = threads_[thread->thread];
    if (last.line > 0 && thread->cycles < last.cycles) Flush();
    threads_[thread->thread] = *thread;
    threads_[thread->thread].line = lines_[at].number;
  }

  void Flush() {
    for (const auto& [name, thread] : threads_) {
      if (thread.line > 0) Add(thread);
    }
    threads_.clear();
  }

 private:
  void Add(const Thread& thread) {
    if (thread.cycles == 0) {
      sink_.Note(thread.line, "cyclictest: a thread without a cycle has no latency");
      return;
    }
    const SourcePtr source = MakeSource("cyclictest", "summary",
                                        {{"thread", thread.thread},
                                         {"priority", thread.priority},
                                         {"interval_us", thread.interval},
                                         {"cycles", absl::StrCat(thread.cycles)}});
    const std::pair<absl::string_view, double> values[] = {
        {"min", thread.min}, {"act", thread.act}, {"avg", thread.avg}, {"max", thread.max}};
    for (const auto& [name, value] : values)
      AddCyclictest(name, value, unit_, source, thread.line, sink_);
  }

  const Lines& lines_;
  Sink& sink_;
  const CyclictestUnit unit_;
  std::map<std::string, Thread> threads_;
};

}  // namespace

CyclictestUnit UnitOfCommand(absl::string_view command) {
  if (command.empty()) return {"us", false};
  for (const absl::string_view word : Words(command)) {
    const bool letters = absl::StartsWith(word, "-") && !absl::StartsWith(word, "--");
    if (absl::StartsWith(word, "--nsec") || (letters && absl::StrContains(word, "N")))
      return {"ns", true};
  }
  return {"us", true};
}

void AddCyclictest(absl::string_view name, double value, const CyclictestUnit& unit,
                   const SourcePtr& source, int line, Sink& sink) {
  sink.Add({.source = source,
            .metric = absl::StrCat("cyclictest.", name),
            .value = value,
            .unit = unit.unit,
            .unit_said = unit.said,
            .direction = name == "act" ? Direction::kUnknown : Direction::kLower,
            .line = line});
}

size_t ReadCyclictest(const Lines& lines, size_t at, Sink& sink) {
  size_t first = at;  // The line with the loads of the machine is drawn above the threads.
  if (absl::StartsWith(lines[at].text, "policy: "))
    for (first = at + 1; first < at + 3 && TextAt(lines, first).empty();) ++first;
  if (!IsThread(TextAt(lines, first))) return 0;
  Run run(lines, sink, UnitOfCommand(CommandBefore(lines, at, "cyclictest")));
  size_t end = at;
  size_t next = at;
  for (; next < lines.size(); ++next) {
    const absl::string_view text = lines[next].text;
    if (IsThread(text)) {
      run.ReadThread(next);
      end = next + 1;
    } else if (absl::StartsWith(text, "T:")) {
      sink.Refuse(lines[next].number, "cyclictest: a thread's line that is broken off");
      end = next + 1;
    } else if (!text.empty() && !absl::StartsWith(text, "policy: ") &&
               !absl::StartsWith(text, "# /dev")) {
      break;
    }
  }
  run.Flush();
  return end - at;
}

}  // namespace shakedown::importer
