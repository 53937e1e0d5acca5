#include "agent/runner/telemetry/task_stat.h"

#include <dirent.h>

#include <algorithm>
#include <map>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "proto/wire/files.h"

namespace shakedown::runner {
namespace {

constexpr uint64_t kKernelThread = 0x00200000;  // PF_KTHREAD of include/linux/sched.h.
constexpr size_t kLongestName = 15;             // TASK_COMM_LEN less its NUL.
constexpr size_t kLongestLine = 4096;

std::string CleanName(absl::string_view name) {
  std::string clean(name.substr(0, kLongestName));
  std::replace_if(
      clean.begin(), clean.end(), [](char c) { return !absl::ascii_isprint(c); }, '?');
  return clean;
}

// The numbers that stand behind the name, by their number in proc(5), from 4 on.
class Fields {
 public:
  explicit Fields(absl::string_view text) : words_(absl::StrSplit(text, ' ', absl::SkipEmpty())) {}

  template <typename Number>
  void Into(size_t field, Number* number) {
    constexpr size_t kFirst = 3;  // The state.
    if (field - kFirst >= words_.size() || !absl::SimpleAtoi(words_[field - kFirst], number)) {
      good_ = false;
    }
  }
  char State() {
    if (!words_.empty() && words_[0].size() == 1 && absl::ascii_isalpha(words_[0][0])) {
      return words_[0][0];
    }
    good_ = false;
    return '?';
  }
  bool good() const { return good_; }

 private:
  const std::vector<absl::string_view> words_;
  bool good_ = true;
};

}  // namespace

std::optional<TaskStat> ParseTaskStat(absl::string_view text) {
  // A name may hold ")" and all that follows here, but nothing behind the name does.
  const size_t open = text.find('('), close = text.rfind(')');
  TaskStat task;
  if (open == absl::string_view::npos || close == absl::string_view::npos || close < open ||
      !absl::SimpleAtoi(text.substr(0, open), &task.pid)) {
    return std::nullopt;
  }
  task.command = CleanName(text.substr(open + 1, close - open - 1));
  Fields fields(absl::StripAsciiWhitespace(text.substr(close + 1)));
  task.state = fields.State();
  uint64_t flags = 0, user = 0, system = 0;
  int64_t waited_user = 0, waited_system = 0, pages = 0;
  fields.Into(4, &task.parent);
  fields.Into(9, &flags);
  fields.Into(14, &user);
  fields.Into(15, &system);
  fields.Into(16, &waited_user);
  fields.Into(17, &waited_system);
  fields.Into(18, &task.priority);
  fields.Into(19, &task.nice);
  fields.Into(22, &task.start_ticks);
  fields.Into(23, &task.virt_bytes);
  fields.Into(24, &pages);
  if (!fields.good()) return std::nullopt;
  task.kernel_thread = (flags & kKernelThread) != 0;
  task.own_ticks = user + system;
  task.waited_ticks = static_cast<uint64_t>(std::max<int64_t>(0, waited_user) +
                                            std::max<int64_t>(0, waited_system));
  task.res_pages = static_cast<uint64_t>(std::max<int64_t>(0, pages));
  return task;
}

std::optional<TaskStat> ReadTask(pid_t pid, const std::string& proc) {
  const absl::StatusOr<std::string> text =
      ReadFile(absl::StrCat(proc, "/", pid, "/stat"), kLongestLine);
  if (!text.ok()) return std::nullopt;
  return ParseTaskStat(*text);
}

std::vector<TaskStat> ScanTasks(const std::string& proc) {
  std::vector<TaskStat> tasks;
  DIR* entries = opendir(proc.c_str());
  if (entries == nullptr) return tasks;
  while (const dirent* entry = readdir(entries)) {
    pid_t pid = 0;
    if (!absl::SimpleAtoi(entry->d_name, &pid)) continue;
    if (std::optional<TaskStat> task = ReadTask(pid, proc)) tasks.push_back(*std::move(task));
  }
  closedir(entries);
  return tasks;
}

uint64_t ForeignTicks(const std::vector<TaskStat>& tasks, const std::set<pid_t>& own) {
  std::map<pid_t, pid_t> parents;
  for (const TaskStat& task : tasks) parents[task.pid] = task.parent;
  std::map<pid_t, bool> known;  // pid → whether it is ours.
  const auto is_ours = [&](pid_t pid) {
    std::vector<pid_t> path;
    bool ours = false;
    for (pid_t at = pid; path.size() <= parents.size(); at = parents[at]) {
      if (const auto found = known.find(at); found != known.end()) {
        ours = found->second;
        break;
      }
      path.push_back(at);
      ours = own.count(at) > 0;
      if (ours || parents.count(at) == 0) break;
    }
    for (const pid_t step : path) known[step] = ours;
    return ours;
  };
  uint64_t ticks = 0;
  for (const TaskStat& task : tasks) {
    if (!task.kernel_thread && !is_ours(task.pid)) ticks += task.own_ticks + task.waited_ticks;
  }
  return ticks;
}

}  // namespace shakedown::runner
