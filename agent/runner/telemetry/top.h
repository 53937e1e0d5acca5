// The busiest tasks of each stretch of time, with the columns of top(1).
#ifndef SHAKEDOWN_AGENT_RUNNER_TELEMETRY_TOP_H_
#define SHAKEDOWN_AGENT_RUNNER_TELEMETRY_TOP_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "agent/runner/telemetry/task_stat.h"
#include "shakedown/v1/boot.pb.h"

namespace shakedown::runner {

// Not thread-safe.
class Top {
 public:
  static constexpr absl::Duration kEvery = absl::Seconds(5);
  static constexpr size_t kMostTasks = 10;
  // An hour at the shortest distance. Then every second one is dropped and the distance doubled.
  static constexpr size_t kMostSnapshots = 720;

  explicit Top(std::string proc = "/proc") : proc_(std::move(proc)) {}

  // The base: nothing is told of what ran before `now`.
  void Start(const std::vector<TaskStat>& tasks, absl::Duration now);
  // `tasks`: all of the machine, at `now`. Tasks that used no CPU since the call before are not
  // told; a task that came and went between two calls is not seen.
  void Add(const std::vector<TaskStat>& tasks, absl::Duration now);
  std::vector<v1::TopSnapshot> Take();

 private:
  using Key =
      std::pair<pid_t, uint64_t>;  // With the start, which a number used again does not share.
  v1::TopTask Describe(const TaskStat& task, double percent) const;
  void Keep(v1::TopSnapshot snapshot);

  const std::string proc_;
  absl::Duration start_, last_;
  std::map<Key, uint64_t> before_;
  size_t calls_ = 0, keep_every_ = 1;
  std::vector<v1::TopSnapshot> snapshots_;
};

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_TELEMETRY_TOP_H_
