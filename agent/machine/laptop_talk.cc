#include "agent/machine/laptop_talk.h"

#include <poll.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "agent/machine/ended_boot.h"

namespace shakedown::agent {
namespace {

constexpr int kStepMs = 200;  // How soon a cancel is seen.
constexpr absl::Duration kReadEvery = absl::Seconds(1);
constexpr uint32_t kHelloLimitS = 60;  // The kernel is up: only the runner has to start.

// Its limit is from power-on, and most of that has gone by.
v1::BootOrder WithTimeForHello(v1::BootOrder order, absl::Duration uptime) {
  order.set_boot_limit_s(static_cast<uint32_t>(absl::ToInt64Seconds(uptime)) + kHelloLimitS);
  return order;
}

std::string Seconds(absl::Duration duration) {
  return absl::StrCat(absl::ToInt64Seconds(duration), " s");
}

}  // namespace

LaptopTalk::LaptopTalk(const v1::BootOrder& order, Descriptor connection, LaptopTalkOptions options,
                       const BootHooks& hooks, Clock& clock)
    : order_(WithTimeForHello(order, options.uptime)),
      options_(std::move(options)),
      hooks_(hooks),
      clock_(clock),
      started_(clock.Elapsed()),
      deadline_(order.boot_limit_s() == 0 || order.run_limit_s() == 0
                    ? absl::InfiniteDuration()
                    : absl::Seconds(order.boot_limit_s()) + absl::Seconds(order.run_limit_s())),
      runner_(GuestLink::Over(std::move(connection))),
      session_(order_, {order_.boot_parameters().begin(), order_.boot_parameters().end()},
               options_.silence),
      progress_(hooks) {
  session_.RestBeforeLoads();
}

absl::StatusOr<v1::BootResult> LaptopTalk::Run() {
  std::optional<SessionEnd> end;
  while (!end) {
    if (hooks_.Stopping()) return Suspended();
    if (hooks_.Cancelled()) {
      // Read in this order: a stop is set before the cancel that comes with it.
      if (hooks_.Stopping()) return Suspended();
      end = SessionEnd{v1::OUTCOME_CANCELLED, "cancelled"};
      break;
    }
    Step();
    if (session_.WantsRest()) {
      StepRest();
    } else {
      progress_.Tell(session_);
    }
    end = End();
  }
  SetDark(absl::ZeroDuration(), "");
  v1::BootResult result = EndedBoot(order_, end->outcome, end->reason);
  session_.FillResult(result);
  return result;
}

void LaptopTalk::Step() {
  const auto wanted = static_cast<short>(POLLIN | (runner_->HasUnsent() ? POLLOUT : 0));
  pollfd fd = {runner_->fd(), wanted, 0};
  if (poll(&fd, 1, kStepMs) > 0) {
    const std::string bytes = runner_->Receive();
    if (!bytes.empty()) session_.Receive(bytes, Elapsed());
    runner_->Flush();
  }
  // A runner that does not read what it is asked falls silent, which has its own limit.
  const std::string output = session_.TakeOutput();
  if (!output.empty()) runner_->Send(output).IgnoreError();
}

void LaptopTalk::StepRest() {
  const absl::Duration now = clock_.Elapsed();
  if (!gate_) {
    // Between two loads the farm hears how things stand, and may cancel.
    SetDark(absl::ZeroDuration(), "");
    progress_.Tell(session_);
    farm_hears_ = Told();
    gate_.emplace(options_.rest, now);
    next_reading_ = now;
    return;  // A cancel may have come.
  }
  if (now < next_reading_) return;
  next_reading_ = now + kReadEvery;
  switch (gate_->Step(options_.read_rest(), now)) {
    case RestGate::Answer::kWait:
      return progress_.Tell(gate_->text(), session_.fraction());
    case RestGate::Answer::kVoid:
      session_.GiveUp(gate_->text(), Elapsed());
      break;
    case RestGate::Answer::kGo:
      SetDark(session_.run_limit(), absl::StrCat("measures ", order_.name()));
      if (farm_hears_) Told();  // The first word took as long as it may where nobody hears.
      session_.Rested(Elapsed());
      break;
  }
  gate_.reset();
  const std::string output = session_.TakeOutput();
  if (!output.empty()) runner_->Send(output).IgnoreError();
}

void LaptopTalk::SetDark(absl::Duration duration, const std::string& reason) {
  if (hooks_.dark) hooks_.dark(duration, reason);
}

std::optional<SessionEnd> LaptopTalk::End() const {
  if (session_.end()) return session_.end();
  if (runner_->fd() < 0) {
    return SessionEnd{v1::OUTCOME_FARM_FAILED,
                      absl::StrCat("the runner hung up in ", session_.phase())};
  }
  switch (session_.LookAt(Elapsed())) {
    case RunnerSession::Overdue::kNot:
      if (Elapsed() <= deadline_) return std::nullopt;
      // The loads were in time: the rest before them, or a late start, was not.
      return SessionEnd{
          v1::OUTCOME_DISTURBED,
          absl::StrCat(session_.phase(), ": ", Seconds(deadline_),
                       " after power-on (boot and run limit) the machine had not come to rest in "
                       "time for all loads")};
    case RunnerSession::Overdue::kHello:
      return SessionEnd{v1::OUTCOME_FARM_FAILED,
                        absl::StrCat("no hello from the runner within ", kHelloLimitS, " s")};
    case RunnerSession::Overdue::kSilent:
      return SessionEnd{v1::OUTCOME_HUNG,
                        absl::StrCat("no word from the runner for ", Seconds(session_.silence()),
                                     " in ", session_.phase())};
    case RunnerSession::Overdue::kRun:
      return SessionEnd{v1::OUTCOME_LOAD_FAILED,
                        absl::StrCat(session_.phase(), ": the loads were not done within ",
                                     Seconds(session_.run_limit()), " (run limit)")};
  }
  return std::nullopt;
}

}  // namespace shakedown::agent
