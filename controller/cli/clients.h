// The clients of the farm's services, over one connection.
#ifndef SHAKEDOWN_CONTROLLER_CLI_CLIENTS_H_
#define SHAKEDOWN_CONTROLLER_CLI_CLIENTS_H_

#include <memory>

#include "absl/status/statusor.h"
#include "controller/cli/bisect_client.h"
#include "controller/cli/detail_client.h"
#include "controller/cli/farm.h"
#include "controller/cli/history_client.h"
#include "controller/cli/import_client.h"
#include "controller/cli/notify_client.h"
#include "controller/cli/settings.h"

namespace shakedown::cli {

struct Clients {
  std::unique_ptr<Farm> farm;
  std::unique_ptr<HistoryClient> history;
  std::unique_ptr<DetailClient> detail;
  std::unique_ptr<ImportClient> imports;
  std::unique_ptr<BisectClient> bisects;
  std::unique_ptr<NotifyClient> notify;
};

// `settings` as from FindSettings. Connects at the first call. Errors of the server's address, the
// CA file and the token file.
absl::StatusOr<Clients> Connect(const ConnectionFlags& settings);

}  // namespace shakedown::cli

#endif  // SHAKEDOWN_CONTROLLER_CLI_CLIENTS_H_
