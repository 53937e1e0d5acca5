#include "agent/machine/runner_session.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "agent/machine/guest_data.h"
#include "proto/wire/sanitise.h"

namespace shakedown::agent {
namespace {

// Used when an order leaves them out; the planner sets both.
constexpr absl::Duration kDefaultBootLimit = absl::Seconds(120);
constexpr absl::Duration kDefaultRunLimit = absl::Hours(1);
constexpr float kBootShare = 0.1f;            // Of a boot's progress, until the first load starts.
constexpr size_t kMaxReason = 400;            // Bytes of the guest's own words in a reason.
constexpr size_t kMaxForeignBytes = 1 << 20;  // Bytes that are no frame: then nobody talks there.

absl::Duration Limit(uint32_t seconds, absl::Duration otherwise) {
  return seconds == 0 ? otherwise : absl::Seconds(seconds);
}

std::string KindOf(const v1::Load& load) {
  switch (load.kind_case()) {
    case v1::Load::kMake:
      return "make";
    case v1::Load::kLatt:
      return "latt";
    case v1::Load::kInterbench:
      return "interbench";
    case v1::Load::KIND_NOT_SET:
      break;
  }
  return "load";
}

}  // namespace

RunnerSession::RunnerSession(const v1::BootOrder& order, std::vector<std::string> parameters,
                             absl::Duration silence)
    : order_(order),
      parameters_(std::move(parameters)),
      boot_limit_(Limit(order.boot_limit_s(), kDefaultBootLimit)),
      run_limit_(Limit(order.run_limit_s(), kDefaultRunLimit)),
      silence_(silence) {}

void RunnerSession::Receive(absl::string_view bytes, absl::Duration now) {
  now_ = now;
  frames_.Add(bytes);
  while (!end_) {
    const std::optional<std::string> payload = frames_.Next();
    if (!payload) break;
    v1::RunnerEvent event;
    if (event.ParseFromString(*payload)) {
      OnEvent(event, now);
    } else {
      OnFailure([&] {
        v1::RunnerFailure failure;
        failure.set_error(
            absl::StrCat("a message of ", payload->size(), " bytes is no RunnerEvent"));
        return failure;
      }());
    }
  }
  if (!end_ && frames_.skipped_bytes() > kMaxForeignBytes) {
    End(proven_ ? v1::OUTCOME_LOAD_FAILED : v1::OUTCOME_WRONG_KERNEL,
        absl::StrCat("the runner's port sent ", frames_.skipped_bytes(),
                     " bytes that are no message"));
  }
}

std::string RunnerSession::TakeOutput() { return std::exchange(output_, {}); }

RunnerSession::Overdue RunnerSession::LookAt(absl::Duration now) const {
  if (end_) return Overdue::kNot;
  if (!saw_hello()) return now > boot_limit_ ? Overdue::kHello : Overdue::kNot;
  if (now - heard_at_ > silence_) return Overdue::kSilent;
  return now - hello_at_ > run_limit_ ? Overdue::kRun : Overdue::kNot;
}

std::string RunnerSession::LoadName() const {
  return absl::StrCat(KindOf(order_.loads(load_)), " ", load_ + 1, "/", order_.loads_size());
}

std::string RunnerSession::phase() const {
  if (!saw_hello()) return "booting";
  if (step_ == Step::kLoad || step_ == Step::kIdentifyAgain) return LoadName();
  return "proving identity";
}

float RunnerSession::fraction() const {
  if (!saw_hello()) {
    const double spent = absl::FDivDuration(now_, boot_limit_);
    return kBootShare * static_cast<float>(std::clamp(spent, 0.0, 1.0)) / 2;
  }
  if (order_.loads().empty()) return 1;
  const float done = static_cast<float>(load_) + load_fraction_;
  return kBootShare + (1 - kBootShare) * done / static_cast<float>(order_.loads_size());
}

void RunnerSession::OnEvent(const v1::RunnerEvent& event, absl::Duration now) {
  if (event.has_hello()) return OnHello(event.hello(), now);
  // An answer to nothing that was asked, or to a question of before: not heard.
  if (step_ == Step::kHello || event.id() != request_id_) return;
  heard_at_ = now;
  switch (event.kind_case()) {
    case v1::RunnerEvent::kIdentified:
      return OnIdentified(event.identified());
    case v1::RunnerEvent::kTunablesApplied:
      return OnTunablesApplied(event.tunables_applied());
    case v1::RunnerEvent::kProgress:
      if (const float fraction = event.progress().fraction(); std::isfinite(fraction)) {
        load_fraction_ = std::clamp(fraction, 0.0f, 1.0f);
      }
      return;
    case v1::RunnerEvent::kLoadRun:
      return OnLoadRun(event.load_run());
    case v1::RunnerEvent::kFailure:
      return OnFailure(event.failure());
    case v1::RunnerEvent::kHello:
    case v1::RunnerEvent::KIND_NOT_SET:
      return;
  }
}

void RunnerSession::OnHello(const v1::Hello& hello, absl::Duration now) {
  if (step_ == Step::kHello) {
    hello_at_ = heard_at_ = now;
    boot_id_ = ToUtf8(absl::string_view(hello.boot_id()).substr(0, kMaxText));
    AskIdentity(Step::kIdentify);
  } else if (hello.boot_id() != boot_id_) {
    End(v1::OUTCOME_WRONG_KERNEL, "boot id changed in mid-run: the guest started anew");
  }
}

void RunnerSession::AskIdentity(Step step) {
  step_ = step;
  v1::RunnerRequest request;
  v1::Identify* identify = request.mutable_identify();
  if (tuned_) {
    for (const v1::Tunable& tunable : order_.tunables()) identify->add_tunables(tunable.name());
  }
  Send(std::move(request));
}

Wanted RunnerSession::WantedNow() const {
  Wanted wanted{order_.expected(), parameters_, {}, boot_id_};
  if (tuned_) wanted.tunables = {order_.tunables().begin(), order_.tunables().end()};
  return wanted;
}

void RunnerSession::OnIdentified(const v1::Identified& identified) {
  const v1::Identity found = CleanIdentity(identified.identity());
  if (step_ == Step::kIdentifyAgain) {
    if (const std::optional<Change> change = FindChange(*identity_, found)) {
      return End(change->scheduler ? v1::OUTCOME_SCHEDULER_EJECTED : v1::OUTCOME_WRONG_KERNEL,
                 change->what);
    }
    // The latest facts: the first were read while the kernel still chose its clocksource.
    if (identified.fingerprint().facts_size() > 0) {
      fingerprint_ = CleanFingerprint(identified.fingerprint());
    }
    ++load_;
    load_fraction_ = 0;
    return StartLoad();
  }
  if (step_ != Step::kIdentify && step_ != Step::kIdentifyTuned) return;
  identity_ = found;
  fingerprint_ = CleanFingerprint(identified.fingerprint());
  if (const std::optional<std::string> mismatch = FindMismatch(WantedNow(), found)) {
    return End(v1::OUTCOME_WRONG_KERNEL, *mismatch);
  }
  if (tuned_ || order_.tunables().empty()) {
    proven_ = true;
    return StartLoad();
  }
  step_ = Step::kApply;
  v1::RunnerRequest request;
  *request.mutable_apply_tunables()->mutable_tunables() = order_.tunables();
  Send(std::move(request));
}

void RunnerSession::OnTunablesApplied(const v1::TunablesApplied& applied) {
  if (step_ != Step::kApply) return;
  const std::vector<v1::Tunable> wanted(order_.tunables().begin(), order_.tunables().end());
  std::vector<v1::Tunable> read_back;
  for (const v1::Tunable& tunable : applied.read_back()) {
    if (read_back.size() == wanted.size()) break;
    read_back.push_back(tunable);
  }
  if (const std::optional<std::string> mismatch = FindTunableMismatch(wanted, read_back)) {
    return End(v1::OUTCOME_WRONG_KERNEL, *mismatch);
  }
  tuned_ = true;
  AskIdentity(Step::kIdentifyTuned);
}

void RunnerSession::StartLoad() {
  if (load_ == order_.loads_size()) {
    step_ = Step::kIdentify;
    load_ = std::max(0, load_ - 1);
    load_fraction_ = 1;
    return End(v1::OUTCOME_MEASURED, "");
  }
  step_ = Step::kLoad;
  v1::RunnerRequest request;
  v1::RunLoad* run = request.mutable_run_load();
  run->set_index(static_cast<uint32_t>(load_));
  *run->mutable_load() = order_.loads(load_);
  const absl::Duration left = run_limit_ - (now_ - hello_at_);
  run->set_limit_s(static_cast<uint32_t>(std::max<int64_t>(1, absl::ToInt64Seconds(left))));
  Send(std::move(request));
}

void RunnerSession::OnLoadRun(const v1::LoadRun& run) {
  if (step_ != Step::kLoad) return;
  absl::StatusOr<v1::LoadRun> checked = CheckLoadRun(static_cast<uint32_t>(load_), run);
  if (!checked.ok()) {
    return End(v1::OUTCOME_LOAD_FAILED,
               absl::StrCat(LoadName(), ": ", std::string(checked.status().message())));
  }
  load_runs_.push_back(*std::move(checked));
  load_fraction_ = 1;
  AskIdentity(Step::kIdentifyAgain);
}

void RunnerSession::OnFailure(const v1::RunnerFailure& failure) {
  const std::string error = PrintableLine(failure.error(), kMaxReason);
  if (step_ == Step::kLoad) {
    End(v1::OUTCOME_LOAD_FAILED, absl::StrCat(LoadName(), ": ", error));
  } else if (step_ == Step::kApply) {
    End(v1::OUTCOME_WRONG_KERNEL, error);  // Names the tunable: the kernel is not as asked for.
  } else {
    End(v1::OUTCOME_WRONG_KERNEL, absl::StrCat("identity not proven: ", error));
  }
}

void RunnerSession::Send(v1::RunnerRequest request) {
  request.set_id(++request_id_);
  output_ += EncodeFrame(request.SerializeAsString());
}

void RunnerSession::End(v1::Outcome outcome, std::string reason) {
  if (!end_) end_ = SessionEnd{outcome, std::move(reason)};
}

void RunnerSession::FillResult(v1::BootResult& result) const {
  if (identity_) *result.mutable_identity() = *identity_;
  *result.mutable_fingerprint() = fingerprint_;
  if (saw_hello()) result.set_boot_ms(static_cast<uint64_t>(absl::ToInt64Milliseconds(hello_at_)));
  const bool may_tell = proven_ && (result.outcome() == v1::OUTCOME_MEASURED ||
                                    result.outcome() == v1::OUTCOME_LOAD_FAILED);
  if (!may_tell) return;
  for (const v1::LoadRun& run : load_runs_) *result.add_load_runs() = run;
}

std::string RunnerSession::PowerOffFrame() {
  v1::RunnerRequest request;
  request.set_id(~uint64_t{0});
  request.mutable_power_off();
  return EncodeFrame(request.SerializeAsString());
}

}  // namespace shakedown::agent
