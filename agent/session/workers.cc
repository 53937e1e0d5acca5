#include "agent/session/workers.h"

#include "proto/wire/sanitise.h"
#include "spdlog/spdlog.h"

namespace shakedown::agent {
namespace {

constexpr char kStopped[] = "agent stopped";

std::string OutcomeName(v1::Outcome outcome) { return v1::Outcome_Name(outcome); }

}  // namespace

Workers::~Workers() {
  for (std::thread& thread : threads_) thread.join();
}

void Workers::Add(SeatId seat, Machine* machine) {
  threads_.emplace_back([this, seat, machine] {
    while (std::optional<Assignment> work = parts_.desk.WaitForOrder(seat)) {
      Boot(seat, *machine, *work);
    }
  });
}

void Workers::Add(SeatId seat, BuildSlot* slot) {
  threads_.emplace_back([this, seat, slot] {
    while (std::optional<Assignment> work = parts_.desk.WaitForOrder(seat)) {
      Build(seat, *slot, *work);
    }
  });
}

WorkHooks Workers::Hooks(SeatId seat, const Assignment& assignment) {
  WorkHooks hooks;
  hooks.progress = [this, seat](absl::string_view phase, float fraction) {
    parts_.desk.SetPhase(seat, PrintableLine(phase, 100), fraction);
  };
  hooks.live = [this, seat](const v1::LiveTelemetry& live) { parts_.desk.SetLive(seat, live); };
  hooks.log = [this, key = assignment.key](absl::string_view bytes) {
    parts_.logs.Write(key, bytes);
  };
  hooks.dark = [this, seat](absl::Duration duration, absl::string_view reason) {
    parts_.desk.SetDark(seat, duration, PrintableLine(reason, 100));
    parts_.wake();
  };
  hooks.told = [this](absl::Duration limit) {
    return parts_.desk.WaitUntilHeard(limit, parts_.wake);
  };
  hooks.cancel = assignment.cancel;
  hooks.stop = assignment.stop;
  return hooks;
}

void Workers::Boot(SeatId seat, Machine& machine, const Assignment& assignment) {
  v1::BootOrder order;
  order.ParseFromString(assignment.order);
  spdlog::info("boot {} ({}) on {}", order.name(), order.kernel(), order.machine());
  std::vector<v1::BootOrder> block;
  for (const std::string& bytes : parts_.desk.QueuedBoots(seat)) {
    block.emplace_back().ParseFromString(bytes);
  }
  std::optional<v1::BootResult> result =
      PerformBoot(machine, order, block, parts_.cache, parts_.inputs, Hooks(seat, assignment));
  if (!result) {
    spdlog::info("boot {}: stays open", order.name());
    return parts_.desk.Suspend(seat);
  }
  if (result->outcome() == v1::OUTCOME_CANCELLED && assignment.stop->load() &&
      !machine.Info().outlives_agent) {
    result->set_reason(kStopped);
  }
  spdlog::info("boot {}: {} {}", order.name(), OutcomeName(result->outcome()),
               PrintableLine(result->reason()));
  Conclude(seat, assignment.key, result->SerializeAsString(), {}, [&] {
    const absl::Status done = machine.Concluded(order);
    if (!done.ok()) spdlog::warn("boot {}: {}", order.name(), done.ToString());
  });
}

void Workers::Build(SeatId seat, BuildSlot& slot, const Assignment& assignment) {
  v1::BuildOrder order;
  order.ParseFromString(assignment.order);
  const std::string& kernel = order.kernel().kernel().name();
  spdlog::info("build {} of {}", order.build_id(), kernel);
  PerformedBuild performed = PerformBuild(slot, order, parts_.cache, Hooks(seat, assignment));
  v1::BuildResult& result = performed.result;
  if (result.status() == v1::BuildResult::STATUS_CANCELLED && parts_.desk.stopping()) {
    result.set_error(kStopped);
  }
  spdlog::info("build of {}: {} {}", kernel, v1::BuildResult::Status_Name(result.status()),
               PrintableLine(result.error()));
  Conclude(seat, assignment.key, result.SerializeAsString(), std::move(performed.outputs), [] {});
}

// In this order: journaled, then no longer running, then reported.
void Workers::Conclude(SeatId seat, const WorkKey& key, const std::string& result,
                       std::vector<CachedFile> files, const std::function<void()>& journaled_now) {
  const absl::Status journaled = parts_.journal.AppendResult(key, result);
  if (!journaled.ok()) parts_.fatal(journaled);
  if (journaled.ok()) journaled_now();
  parts_.desk.SetReporting(seat);
  if (journaled.ok()) parts_.reporter.Add(key, std::move(files));
}

}  // namespace shakedown::agent
