#include "agent/session/desk.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace shakedown::agent {
namespace {

std::vector<WorkKey> KeysOf(const std::deque<std::pair<WorkKey, std::string>>& queue) {
  std::vector<WorkKey> keys;
  for (const auto& [key, order] : queue) keys.push_back(key);
  return keys;
}

}  // namespace

Desk::Desk(const std::vector<MachineInfo>& machines, size_t build_slots, Clock& clock)
    : clock_(clock) {
  for (const MachineInfo& info : machines) {
    auto seat = std::make_unique<Seat>();
    seat->name = info.name;
    seat->info = info;
    machines_.push_back(std::move(seat));
  }
  for (size_t i = 0; i < build_slots; ++i) {
    slots_.push_back(std::make_unique<Seat>());
    slots_.back()->name = absl::StrCat("build slot ", i + 1);
  }
}

Desk::Seat& Desk::At(SeatId seat) { return *All(seat.kind).at(seat.index); }

AgentState Desk::State() const {
  std::lock_guard<std::mutex> lock(mutex_);
  AgentState state;
  for (const auto& seat : machines_) {
    state.machines.push_back({seat->name, seat->work, seat->running, seat->cancel, seat->problem,
                              seat->info.outlives_agent, KeysOf(seat->queue), seat->ended});
  }
  for (const auto& seat : slots_) {
    state.slots.push_back(
        {"", seat->work, seat->running, seat->cancel, seat->problem, false, {}, {}});
  }
  state.stopping = stopping_;
  return state;
}

void Desk::Describe(v1::SyncRequest& request) const {
  std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& seat : machines_) {
    v1::MachineStatus& status = *request.add_machines();
    status.set_name(seat->name);
    for (const std::string& tag : seat->info.tags) status.add_tags(tag);
    status.mutable_facts()->insert(seat->info.facts.begin(), seat->info.facts.end());
    status.set_problem(seat->problem);
    status.set_takes_blocks(seat->info.outlives_agent);
    status.set_hands(seat->hands);
    if (!seat->work) continue;
    status.set_attempt_id(seat->work->id);
    status.set_epoch(seat->work->epoch);
    status.set_phase(seat->phase);
    status.set_progress(seat->progress);
    if (seat->running && !seat->live.at_ms().empty()) *status.mutable_live() = seat->live;
    status.set_dark_for_s(
        static_cast<uint32_t>(absl::ToInt64Seconds(absl::Ceil(DarkLeft(*seat), absl::Seconds(1)))));
    if (status.dark_for_s() > 0) status.set_dark_reason(seat->dark_reason);
    for (const auto& [key, order] : seat->queue) status.add_queued(key.id);
  }
  for (const auto& seat : slots_) {
    v1::BuildSlotStatus& status = *request.add_build_slots();
    status.set_problem(seat->problem);
    if (!seat->work) continue;
    status.set_build_id(seat->work->id);
    status.set_epoch(seat->work->epoch);
    status.set_phase(seat->phase);
    status.set_progress(seat->progress);
  }
}

const Desk::Seat* Desk::FirstThat(bool (*wanted)(const Seat&)) const {
  for (const Seats* seats : {&machines_, &slots_}) {
    for (const auto& seat : *seats) {
      if (wanted(*seat)) return seat.get();
    }
  }
  return nullptr;
}

bool Desk::AnyWork() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return FirstThat([](const Seat& seat) { return seat.work.has_value(); }) != nullptr;
}

absl::Duration Desk::DarkLeft(const Seat& seat) const {
  if (!seat.running) return absl::ZeroDuration();
  return std::max(seat.dark_until - clock_.Elapsed(), absl::ZeroDuration());
}

absl::Duration Desk::DarkLeft() const {
  std::lock_guard<std::mutex> lock(mutex_);
  absl::Duration left = absl::ZeroDuration();
  for (const auto& seat : machines_) left = std::max(left, DarkLeft(*seat));
  return left;
}

void Desk::Begin(Seat& seat, const WorkKey& key, std::string order) {
  seat.work = key;
  seat.running = true;
  seat.order = std::move(order);
  seat.phase = "starting";
  seat.progress = 0;
  seat.live.Clear();
  seat.dark_until = absl::ZeroDuration();
  seat.stop = stopping_;
  seat.cancel = stopping_;
}

void Desk::Give(SeatId id, const WorkKey& key, std::string order) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    Seat& seat = At(id);
    if (seat.work && seat.running) {
      seat.queue.emplace_back(key, std::move(order));
    } else {
      // At start: a result of an earlier boot is on its way.
      if (seat.work) seat.ended.push_back(*seat.work);
      Begin(seat, key, std::move(order));
    }
  }
  changed_.notify_all();
}

bool Desk::Cancel(const WorkKey& key) {
  std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& seat : All(key.kind)) {
    if (seat->work == key) seat->cancel = true;
    for (auto it = seat->queue.begin(); it != seat->queue.end(); ++it) {
      if (!(it->first == key)) continue;
      seat->queue.erase(it);
      seat->ended.push_back(key);
      return true;
    }
  }
  return false;
}

