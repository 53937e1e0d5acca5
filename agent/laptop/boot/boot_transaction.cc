#include "agent/laptop/boot/boot_transaction.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "agent/laptop/boot/boot_loader.h"
#include "agent/laptop/boot/command_line.h"
#include "agent/laptop/boot/copy_file.h"
#include "agent/laptop/boot/gather.h"
#include "agent/laptop/boot/host.h"
#include "agent/laptop/boot/installed_files.h"
#include "agent/laptop/boot/journal.h"
#include "agent/laptop/boot/story.h"
#include "proto/wire/ids.h"
#include "proto/wire/sanitise.h"
#include "proto/wire/status.h"

namespace shakedown::laptop {
namespace {

// What the firmware, the owner's kernel and systemd take on the way there and back.
constexpr absl::Duration kWayHome = absl::Minutes(10);
constexpr absl::Duration kClockSlack = absl::Hours(24);
constexpr size_t kMaxResult = 16 << 20;
constexpr size_t kConsoleTail = 4096;
// For Problem(), before there is an order: a usual kernel, its modules on this machine, a result.
constexpr uint64_t kUsualImage = 16 << 20;
constexpr uint64_t kUsualModules = 128 << 20;
constexpr uint64_t kUsualState = 64 << 20;

class Transaction : public BootTransaction {
 public:
  Transaction(TransactionOptions options, BootLoader& loader, Host& host)
      : options_(std::move(options)), loader_(loader), host_(host), disk_(host.disk()) {
    options_.root = std::string(absl::StripSuffix(options_.root, "/"));
  }

  absl::Status Open() {
    const absl::StatusOr<std::string> armed = loader_.ReadArmed();
    const absl::Status replayed = Replay(armed.ok() ? *armed : std::string());
    // Whatever the journal says, nothing stays armed.
    const absl::Status disarmed = loader_.Disarm();
    RETURN_IF_ERROR(replayed);
    if (!disarmed.ok()) disarm_problem_ = std::string(disarmed.message());
    return token_.empty() ? FindHome() : FindTest();
  }

  Standing Where() const override {
    Standing standing;
    standing.stage = story_.stage;
    if (story_.stage == v1::BOOT_STAGE_NONE) return standing;
    standing.attempt_id = story_.order.attempt_id();
    standing.epoch = story_.order.epoch();
    standing.runner_was_open = story_.runner_was_open;
    standing.has_result = story_.result.has_value();
    return standing;
  }

  std::string Problem() const override { return std::string(CanStart().message()); }

  absl::Status Install(const v1::BootOrder& order, const BootFiles& files) override {
    RETURN_IF_ERROR(Expect(v1::BOOT_STAGE_NONE, "install"));
    if (story_.installing) RETURN_IF_ERROR(RemoveAll());  // What an Install() before could not.
    RETURN_IF_ERROR(CheckOrder(order, files));
    const std::vector<std::string> parameters(order.boot_parameters().begin(),
                                              order.boot_parameters().end());
    ASSIGN_OR_RETURN(const std::string command_line,
                     BuildCommandLine(host_.CommandLine(), order.attempt_id(), parameters));
    RETURN_IF_ERROR(CanStart());
    if (WasMeasured(journal_->records(), order.attempt_id())) {
      return absl::AlreadyExistsError(
          absl::StrCat("attempt ", order.attempt_id(), ": was measured here before"));
    }
    if (!IsOwnKernel(options_.root, order, files)) {
      RETURN_IF_ERROR(CheckReleaseIsFree(order.expected().release()));
    }
    RETURN_IF_ERROR(CheckRoom(order, files));
    RETURN_IF_ERROR(Begin(order));
    absl::StatusOr<Digests> digests = InstallAll(files, command_line);
    if (!digests.ok()) {
      RETURN_IF_ERROR(RemoveAll());
      return digests.status();
    }
    return Write(kInstalled, FormatDigests(*digests));
  }

  absl::Status Leave() override {
    RETURN_IF_ERROR(Expect(v1::BOOT_STAGE_INSTALLED, "leave"));
    RETURN_IF_ERROR(CanStart());
    RETURN_IF_ERROR(VerifyFiles(Ours(), story_.digests));
    RETURN_IF_ERROR(Write(kLeaving, FormatBefore(LookBefore(options_.root))));
    absl::Status status = Arm();
    if (status.ok()) {
      RETURN_IF_ERROR(Write(kArmed, loader_.Way() == Host::RebootKind::kKexec ? kByKexec : ""));
      status = host_.Reboot(loader_.Way());
    }
    if (status.ok()) return status;
    RETURN_IF_ERROR(Stay());
    return status;
  }

