#include "agent/machine/runner_session.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "agent/machine/guest_data.h"
#include "proto/wire/ids.h"
#include "proto/wire/load_kind.h"
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

constexpr char kSchedulerChanged[] = "scheduler_changed";

// What a burn of a microsecond needs, and faster than any CPU.
constexpr uint64_t kFewestLoops = 1000, kMostLoops = 1000000000;

using Activities = google::protobuf::RepeatedPtrField<v1::Activity>;

// A load that brings its own loops per ms needs the machine's only for what runs beside it.
bool BurnsCalibratedWork(const v1::Load& load, const Activities& background) {
  const bool simulated =
      std::any_of(background.begin(), background.end(),
                  [](const v1::Activity& a) { return a.has_audio() || a.has_video(); });
  const bool beside =
      load.launch().beside().burn_threads() > 0 || load.frames().beside().burn_threads() > 0;
  return simulated || beside || (load.has_interbench() && load.interbench().loops_per_ms() == 0) ||
         (load.has_frames() && load.frames().loops_per_ms() == 0);
}

}  // namespace

RunnerSession::RunnerSession(const v1::BootOrder& order, std::vector<std::string> parameters,
                             absl::Duration silence)
    : order_(order),
      parameters_(std::move(parameters)),
      boot_limit_(Limit(order.boot_limit_s(), kDefaultBootLimit)),
      run_limit_(Limit(order.run_limit_s(), kDefaultRunLimit)),
      silence_(silence),
      loops_per_ms_(order.loops_per_ms()) {}

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
  if (step_ == Step::kRest) return Overdue::kNot;
  if (now - heard_at_ > silence_) return Overdue::kSilent;
  return now - hello_at_ - rested_ > run_limit_ ? Overdue::kRun : Overdue::kNot;
}

std::string RunnerSession::LoadName() const {
  return absl::StrCat(LoadKind(order_.loads(load_)), " ", load_ + 1, "/", order_.loads_size());
}

