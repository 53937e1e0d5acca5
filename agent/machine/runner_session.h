// The agent's side of the talk with the runner in a booted kernel
// (proto/shakedown/v1/runner.proto). Pure: events and the time go in, requests and an end come out.
#ifndef SHAKEDOWN_AGENT_MACHINE_RUNNER_SESSION_H_
#define SHAKEDOWN_AGENT_MACHINE_RUNNER_SESSION_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "agent/machine/live_telemetry.h"
#include "agent/machine/prove_identity.h"
#include "proto/wire/framing.h"
#include "shakedown/v1/boot.pb.h"
#include "shakedown/v1/runner.pb.h"

namespace shakedown::agent {

struct SessionEnd {
  v1::Outcome outcome = v1::OUTCOME_UNSPECIFIED;
  std::string reason;  // One line; empty when MEASURED.
};

// Hello → identity → tunables → identity with tunables → setup and identity with it → each load,
// and the identity after it → setup undone. Before the first load that burns calibrated work the
// machine is calibrated, unless the order knows how fast it is. A load run with a disturbance is
// the last. Whatever the guest says otherwise ends the session. All times are since power-on and
// only grow. One owner, not thread-safe.
class RunnerSession {
 public:
  // `parameters`: what must stand on the command line (the machine's and the order's).
  // `silence`: how long the runner may say nothing after the hello.
  RunnerSession(const v1::BootOrder& order, std::vector<std::string> parameters,
                absl::Duration silence);

  // The machine is to come to rest before each load, and the caller sees to it: the session waits
  // at WantsRest() for Rested() or GiveUp(). That time counts for no limit.
  void RestBeforeLoads() { rests_ = true; }
  bool WantsRest() const { return step_ == Step::kRest && !end_; }
  void Rested(absl::Duration now);
  // The load would not be worth running: disturbed, once the setup is taken back.
  void GiveUp(std::string reason, absl::Duration now);

  // Bytes of the channel as they come.
  void Receive(absl::string_view bytes, absl::Duration now);
  // Bytes for the channel; empty when there is nothing to say.
  std::string TakeOutput();

  // Set once the session is over: all measured, or a finding.
  const std::optional<SessionEnd>& end() const { return end_; }
  // What the time says: the caller looks at the machine and the console before it decides.
  enum class Overdue { kNot, kHello, kSilent, kRun };
  Overdue LookAt(absl::Duration now) const;

  bool saw_hello() const { return hello_at_ != absl::InfiniteDuration(); }
  absl::Duration hello_at() const { return hello_at_; }  // InfiniteDuration() until it came.
  std::string phase() const;                             // "booting", "latt 2/3".
  float fraction() const;                                // Of the whole boot, 0 to 1.
  // Of the load that runs; without samples when none does.
  const v1::LiveTelemetry& live() const { return live_.view(); }
  bool identity_proven() const { return proven_; }
  absl::Duration run_limit() const { return run_limit_; }
  absl::Duration boot_limit() const { return boot_limit_; }
  absl::Duration silence() const { return silence_; }

  // Fills identity, fingerprint, setup, load_runs, boot_ms with what is known and may be told: load
  // runs only of a proven kernel.
  void FillResult(v1::BootResult& result) const;
  // A frame that tells the runner to power off.
  static std::string PowerOffFrame();

 private:
  enum class Step {
    kHello,
    kIdentify,
    kApply,
    kIdentifyTuned,
    kSetup,
    kIdentifySetUp,
    kRest,
    kCalibrate,
    kLoad,
    kIdentifyAgain,
    kUndo
  };
  void OnEvent(const v1::RunnerEvent& event, absl::Duration now);
  void OnHello(const v1::Hello& hello, absl::Duration now);
  void OnIdentified(const v1::Identified& identified);
  void OnTunablesApplied(const v1::TunablesApplied& applied);
  void OnSetupDone(const v1::SetupDone& done);
  void OnSetUp(const v1::Identity& found);
  void OnCalibrated(const v1::Calibrated& calibrated);
  void OnLoadRun(const v1::LoadRun& run);
  void OnFailure(const v1::RunnerFailure& failure);
  void AskIdentity(Step step);
  void AskCalibration();
  void BeginSetup();
  void StartLoad();
  void EndRest(absl::Duration now);
  void UndoSetup(v1::Outcome outcome, std::string reason);
  void Send(v1::RunnerRequest request);
  void End(v1::Outcome outcome, std::string reason);
  Wanted WantedNow() const;
  std::string LoadName() const;  // "latt 2/3"

  const v1::BootOrder order_;
  const std::vector<std::string> parameters_;
  const absl::Duration boot_limit_, run_limit_, silence_;
  FrameReader frames_;
  Step step_ = Step::kHello;
  uint64_t request_id_ = 0;
  int load_ = 0;  // Index of the load in hand.
  float load_fraction_ = 0;
  LiveTelemetry live_;
  bool rests_ = false;
  int rested_for_ = -1;                 // Load.
  absl::Duration rest_since_, rested_;  // Of all rests.
  bool tuned_ = false, proven_ = false;
  uint64_t loops_per_ms_ = 0;  // Of the order, else measured before the first load that needs it.
  bool used_loops_ = false;
  absl::Duration now_;
  absl::Duration hello_at_ = absl::InfiniteDuration(), heard_at_ = absl::InfiniteDuration();
  std::string boot_id_, output_;
  std::optional<v1::Identity> identity_;
  v1::Fingerprint fingerprint_;
  std::vector<v1::LoadRun> load_runs_;
  std::vector<v1::SetupRecord> setup_;
  SessionEnd ending_;  // Once the setup is undone.
  std::optional<SessionEnd> end_;
};

}  // namespace shakedown::agent

#endif  // SHAKEDOWN_AGENT_MACHINE_RUNNER_SESSION_H_