  absl::Status RunnerOpened() override {
    RETURN_IF_ERROR(Expect(v1::BOOT_STAGE_IN_TEST, "open the runner"));
    if (story_.result) {
      return absl::FailedPreconditionError(absl::StrCat(
          "open the runner: this boot has its result (", story_.result->reason(), "): go home"));
    }
    if (story_.runner_was_open) {
      return absl::FailedPreconditionError(
          "open the runner: it was open in this boot, loads may have run: go home");
    }
    return Write(kRunner);
  }

  absl::Status KeepResult(const v1::BootResult& result) override {
    RETURN_IF_ERROR(Expect(v1::BOOT_STAGE_IN_TEST, "keep a result"));
    if (result.attempt_id() != story_.order.attempt_id() ||
        result.epoch() != story_.order.epoch()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "result of attempt ", Quoted(result.attempt_id()), ", epoch ", result.epoch(), ", want ",
          story_.order.attempt_id(), ", epoch ", story_.order.epoch()));
    }
    if (result.ByteSizeLong() > kMaxResult) {
      return absl::InvalidArgumentError(
          absl::StrCat("result of ", result.ByteSizeLong(), " bytes, want at most ", kMaxResult));
    }
    const std::string bytes = result.SerializeAsString();
    if (!story_.result) return Write(kResult, bytes);
    if (story_.result->SerializeAsString() == bytes) return absl::OkStatus();
    return absl::AlreadyExistsError(
        absl::StrCat("another result of attempt ", result.attempt_id(), " is kept"));
  }

  absl::StatusOr<v1::BootResult> Collect() override {
    RETURN_IF_ERROR(Expect(v1::BOOT_STAGE_RETURNED, "collect"));
    if (!story_.result) return absl::DataLossError("journal: returned without a result");
    return *story_.result;
  }

  absl::Status Restore() override {
    if (!token_.empty()) {
      if (story_.stage == v1::BOOT_STAGE_IN_TEST) RETURN_IF_ERROR(Write(kGoingHome));
      return host_.Reboot(Host::RebootKind::kOrdinary);
    }
    if (story_.stage == v1::BOOT_STAGE_NONE) return absl::OkStatus();
    return RemoveAll();
  }

  const v1::BootOrder& Order() const override { return story_.order; }

 private:
  Places Ours() const {
    return PlacesOf(options_.root, story_.folder, options_.state, story_.order);
  }

  // To the journal first, then it is so.
  absl::Status Write(const char* kind, std::string body = "") {
    Record record{.kind = kind, .boot_id = host_.BootId(), .wall = host_.Now(), .body = body};
    RETURN_IF_ERROR(journal_->Append(record));
    return Tell(record, &story_);
  }

  absl::Status Replay(const std::string& armed) {
    if (!IsFolder(options_.state)) {
      const absl::Status made = disk_.MakeFolder(options_.state, 0700);
      if (!made.ok()) return absl::InternalError(absl::StrCat("journal: ", made.message()));
    }
    ASSIGN_OR_RETURN(journal_, BootJournal::Open(options_.state + "/journal", disk_));
    for (const Record& record : journal_->records()) {
      RETURN_IF_ERROR(Annotate(Tell(record, &story_), options_.state));
    }
    token_ = TokenIn(host_.CommandLine());
    // Before it is disarmed: a crash in between must not make it look taken.
    const bool at_home = token_.empty() && host_.BootId() != story_.left_boot_id;
    if (at_home && story_.stage == v1::BOOT_STAGE_LEAVING && story_.armed &&
        armed == story_.order.attempt_id() && !story_.not_taken) {
      return Write(kNotTaken);
    }
    return absl::OkStatus();
  }

  absl::Status FindHome() {
    switch (story_.stage) {
      case v1::BOOT_STAGE_LEAVING:
        if (host_.BootId() == story_.left_boot_id) return Stay();
        return Return();
      case v1::BOOT_STAGE_IN_TEST:
        return Return();
      case v1::BOOT_STAGE_NONE:
        return story_.installing ? RemoveAll() : ForgetStrays();
      default:
        return absl::OkStatus();
    }
  }

  // Left by a journal that somebody has removed. What does not go now is tried again.
  absl::Status ForgetStrays() {
    const absl::Status entry = loader_.RemoveEntry();
    if (entry.ok()) (void)RemoveStrays(disk_, options_.root, loader_.Folder());
    for (const char* folder : {"/work", "/inputs"}) {
      (void)RemoveTree(disk_, options_.state + folder);
    }
    return absl::OkStatus();
  }

