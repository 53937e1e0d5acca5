// What a job does when something has come to its end: it waits, repeats what was lost, is looked
// at, goes on with more blocks, or ends. Pure: the same state gives the same step, whoever asks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shakedown/v1/farm.pb.h"
#include "shakedown/v1/job.pb.h"

namespace shakedown::plan {

enum class Fate {
  kUnbegun,    // No machine has it yet.
  kOpen,       // Some of its boots have not ended.
  kDone,       // Each boot was measured, or its kernel failed: to boot, to live, to be built.
  kDisturbed,  // A fact of the machine made a boot worthless.
  kLost,       // The farm failed a boot as often as it may be tried.
  kCancelled,  // Boots were cancelled, for want of time.
};

struct BlockNow {
  v1::PlannedBlock planned;
  Fate fate = Fate::kUnbegun;
};

// What a look says; kNotAsked: nobody has looked yet.
enum class LookSays { kNotAsked, kDecided, kOpen, kNoPrimaries, kNoComparison };

struct JobNow {
  v1::JobSpec spec;
  uint64_t order_seed = 0;
  std::vector<BlockNow> blocks;   // In plan order.
  std::optional<double> spent_s;  // Since the first boot's start; absent before it.
  double block_s = 0;             // Estimate of one block's time; 0: none.
};

// `view` with its plan and boots.
JobNow NowOf(const v1::JobView& view);

struct Step {
  enum class Kind {
    kWait,
    kCancel,  // What no machine has begun is not begun any more.
    kLook,    // Judge all blocks, and ask again with the answer.
    kAppend,  // `blocks`: more of the order, or repetitions.
    kFinish,
  };
  Kind kind = Kind::kWait;
  uint32_t after_blocks = 0;  // Blocks done, neither repetitions nor cancelled ones counted.
  // Of a look that was taken: "goes on", "decided", "last look", "time budget", "nothing to
  // compare". Empty: none was.
  std::string decision;
  std::string reason;                    // Of kCancel and kFinish, for people.
  std::vector<v1::PlannedBlock> blocks;  // Of kAppend.
};

// A disturbed or lost block is repeated whole, in the same order, behind the others, before a look.
// At most MostRepeats() are. A kernel's own failure is a result and repeated never. Looks are after
// the numbers of LooksOf(spec), or where time ends; blocks are added in the order of the job's
// seed, so that the counterbalance goes on. With a budget no block is added, or begun, that would
// end after it by the estimate; the first is always begun, for there is nothing yet to estimate
// from. A job without primary metrics goes by its blocks alone.
Step NextStep(const JobNow& now, LookSays look);

}  // namespace shakedown::plan