std::string RunnerSession::phase() const {
  if (!saw_hello()) return "booting";
  if (step_ == Step::kSetup || step_ == Step::kIdentifySetUp) return "setting the machine up";
  if (step_ == Step::kUndo) return "taking the setup back";
  if (step_ == Step::kRest) return absl::StrCat("waiting to run ", LoadName());
  if (step_ == Step::kLoad || step_ == Step::kIdentifyAgain) return LoadName();
  if (step_ == Step::kCalibrate) return "calibrating";
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
    case v1::RunnerEvent::kSetupDone:
      return OnSetupDone(event.setup_done());
    case v1::RunnerEvent::kProgress:
      if (const float fraction = event.progress().fraction(); std::isfinite(fraction)) {
        load_fraction_ = std::clamp(fraction, 0.0f, 1.0f);
      }
      if (step_ == Step::kLoad && event.progress().has_sample()) {
        live_.Add(event.progress().sample());
      }
      return;
    case v1::RunnerEvent::kCalibrated:
      return OnCalibrated(event.calibrated());
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
    if (!load_runs_.back().disturbances().empty()) {
      const v1::Disturbance& first = load_runs_.back().disturbances(0);
      // Changed and changed back: not what was asked for ran all the time.
      const bool scheduler = first.rule() == kSchedulerChanged;
      return UndoSetup(scheduler ? v1::OUTCOME_SCHEDULER_EJECTED : v1::OUTCOME_DISTURBED,
                       absl::StrCat(LoadName(), ": ", first.fact()));
    }
    ++load_;
    load_fraction_ = 0;
    return StartLoad();
  }
  if (step_ == Step::kIdentifySetUp) {
    OnSetUp(found);
    if (!end_) fingerprint_ = CleanFingerprint(identified.fingerprint());
    return;
  }
  if (step_ != Step::kIdentify && step_ != Step::kIdentifyTuned) return;
  identity_ = found;
  fingerprint_ = CleanFingerprint(identified.fingerprint());
  if (const std::optional<std::string> mismatch = FindMismatch(WantedNow(), found)) {
    return End(v1::OUTCOME_WRONG_KERNEL, *mismatch);
  }
  if (tuned_ || order_.tunables().empty()) {
    proven_ = true;
    return BeginSetup();
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

void RunnerSession::BeginSetup() {
  if (order_.setup().empty() && !order_.has_sched_ext()) return StartLoad();
  step_ = Step::kSetup;
  v1::RunnerRequest request;
  *request.mutable_apply_setup()->mutable_steps() = order_.setup();
  if (order_.has_sched_ext()) {
    *request.mutable_apply_setup()->mutable_sched_ext() = order_.sched_ext();
  }
  Send(std::move(request));
}

void RunnerSession::OnSetupDone(const v1::SetupDone& done) {
  if (step_ != Step::kSetup && step_ != Step::kUndo) return;
  std::vector<v1::SetupRecord> records = CleanSetup(done);
  const size_t want = static_cast<size_t>(order_.setup_size()) + (order_.has_sched_ext() ? 1 : 0);
  if (step_ == Step::kUndo) {
    if (records.size() == want) setup_ = std::move(records);
    return End(ending_.outcome, ending_.reason);
  }
  if (records.size() != want) {
    return End(v1::OUTCOME_FARM_FAILED,
               absl::StrCat("setup: ", records.size(), " steps done, want ", want));
  }
  setup_ = std::move(records);
  for (int i = 0; i < order_.setup_size(); ++i) {
    if (order_.setup(i).require_ac() && setup_[static_cast<size_t>(i)].before() == "on battery") {
      return UndoSetup(v1::OUTCOME_DISTURBED,
                       "ac_lost: the machine runs on battery, mains power "
                       "is wanted");
    }
  }
  AskIdentity(Step::kIdentifySetUp);
}

void RunnerSession::OnSetUp(const v1::Identity& found) {
  if (const std::optional<std::string> mismatch = FindMismatch(WantedNow(), found)) {
    return End(v1::OUTCOME_WRONG_KERNEL, absl::StrCat("after the setup: ", *mismatch));
  }
  identity_ = found;  // With the sched_ext program, which the first could not have.
  if (order_.has_sched_ext() &&
      (found.sched_ext_state() != "enabled" ||
       (!order_.sched_ext().ops().empty() && found.sched_ext_ops() != order_.sched_ext().ops()))) {
    return End(
        v1::OUTCOME_SCHEDULER_EJECTED,
        absl::StrCat("sched_ext: wanted ", Quoted(order_.sched_ext().ops()), " enabled, found ",
                     Quoted(found.sched_ext_ops()), " ", Quoted(found.sched_ext_state())));
  }
  StartLoad();
}

// Then ends with this. In a VM the setup would vanish with it; that it was taken back is told.
void RunnerSession::UndoSetup(v1::Outcome outcome, std::string reason) {
  if (setup_.empty()) return End(outcome, std::move(reason));
  step_ = Step::kUndo;
  ending_ = {outcome, std::move(reason)};
  v1::RunnerRequest request;
  request.mutable_undo_setup();
  Send(std::move(request));
}

void RunnerSession::StartLoad() {
  if (load_ == order_.loads_size()) {
    step_ = Step::kIdentify;
    load_ = std::max(0, load_ - 1);
    load_fraction_ = 1;
    return UndoSetup(v1::OUTCOME_MEASURED, "");
  }
  if (rests_ && rested_for_ != load_) {
    step_ = Step::kRest;
    rest_since_ = now_;
    return;
  }
  const bool calibrated_work = BurnsCalibratedWork(order_.loads(load_), order_.background());
  if (calibrated_work && loops_per_ms_ == 0) return AskCalibration();
  used_loops_ |= calibrated_work;
  step_ = Step::kLoad;
  live_.Begin(static_cast<uint32_t>(load_));
  v1::RunnerRequest request;
  v1::RunLoad* run = request.mutable_run_load();
  run->set_index(static_cast<uint32_t>(load_));
  *run->mutable_load() = order_.loads(load_);
  run->set_loops_per_ms(loops_per_ms_);
  *run->mutable_background() = order_.background();
  const absl::Duration left = run_limit_ - (now_ - hello_at_ - rested_);
  run->set_limit_s(static_cast<uint32_t>(std::max<int64_t>(1, absl::ToInt64Seconds(left))));
  Send(std::move(request));
}

void RunnerSession::EndRest(absl::Duration now) {
  now_ = heard_at_ = now;
  rested_ += now - rest_since_;
  rested_for_ = load_;
}

void RunnerSession::Rested(absl::Duration now) {
  if (!WantsRest()) return;
  EndRest(now);
  StartLoad();
}

void RunnerSession::GiveUp(std::string reason, absl::Duration now) {
  if (!WantsRest()) return;
  EndRest(now);
  UndoSetup(v1::OUTCOME_DISTURBED, absl::StrCat(LoadName(), ": ", reason));
}

void RunnerSession::AskCalibration() {
  step_ = Step::kCalibrate;
  v1::RunnerRequest request;
  request.mutable_calibrate();
  Send(std::move(request));
}

void RunnerSession::OnCalibrated(const v1::Calibrated& calibrated) {
  if (step_ != Step::kCalibrate) return;
  const uint64_t loops = calibrated.loops_per_ms();
  if (loops < kFewestLoops || loops > kMostLoops) {
    return End(v1::OUTCOME_LOAD_FAILED,
               absl::StrCat(LoadName(), ": calibrated to ", loops, " loops per ms, want ",
                            kFewestLoops, " to ", kMostLoops));
  }
  loops_per_ms_ = loops;
  StartLoad();
}

void RunnerSession::OnLoadRun(const v1::LoadRun& run) {
  if (step_ != Step::kLoad) return;
  live_.Clear();
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
  if (step_ == Step::kLoad || step_ == Step::kCalibrate) {
    End(v1::OUTCOME_LOAD_FAILED, absl::StrCat(LoadName(), ": ", error));
  } else if (step_ == Step::kUndo) {
    End(ending_.outcome, ending_.reason);  // The records say what was not undone.
  } else if (step_ == Step::kSetup && (absl::StartsWith(error, "sched_ext: ") ||
                                       absl::StrContains(error, "this kernel has no sched_ext"))) {
    End(v1::OUTCOME_SCHEDULER_EJECTED, error);  // The scheduler or the kernel refused.
  } else if (step_ == Step::kSetup) {
    // The machine can not be what the job wants: nothing about the kernel.
    End(v1::OUTCOME_FARM_FAILED,
        absl::StartsWith(error, "setup: ") ? error : absl::StrCat("setup: ", error));
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
  for (const v1::SetupRecord& record : setup_) *result.add_setup() = record;
  if (saw_hello()) result.set_boot_ms(static_cast<uint64_t>(absl::ToInt64Milliseconds(hello_at_)));
  const bool may_tell = proven_ && (result.outcome() == v1::OUTCOME_MEASURED ||
                                    result.outcome() == v1::OUTCOME_LOAD_FAILED ||
                                    result.outcome() == v1::OUTCOME_DISTURBED);
  if (!may_tell) return;
  if (used_loops_) result.set_loops_per_ms(loops_per_ms_);
  for (const v1::LoadRun& run : load_runs_) *result.add_load_runs() = run;
}

std::string RunnerSession::PowerOffFrame() {
  v1::RunnerRequest request;
  request.set_id(~uint64_t{0});
  request.mutable_power_off();
  return EncodeFrame(request.SerializeAsString());
}

}  // namespace shakedown::agent
