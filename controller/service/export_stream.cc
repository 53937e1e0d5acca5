#include "controller/service/export_stream.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "controller/service/no_throw.h"
#include "controller/service/report_data.h"
#include "controller/service/store_call.h"
#include "db/store/ended_jobs.h"
#include "db/store/reports.h"
#include "proto/wire/status.h"

namespace shakedown::service {
namespace {

constexpr size_t kChunk = 512 << 10;
constexpr int kMostNamed = 100000;
constexpr int kPage = 500;

absl::Time TimeOf(bool has, const google::protobuf::Timestamp& time, absl::Time otherwise) {
  if (!has) return otherwise;
  return absl::FromUnixSeconds(time.seconds()) + absl::Nanoseconds(time.nanos());
}

std::string TextOf(exporting::Format format, const v1::ReportData& data) {
  switch (format) {
    case exporting::Format::kCsv:
      return exporting::CsvRows(data);
    case exporting::Format::kKcidb:
      return exporting::KcidbObject(data);
    case exporting::Format::kJson:
      break;
  }
  return exporting::JsonLines(data);
}

}  // namespace

ExportStream::ExportStream(const Backend& backend, v1::ExportRequest request, ImportSource source)
    : backend_(backend), request_(std::move(request)), source_(std::move(source)) {}

absl::Status ExportStream::Begin() {
  ASSIGN_OR_RETURN(format_, exporting::ParseFormat(request_.format()));
  if (request_.jobs_size() > kMostNamed) {
    return absl::InvalidArgumentError(
        absl::StrCat(request_.jobs_size(), " jobs: want at most ", kMostNamed));
  }
  std::vector<int64_t> named(request_.jobs().begin(), request_.jobs().end());
  std::sort(named.begin(), named.end());
  named.erase(std::unique(named.begin(), named.end()), named.end());
  if (!named.empty() && named.front() < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("job ", named.front(), ": want a number from 1"));
  }
  jobs_.assign(named.begin(), named.end());
  all_known_ = !named.empty();
  if (request_.imports() && format_ == exporting::Format::kKcidb) {
    return absl::InvalidArgumentError(
        "imports: KCIDB wants builds, which imported results do not have; want json or csv");
  }
  if (request_.imports()) {
    if (source_.list == nullptr) {
      return absl::FailedPreconditionError("imports: this controller keeps none");
    }
    ASSIGN_OR_RETURN(const std::vector<int64_t> imports, source_.list());
    imports_.assign(imports.begin(), imports.end());
  }
  if (format_ == exporting::Format::kCsv) text_ = exporting::CsvHeader();
  return absl::OkStatus();
}

absl::StatusOr<std::optional<int64_t>> ExportStream::NextJob() {
  if (jobs_.empty() && !all_known_) {
    const absl::Time since = TimeOf(request_.has_since(), request_.since(), absl::InfinitePast());
    const absl::Time until = TimeOf(request_.has_until(), request_.until(), absl::InfiniteFuture());
    ASSIGN_OR_RETURN(const std::vector<int64_t> page, FromStore([&] {
                       return store::JobsEndedBetween(backend_.database, since, until, after_,
                                                      kPage);
                     }));
    jobs_.assign(page.begin(), page.end());
    all_known_ = page.size() < static_cast<size_t>(kPage);
    if (!page.empty()) after_ = page.back();
  }
  if (jobs_.empty()) return std::nullopt;
  const int64_t job = jobs_.front();
  jobs_.pop_front();
  return job;
}

// False: there is no more.
absl::StatusOr<bool> ExportStream::Fill() {
  ASSIGN_OR_RETURN(const std::optional<int64_t> job, NextJob());
  if (!job) return FillFromImport();
  ASSIGN_OR_RETURN(const store::ReportData data,
                   FromStore([&] { return store::GetReportData(backend_.database, *job); }));
  ASSIGN_OR_RETURN(text_, NoThrow("export", [&]() -> absl::StatusOr<std::string> {
                     return TextOf(format_, ToReportData(data));
                   }));
  at_ = 0;
  return true;
}

absl::StatusOr<bool> ExportStream::FillFromImport() {
  if (imports_.empty()) return false;
  ASSIGN_OR_RETURN(const v1::GetImportResponse import, source_.get(imports_.front()));
  imports_.pop_front();
  text_ = format_ == exporting::Format::kCsv ? exporting::ImportCsvRows(import)
                                             : exporting::ImportJsonLines(import);
  at_ = 0;
  return true;
}

StreamStep<v1::ExportChunk> ExportStream::Step() {
  StreamStep<v1::ExportChunk> step;
  if (!begun_) {
    begun_ = true;
    if (const absl::Status begun = Begin(); !begun.ok()) {
      step.end = begun;
      return step;
    }
  }
  while (at_ == text_.size()) {
    const absl::StatusOr<bool> more = Fill();
    if (!more.ok() || !*more) {
      step.end = more.status();
      return step;
    }
  }
  size_t end = std::min(at_ + kChunk, text_.size());
  if (end < text_.size()) {
    const size_t last = text_.rfind('\n', end - 1);
    end = (last != std::string::npos && last >= at_ ? last : text_.find('\n', end)) + 1;
  }
  step.send.emplace().set_data(text_.substr(at_, end - at_));
  at_ = end;
  return step;
}

}  // namespace shakedown::service