  absl::Status FindTest() {
    if (story_.stage == v1::BOOT_STAGE_NONE) return absl::OkStatus();
    const bool was_leaving = story_.stage == v1::BOOT_STAGE_LEAVING;
    const bool same_boot = story_.in_test.boot_id() == host_.BootId();
    if (story_.stage == v1::BOOT_STAGE_IN_TEST && same_boot) return NoteProblem();
    v1::Identity identity;
    identity.set_release(host_.Release());
    identity.set_command_line(ToUtf8(host_.CommandLine()));
    identity.set_boot_id(host_.BootId());
    RETURN_IF_ERROR(Write(kInTest, identity.SerializeAsString()));
    const std::string& expected = story_.order.expected().release();
    if (token_ != story_.order.attempt_id()) {
      return Find(v1::OUTCOME_WRONG_KERNEL, absl::StrCat("shakedown.boot is ", Quoted(token_),
                                                         ", want ", story_.order.attempt_id()));
    }
    if (host_.Release() != expected) {
      return Find(v1::OUTCOME_WRONG_KERNEL,
                  absl::StrCat("release is ", Quoted(host_.Release()), ", want ", expected));
    }
    if (!was_leaving) {
      return Find(v1::OUTCOME_FARM_FAILED,
                  "the test kernel started once more, by hand or by a loader that does not clear "
                  "its one-shot entry");
    }
    return NoteProblem();
  }

  absl::Status NoteProblem() {
    if (disarm_problem_.empty()) return absl::OkStatus();
    return Find(v1::OUTCOME_FARM_FAILED,
                absl::StrCat("the one-shot entry can not be disarmed: ", disarm_problem_));
  }

  v1::BootResult MakeResult(v1::Outcome outcome, absl::string_view reason) const {
    v1::BootResult result;
    result.set_attempt_id(story_.order.attempt_id());
    result.set_epoch(story_.order.epoch());
    result.set_outcome(outcome);
    result.set_reason(PrintableLine(reason, 500));
    if (!story_.in_test.boot_id().empty()) *result.mutable_identity() = story_.in_test;
    return result;
  }

  // The first result stands.
  absl::Status Find(v1::Outcome outcome, absl::string_view reason) {
    if (story_.result) return absl::OkStatus();
    return Write(kResult, MakeResult(outcome, reason).SerializeAsString());
  }

  absl::Status Stay() {
    RETURN_IF_ERROR(loader_.Disarm());
    return Write(kStayed);
  }

  absl::Status Return() {
    if (!story_.result) {
      Evidence evidence{.armed = story_.armed,
                        .fleeting = story_.fleeting,
                        .not_taken = story_.not_taken,
                        .in_test = !story_.in_test.boot_id().empty(),
                        .going_home = story_.going_home,
                        .away = host_.Now() - story_.left_at};
      const std::string text = Gather(options_.root, host_,
                                      {.release = story_.order.expected().release(),
                                       .left = story_.left_boot_id,
                                       .in_test = story_.in_test.boot_id(),
                                       .before = story_.before},
                                      &evidence);
      const uint32_t running =
          evidence.in_test || evidence.user_space ? story_.order.run_limit_s() : 0;
      evidence.limit =
          absl::Seconds(story_.order.boot_limit_s()) + absl::Seconds(running) + kWayHome;
      const Finding finding = JudgeReturn(evidence);
      v1::BootResult result = MakeResult(finding.outcome, finding.reason);
      result.set_evidence(text);
      result.set_console_tail(
          ToUtf8(absl::string_view(text).substr(0, std::min(text.size(), kConsoleTail))));
      RETURN_IF_ERROR(Write(kResult, result.SerializeAsString()));
    }
    return Write(kReturned);
  }

  absl::Status Expect(v1::BootStage stage, absl::string_view what) const {
    if (story_.stage == stage) return absl::OkStatus();
    return absl::FailedPreconditionError(absl::StrCat("can not ", what, ": the stage is ",
                                                      v1::BootStage_Name(story_.stage), ", want ",
                                                      v1::BootStage_Name(stage)));
  }

  absl::Status CanStart() const {
    if (!token_.empty()) {
      return absl::FailedPreconditionError(
          absl::StrCat("a test kernel runs (shakedown.boot=", PrintableLine(token_, 64),
                       "): reboot into your own first"));
    }
    const std::string problem = loader_.Problem();
    if (!problem.empty()) return absl::FailedPreconditionError(problem);
    if (!disarm_problem_.empty()) return absl::FailedPreconditionError(disarm_problem_);
    const absl::Time newest = NewestTime(journal_->records());
    if (host_.Now() + kClockSlack < newest) {
      return absl::FailedPreconditionError(
          absl::StrCat("clock: it is ", absl::FormatTime(host_.Now(), absl::UTCTimeZone()),
                       ", but the journal was written at ",
                       absl::FormatTime(newest, absl::UTCTimeZone()), ": set the clock"));
    }
    if (story_.stage != v1::BOOT_STAGE_NONE) return absl::OkStatus();
    return CheckSpace(disk_, options_.root,
                      {{loader_.Folder(), kUsualImage + InitramfsEstimate(options_.root)},
                       {options_.root + "/boot", 0},
                       {options_.root + "/lib/modules", kUsualModules},
                       {options_.state, kUsualState}},
                      options_.keep_free);
  }

