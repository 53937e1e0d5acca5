#include "agent/runner/telemetry/top.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "proto/wire/files.h"

namespace shakedown::runner {
namespace {

uint64_t PageKib() { return static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) / 1024; }
double TicksPerSecond() { return static_cast<double>(sysconf(_SC_CLK_TCK)); }

// Pages of /proc/PID/statm's third number: resident and backed by a file or shared memory.
uint64_t SharedPages(const std::string& folder) {
  const absl::StatusOr<std::string> text = ReadFile(folder + "/statm", 256);
  if (!text.ok()) return 0;
  const std::vector<absl::string_view> words = absl::StrSplit(*text, ' ');
  uint64_t pages = 0;
  return words.size() > 2 && absl::SimpleAtoi(words[2], &pages) ? pages : 0;
}

double MemoryPages() { return static_cast<double>(sysconf(_SC_PHYS_PAGES)); }

}  // namespace

void Top::Start(const std::vector<TaskStat>& tasks, absl::Duration now) {
  start_ = last_ = now;
  before_.clear();
  for (const TaskStat& task : tasks) before_[{task.pid, task.start_ticks}] = task.own_ticks;
}

v1::TopTask Top::Describe(const TaskStat& task, double percent) const {
  const std::string folder = absl::StrCat(proc_, "/", task.pid);
  v1::TopTask told;
  told.set_pid(static_cast<uint32_t>(task.pid));
  struct stat status = {};
  if (stat(folder.c_str(), &status) == 0) told.set_uid(status.st_uid);
  told.set_priority(task.priority);
  told.set_nice(task.nice);
  told.set_virt_kib(task.virt_bytes / 1024);
  told.set_res_kib(task.res_pages * PageKib());
  told.set_shr_kib(SharedPages(folder) * PageKib());
  told.set_state(std::string(1, task.state));
  told.set_cpu_percent(static_cast<float>(percent));
  told.set_memory_percent(
      static_cast<float>(100 * static_cast<double>(task.res_pages) / MemoryPages()));
  told.set_time_cs(
      static_cast<uint64_t>(100 * static_cast<double>(task.own_ticks) / TicksPerSecond()));
  told.set_command(task.command);
  return told;
}

void Top::Add(const std::vector<TaskStat>& tasks, absl::Duration now) {
  const double seconds = absl::ToDoubleSeconds(now - last_);
  if (seconds <= 0) return;
  std::map<Key, uint64_t> ticks;
  std::vector<std::pair<uint64_t, const TaskStat*>> busy;
  for (const TaskStat& task : tasks) {
    const Key key(task.pid, task.start_ticks);
    ticks[key] = task.own_ticks;
    const auto before = before_.find(key);
    const uint64_t base = before == before_.end() ? 0 : before->second;
    if (task.own_ticks > base) busy.emplace_back(task.own_ticks - base, &task);
  }
  before_ = std::move(ticks);
  last_ = now;
  const size_t count = std::min(busy.size(), kMostTasks);
  std::partial_sort(busy.begin(), busy.begin() + static_cast<ptrdiff_t>(count), busy.end(),
                    [](const auto& a, const auto& b) {
                      if (a.first != b.first) return a.first > b.first;
                      return a.second->pid < b.second->pid;
                    });
  v1::TopSnapshot snapshot;
  snapshot.set_at_ms(static_cast<uint32_t>(absl::ToInt64Milliseconds(now - start_)));
  for (size_t i = 0; i < count; ++i) {
    const double used = static_cast<double>(busy[i].first) / TicksPerSecond();
    *snapshot.add_tasks() = Describe(*busy[i].second, 100 * used / seconds);
  }
  Keep(std::move(snapshot));
}

void Top::Keep(v1::TopSnapshot snapshot) {
  if (calls_++ % keep_every_ != 0) return;
  snapshots_.push_back(std::move(snapshot));
  if (snapshots_.size() < kMostSnapshots) return;
  for (size_t i = 0; 2 * i < snapshots_.size(); ++i) snapshots_[i] = std::move(snapshots_[2 * i]);
  snapshots_.resize((snapshots_.size() + 1) / 2);
  // The last one was dropped, so the next is due where it would have been anyway.
  calls_ = keep_every_ + 1;
  keep_every_ *= 2;
}

std::vector<v1::TopSnapshot> Top::Take() { return std::move(snapshots_); }

}  // namespace shakedown::runner
