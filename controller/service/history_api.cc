#include "controller/service/history_api.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "controller/service/history_view.h"
#include "controller/service/no_throw.h"
#include "controller/service/regression_text.h"
#include "controller/service/store_call.h"
#include "db/store/regressions.h"
#include "db/store/series.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::service {
namespace {

constexpr uint32_t kMostListed = 1000;
constexpr size_t kMostName = 200;
constexpr size_t kMostWhy = 4096;
constexpr int kMostPatterns = 100;
constexpr size_t kMostSeries = 200;  // Machines and loads of one metric in one answer.
constexpr size_t kMostPoints = 20000;

absl::Status CheckText(const char* what, const std::string& text) {
  if (text.size() <= kMostName) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(what, " of ", text.size(), " bytes: want at most ", kMostName));
}

absl::StatusOr<uint32_t> LimitOf(uint32_t limit, uint32_t otherwise) {
  if (limit > kMostListed) {
    return absl::InvalidArgumentError(
        absl::StrCat("limit ", limit, ": want at most ", kMostListed));
  }
  return limit == 0 ? otherwise : limit;
}

absl::Status CheckNumber(int64_t regression) {
  if (regression >= 1) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("regression ", regression, ": want a number from 1"));
}

absl::Status CheckHistory(const v1::GetHistoryRequest& request) {
  if (request.metric().empty()) {
    return absl::InvalidArgumentError("metric: want one, as `shakedown series` lists them");
  }
  RETURN_IF_ERROR(CheckText("metric", request.metric()));
  RETURN_IF_ERROR(CheckText("machine", request.machine()));
  RETURN_IF_ERROR(CheckText("since", request.since()));
  RETURN_IF_ERROR(CheckText("until", request.until()));
  if (request.kernels_size() > kMostPatterns) {
    return absl::InvalidArgumentError(absl::StrCat("kernels: ", request.kernels_size(),
                                                   " patterns, want at most ", kMostPatterns));
  }
  for (const std::string& pattern : request.kernels())
    RETURN_IF_ERROR(CheckText("kernels", pattern));
  return absl::OkStatus();
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

absl::StatusOr<v1::ListSeriesResponse> HistoryApi::ListSeries(
    const v1::ListSeriesRequest& request) {
  RETURN_IF_ERROR(CheckText("metric", request.metric()));
  RETURN_IF_ERROR(CheckText("machine", request.machine()));
  ASSIGN_OR_RETURN(const uint32_t limit, LimitOf(request.limit(), 100));
  ASSIGN_OR_RETURN(const std::vector<v1::SeriesView> series, FromStore([&] {
                     return store::ListSeries(database_, request.metric(), request.machine(),
                                              limit);
                   }));
  v1::ListSeriesResponse response;
  *response.mutable_series() = {series.begin(), series.end()};
  return response;
}

absl::StatusOr<v1::GetHistoryResponse> HistoryApi::GetHistory(
    const v1::GetHistoryRequest& request) {
  RETURN_IF_ERROR(CheckHistory(request));
  ASSIGN_OR_RETURN(const std::vector<store::SeriesRow> rows, FromStore([&] {
                     return store::FindSeries(database_, request.metric(), request.machine());
                   }));
  if (rows.size() > kMostSeries) {
    return absl::ResourceExhaustedError(absl::StrCat("metric ", Quoted(request.metric()), ": ",
                                                     rows.size(), " series, name a machine"));
  }
  v1::GetHistoryResponse response;
  int points = 0;
  for (const store::SeriesRow& row : rows) {
    ASSIGN_OR_RETURN(const store::SeriesContent content,
                     FromStore([&] { return store::ReadSeries(database_, row.id); }));
    ASSIGN_OR_RETURN(const std::vector<store::KnownRegression> known,
                     FromStore([&] { return store::KnownRegressions(database_, row.id); }));
    std::vector<v1::HistorySeries> all;
    RETURN_IF_ERROR(NoThrow("history", [&] {
      all = HistoryOf(row, content, known, request);
      return absl::OkStatus();
    }));
    for (v1::HistorySeries& series : all) {
      points += series.points_size();
      *response.add_series() = std::move(series);
    }
    if (points > static_cast<int>(kMostPoints)) {
      return absl::ResourceExhaustedError(absl::StrCat("metric ", Quoted(request.metric()),
                                                       ": more than ", kMostPoints,
                                                       " points, name a machine or kernels"));
    }
  }
  if (response.series().empty()) {
    return absl::NotFoundError(absl::StrCat(
        "metric ", Quoted(request.metric()),
        request.machine().empty() ? "" : absl::StrCat(" on machine ", Quoted(request.machine())),
        ": no such series, see shakedown series"));
  }
  return response;
}

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
