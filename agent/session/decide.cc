#include "agent/session/decide.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "proto/wire/digest.h"
#include "proto/wire/ids.h"

namespace shakedown::agent {
namespace {

constexpr absl::Duration kLongestPause = absl::Seconds(30);
// After what the farm will say again at once: an order that was left, a cancel under way.
constexpr absl::Duration kPause = absl::Seconds(1);
constexpr size_t kMostQueued = 100;  // Variants of a block, and to spare.

bool Has(const std::vector<WorkKey>& keys, const WorkKey& key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

// Applies one answer to a copy of the state, so that later orders see the earlier ones.
class Decider {
 public:
  explicit Decider(const AgentState& state) : state_(state) {}

  void Cancel(const std::string& id) {
    for (const std::vector<SeatState>* seats : {&state_.machines, &state_.slots}) {
      for (const SeatState& seat : *seats) {
        for (const WorkKey& key : seat.queued) {
          if (key.id == id) Act(CancelWork{key});
        }
        if (!seat.work || seat.work->id != id || !seat.running) continue;
        if (!seat.cancelled) Act(CancelWork{*seat.work});
        pause_ = true;
      }
    }
  }

  void Boot(const v1::BootOrder& order) {
    const WorkKey key{WorkKind::kBoot, order.attempt_id(), order.epoch()};
    if (!Fresh(state_.machines, key, order.name())) return;
    const auto machine =
        std::find_if(state_.machines.begin(), state_.machines.end(),
                     [&](const SeatState& seat) { return seat.name == order.machine(); });
    std::string reason = WhyNot(order);
    if (machine == state_.machines.end()) {
      reason = absl::StrCat("machine ", Quoted(order.machine()), " is not one of this agent's");
    } else if (reason.empty() && machine->work && !Follows(*machine, key)) {
      return Leave(absl::StrCat("boot ", Quoted(order.name()), ": machine ", machine->name,
                                " still has ", machine->work->id));
    }
    if (!reason.empty()) return Act(RefuseBoot{order, reason});
    reason = machine->problem;
    if (machine->work) reason.clear();  // Of its block: looked at again when its turn comes.
    if (reason.empty() && Running(state_.slots)) {
      reason = "this host is building: a machine is not measured beside a build";
    }
    if (!reason.empty()) return Act(RefuseBoot{order, reason, true});
    Act(StartBoot{static_cast<size_t>(machine - state_.machines.begin()), order});
    if (machine->work) {
      machine->queued.push_back(key);
    } else {
      machine->work = key;
      machine->running = true;
    }
  }

  void Build(const v1::BuildOrder& order) {
    const WorkKey key{WorkKind::kBuild, order.build_id(), order.epoch()};
    const std::string name = order.kernel().kernel().name();
    if (!Fresh(state_.slots, key, name)) return;
    if (state_.slots.empty()) return Act(RefuseBuild{order, "this agent has no build slot"});
    const auto slot = std::find_if(state_.slots.begin(), state_.slots.end(),
                                   [](const SeatState& seat) { return !seat.work; });
    if (slot == state_.slots.end()) {
      return Leave(absl::StrCat("build of ", Quoted(name), ": every build slot is in use"));
    }
    std::string reason = slot->problem;
    if (reason.empty() && Running(state_.machines)) {
      reason = "a machine of this host is being measured: nothing is built beside it";
    }
    if (!reason.empty()) return Act(RefuseBuild{order, reason, true});
    Act(StartBuild{static_cast<size_t>(slot - state_.slots.begin()), order});
    slot->work = key;
    slot->running = true;
  }

  Decision Finish(uint32_t call_again_ms) {
    decision_.call_again = std::clamp(absl::Milliseconds(call_again_ms),
                                      pause_ ? kPause : absl::ZeroDuration(), kLongestPause);
    return std::move(decision_);
  }

 private:
  // Whether an order is news. What can not be reported under its id is only left.
  bool Fresh(const std::vector<SeatState>& seats, const WorkKey& key, const std::string& name) {
    if (!IsUuid(key.id) || key.epoch < 1) {
      Leave(absl::StrCat("order ", Quoted(name), ": id ", Quoted(key.id), " epoch ", key.epoch,
                         ": want a UUID and at least 1"));
      return false;
    }
    if (!seen_.insert(key).second) return false;
    for (const SeatState& seat : seats) {
      if (Has(seat.queued, key) || Has(seat.ended, key)) return false;
      if (!seat.work || seat.work->id != key.id) continue;
      if (*seat.work == key) return false;
      if (seat.work->epoch < key.epoch && seat.running) Act(CancelWork{*seat.work});
      Leave(absl::StrCat("order ", Quoted(name), " epoch ", key.epoch,
                         ": still in hand under epoch ", seat.work->epoch));
      return false;
    }
    if (state_.finished && state_.finished(key)) {
      Leave(absl::StrCat("order ", Quoted(name), " ", key.id, " epoch ", key.epoch,
                         ": has its result already"));
      return false;
    }
    if (state_.stopping) Leave(absl::StrCat("order ", Quoted(name), ": the agent is stopping"));
    return !state_.stopping;
  }

  static std::string WhyNot(const v1::BootOrder& order) {
    if (!IsSha256Hex(order.image().sha256())) {
      return absl::StrCat("image ", Quoted(order.image().sha256()), ": want a SHA-256");
    }
    if (order.has_initramfs() && !IsSha256Hex(order.initramfs().sha256())) {
      return absl::StrCat("initramfs ", Quoted(order.initramfs().sha256()), ": want a SHA-256");
    }
    if (order.has_modules() && !IsSha256Hex(order.modules().sha256())) {
      return absl::StrCat("modules ", Quoted(order.modules().sha256()), ": want a SHA-256");
    }
    for (const v1::Input& input : order.inputs()) {
      const absl::Status name = CheckName("input", input.name());
      if (!name.ok()) return std::string(name.message());
      if (!IsSha256Hex(input.archive().sha256())) {
        return absl::StrCat("input ", input.name(), ": digest ", Quoted(input.archive().sha256()),
                            ", want a SHA-256");
      }
    }
    return "";
  }

  // A block has one epoch: another's order is not of the block in hand.
  static bool Follows(const SeatState& machine, const WorkKey& key) {
    return machine.takes_blocks && machine.running && machine.work->epoch == key.epoch &&
           machine.queued.size() < kMostQueued;
  }

  static bool Running(const std::vector<SeatState>& seats) {
    return std::any_of(seats.begin(), seats.end(),
                       [](const SeatState& seat) { return seat.work && seat.running; });
  }

  void Act(Action action) { decision_.actions.push_back(std::move(action)); }

  void Leave(std::string why) {
    pause_ = true;
    Act(LeaveOrder{std::move(why)});
  }

  AgentState state_;
  Decision decision_;
  std::set<WorkKey> seen_;  // In this answer.
  bool pause_ = false;
};

}  // namespace

Decision Decide(const AgentState& state, const v1::SyncResponse& response) {
  Decider decider(state);
  for (const std::string& id : response.cancel()) decider.Cancel(id);
  for (const v1::BootOrder& order : response.boots()) decider.Boot(order);
  for (const v1::BuildOrder& order : response.builds()) decider.Build(order);
  return decider.Finish(response.call_again_ms());
}

}  // namespace shakedown::agent
