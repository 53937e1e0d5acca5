#include <algorithm>

#include "controller/cli/commands.h"
#include "controller/cli/exit_code.h"

namespace shakedown::cli {
namespace {

constexpr absl::Duration kFirstPause = absl::Milliseconds(200);
constexpr absl::Duration kLongestPause = absl::Seconds(2);

}  // namespace

int Fail(Screen& screen, const absl::Status& status) {
  screen.Complain(status);
  return ExitCodeOf(status);
}

bool WorthAnotherTry(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kUnknown:    // gRPC's "Stream removed".
    case absl::StatusCode::kCancelled:  // A controller that shuts down cancels its calls.
    case absl::StatusCode::kAborted:
      return true;
    default:
      return false;
  }
}

Patience::Patience(const Desk& desk, absl::Duration limit)
    : desk_(desk), limit_(limit), heard_(desk.clock.Elapsed()), pause_(kFirstPause) {}

void Patience::Heard() {
  heard_ = desk_.clock.Elapsed();
  pause_ = kFirstPause;
}

bool Patience::Wait() {
  if (desk_.interrupt.came || desk_.clock.Elapsed() - heard_ >= limit_) return false;
  desk_.clock.Sleep(pause_);
  if (desk_.interrupt.came) return false;
  desk_.farm.AwaitConnection(kLongestPause);
  pause_ = std::min(pause_ * 2, kLongestPause);
  return true;
}

}  // namespace shakedown::cli
