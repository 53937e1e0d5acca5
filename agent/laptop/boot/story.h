// The journal's records as what they mean. Pure.
#ifndef SHAKEDOWN_AGENT_LAPTOP_BOOT_STORY_H_
#define SHAKEDOWN_AGENT_LAPTOP_BOOT_STORY_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "agent/laptop/boot/gather.h"
#include "agent/laptop/boot/installed_files.h"
#include "agent/laptop/boot/journal.h"
#include "shakedown/v1/boot.pb.h"
#include "shakedown/v1/laptop.pb.h"

namespace shakedown::laptop {

// Kinds of records, in the order of a boot that goes well. What each promises is in the file.
inline constexpr char kFolder[] = "folder";        // Body: where the loader reads from.
inline constexpr char kBegin[] = "begin";          // Body: the order. Files may be there from here.
inline constexpr char kInstalled[] = "installed";  // Body: digests. All are there.
inline constexpr char kLeaving[] = "leaving";      // Body: Before. It may be armed from here.
inline constexpr char kArmed[] = "armed";          // Body: how to reboot. Read back; that is next.
inline constexpr char kByKexec[] = "kexec";        // The body of kArmed then; else empty.
inline constexpr char kStayed[] = "stayed";        // The reboot did not come: disarmed.
inline constexpr char kInTest[] = "in_test";       // Body: v1::Identity.
inline constexpr char kRunner[] = "runner";        // Loads may have begun.
inline constexpr char kResult[] = "result";        // Body: v1::BootResult, the last one counts.
inline constexpr char kGoingHome[] = "going_home";
inline constexpr char kNotTaken[] = "not_taken";  // Found armed at home, before it was disarmed.
inline constexpr char kReturned[] = "returned";   // There is a result from here.
inline constexpr char kEnded[] = "ended";         // Body: "ATTEMPT" or "ATTEMPT measured".

// What the records since the last kEnded say.
struct Story {
  v1::BootStage stage = v1::BOOT_STAGE_NONE;
  bool installing = false;  // Stage NONE, but files may be there.
  std::string folder;
  v1::BootOrder order;
  Digests digests;
  Before before;
  std::string left_boot_id;  // Of kLeaving.
  absl::Time left_at;
  bool armed = false;
  bool fleeting = false;
  bool not_taken = false;
  v1::Identity in_test;  // Its boot_id is empty: never.
  bool runner_was_open = false;
  bool going_home = false;
  std::optional<v1::BootResult> result;
};

// Takes one more record. DataLoss: a body that can not be read, or an unknown kind (of a newer
// version).
absl::Status Tell(const Record& record, Story* story);

std::string FormatDigests(const Digests& digests);

// The latest time in `records`; InfinitePast() when there are none.
absl::Time NewestTime(const std::vector<Record>& records);

// Whether loads of this attempt have begun in a boot that has ended.
bool WasMeasured(const std::vector<Record>& records, const std::string& attempt_id);

// What is kept of a journal when the next boot begins: the last ends.
std::vector<Record> LastEnds(const std::vector<Record>& records);

}  // namespace shakedown::laptop

#endif  // SHAKEDOWN_AGENT_LAPTOP_BOOT_STORY_H_
