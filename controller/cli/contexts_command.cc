// contexts: the farms that the command knows by name.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "controller/cli/commands.h"
#include "controller/cli/contexts.h"
#include "controller/cli/exit_code.h"
#include "controller/cli/tables.h"
#include "proto/wire/sanitise.h"
#include "proto/wire/status.h"

namespace shakedown::cli {
namespace {

void List(Screen& screen, const v1::CliConfig& config) {
  if (config.contexts().empty())
    return screen.Note(
        "no contexts yet: shakedown contexts set NAME --server ADDRESS --token-file FILE");
  std::vector<std::vector<std::string>> rows;
  for (const v1::CliConfig::Context& context : config.contexts()) {
    rows.push_back({context.name() == config.current() ? "*" : "", context.name(),
                    PrintableLine(context.server()), PrintableLine(context.token_file()),
                    PrintableLine(context.tls_ca())});
  }
  screen.Print(PrintTable({{.header = ""},
                           {.header = "NAME"},
                           {.header = "SERVER", .may_shrink = true},
                           {.header = "TOKEN FILE", .may_shrink = true},
                           {.header = "CA FILE", .may_shrink = true}},
                          rows, screen.size().columns));
}

absl::Status Change(const ContextsArgs& args, v1::CliConfig* config) {
  switch (args.what) {
    case ContextsArgs::What::kUse: {
      ASSIGN_OR_RETURN(const v1::CliConfig::Context found, FindContext(*config, args.name));
      config->set_current(found.name());
      return absl::OkStatus();
    }
    case ContextsArgs::What::kSet: {
      v1::CliConfig::Context context;
      context.set_name(args.name);
      context.set_server(args.server);
      context.set_token_file(args.token_file);
      context.set_tls_ca(args.tls_ca);
      PutContext(context, config);
      if (args.use) config->set_current(args.name);
      return absl::OkStatus();
    }
    default:
      return RemoveContext(args.name, config);
  }
}

}  // namespace

int Contexts(Screen& screen, const ContextsArgs& args, const Environment& environment) {
  const std::string path = ConfigPath(environment);
  absl::StatusOr<v1::CliConfig> config = ReadConfig(path);
  if (!config.ok()) return Fail(screen, config.status());
  if (args.what == ContextsArgs::What::kList) {
    args.json ? screen.PrintJson(*config) : List(screen, *config);
    return kOk;
  }
  absl::Status changed = Change(args, &*config);
  if (changed.ok()) changed = WriteConfig(path, *config);
  return changed.ok() ? kOk : Fail(screen, changed);
}

}  // namespace shakedown::cli
