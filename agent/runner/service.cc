#include "agent/runner/service.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "agent/runner/loads/burn.h"
#include "agent/runner/loads/output_text.h"
#include "agent/runner/loads/process_tree.h"
#include "agent/runner/setup/fingerprint.h"
#include "agent/runner/setup/identity.h"
#include "agent/runner/setup/say.h"
#include "agent/runner/setup/tunables.h"
#include "agent/runner/version.h"
#include "proto/wire/status.h"

namespace shakedown::runner {
namespace {

constexpr absl::Duration kHelloEvery = absl::Seconds(1);
constexpr absl::Duration kPortLimit = absl::Seconds(20);
constexpr absl::Duration kIdle = absl::Seconds(1);
// A port without a listener on the host is always "ready" to poll(): look at it this often instead.
constexpr absl::Duration kNobodyThere = absl::Milliseconds(100);

absl::StatusOr<v1::Identified> Identified(const v1::Identify& request, const LoadPlace& place) {
  v1::Identified answer;
  ASSIGN_OR_RETURN(*answer.mutable_identity(),
                   ReadIdentity({request.tunables().begin(), request.tunables().end()}));
  *answer.mutable_fingerprint() = ReadFingerprint();
  // What a load may do is part of what it measures.
  if (place.user) (*answer.mutable_fingerprint()->mutable_facts())["loads.user"] = "unprivileged";
  return answer;
}

absl::StatusOr<v1::TunablesApplied> Applied(const v1::ApplyTunables& request) {
  v1::TunablesApplied answer;
  for (const v1::Tunable& tunable : request.tunables()) {
    v1::Tunable* read_back = answer.add_read_back();
    read_back->set_name(tunable.name());
    ASSIGN_OR_RETURN(*read_back->mutable_value(), ApplyTunable(tunable.name(), tunable.value()));
  }
  return answer;
}

// The whole machine does nothing else meanwhile, so neither does this process.
absl::StatusOr<v1::Calibrated> Calibrated() {
  v1::Calibrated answer;
  ASSIGN_OR_RETURN(const uint64_t loops, CalibrateThisCpu());
  answer.set_loops_per_ms(loops);
  return answer;
}

v1::RunnerEvent Failure(const absl::Status& status) {
  v1::RunnerEvent event;
  event.mutable_failure()->set_error(OneLine(status.message()));
  return event;
}

}  // namespace

Service::Service(std::unique_ptr<Port> port, LoadPlace place, Clock& clock, std::string root)
    : port_(std::move(port)), place_(std::move(place)), clock_(clock), root_(std::move(root)) {}

absl::Status Service::Run() {
  while (!power_off_) {
    if (!heard_ && clock_.Elapsed() >= next_hello_) RETURN_IF_ERROR(SayHello());
    Wait();
    RETURN_IF_ERROR(port_->Flush());
    RETURN_IF_ERROR(Listen());
    RETURN_IF_ERROR(StepSettling());
    RETURN_IF_ERROR(StepLoad());
  }
  load_.reset();
  setup_.reset();  // Takes back what the agent did not.
  return absl::OkStatus();
}

void Service::Wait() {
  const absl::Duration now = clock_.Elapsed();
  absl::Duration until = now + kIdle;
  if (!heard_) until = std::min(until, next_hello_);
  if (load_) until = std::min(until, load_->next_beat());
  if (settler_) until = std::min(until, next_settle_);
  const short wanted = static_cast<short>(POLLIN | (port_->HasUnsent() ? POLLOUT : 0));
  pollfd fds[2] = {{port_->fd(), wanted, 0}, {load_ ? load_->fd() : -1, POLLIN, 0}};
  const absl::Duration wait = std::max(absl::ZeroDuration(), until - now);
  poll(fds, 2, static_cast<int>(absl::ToInt64Milliseconds(wait)) + 1);
  if ((fds[0].revents & POLLHUP) == 0) return;
  fds[0].fd = -1;
  poll(fds, 2, static_cast<int>(absl::ToInt64Milliseconds(std::min(wait, kNobodyThere))));
}

absl::Status Service::Listen() {
  ASSIGN_OR_RETURN(const std::string bytes, port_->Receive());
  frames_.Add(bytes);
  while (std::optional<std::string> payload = frames_.Next()) {
    v1::RunnerRequest request;
    if (!request.ParseFromString(*payload)) {
      RETURN_IF_ERROR(
          Fail(0, absl::InvalidArgumentError(absl::StrCat("request of ", payload->size(),
                                                          " bytes is not a RunnerRequest"))));
      continue;
    }
    heard_ = true;
    RETURN_IF_ERROR(Handle(request));
  }
  return absl::OkStatus();
}

absl::Status Service::StepLoad() {
  if (!load_) return absl::OkStatus();
  for (v1::RunnerEvent& event : load_->Step()) {
    if (event.has_load_run()) {
      for (const std::string& warning : warnings_) event.mutable_load_run()->add_warnings(warning);
    }
    RETURN_IF_ERROR(Send(load_id_, std::move(event)));
  }
  if (load_->done()) load_.reset();
  return absl::OkStatus();
}

absl::Status Service::StepSettling() {
  const absl::Duration now = clock_.Elapsed();
  if (!settler_ || now < next_settle_) return absl::OkStatus();
  next_settle_ = now + LoadProcess::kBeat;
  if (!settler_->Step(ReadForSettle(root_), now)) {
    v1::RunnerEvent event;
    event.mutable_progress()->set_text(settler_->text());
    return Send(load_id_, std::move(event));
  }
  warnings_ = settler_->warnings();
  settler_.reset();
  return StartLoad();
}

absl::Status Service::StartLoad() {
  LoadPlace place = place_;
  if (setup_) {
    if (const absl::Status ready = setup_->BeforeLoad(); !ready.ok()) return Fail(load_id_, ready);
    for (const pid_t pid : setup_->own()) place.own.insert(pid);
  }
  auto load = LoadProcess::Start(waiting_, place, clock_);
  if (!load.ok()) return Fail(load_id_, load.status());
  load_ = *std::move(load);
  return absl::OkStatus();
}

absl::Status Service::SayHello() {
  next_hello_ = clock_.Elapsed() + kHelloEvery;
  if (port_->HasUnsent()) return absl::OkStatus();  // The last one waits for a listener.
  v1::RunnerEvent event;
  event.mutable_hello()->set_runner_version(kVersion);
  ASSIGN_OR_RETURN(*event.mutable_hello()->mutable_boot_id(), ReadBootId());
  return Send(0, std::move(event));
}

absl::Status Service::Send(uint64_t id, v1::RunnerEvent event) {
  // Nobody takes them: old news is of no use when somebody does again.
  if (event.has_progress() && port_->HasUnsent()) return absl::OkStatus();
  event.set_id(id);
  std::string payload = event.SerializeAsString();
  if (payload.size() > kMaxFramePayload) {
    event = Failure(absl::OutOfRangeError(
        absl::StrCat("answer of ", payload.size(), " bytes, want at most ", kMaxFramePayload)));
    event.set_id(id);
    payload = event.SerializeAsString();
  }
  return port_->Send(EncodeFrame(payload));
}

absl::Status Service::Fail(uint64_t id, const absl::Status& why) { return Send(id, Failure(why)); }

v1::RunnerEvent Service::Answer(const v1::RunnerRequest& request) {
  v1::RunnerEvent event;
  if (request.has_identify()) {
    absl::StatusOr<v1::Identified> answer = Identified(request.identify(), place_);
    if (!answer.ok()) return Failure(answer.status());
    *event.mutable_identified() = *std::move(answer);
  } else if (request.has_calibrate()) {
    absl::StatusOr<v1::Calibrated> answer = Calibrated();
    if (!answer.ok()) return Failure(answer.status());
    *event.mutable_calibrated() = *std::move(answer);
  } else {
    absl::StatusOr<v1::TunablesApplied> answer = Applied(request.apply_tunables());
    if (!answer.ok()) return Failure(answer.status());
    *event.mutable_tunables_applied() = *std::move(answer);
  }
  return event;
}

v1::RunnerEvent Service::AnswerSetup(const v1::ApplySetup& wanted) {
  if (setup_) {
    return Failure(
        absl::FailedPreconditionError("setup: is in place already, want UndoSetup before it"));
  }
  setup_ = std::make_unique<MachineSetup>(root_, clock_);
  const absl::StatusOr<std::vector<v1::SetupRecord>> records = setup_->Apply(wanted);
  if (!records.ok()) {
    setup_.reset();
    return Failure(records.status());
  }
  v1::RunnerEvent event;
  event.mutable_setup_done()->mutable_records()->Assign(records->begin(), records->end());
  return event;
}

v1::RunnerEvent Service::AnswerUndo() {
  v1::RunnerEvent event;
  event.mutable_setup_done();
  if (!setup_) return event;
  const absl::Status undone = setup_->Undo();
  if (!undone.ok()) return Failure(undone);
  for (const v1::SetupRecord& record : setup_->records()) {
    *event.mutable_setup_done()->add_records() = record;
  }
  setup_.reset();
  return event;
}

absl::Status Service::Handle(const v1::RunnerRequest& request) {
  if (request.has_power_off()) {
    if (load_) load_->Stop("power off");
    settler_.reset();
    power_off_ = true;
    return absl::OkStatus();
  }
  if (request.has_stop_load()) {
    if (settler_) {
      settler_.reset();
      return Fail(load_id_, absl::CancelledError("stopped"));
    }
    if (!load_)
      return Fail(request.id(), absl::FailedPreconditionError("no load runs, nothing to stop"));
    for (v1::RunnerEvent& event : load_->Stop("stopped"))
      RETURN_IF_ERROR(Send(load_id_, std::move(event)));
    load_.reset();
    return absl::OkStatus();
  }
  if (load_ || settler_) {
    return Fail(request.id(),
                absl::FailedPreconditionError(absl::StrCat("busy: the load of request ", load_id_,
                                                           " runs, want StopLoad or its end")));
  }
  if (request.has_run_load()) {
    waiting_ = request.run_load();
    load_id_ = request.id();
    warnings_.clear();
    if (!setup_ || setup_->settles().empty()) return StartLoad();
    settler_.emplace(setup_->settles(), clock_.Elapsed());
    next_settle_ = clock_.Elapsed();
    return absl::OkStatus();
  }
  if (request.has_apply_setup()) return Send(request.id(), AnswerSetup(request.apply_setup()));
  if (request.has_undo_setup()) return Send(request.id(), AnswerUndo());
  if (request.has_identify() || request.has_apply_tunables() || request.has_calibrate())
    return Send(request.id(), Answer(request));
  return Fail(request.id(),
              absl::InvalidArgumentError("request of a kind this runner does not know"));
}

namespace {

void Prepare() {
  signal(SIGPIPE, SIG_IGN);
  absl::Status status = AdoptOrphans();
  if (!status.ok()) Say(status.message());
  status = SpareFromOutOfMemory();
  if (!status.ok()) Say(status.message());
  status = UndoLeftovers("", absl::ZeroDuration(), SystemClock());  // Of a runner that was killed.
  if (!status.ok()) Say(status.message());
}

absl::Status Serve(std::unique_ptr<Port> port, bool live,
                   std::optional<LoadUser> user = std::nullopt) {
  LoadPlace place;
  place.live = live;
  place.user = user;
  place.watcher_first = true;
  return Service(std::move(port), place, SystemClock()).Run();
}

}  // namespace

int ServeAgent() {
  Prepare();
  const absl::StatusOr<std::string> path = FindPort(kPortName, kPortLimit, SystemClock());
  if (!path.ok()) {
    Say(path.status().message());
    return 1;
  }
  const int fd = open(path->c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    Say(ErrnoStatus(errno, *path).message());
    return 1;
  }
  const absl::Status status = Serve(std::make_unique<Port>(fd), true);
  if (status.ok()) return 0;
  Say(status.message());
  return 1;
}

int ServeSocket(int fd, std::optional<LoadUser> load_user) {
  struct stat about = {};
  if (fstat(fd, &about) != 0 || !S_ISSOCK(about.st_mode)) {
    Say(absl::StrCat("--fd ", fd, ": is no socket"));
    return 1;
  }
  fcntl(fd, F_SETFD, FD_CLOEXEC);  // No load may hold it.
  Prepare();
  const absl::Status status =
      Serve(std::make_unique<Port>(fd, Port::Kind::kSocket), false, load_user);
  if (status.ok() || absl::IsCancelled(status)) return 0;
  Say(status.message());
  return 1;
}

}  // namespace shakedown::runner
