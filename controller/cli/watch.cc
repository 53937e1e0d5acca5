#include <algorithm>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "controller/cli/commands.h"
#include "controller/cli/exit_code.h"
#include "controller/cli/look_lines.h"
#include "controller/cli/watch_view.h"
#include "controller/cli/words.h"

namespace shakedown::cli {
namespace {

// A farm that never answered may not be there at all.
constexpr absl::Duration kFirstPatience = absl::Seconds(20);
// One that did is waited for while somebody restarts it.
constexpr absl::Duration kPatience = absl::Minutes(2);
// Head, what runs, the last failure.
constexpr size_t kCompactRows = 6;

// Prints a job as it changes.
class Teller {
 public:
  Teller(const Desk& desk, Progress progress, const FollowOptions& options)
      : desk_(desk), progress_(progress), options_(options) {}

  void Tell(const v1::JobView& job) {
    if (Draws()) {
      last_ = job;
      Draw();
      return;
    }
    for (const Line& line : JobChanges(last_.has_value() ? &*last_ : nullptr, job)) Print(line);
    last_ = job;
    desk_.screen.Flush();
  }

  // Nothing came for a while: running times go on.
  void Tick() {
    if (Draws() && last_.has_value() && desk_.clock.Elapsed() - drawn_ >= absl::Seconds(1)) Draw();
  }

  void Print(const Line& line) {
    if (progress_ == Progress::kToOutput) {
      desk_.screen.Print(line);
    } else {
      desk_.screen.Note(Text(line));
    }
  }

  // What was drawn is left to stand; what comes next goes below it.
  void Leave() { desk_.screen.KeepDrawn(); }
  const std::optional<v1::JobView>& last() const { return last_; }

 private:
  bool Draws() const { return progress_ == Progress::kToOutput && desk_.screen.terminal(); }
  void Draw() {
    ScreenSize size = desk_.screen.size();
    if (options_.compact) size.rows = std::min(size.rows, kCompactRows);
    desk_.screen.Redraw(DrawJob(*last_, size, desk_.clock.Now()));
    drawn_ = desk_.clock.Elapsed();
  }

