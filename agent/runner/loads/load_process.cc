#include "agent/runner/loads/load_process.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"
#include "agent/runner/loads/activities.h"
#include "agent/runner/loads/build_tree.h"
#include "agent/runner/loads/caches.h"
#include "agent/runner/loads/guardian.h"
#include "agent/runner/loads/load.h"
#include "agent/runner/loads/output_text.h"
#include "agent/runner/loads/prepare_build.h"
#include "agent/runner/loads/process_tree.h"
#include "proto/wire/descriptor.h"
#include "proto/wire/load_kind.h"
#include "proto/wire/status.h"

namespace shakedown::runner {
namespace {

constexpr absl::Duration kEndLimit = absl::Seconds(20);
constexpr size_t kLongestOutput = 256 << 10;
constexpr uint32_t kLongestLimit = 24 * 3600;

void Watch(bool realtime) {
  sched_param parameter = {};
  parameter.sched_priority = realtime ? 1 : 0;
  // Its children start with the default policy again. Refused: it stays ordinary.
  sched_setscheduler(0, realtime ? SCHED_FIFO | SCHED_RESET_ON_FORK : SCHED_OTHER, &parameter);
}

std::set<pid_t> OwnOf(const LoadPlace& place) {
  std::set<pid_t> own = place.own;
  own.insert(getpid());
  return own;
}

void SendEvent(int fd, const v1::RunnerEvent& event) {
  const std::string frame = EncodeFrame(event.SerializeAsString());
  for (size_t sent = 0; sent < frame.size();) {
    const ssize_t wrote = write(fd, frame.data() + sent, frame.size() - sent);
    if (wrote < 0 && errno != EINTR) _exit(1);  // The watcher is gone.
    if (wrote > 0) sent += static_cast<size_t>(wrote);
  }
}

v1::RunnerEvent FailureEvent(const absl::Status& status) {
  v1::RunnerEvent event;
  event.mutable_failure()->set_error(OneLine(status.message()));
  return event;
}

// Gives up root; the end of its guardian still ends it.
absl::Status BecomeUser(const LoadUser& user) {
  const pid_t guardian = getppid();
  RETURN_IF_ERROR(BecomeLoadUser(user));
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != guardian) _exit(1);
  return absl::OkStatus();
}

[[noreturn]] void Work(const v1::RunLoad& request, const LoadPlace& place,
                       const std::string& scratch, const Descriptor& dropper, int fd) {
  // Refused: the load is spared like its watcher, which only a machine out of memory would notice.
  if (place.watcher_first) ExposeToOutOfMemory().IgnoreError();
  setsid();  // One session: one autogroup for all of the load.
  LoadContext context{SystemClock(), scratch, place.tree, place.share_output,
                      [fd](double fraction, absl::string_view text) {
                        v1::RunnerEvent event;
                        event.mutable_progress()->set_fraction(static_cast<float>(fraction));
                        event.mutable_progress()->set_text(OneLine(text));
                        SendEvent(fd, event);
                      }};
  if (place.user) {
    if (const absl::Status become = BecomeUser(*place.user); !become.ok()) {
      SendEvent(fd, FailureEvent(become));
      _exit(0);
    }
    context.drop_caches = [&dropper] { return DropCachesBy(dropper); };
  }
  context.inputs = place.inputs;
  context.for_person = place.for_person;
  context.table = place.table;
  context.trace = place.trace;
  context.comment = place.comment;
  absl::StatusOr<v1::LoadRun> run = PerformLoad(request, context);
  v1::RunnerEvent event;
  if (run.ok()) {
    run->set_output(Utf8Tail(run->output(), kLongestOutput));
    for (std::string& warning : *run->mutable_warnings()) warning = OneLine(warning);
    *event.mutable_load_run() = *std::move(run);
  } else {
    event = FailureEvent(run.status());
  }
  SendEvent(fd, event);
  _exit(0);
}

}  // namespace

absl::StatusOr<std::unique_ptr<LoadProcess>> LoadProcess::Start(const v1::RunLoad& request,
                                                                const LoadPlace& place,
                                                                Clock& clock) {
  if (request.limit_s() == 0 || request.limit_s() > kLongestLimit) {
    return absl::InvalidArgumentError(absl::StrCat(
        "load ", request.index(), ": limit_s ", request.limit_s(), ", want 1 to ", kLongestLimit));
  }
  std::unique_ptr<LoadProcess> process(new LoadProcess(request, place, clock));
  RETURN_IF_ERROR(process->Fork());
  return process;
}

LoadProcess::LoadProcess(const v1::RunLoad& request, const LoadPlace& place, Clock& clock)
    : request_(request), place_(place), clock_(clock), watch_(OwnOf(place)) {}

LoadProcess::~LoadProcess() {
  if (pid_ > 0) Stop("abandoned");
  if (events_ >= 0) close(events_);
}

absl::StatusOr<Descriptor> LoadProcess::PrepareForUser() const {
  if (!place_.user) return Descriptor();
  if (chown(scratch_.c_str(), place_.user->uid, place_.user->gid) != 0) {
    return ErrnoStatus(errno, absl::StrCat("owner of ", scratch_));
  }
  return StartCacheDropper();
}

