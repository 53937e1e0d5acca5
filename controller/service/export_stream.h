// NotifyService.Export, one step at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "controller/export/export.h"
#include "controller/service/streams.h"
#include "shakedown/v1/import.pb.h"
#include "shakedown/v1/notify.pb.h"

namespace shakedown::service {

// Where imported results are read from: all their numbers, ascending, and each of them.
struct ImportSource {
  std::function<absl::StatusOr<std::vector<int64_t>>()> list;
  std::function<absl::StatusOr<v1::GetImportResponse>(int64_t)> get;
};

// Jobs in the order of their numbers; at most one of them is in memory at a time. With
// request.imports the imports of `source` come behind them. Without jobs named: those that have
// ended in [since, until). Chunks are of whole lines, and of at most about 512 KiB unless one line
// is longer. Step() blocks for short transactions; one caller at a time.
class ExportStream {
 public:
  ExportStream(const Backend& backend, v1::ExportRequest request, ImportSource source = {});
  StreamStep<v1::ExportChunk> Step();

 private:
  absl::StatusOr<std::optional<int64_t>> NextJob();
  absl::Status Begin();
  absl::StatusOr<bool> Fill();
  absl::StatusOr<bool> FillFromImport();

  const Backend backend_;
  v1::ExportRequest request_;
  const ImportSource source_;
  exporting::Format format_ = exporting::Format::kJson;
  bool begun_ = false;
  std::deque<int64_t> jobs_;  // Still to come, as far as they are known.
  std::deque<int64_t> imports_;
  int64_t after_ = 0;  // By time: those up to this one are known.
  bool all_known_ = false;
  std::string text_;  // Not sent yet,
  size_t at_ = 0;     // from here on.
};

}  // namespace shakedown::service
