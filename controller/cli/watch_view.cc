#include "controller/cli/watch_view.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "controller/cli/job_parts.h"
#include "controller/cli/look_lines.h"
#include "controller/cli/text_width.h"
#include "controller/cli/words.h"
#include "proto/wire/ids.h"
#include "proto/wire/sanitise.h"

namespace shakedown::cli {
namespace {

constexpr size_t kBlockColumn = 7;  // "block  "
// "measured 3:05", and room for most phases.
constexpr size_t kLeastCell = 14;
constexpr size_t kMostCell = 28;
constexpr size_t kBar = 24;
// Running boots listed one by one below the grid.
constexpr size_t kMostRunning = 4;
constexpr size_t kTail = 6;
// Looks and repetitions above the grid, the latest.
constexpr size_t kMostLooks = 5;

absl::Duration Since(const google::protobuf::Timestamp& from, absl::Time now) {
  if (from.seconds() == 0) return absl::ZeroDuration();
  return now - absl::FromUnixSeconds(from.seconds());
}

Span Cell(const v1::BootView* boot) {
  if (boot == nullptr) return {"-", Tone::kDim};
  const std::string again = boot->attempt() > 1 ? absl::StrCat(" (try ", boot->attempt(), ")") : "";
  switch (boot->state()) {
    case v1::WORK_STATE_RUNNING:
      return {absl::StrCat(PhaseText(boot->phase(), boot->progress()), again), Tone::kBold};
    case v1::WORK_STATE_ENDED:
      return {absl::StrCat(OutcomeWord(boot->outcome()), " ",
                           ClockText(Between(boot->started(), boot->ended())), again),
              ToneOf(boot->outcome())};
    default:
      return {absl::StrCat(WorkStateWord(boot->state()), again), Tone::kDim};
  }
}

// One sign a boot, for grids that are wider than the screen; see Legend().
Span Sign(const v1::BootView* boot) {
  if (boot == nullptr) return {"-", Tone::kDim};
  if (boot->state() == v1::WORK_STATE_RUNNING) return {">", Tone::kBold};
  if (boot->state() != v1::WORK_STATE_ENDED) return {".", Tone::kDim};
  if (boot->outcome() == v1::OUTCOME_MEASURED) return {"+", Tone::kGood};
  return {ToneOf(boot->outcome()) == Tone::kBad ? "X" : "?", ToneOf(boot->outcome())};
}

Line Legend() {
  return {{". waiting  > running  + measured  X the kernel failed  ? the farm failed", Tone::kDim}};
}

std::vector<Line> Head(const v1::JobView& job) {
  const LastAttempts last = LastAttemptsOf(job);
  size_t ended = 0;
  float done = 0;
  for (const auto& [key, boot] : last) {
    const bool over = boot->state() == v1::WORK_STATE_ENDED;
    ended += over ? 1 : 0;
    done += over ? 1 : std::clamp(boot->progress(), 0.0F, 1.0F);
  }
  const size_t all = std::max<size_t>(last.size(), 1);
  const auto full = static_cast<size_t>(done * kBar / static_cast<float>(all));
  return {{{JobTitle(job), Tone::kBold}},
          {{absl::StrCat("[", std::string(full, '#'), std::string(kBar - full, '-'), "] ", ended,
                         " of ", Count(last.size(), "boot", "boots"), LeftText(job))}}};
}

std::vector<Line> Builds(const v1::JobView& job) {
  std::vector<Line> lines;
  for (const v1::BuildView& build : job.builds()) {
    const std::string head = absl::StrCat("build ", PrintableLine(build.kernel()), ": ");
    if (build.state() == v1::WORK_STATE_RUNNING) {
      lines.push_back({{head}, {PhaseText(build.phase(), build.progress()), Tone::kBold}});
      if (!build.agent().empty()) {
        lines.back().push_back({absl::StrCat(" on ", PrintableLine(build.agent()))});
      }
    } else if (build.state() != v1::WORK_STATE_ENDED) {
      lines.push_back({{head}, {WorkStateWord(build.state()), Tone::kDim}});
    } else if (Failed(build)) {
      lines.push_back(FailedBuildLines(build, 0).front());
    }
  }
  return lines;
}

std::vector<Line> Variants(const v1::JobView& job) {
  std::vector<Line> lines;
  lines.reserve(job.spec().variants_size());
  for (int i = 0; i < job.spec().variants_size(); ++i) {
    lines.push_back({{std::string(1, VariantLetter(i)), Tone::kBold},
                     {absl::StrCat("  ", PrintableLine(VariantText(job.spec(), i)))}});
  }
  return lines;
}

std::vector<Line> Running(const v1::JobView& job, absl::Time now) {
  std::vector<Line> lines;
  for (const v1::BootView& boot : job.boots()) {
    if (boot.state() != v1::WORK_STATE_RUNNING || lines.size() == kMostRunning) continue;
    lines.push_back(
        {{absl::StrCat(PrintableLine(boot.name()), " on ", PrintableLine(boot.machine()), ": ",
                       PhaseText(boot.phase(), boot.progress()), ", ",
                       ClockText(Since(boot.started(), now)), " so far")}});
  }
  return lines;
}

std::vector<Line> LastFailure(const v1::JobView& job, size_t tail) {
  const v1::BootView* last = nullptr;
  for (const v1::BootView& boot : job.boots()) {
    if (!Failed(boot) || boot.outcome() == v1::OUTCOME_CANCELLED) continue;
    if (last == nullptr || boot.ended().seconds() >= last->ended().seconds()) last = &boot;
  }
  return last == nullptr ? std::vector<Line>() : FailedBootLines(job, *last, tail);
}

class Grid {
 public:
  Grid(const v1::JobView& job, size_t columns) : last_(LastAttemptsOf(job)) {
    for (const auto& [key, boot] : last_) {
      if (blocks_.empty() || blocks_.back() != key.first) blocks_.push_back(key.first);
      variants_ = std::max<size_t>(variants_, key.second + 1);
    }
    variants_ = std::max<size_t>(variants_, job.spec().variants_size());
    if (variants_ == 0) return;
    const size_t room = columns == 0 ? SIZE_MAX : columns - std::min(columns, kBlockColumn);
    cell_ = std::min(room / variants_, kMostCell);
    signs_ = cell_ < kLeastCell;
    if (signs_) cell_ = 2;
  }