  absl::Status CheckReleaseIsFree(const std::string& release) const {
    for (const char* name : {"/lib/modules/", "/boot/vmlinuz-", "/boot/config-"}) {
      if (!Exists(absl::StrCat(options_.root, name, release))) continue;
      return absl::FailedPreconditionError(
          absl::StrCat(name, release,
                       ": there is a kernel of that release on this machine: want "
                       "one with a release of its own (CONFIG_LOCALVERSION)"));
    }
    return absl::OkStatus();
  }

  absl::Status CheckRoom(const v1::BootOrder& order, const BootFiles& files) const {
    uint64_t state = kUsualState + order.modules().size() + 3 * InitramfsEstimate(options_.root);
    for (const std::string& input : files.inputs) state += SizeOf(input);
    return CheckSpace(
        disk_, options_.root,
        {{loader_.Folder(), order.image().size() + InitramfsEstimate(options_.root)},
         // Packed modules unpack to about three times as much; measured before they are.
         {options_.root + "/lib/modules", 3 * order.modules().size()},
         {options_.state, state}},
        options_.keep_free);
  }

  absl::Status Begin(const v1::BootOrder& order) {
    RETURN_IF_ERROR(journal_->Replace(LastEnds(journal_->records())));
    RETURN_IF_ERROR(Write(kFolder, loader_.Folder()));
    return Write(kBegin, order.SerializeAsString());
  }

  BootEntry Entry(const std::string& command_line) const {
    const Places places = Ours();
    return {.attempt_id = places.attempt_id,
            .image = places.Image(),
            .initramfs = Exists(places.Initramfs()) ? places.Initramfs() : "",
            .command_line = command_line};
  }

  absl::StatusOr<Digests> InstallAll(const BootFiles& files, const std::string& command_line) {
    ASSIGN_OR_RETURN(const Digests digests, InstallFiles(options_.root, host_, Ours(), story_.order,
                                                         files, options_.keep_free));
    RETURN_IF_ERROR(loader_.AddEntry(Entry(command_line)));
    return digests;
  }

  absl::Status Arm() {
    const v1::BootOrder& order = story_.order;
    ASSIGN_OR_RETURN(
        const std::string command_line,
        BuildCommandLine(host_.CommandLine(), order.attempt_id(),
                         {order.boot_parameters().begin(), order.boot_parameters().end()}));
    RETURN_IF_ERROR(loader_.ArmOnce(Entry(command_line)));
    ASSIGN_OR_RETURN(const std::string armed, loader_.ReadArmed());
    if (armed == order.attempt_id()) return absl::OkStatus();
    return absl::UnavailableError(absl::StrCat(loader_.Name(), ": armed is ", Quoted(armed),
                                               " after arming ", order.attempt_id()));
  }

  // The loader first: its entry must never point to what is gone, and what is armed never to an
  // entry that is gone.
  absl::Status RemoveAll() {
    RETURN_IF_ERROR(loader_.Disarm());
    RETURN_IF_ERROR(loader_.RemoveEntry());
    RETURN_IF_ERROR(RemoveFiles(disk_, Ours()));
    return Write(
        kEnded, absl::StrCat(story_.order.attempt_id(), story_.runner_was_open ? " measured" : ""));
  }

  TransactionOptions options_;
  BootLoader& loader_;
  Host& host_;
  Disk& disk_;
  std::unique_ptr<BootJournal> journal_;
  Story story_;
  std::string token_;           // Of the running kernel; empty: the owner's.
  std::string disarm_problem_;  // Why what is armed could not be disarmed.
};

}  // namespace

std::string InputPath(const std::string& state, size_t index) {
  return absl::StrCat(state, "/inputs/", index, ".img");
}

absl::StatusOr<std::unique_ptr<BootTransaction>> OpenBootTransaction(TransactionOptions options,
                                                                     BootLoader& loader,
                                                                     Host& host) {
  auto transaction = std::make_unique<Transaction>(std::move(options), loader, host);
  RETURN_IF_ERROR(transaction->Open());
  return transaction;
}

}  // namespace shakedown::laptop
