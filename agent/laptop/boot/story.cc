#include "agent/laptop/boot/story.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "proto/wire/ids.h"

namespace shakedown::laptop {
namespace {

constexpr size_t kKeepEnds = 64;
constexpr absl::string_view kMeasured = " measured";

absl::Status Unreadable(const Record& record) {
  return absl::DataLossError(
      absl::StrCat("journal: record ", Quoted(record.kind), ": can not be read"));
}

// What a record without a message changes; false: no such kind.
bool TellPlain(const Record& record, Story* story) {
  if (record.kind == kArmed) {
    story->armed = true;
    story->fleeting = record.body == kByKexec;
  } else if (record.kind == kStayed) {
    story->stage = v1::BOOT_STAGE_INSTALLED;
    story->armed = false;
    story->left_boot_id.clear();
  } else if (record.kind == kRunner) {
    story->runner_was_open = true;
  } else if (record.kind == kGoingHome) {
    story->going_home = true;
  } else if (record.kind == kNotTaken) {
    story->not_taken = true;
  } else if (record.kind == kReturned) {
    story->stage = v1::BOOT_STAGE_RETURNED;
  } else if (record.kind == kEnded) {
    *story = Story();
  } else {
    return false;
  }
  return true;
}

absl::Status TellInTest(const Record& record, Story* story) {
  if (!story->in_test.ParseFromString(record.body)) return Unreadable(record);
  story->stage = v1::BOOT_STAGE_IN_TEST;
  story->going_home = false;
  return absl::OkStatus();
}

absl::Status TellResult(const Record& record, Story* story) {
  story->result.emplace();
  return story->result->ParseFromString(record.body) ? absl::OkStatus() : Unreadable(record);
}

}  // namespace

absl::Status Tell(const Record& record, Story* story) {
  if (record.kind == kFolder) {
    story->folder = record.body;
    return absl::OkStatus();
  }
  if (record.kind == kBegin) {
    story->installing = true;
    return story->order.ParseFromString(record.body) ? absl::OkStatus() : Unreadable(record);
  }
  if (record.kind == kInstalled) {
    const std::vector<std::string> lines = absl::StrSplit(record.body, '\n');
    if (lines.size() != 2) return Unreadable(record);
    story->digests = {.image = lines[0], .initramfs = lines[1]};
    story->installing = false;
    story->stage = v1::BOOT_STAGE_INSTALLED;
    return absl::OkStatus();
  }
  if (record.kind == kLeaving) {
    story->before = ParseBefore(record.body);
    story->left_boot_id = record.boot_id;
    story->left_at = record.wall;
    story->stage = v1::BOOT_STAGE_LEAVING;
    return absl::OkStatus();
  }
  if (record.kind == kInTest) return TellInTest(record, story);
  if (record.kind == kResult) return TellResult(record, story);
  return TellPlain(record, story) ? absl::OkStatus() : Unreadable(record);
}

std::string FormatDigests(const Digests& digests) {
  return absl::StrCat(digests.image, "\n", digests.initramfs);
}

absl::Time NewestTime(const std::vector<Record>& records) {
  absl::Time newest = absl::InfinitePast();
  for (const Record& record : records) newest = std::max(newest, record.wall);
  return newest;
}

bool WasMeasured(const std::vector<Record>& records, const std::string& attempt_id) {
  const std::string body = absl::StrCat(attempt_id, kMeasured);
  return std::any_of(records.begin(), records.end(), [&](const Record& record) {
    return record.kind == kEnded && record.body == body;
  });
}

std::vector<Record> LastEnds(const std::vector<Record>& records) {
  std::vector<Record> ends;
  for (const Record& record : records) {
    if (record.kind == kEnded) ends.push_back(record);
  }
  if (ends.size() > kKeepEnds) ends.erase(ends.begin(), ends.end() - kKeepEnds);
  return ends;
}

}  // namespace shakedown::laptop
