#include "agent/laptop/keeper/runner_gate.h"

#include <google/protobuf/util/message_differencer.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "agent/laptop/owner/owner_rules.h"
#include "proto/wire/sanitise.h"
#include "proto/wire/status.h"

namespace shakedown::laptop {
namespace {

using google::protobuf::util::MessageDifferencer;

constexpr uint32_t kMostCalibrations = 10;
constexpr size_t kMaxDifference = 200;

std::string FirstDifference(const v1::RunnerRequest& want, const v1::RunnerRequest& got) {
  std::string report;
  MessageDifferencer differencer;
  differencer.ReportDifferencesToString(&report);
  differencer.Compare(want, got);
  return PrintableLine(report.substr(0, report.find('\n')), kMaxDifference);
}

}  // namespace

absl::StatusOr<v1::RunnerRequest> RunnerGate::Admit(const v1::RunnerRequest& asked) {
  ASSIGN_OR_RETURN(v1::RunnerRequest expected, Expect(asked));
  if (!MessageDifferencer::Equals(expected, asked)) {
    return absl::PermissionDeniedError(
        absl::StrCat("request is not the installed order's: ", FirstDifference(expected, asked)));
  }
  if (asked.has_run_load()) begun_.insert(asked.run_load().index());
  if (asked.has_calibrate()) ++calibrations_;
  return expected;
}

void RunnerGate::Observe(const v1::RunnerEvent& event) {
  if (event.has_calibrated() && calibrated_.size() < kMostCalibrations) {
    calibrated_.insert(event.calibrated().loops_per_ms());
  }
}

absl::StatusOr<v1::RunnerRequest> RunnerGate::Expect(const v1::RunnerRequest& asked) const {
  v1::RunnerRequest expected;
  expected.set_id(asked.id());
  switch (asked.kind_case()) {
    case v1::RunnerRequest::kIdentify:
      expected.mutable_identify();
      if (asked.identify().tunables().empty()) return expected;
      for (const v1::Tunable& tunable : order_.tunables()) {
        expected.mutable_identify()->add_tunables(tunable.name());
      }
      return expected;
    case v1::RunnerRequest::kApplyTunables:
      *expected.mutable_apply_tunables()->mutable_tunables() = order_.tunables();
      return expected;
    case v1::RunnerRequest::kApplySetup:
      *expected.mutable_apply_setup()->mutable_steps() = order_.setup();
      if (order_.has_sched_ext()) {
        *expected.mutable_apply_setup()->mutable_sched_ext() = order_.sched_ext();
      }
      return expected;
    case v1::RunnerRequest::kRunLoad:
      RETURN_IF_ERROR(ExpectLoad(asked.run_load(), *expected.mutable_run_load()));
      return expected;
    case v1::RunnerRequest::kStopLoad:
      expected.mutable_stop_load();
      return expected;
    case v1::RunnerRequest::kUndoSetup:
      expected.mutable_undo_setup();
      return expected;
    case v1::RunnerRequest::kCalibrate:
      if (calibrations_ == kMostCalibrations) {
        return absl::PermissionDeniedError(
            absl::StrCat("calibrate: ", kMostCalibrations, " had, want no more in a boot"));
      }
      expected.mutable_calibrate();
      return expected;
    case v1::RunnerRequest::kPowerOff:
      return absl::PermissionDeniedError(
          "power_off: this is somebody's laptop, want Restore, which brings it home");
    case v1::RunnerRequest::KIND_NOT_SET:
      break;
  }
  return absl::InvalidArgumentError("request of no kind");
}

absl::Status RunnerGate::ExpectLoad(const v1::RunLoad& asked, v1::RunLoad& expected) const {
  const auto loads = static_cast<uint32_t>(order_.loads_size());
  if (asked.index() >= loads) {
    return absl::PermissionDeniedError(
        absl::StrCat("load ", asked.index(), ": the order has ", loads, ", counted from 0"));
  }
  if (begun_.count(asked.index()) > 0) {
    return absl::PermissionDeniedError(
        absl::StrCat("load ", asked.index(), ": was begun in this boot, want each once"));
  }
  const int64_t most = absl::ToInt64Seconds(RunLimit(order_));
  if (asked.limit_s() < 1 || asked.limit_s() > most) {
    return absl::PermissionDeniedError(
        absl::StrCat("load ", asked.index(), ": limit_s ", asked.limit_s(), ", want 1 to ", most));
  }
  expected.set_index(asked.index());
  *expected.mutable_load() = order_.loads(static_cast<int>(asked.index()));
  expected.set_limit_s(asked.limit_s());
  *expected.mutable_background() = order_.background();
  expected.set_loops_per_ms(order_.loops_per_ms());
  if (order_.loops_per_ms() == 0 && calibrated_.count(asked.loops_per_ms()) > 0) {
    expected.set_loops_per_ms(asked.loops_per_ms());
  }
  return absl::OkStatus();
}

}  // namespace shakedown::laptop