absl::Status LoadProcess::Fork() {
  std::string scratch = absl::StrCat(place_.scratch_parent, "/shakedown-load.XXXXXX");
  if (mkdtemp(scratch.data()) == nullptr) return ErrnoStatus(errno, scratch);
  scratch_ = scratch;
  const absl::StatusOr<Descriptor> dropper = PrepareForUser();
  if (!dropper.ok()) {
    rmdir(scratch_.c_str());
    return dropper.status();
  }
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return ErrnoStatus(errno, "pipe");
  const pid_t self = getpid();
  pid_ = fork();
  if (pid_ == 0) {
    close(ends[0]);
    ContinueUnderGuard(self, ends[1], [this] { RemoveFiles().IgnoreError(); });
    Work(request_, place_, scratch_, *dropper, ends[1]);
  }
  const int error = errno;
  close(ends[1]);
  events_ = ends[0];
  fcntl(events_, F_SETFL, O_NONBLOCK);
  if (pid_ < 0) {
    rmdir(scratch_.c_str());
    return ErrnoStatus(error, "fork for the load");
  }
  if (place_.watcher_first) Watch(true);
  started_ = clock_.Elapsed();
  next_beat_ = started_ + kBeat;
  watch_.Sample(started_);
  return absl::OkStatus();
}

void LoadProcess::Receive() {
  char piece[1 << 14];
  for (;;) {
    const ssize_t got = read(events_, piece, sizeof piece);
    if (got == 0) closed_ = true;
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    frames_.Add(absl::string_view(piece, static_cast<size_t>(got)));
  }
  while (std::optional<std::string> payload = frames_.Next()) {
    v1::RunnerEvent event;
    if (!event.ParseFromString(*payload)) continue;
    if (event.has_progress()) {
      progress_ = event.progress();
    } else {
      answer_ = std::move(event);
    }
  }
}

v1::RunnerEvent LoadProcess::Beat() {
  v1::RunnerEvent event;
  *event.mutable_progress() = progress_;
  v1::TelemetrySample sample;
  if (place_.live && watch_.Tell(sample))
    *event.mutable_progress()->mutable_sample() = std::move(sample);
  return event;
}

std::vector<v1::RunnerEvent> LoadProcess::Step() {
  if (done_) return {};
  const absl::Duration now = clock_.Elapsed();
  std::vector<v1::RunnerEvent> events;
  Receive();
  if (answer_ || closed_) {
    watch_.Sample(now, true);
    events.push_back(Finish(absl::OkStatus()));
    return events;
  }
  if (now - started_ > absl::Seconds(request_.limit_s())) {
    return Stop(absl::StrCat("not done within ", request_.limit_s(), " s"));
  }
  if (now < next_beat_) return events;
  watch_.Sample(now);
  events.push_back(Beat());
  // On the grid of the start, so that the sampler's steps stay equal.
  while (next_beat_ <= now) next_beat_ += kBeat;
  return events;
}

void LoadProcess::Interrupt() {
  if (!done_) kill(pid_, SIGINT);
}

std::vector<v1::RunnerEvent> LoadProcess::Stop(absl::string_view why) {
  if (done_) return {};
  return {Finish(absl::CancelledError(why))};
}

v1::RunnerEvent LoadProcess::Finish(absl::Status status) {
  int wait_status = 0;
  const bool answered = answer_.has_value();
  // Its pipe is closed, so it ends by itself: how it ended says why there is no answer.
  if (status.ok() && !answered) {
    while (waitpid(pid_, &wait_status, 0) < 0 && errno == EINTR) {
    }
    status = absl::UnavailableError(
        WIFSIGNALED(wait_status)
            ? absl::StrCat("the process of the load was ended by signal ", WTERMSIG(wait_status),
                           WTERMSIG(wait_status) == SIGKILL ? " (out of memory?)" : "")
            : absl::StrCat("the process of the load ended with code ", WEXITSTATUS(wait_status)));
  }
  const absl::Duration took = clock_.Elapsed() - started_;
  const absl::Status cleaned = CleanUp();
  pid_ = -1;
  done_ = true;
  if (place_.watcher_first) Watch(false);
  if (status.ok() && !cleaned.ok()) status = cleaned;
  v1::RunnerEvent event = answered ? std::move(*answer_) : v1::RunnerEvent();
  if (!status.ok()) event = FailureEvent(status);
  if (event.has_failure()) {
    event.mutable_failure()->set_error(absl::StrCat("load ", request_.index(), " (",
                                                    LoadKind(request_.load()),
                                                    "): ", event.failure().error()));
  } else if (event.has_load_run()) {
    v1::LoadRun& run = *event.mutable_load_run();
    run.set_load(request_.index());
    run.set_duration_ms(static_cast<uint64_t>(absl::ToInt64Milliseconds(took)));
    watch_.Report(run);
  }
  return event;
}

absl::Status LoadProcess::CleanUp() {
  absl::Status status = EndDescendants(kEndLimit, clock_, place_.own);
  const absl::Status removed = RemoveFiles();
  return status.ok() ? removed : status;
}

absl::Status LoadProcess::RemoveFiles() const {
  absl::Status status;
  std::error_code error;
  std::filesystem::remove_all(scratch_, error);
  if (error) status = ErrnoStatus(error.value(), scratch_);
  for (const v1::MakeLoad& make : BuildsInPlace(request_.load())) {
    const absl::StatusOr<BuildPlan> plan = PlanBuild(make, place_.tree);
    if (plan.ok() && status.ok()) status = RemoveNamedObjects(*plan);
  }
  return status;
}

}  // namespace shakedown::runner
