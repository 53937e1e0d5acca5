#include "agent/build/build_slot.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "agent/build/build_context.h"
#include "kernels/recipe/resolve.h"
#include "proto/wire/clock.h"
#include "proto/wire/digest.h"
#include "proto/wire/status.h"

namespace shakedown::agent {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxLog = 8 << 20;
constexpr size_t kMaxError = 8 << 10;
constexpr size_t kKeepBuilds = 200;
constexpr absl::Duration kMaxLimit = absl::Hours(24);

// Whose fault an error of a build is: the comment of BuildFromSource().
v1::BuildResult::Status StatusOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kCancelled:
      return v1::BuildResult::STATUS_CANCELLED;
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kDeadlineExceeded:
      return v1::BuildResult::STATUS_FAILED;
    default:
      return v1::BuildResult::STATUS_FARM_FAILED;
  }
}

class Slot : public BuildSlot {
 public:
  explicit Slot(BuildSlotOptions options) : options_(std::move(options)), store_(options_.folder) {
    if (options_.ccache.empty()) options_.ccache = absl::StrCat(options_.folder, "/ccache");
  }

  BuildOutcome Run(const v1::BuildOrder& order, const BuildHooks& hooks) override {
    const absl::Duration started = SystemClock().Elapsed();
    absl::StatusOr<BuildOutcome> built = Build(order, hooks, started);
    BuildOutcome outcome;
    if (built.ok()) {
      outcome = *std::move(built);
      outcome.result.set_status(v1::BuildResult::STATUS_BUILT);
    } else {
      outcome.result.set_status(StatusOf(built.status()));
      outcome.result.set_error(std::string(built.status().message().substr(0, kMaxError)));
    }
    outcome.result.set_build_id(order.build_id());
    outcome.result.set_epoch(order.epoch());
    outcome.result.set_duration_ms(absl::ToInt64Milliseconds(SystemClock().Elapsed() - started));
    RemoveWork();
    return outcome;
  }

  absl::Status CheckSandbox() override {
    ASSIGN_OR_RETURN(const std::optional<BuildUser> user, FindBuildUser());
    return ProveSandbox(user);
  }

  absl::Status CleanUp() override {
    RemoveWork();
    std::error_code error;
    fs::remove_all(absl::StrCat(options_.folder, "/sources/part"), error);
    fs::remove_all(absl::StrCat(options_.folder, "/sources/unpacked/part"), error);
    return store_.CleanUp(kKeepBuilds);
  }

 private:
  std::string Work() const { return absl::StrCat(options_.folder, "/work"); }

  void RemoveWork() {
    std::error_code error;
    fs::remove_all(Work(), error);
  }

  absl::StatusOr<BuildOutcome> Build(const v1::BuildOrder& order, const BuildHooks& hooks,
                                     absl::Duration started) {
    RETURN_IF_ERROR(kernels::CheckResolved(order.kernel()));
    RemoveWork();
    std::error_code error;
    fs::create_directories(Work(), error);
    if (error) return ErrnoStatus(error.value(), Work());
    const absl::Duration limit =
        order.limit_s() == 0 ? kMaxLimit : std::min(kMaxLimit, absl::Seconds(order.limit_s()));
    BuildContext context{options_, order, hooks, store_, std::nullopt, started + limit, Work()};
    if (order.kernel().kernel().has_debian_image()) return TakeReadyImage(context);
    ASSIGN_OR_RETURN(context.user, FindBuildUser());
    RETURN_IF_ERROR(ProveSandbox(context.user));
    return BuildFromSource(context);
  }

  BuildSlotOptions options_;
  BuildStore store_;
};

}  // namespace

void BuildContext::Log(absl::string_view bytes) {
  if (!hooks.log || logged > kMaxLog) return;
  const size_t left = kMaxLog - logged;
  hooks.log(bytes.substr(0, left));
  logged += bytes.size();
  if (logged > kMaxLog) hooks.log("\n[the rest of this log is left out: 8 MiB are kept]\n");
}

void BuildContext::Progress(absl::string_view phase, float fraction) const {
  if (hooks.progress) hooks.progress(phase, fraction);
}

SourceContext BuildContext::ForSource(Debian& debian) {
  return SourceContext{absl::StrCat(options.folder, "/sources"), &debian, hooks.cancel,
                       [this](absl::string_view text) { Log(text); }, hooks.fetch_artefact};
}

std::unique_ptr<BuildSlot> MakeBuildSlot(BuildSlotOptions options) {
  return std::make_unique<Slot>(std::move(options));
}

}  // namespace shakedown::agent