  bool signs() const { return signs_; }

  // At most `rows` lines, the head among them; those around the first block that has not ended.
  std::vector<Line> Draw(size_t rows) const {
    if (variants_ == 0 || blocks_.empty() || rows < 2) return {};
    std::vector<Line> lines = {Header()};
    size_t first = 0;
    size_t count = blocks_.size();
    if (count + 1 > rows) {
      // Two lines tell what is left out.
      count = rows > 4 ? rows - 3 : 1;
      const size_t current = Current();
      first = std::min(current > count / 2 ? current - count / 2 : 0, blocks_.size() - count);
      if (rows > 4 && first > 0) {
        lines.push_back(
            {{absl::StrCat("  … ", Count(first, "block", "blocks"), " before"), Tone::kDim}});
      }
    }
    for (size_t i = first; i < first + count; ++i) lines.push_back(Row(blocks_[i]));
    const size_t after = blocks_.size() - first - count;
    if (after > 0 && rows > 4) {
      lines.push_back(
          {{absl::StrCat("  … ", Count(after, "block", "blocks"), " to come"), Tone::kDim}});
    }
    return lines;
  }

 private:
  Line Header() const {
    Line line = {{PadRight("block", kBlockColumn), Tone::kDim}};
    for (size_t i = 0; i < variants_; ++i) {
      line.push_back({PadRight(std::string(1, VariantLetter(i)), cell_), Tone::kBold});
    }
    return line;
  }

  Line Row(uint32_t block) const {
    Line line = {{PadRight(absl::StrCat(block), kBlockColumn)}};
    for (uint32_t i = 0; i < variants_; ++i) {
      const auto it = last_.find({block, i});
      const v1::BootView* boot = it == last_.end() ? nullptr : it->second;
      Span cell = signs_ ? Sign(boot) : Cell(boot);
      cell.text = absl::StrCat(PadRight(cell.text, cell_ - 1), " ");
      line.push_back(std::move(cell));
    }
    return line;
  }

  // Index of the first block with work left.
  size_t Current() const {
    for (const auto& [key, boot] : last_) {
      if (boot->state() != v1::WORK_STATE_ENDED) {
        return std::lower_bound(blocks_.begin(), blocks_.end(), key.first) - blocks_.begin();
      }
    }
    return blocks_.size() - 1;
  }

  LastAttempts last_;
  std::vector<uint32_t> blocks_;
  size_t variants_ = 0;
  size_t cell_ = 0;
  bool signs_ = false;
};

void Append(std::vector<Line>& to, std::vector<Line> from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

std::vector<Line> LastLines(std::vector<Line> lines, size_t most) {
  if (lines.size() > most) lines.erase(lines.begin(), lines.end() - static_cast<ptrdiff_t>(most));
  return lines;
}

}  // namespace

std::vector<Line> DrawJob(const v1::JobView& job, ScreenSize size, absl::Time now) {
  const size_t rows = size.rows == 0 ? SIZE_MAX : std::max<size_t>(size.rows, 4) - 1;
  const Grid grid(job, size.columns);
  std::vector<Line> lines = Head(job);
  std::vector<Line> below = Running(job, now);
  Append(below, LastFailure(job, rows < 30 ? kTail / 2 : kTail));
  if (const std::string stopping = StoppingText(job, now); !stopping.empty()) {
    lines.push_back({{stopping}});
  }
  Append(lines, rows > 20 ? LastLines(LookLines(job), kMostLooks) : std::vector<Line>());
  // On a low screen the grid and what runs go before the legends.
  std::vector<Line> above = Builds(job);
  if (rows > 20) {
    std::vector<Line> variants = Variants(job);
    Append(variants, std::move(above));
    above = std::move(variants);
    if (grid.signs()) above.push_back(Legend());
  }
  const size_t taken = lines.size() + above.size() + below.size();
  Append(lines, std::move(above));
  Append(lines, grid.Draw(rows > taken ? rows - taken : 0));
  Append(lines, std::move(below));
  if (lines.size() > rows) lines.resize(rows);
  return lines;
}

}  // namespace shakedown::cli
