#include "agent/machine/boot_run.h"

#include <poll.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "agent/console/stale_breakpoint.h"
#include "agent/machine/ended_boot.h"
#include "proto/wire/sanitise.h"
#include "proto/wire/status.h"

namespace shakedown::agent {
namespace {

constexpr int kStepMs = 200;                                    // How soon a cancel is seen.
constexpr absl::Duration kLookEvery = absl::Milliseconds(500);  // How often libvirt is asked.
constexpr absl::Duration kLinger = absl::Milliseconds(1500);    // For the trace below an alarm.
constexpr absl::Duration kPowerOff = absl::Seconds(3);
constexpr absl::Duration kDrain = absl::Milliseconds(300);
constexpr size_t kTail = 4096;
constexpr size_t kOopses = 64 << 10;  // A panic with the traces before it.

// Neither in the middle of a character nor, if it can be helped, of a line.
std::string TailText(absl::string_view bytes) {
  const size_t line = bytes.find('\n');
  if (bytes.size() == kTail && line != absl::string_view::npos && line < 200) {
    bytes.remove_prefix(line + 1);
  }
  std::string text = ToUtf8(bytes);
  if (text.size() <= kTail) return text;
  size_t start = text.size() - kTail;  // Foreign bytes have become three each.
  while (start < text.size() && (text[start] & 0xC0) == 0x80) ++start;
  return text.substr(start);
}

}  // namespace

BootRun::BootRun(const v1::BootOrder& order, DomainSpec spec, bool open_sockets,
                 absl::Duration silence, const BootHooks& hooks, HostWatch host,
                 Hypervisor& hypervisor, Clock& clock)
    : order_(order),
      spec_(std::move(spec)),
      open_sockets_(open_sockets),
      hooks_(hooks),
      host_(std::move(host)),
      hypervisor_(hypervisor),
      clock_(clock),
      session_(order, absl::StrSplit(spec_.command_line, ' '), silence),
      progress_(hooks) {}

absl::StatusOr<v1::BootResult> BootRun::Run() {
  absl::StatusOr<SessionEnd> end = absl::UnknownError("not run");
  if (const absl::Status started = Start(); !started.ok()) {
    end = started;
  } else {
    end = Watch();
  }
  if (end.ok() && end->outcome == v1::OUTCOME_MEASURED) PowerOff();
  const absl::Status removed = hypervisor_.Remove(spec_.name);
  const absl::Duration until = clock_.Elapsed() + kDrain;
  while (console_ != nullptr && console_->fd() >= 0 && clock_.Elapsed() < until) Step(20);
  watcher_.Finish();
  if (const std::string rest = capture_.Finish(); hooks_.console && !rest.empty()) {
    hooks_.console(rest);
  }
  if (!end.ok()) return end.status();
  RETURN_IF_ERROR(Annotate(removed, "the boot's end"));
  return ResultOf(*end);
}

absl::Status BootRun::Start() {
  ASSIGN_OR_RETURN(console_, GuestLink::Listen(spec_.console_socket, open_sockets_));
  ASSIGN_OR_RETURN(runner_, GuestLink::Listen(spec_.runner_socket, open_sockets_));
  started_ = clock_.Elapsed();
  progress_.Tell(session_);
  // QEMU connects while libvirt starts it and waits for nothing but the kernel's accept queue.
  return hypervisor_.Start(DomainXml(spec_));
}

absl::StatusOr<SessionEnd> BootRun::Watch() {
  started_ = clock_.Elapsed();
  for (;;) {
    if (Cancelled()) return SessionEnd{v1::OUTCOME_CANCELLED, "cancelled"};
    Step(kStepMs);
    progress_.Tell(session_);
    ASSIGN_OR_RETURN(Sight sight, Look());
    std::optional<Judgement> judgement = Judge(sight);
    if (!judgement) continue;
    const bool measured = judgement->farm.ok() && judgement->end.outcome == v1::OUTCOME_MEASURED;
    if (!measured) {
      // The panic's text may still be on its way, and the function at fault after an oops's first
      // line.
      Linger();
      ASSIGN_OR_RETURN(sight, Look());
      judgement = Judge(sight);
    }
    if (!judgement) continue;
    if (!judgement->farm.ok()) return judgement->farm;
    return judgement->end;
  }
}

void BootRun::Step(int wait_ms) {
  const auto wanted = [](const GuestLink& link) {
    return static_cast<short>(POLLIN | (link.HasUnsent() ? POLLOUT : 0));
  };
  pollfd fds[2] = {{console_->fd(), wanted(*console_), 0}, {runner_->fd(), wanted(*runner_), 0}};
  if (poll(fds, 2, wait_ms) <= 0) return;
  TakeConsole();
  const std::string bytes = runner_->Receive();
  if (!bytes.empty()) session_.Receive(bytes, Elapsed());
  runner_->Flush();
  // A guest that does not read what it asked for falls silent, which has its own limit.
  if (const std::string output = session_.TakeOutput(); !output.empty()) {
    runner_->Send(output).IgnoreError();
  }
}

void BootRun::TakeConsole() {
  const std::string bytes = console_->Receive();
  if (bytes.empty()) return;
  watcher_.Add(bytes);
  const absl::string_view now = capture_.Add(bytes);
  if (hooks_.console && !now.empty()) hooks_.console(now);
}

void BootRun::Linger() {
  const absl::Duration until = clock_.Elapsed() + kLinger;
  while (clock_.Elapsed() < until && !Cancelled() && console_->fd() >= 0) Step(50);
}

void BootRun::PowerOff() {
  if (!runner_->Send(RunnerSession::PowerOffFrame()).ok()) return;
  const absl::Duration until = clock_.Elapsed() + kPowerOff;
  while (clock_.Elapsed() < until && !Cancelled()) {
    Step(kStepMs);
    const absl::StatusOr<DomainState> state = hypervisor_.State(spec_.name);
    if (!state.ok() || *state != DomainState::kRunning) return;
  }
}

absl::StatusOr<Sight> BootRun::Look() {
  const absl::Duration now = clock_.Elapsed();
  const RunnerSession::Overdue overdue = session_.LookAt(Elapsed());
  const bool alarm = watcher_.verdict().finding != console::Finding::kNone;
  if (now >= next_look_ || overdue != RunnerSession::Overdue::kNot || alarm) {
    next_look_ = now + kLookEvery;
    ASSIGN_OR_RETURN(domain_, hypervisor_.State(spec_.name));
    if (session_.identity_proven()) host_.Look();  // From here on it measures.
  }
  Sight sight;
  sight.domain = domain_;
  sight.console = watcher_.verdict();
  sight.stale_breakpoint =
      !spec_.kvm && alarm && console::IsStaleBreakpoint(capture_.Last(kOopses));
  sight.kernel_spoke = watcher_.kernel_spoke();
  sight.reached_user_space = watcher_.reached_user_space();
  sight.last_line = watcher_.last_line();
  if (domain_ == DomainState::kEnded) sight.runner_words = RunnerWords(capture_.Last(kTail));
  sight.saw_hello = session_.saw_hello();
  sight.session = session_.end();
  sight.overdue = overdue;
  sight.phase = session_.phase();
  sight.boot_limit = session_.boot_limit();
  sight.run_limit = session_.run_limit();
  sight.silence = session_.silence();
  return sight;
}

v1::BootResult BootRun::ResultOf(const SessionEnd& end) {
  v1::BootResult result = EndedBoot(order_, end.outcome, end.reason);
  session_.FillResult(result);
  for (const auto& [name, value] : host_.Facts()) {
    (*result.mutable_fingerprint()->mutable_facts())[absl::StrCat("vm.", name)] = value;
  }
  result.set_console_tail(TailText(capture_.Last(kTail)));
  return result;
}

}  // namespace shakedown::agent
