#include "agent/laptop/boot/gather.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <tuple>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "proto/wire/digest.h"
#include "proto/wire/files.h"
#include "proto/wire/sanitise.h"

namespace shakedown::laptop {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxRecords = 256;
constexpr size_t kMaxRecordBytes = 1 << 20;
constexpr int kMaxDepth = 3;
constexpr size_t kPanicText = 40 << 10;
constexpr size_t kJournalText = 20 << 10;
constexpr unsigned long kCardReset = 0x20;  // WDIOF_CARDRESET of linux/watchdog.h.
constexpr absl::string_view kWatchdogWord = "watchdog";

struct KernelRecord {
  std::string path;  // Below the root.
  std::string text;
  // Of its first line "Panic#2 Part1": a later part holds earlier messages.
  int dump = 0;
  int part = 0;
};

void ReadHead(KernelRecord* record) {
  const absl::string_view line = absl::string_view(record->text).substr(0, record->text.find('\n'));
  const size_t number = line.find('#');
  const size_t part = line.find(" Part");
  if (number == absl::string_view::npos || part == absl::string_view::npos || part < number) return;
  if (!absl::SimpleAtoi(line.substr(number + 1, part - number - 1), &record->dump) ||
      !absl::SimpleAtoi(line.substr(part + 5), &record->part)) {
    record->dump = record->part = 0;
  }
}

// The kernel keeps its last messages in /sys/fs/pstore; systemd-pstore moves them away at each
// boot.
std::vector<KernelRecord> KernelRecords(const std::string& root) {
  std::vector<KernelRecord> records;
  for (const char* folder : {"/sys/fs/pstore", "/var/lib/systemd/pstore"}) {
    std::error_code error;
    fs::recursive_directory_iterator it(root + folder, error), end;
    for (; !error && it != end && records.size() < kMaxRecords; it.increment(error)) {
      if (it.depth() >= kMaxDepth) it.disable_recursion_pending();
      std::error_code ignored;
      if (!absl::StartsWith(it->path().filename().string(), "dmesg") ||
          it->symlink_status(ignored).type() != fs::file_type::regular) {
        continue;
      }
      absl::StatusOr<std::string> text = ReadFile(it->path().string(), kMaxRecordBytes);
      if (!text.ok()) continue;
      records.push_back({it->path().string().substr(root.size()), *std::move(text)});
      ReadHead(&records.back());
    }
  }
  std::sort(records.begin(), records.end(), [](const KernelRecord& a, const KernelRecord& b) {
    return std::make_tuple(fs::path(a.path).parent_path(), a.dump, -a.part, a.path) <
           std::make_tuple(fs::path(b.path).parent_path(), b.dump, -b.part, b.path);
  });
  return records;
}

bool WatchdogReset(const std::string& root) {
  std::error_code error;
  for (fs::directory_iterator it(root + "/sys/class/watchdog", error), end; !error && it != end;
       it.increment(error)) {
    const absl::StatusOr<std::string> text = ReadFile(it->path().string() + "/bootstatus", 64);
    if (text.ok() && (std::strtoul(text->c_str(), nullptr, 0) & kCardReset) != 0) return true;
  }
  return false;
}

std::string Tail(absl::string_view text, size_t limit) {
  const std::string whole = ToUtf8(text);
  if (whole.size() <= limit) return whole;
  absl::string_view end = absl::string_view(whole).substr(whole.size() - limit);
  const size_t line = end.find('\n');
  if (line != absl::string_view::npos) end.remove_prefix(line);
  return absl::StrCat("…", ToUtf8(end));
}

std::string JournalLines(Host& host, const std::string& boot) {
  const absl::StatusOr<std::string> lines =
      host.Run({.argv = {"journalctl", "--no-pager", "--quiet", "--output=short", "--lines=200",
                         absl::StrCat("--boot=", absl::StrReplaceAll(boot, {{"-", ""}}))},
                .limit = absl::Seconds(20)});
  return lines.ok() ? *lines : std::string();
}

std::string Between(Host& host, const std::string& left) {
  const absl::StatusOr<std::string> boots =
      host.Run({.argv = {"journalctl", "--no-pager", "--quiet", "--list-boots"},
                .limit = absl::Seconds(20)});
  return boots.ok() ? BootBetween(*boots, left) : std::string();
}

}  // namespace

Before LookBefore(const std::string& root) {
  Before before;
  for (const KernelRecord& record : KernelRecords(root)) {
    before.records.insert(Sha256Hex(record.text));
  }
  before.watchdog_reset = WatchdogReset(root);
  return before;
}

std::string FormatBefore(const Before& before) {
  return absl::StrCat(absl::StrJoin(before.records, "\n"), "\n",
                      before.watchdog_reset ? kWatchdogWord : "");
}

Before ParseBefore(absl::string_view text) {
  Before before;
  for (absl::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    if (line == kWatchdogWord) {
      before.watchdog_reset = true;
    } else {
      before.records.emplace(line);
    }
  }
  return before;
}

std::string Gather(const std::string& root, Host& host, const Question& question,
                   Evidence* evidence) {
  std::string messages;
  for (const KernelRecord& record : KernelRecords(root)) {
    if (question.before.records.contains(Sha256Hex(record.text))) continue;
    absl::StrAppend(&messages, "== ", record.path, "\n", record.text, "\n");
  }
  evidence->panic = JudgeMessages(messages, question.release);
  evidence->watchdog_reset = WatchdogReset(root) && !question.before.watchdog_reset;
  const std::string boot =
      question.in_test.empty() ? Between(host, question.left) : question.in_test;
  std::string lines;
  if (!boot.empty()) lines = JournalLines(host, boot);
  evidence->user_space = !lines.empty();
  evidence->orderly = EndsOrderly(lines);
  evidence->waited = EndsWaiting(lines);
  evidence->left_orderly = evidence->fleeting && EndsOrderly(JournalLines(host, question.left));

  std::string text;
  if (!messages.empty()) absl::StrAppend(&text, Tail(messages, kPanicText), "\n");
  if (evidence->watchdog_reset) absl::StrAppend(&text, "== watchdog: it reset the machine\n");
  if (!lines.empty()) {
    absl::StrAppend(&text, "== system journal of boot ", boot, "\n", Tail(lines, kJournalText));
  }
  return text;
}

}  // namespace shakedown::laptop
