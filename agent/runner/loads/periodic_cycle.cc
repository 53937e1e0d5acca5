#include "agent/runner/loads/periodic_cycle.h"

#include <algorithm>

namespace shakedown::runner {
namespace {

constexpr int64_t kAudioRun = 2500, kAudioInterval = 50000;  // 5 % of a CPU, 20 times a second.
constexpr int64_t kVideoRun = 6666, kVideoInterval = 16666;  // 40 %, 60 times a second; truncated.
constexpr int64_t kXStep = 1000, kXWhole = 100;              // 0, 1, … 100 % of 100 ms.
constexpr int64_t kGamingBurn = 100000;

// Intervals to the first deadline after `late`.
int64_t IntervalsPast(int64_t late, int64_t interval) { return late / interval + 1; }

void RunPeriodic(int64_t run, int64_t interval, TaskWorld& world, const std::function<bool()>& stop,
                 TaskResult& result) {
  CycleState state;
  state.deadline = world.Now();
  do {
    result.latency.Add(static_cast<uint64_t>(RunCycle(run, interval, state, world)));
    result.counters = state.counters;
  } while (!stop());
}

// Each step adds its run length to the deadline too, so the next one may start that much early.
void RunX(TaskWorld& world, const std::function<bool()>& stop, TaskResult& result) {
  CycleState state;
  state.deadline = world.Now();
  int64_t percent = 0;
  do {
    const int64_t run = percent * kXStep;
    result.latency.Add(static_cast<uint64_t>(RunCycle(run, kXWhole * kXStep - run, state, world)));
    state.deadline += run;
    result.counters = state.counters;
    percent = (percent + 1) % (kXWhole + 1);
  } while (!stop());
}

void RunGaming(TaskWorld& world, const std::function<bool()>& stop, TaskResult& result) {
  do {
    const int64_t start = world.Now();
    world.Burn(kGamingBurn);
    const int64_t late = std::max<int64_t>(0, world.Now() - (start + kGamingBurn));
    result.counters.achieved_burns += kGamingBurn;
    result.counters.missed_burns += static_cast<uint64_t>(late);
    result.latency.Add(static_cast<uint64_t>(late));
  } while (!stop());
}

double Percent(uint64_t part, uint64_t rest) {
  if (part == 0) return 0;
  return 100 * static_cast<double>(part) / static_cast<double>(part + rest);
}

}  // namespace

double DesiredCpu(const TaskCounters& c) { return Percent(c.achieved_burns, c.missed_burns); }
double DeadlinesMet(const TaskCounters& c) { return Percent(c.deadlines_met, c.deadlines_missed); }

int64_t RunCycle(int64_t run, int64_t interval, CycleState& state, TaskWorld& world) {
  const int64_t late = std::max<int64_t>(0, world.Now() - state.deadline - state.oversleep);
  int64_t now = world.Now();
  int64_t missed = 0;  // Time in whole intervals.
  const bool skipped = interval > 0 && now > state.deadline + interval;
  if (!skipped) {
    world.Burn(run);
    now = world.Now();
    ++state.counters.achieved_burns;
  }
  state.deadline += interval;
  if (!skipped && state.deadline >= now) {
    ++state.counters.deadlines_met;
  } else if (interval > 0) {
    const int64_t intervals = IntervalsPast(now - state.deadline, interval);
    const auto count = static_cast<uint64_t>(intervals);
    state.counters.deadlines_missed += count;
    if (skipped || intervals > 1) state.counters.missed_burns += count;
    missed = intervals * interval;
    state.deadline += missed;
  } else {
    state.deadline = now;  // Wants all of the CPU: there is no deadline and no sleep.
    return late;
  }
  state.oversleep = world.Sleep(state.deadline - now);
  return late + missed;
}

void RunTask(Task task, TaskWorld& world, const std::function<bool()>& stop, TaskResult& result,
             const CustomTask& custom) {
  switch (task) {
    case Task::kAudio:
      return RunPeriodic(kAudioRun, kAudioInterval, world, stop, result);
    case Task::kVideo:
      return RunPeriodic(kVideoRun, kVideoInterval, world, stop, result);
    case Task::kX:
      return RunX(world, stop, result);
    case Task::kGaming:
      return RunGaming(world, stop, result);
    case Task::kCustom:
      return RunPeriodic(custom.interval_us * custom.percent / 100, custom.interval_us, world, stop,
                         result);
  }
}

}  // namespace shakedown::runner
