#include "controller/service/history_api.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "controller/service/history_checks.h"
#include "controller/service/regression_text.h"
#include "controller/service/store_call.h"
#include "db/store/regressions.h"
#include "proto/wire/status.h"

namespace shakedown::service {
namespace {

constexpr size_t kMostWhy = 4096;

absl::Status CheckNumber(int64_t regression) {
  if (regression >= 1) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("regression ", regression, ": want a number from 1"));
}

absl::Status CheckWish(const v1::SetRegressionRequest& request) {
  RETURN_IF_ERROR(CheckNumber(request.regression()));
  switch (request.state()) {
    case v1::REGRESSION_STATE_ACKNOWLEDGED:
    case v1::REGRESSION_STATE_FIXED:
    case v1::REGRESSION_STATE_WONT_FIX:
    case v1::REGRESSION_STATE_SUSPECTED:
      break;
    default:
      return absl::InvalidArgumentError(
          "state: want ACKNOWLEDGED, FIXED, WONT_FIX, or SUSPECTED to open it again; the others "
          "are "
          "the farm's");
  }
  if (request.why().size() > kMostWhy) {
    return absl::InvalidArgumentError(
        absl::StrCat("why of ", request.why().size(), " bytes: want at most ", kMostWhy));
  }
  if (request.why().empty() && request.state() != v1::REGRESSION_STATE_FIXED) {
    return absl::InvalidArgumentError("why: want a reason");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<v1::ListRegressionsResponse> HistoryApi::ListRegressions(
    const v1::ListRegressionsRequest& request) {
  ASSIGN_OR_RETURN(const uint32_t limit, LimitOf(request.limit(), 50));
  ASSIGN_OR_RETURN(const std::vector<v1::RegressionView> all, FromStore([&] {
                     return store::ListRegressions(database_, request.open_only(), limit,
                                                   request.before());
                   }));
  v1::ListRegressionsResponse response;
  *response.mutable_regressions() = {all.begin(), all.end()};
  return response;
}

absl::StatusOr<v1::RegressionView> HistoryApi::GetRegression(
    const v1::GetRegressionRequest& request) {
  RETURN_IF_ERROR(CheckNumber(request.regression()));
  ASSIGN_OR_RETURN(v1::RegressionView view, FromStore([&] {
                     return store::GetRegression(database_, request.regression());
                   }));
  ASSIGN_OR_RETURN(const std::string mail, MailOf(database_, view));
  view.set_mail(mail);
  return view;
}

absl::StatusOr<v1::RegressionView> HistoryApi::SetRegression(
    const store::Principal& caller, const v1::SetRegressionRequest& request) {
  RETURN_IF_ERROR(CheckWish(request));
  RETURN_IF_ERROR(FromStore([&] {
    return store::SetRegression(database_, request.regression(), request.state(), caller.name,
                                request.why());
  }));
  v1::GetRegressionRequest get;
  get.set_regression(request.regression());
  return GetRegression(get);
}

}  // namespace shakedown::service