  const Desk& desk_;
  Progress progress_;
  FollowOptions options_;
  std::optional<v1::JobView> last_;
  absl::Duration drawn_;
};

bool Ended(const std::optional<v1::JobView>& job) {
  return job.has_value() &&
         (job->state() == v1::JOB_STATE_DONE || job->state() == v1::JOB_STATE_CANCELLED);
}

// A boot or build that its kernel failed; what the farm lost is tried again.
bool AnyFailed(const v1::JobView& job) {
  const auto boot = [](const v1::BootView& one) {
    return one.state() == v1::WORK_STATE_ENDED && FaultOf(one.outcome()) == Fault::kKernel;
  };
  const auto build = [](const v1::BuildView& one) { return one.status() == "failed"; };
  return std::any_of(job.boots().begin(), job.boots().end(), boot) ||
         std::any_of(job.builds().begin(), job.builds().end(), build);
}

std::string HowToGoOn(int64_t job) {
  return absl::StrCat("job ", job, " goes on. Follow it: shakedown watch ", job,
                      "    Cancel it: shakedown cancel ", job);
}

// To the job's end, or the first failure where that is asked for. Cancelled: Ctrl-C. Unavailable:
// no word from the farm for too long.
absl::StatusOr<v1::JobView> Follow(const Desk& desk, int64_t job, Teller& teller, bool fail_fast) {
  v1::GetJobRequest request;
  request.set_job(job);
  Patience patience(desk, kFirstPatience);
  bool lost = false;
  const auto enough = [&] {
    return Ended(teller.last()) || (fail_fast && teller.last() && AnyFailed(*teller.last()));
  };
  for (;;) {
    const absl::Status end = desk.farm.WatchJob(request, [&](const v1::JobView* view) {
      if (desk.interrupt.came) return Next::kStop;
      if (view == nullptr) {
        if (!lost) teller.Tick();
        return Next::kGoOn;
      }
      patience.Heard();
      patience.set_limit(kPatience);
      if (lost) desk.screen.Note("the farm answers again");
      lost = false;
      teller.Tell(*view);
      return enough() ? Next::kStop : Next::kGoOn;
    });
    teller.Leave();
    if (enough()) return *teller.last();
    if (desk.interrupt.came) return absl::CancelledError("interrupted");
    if (!end.ok() && !WorthAnotherTry(end)) return end;
    const absl::Status why =
        end.ok() ? absl::UnavailableError("the farm closed the stream of a job that has not ended")
                 : end;
    if (!lost) {
      lost = true;
      // A job that waits says nothing for long: the farm is away since now, not since its last
      // word.
      if (teller.last().has_value()) patience.Heard();
      desk.screen.Complain(absl::StrCat(why.message(), "; trying again"));
    }
    if (!patience.Wait()) {
      if (desk.interrupt.came) return absl::CancelledError("interrupted");
      return absl::UnavailableError(absl::StrCat("given up: ", why.message()));
    }
  }
}

// Below this many blocks there is no verdict to ask for.
constexpr uint32_t kFewestBlocks = 6;

// What a script is told of a job that has ended. Its primary metrics have a word only when nothing
// failed.
int Verdict(const Desk& desk, const v1::JobView& job, Teller& teller) {
  const int code = ExitCodeOf(job);
  // Blocks for which there was no time leave those before them.
  const bool short_of_time = code == kInconclusive && job.state() == v1::JOB_STATE_DONE;
  if ((code != kOk && !short_of_time) || BlocksNow(job) < kFewestBlocks) return code;
  v1::GetReportRequest request;
  request.set_job(job.job());
  const absl::StatusOr<v1::GetReportResponse> report = desk.farm.GetReport(request);
  if (!report.ok()) {
    desk.screen.Complain(absl::StrCat("no verdict: ", report.status().message()));
    return ExitCodeBesideVerdicts(report.status());
  }
  int verdict = ExitCodeOfConclusion(report->conclusion());
  if (short_of_time && report->conclusion() == "none") verdict = kInconclusive;
  if (verdict == kWorse) teller.Print({{"A primary metric is worse."}});
  if (verdict == kInconclusive) teller.Print({{"Inconclusive: a primary metric has no verdict."}});
  return verdict;
}

}  // namespace

Followed FollowAndTell(const Desk& desk, int64_t job, Progress progress,
                       const FollowOptions& options) {
  desk.interrupt.listening = true;
  Teller teller(desk, progress, options);
  const absl::StatusOr<v1::JobView> last = Follow(desk, job, teller, options.fail_fast);
  if (absl::IsCancelled(last.status())) {
    if (desk.screen.terminal()) desk.screen.Note("");  // Below the terminal's own "^C".
    desk.screen.Complain(HowToGoOn(job));
    return {.exit_code = kInterrupted};
  }
  if (!last.ok()) {
    desk.screen.Complain(last.status());
    if (teller.last().has_value()) desk.screen.Complain(HowToGoOn(job));
    return {.exit_code = ExitCodeBesideVerdicts(last.status())};
  }
  if (!Ended(*last)) {
    desk.screen.Complain(absl::StrCat("a kernel has failed. ", HowToGoOn(job)));
    return {.exit_code = kKernelFailed, .job = *last};
  }
  for (const Line& line : JobSummary(*last)) teller.Print(line);
  return {.exit_code = Verdict(desk, *last, teller), .job = *last, .ended = true};
}

int Watch(const Desk& desk, const WatchArgs& args) {
  const Followed followed = FollowAndTell(desk, args.job, Progress::kToOutput,
                                          {.compact = args.compact, .fail_fast = args.fail_fast});
  if (followed.ended) {
    desk.screen.Print(absl::StrCat("Its numbers: shakedown report ", args.job, "\n"));
  }
  return followed.exit_code;
}

}  // namespace shakedown::cli