void Desk::Hold(SeatId id, const WorkKey& key) {
  std::lock_guard<std::mutex> lock(mutex_);
  Seat& seat = At(id);
  if (seat.work) return seat.ended.push_back(key);
  seat.work = key;
  seat.running = false;
  seat.phase = "reporting";
}

void Desk::SetFacts(SeatId id, std::map<std::string, std::string> facts, std::string hands) {
  std::lock_guard<std::mutex> lock(mutex_);
  At(id).info.facts = std::move(facts);
  At(id).hands = std::move(hands);
}

uint64_t Desk::Version() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return version_;
}

void Desk::Heard(uint64_t version) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    heard_ = std::max(heard_, version);
  }
  changed_.notify_all();
}

bool Desk::Awaited() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return awaited_ > 0;
}

bool Desk::WaitUntilHeard(absl::Duration limit, const std::function<void()>& wake) {
  std::unique_lock<std::mutex> lock(mutex_);
  ++awaited_;
  const uint64_t version = ++version_;
  lock.unlock();
  wake();
  lock.lock();
  changed_.wait_for(lock, absl::ToChronoMilliseconds(limit),
                    [&] { return heard_ >= version || stopping_; });
  --awaited_;
  return heard_ >= version;
}

std::vector<std::string> Desk::QueuedBoots(SeatId id) const {
  std::lock_guard<std::mutex> lock(mutex_);
  std::vector<std::string> orders;
  for (const auto& [key, order] : machines_.at(id.index)->queue) orders.push_back(order);
  return orders;
}

void Desk::SetProblem(SeatId id, std::string problem) {
  std::lock_guard<std::mutex> lock(mutex_);
  At(id).problem = std::move(problem);
}

std::optional<Assignment> Desk::WaitForOrder(SeatId id) {
  std::unique_lock<std::mutex> lock(mutex_);
  Seat& seat = At(id);
  changed_.wait(lock, [&] { return stopping_ || seat.order.has_value(); });
  // An order that was given is journaled: it gets its result, if only that it was stopped.
  if (!seat.order) return std::nullopt;
  Assignment assignment{*seat.work, *std::move(seat.order), &seat.cancel, &seat.stop};
  seat.order.reset();
  return assignment;
}

void Desk::SetPhase(SeatId id, absl::string_view phase, float fraction) {
  std::lock_guard<std::mutex> lock(mutex_);
  Seat& seat = At(id);
  seat.phase = std::string(phase);
  seat.progress = std::clamp(fraction, 0.0f, 1.0f);
}

void Desk::SetLive(SeatId id, const v1::LiveTelemetry& live) {
  std::lock_guard<std::mutex> lock(mutex_);
  At(id).live = live;
}

void Desk::SetDark(SeatId id, absl::Duration duration, absl::string_view reason) {
  std::lock_guard<std::mutex> lock(mutex_);
  At(id).dark_until = clock_.Elapsed() + duration;
  At(id).dark_reason = std::string(reason);
}

void Desk::SetReporting(SeatId id) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    Seat& seat = At(id);
    if (!seat.queue.empty() && !stopping_) {
      seat.ended.push_back(*seat.work);
      auto [key, order] = std::move(seat.queue.front());
      seat.queue.pop_front();
      Begin(seat, key, std::move(order));
    } else {
      seat.running = false;
      seat.phase = "reporting";
      seat.progress = 1;
    }
  }
  changed_.notify_all();
}

void Desk::Suspend(SeatId id) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    At(id).running = false;
    At(id).suspended = true;
  }
  changed_.notify_all();
}

void Desk::Free(const WorkKey& key) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& seat : All(key.kind)) {
      const auto ended = std::find(seat->ended.begin(), seat->ended.end(), key);
      if (ended != seat->ended.end()) seat->ended.erase(ended);
      if (seat->work != key || seat->running) continue;
      seat->work.reset();
      if (seat->ended.empty()) continue;
      seat->work = seat->ended.front();
      seat->ended.erase(seat->ended.begin());
    }
  }
  changed_.notify_all();
}

void Desk::Stop() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
    for (Seats* seats : {&machines_, &slots_}) {
      for (const auto& seat : *seats) {
        seat->stop = true;  // Before: who sees the cancel knows why.
        seat->cancel = true;
      }
    }
  }
  changed_.notify_all();
}

bool Desk::stopping() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return stopping_;
}

std::string Desk::WaitUntilNoneRuns(absl::Duration limit) const {
  constexpr auto kRuns = [](const Seat& seat) { return seat.work && seat.running; };
  std::unique_lock<std::mutex> lock(mutex_);
  const bool none = changed_.wait_for(lock, absl::ToChronoMilliseconds(limit),
                                      [&] { return FirstThat(kRuns) == nullptr; });
  return none ? "" : absl::StrCat(FirstThat(kRuns)->name, " (", FirstThat(kRuns)->phase, ")");
}

bool Desk::WaitUntilFree(absl::Duration limit) const {
  std::unique_lock<std::mutex> lock(mutex_);
  return changed_.wait_for(lock, absl::ToChronoMilliseconds(limit), [&] {
    return FirstThat([](const Seat& seat) {
             return (seat.work && !seat.suspended) || !seat.ended.empty();
           }) == nullptr;
  });
}

}  // namespace shakedown::agent
