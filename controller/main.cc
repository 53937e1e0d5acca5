// shakedown-controller: wires the parts together. What it does is in service/.
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "controller/service/agent_api.h"
#include "controller/service/artefact_store.h"
#include "controller/service/background.h"
#include "controller/service/catalog.h"
#include "controller/service/dispatcher.h"
#include "controller/service/farm_api.h"
#include "controller/service/history_api.h"
#include "controller/service/import_api.h"
#include "controller/service/published.h"
#include "controller/service/server.h"
#include "controller/service/signals.h"
#include "controller/service/store_call.h"
#include "controller/service/token_file.h"
#include "controller/web/http_server.h"
#include "controller/web/site.h"
#include "db/store/database.h"
#include "db/store/listener.h"
#include "db/store/migrate.h"
#include "kernels/recipe/resolve.h"
#include "proto/wire/clock.h"
#include "proto/wire/files.h"
#include "proto/wire/sanitise.h"
#include "proto/wire/status.h"

namespace shakedown {
namespace {

constexpr size_t kThreads = 8;
constexpr size_t kQueue = 2000;
// Connections for the HTTP side beside those of the threads: site.cc lets so many in.
constexpr size_t kHttpConnections = 6;
constexpr int kUsage = 64;

struct Options {
  std::string database;
  std::string artefacts;
  std::string catalog;
  std::string listen = "127.0.0.1:7117";
  std::string tls_cert;
  std::string tls_key;
  std::string role;
  std::string name;
  std::string out;
  std::string http;
  std::string dashboard;
  std::string session_key;
  bool public_read = false;
};

void SendLogsToStderr() {
  spdlog::set_default_logger(
      std::make_shared<spdlog::logger>("", std::make_shared<spdlog::sinks::stderr_sink_mt>()));
  spdlog::set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %l %v");
  spdlog::flush_on(spdlog::level::info);
}

// Calls `attempt` until it is OK, fails otherwise than by a database that is away, or the process
// is to end.
template <typename Attempt>
absl::Status UntilTheDatabaseIsThere(service::EndSignal& end, Attempt attempt) {
  for (std::string said;;) {
    const absl::Status status = attempt();
    if (!absl::IsUnavailable(status)) return status;
    const std::string line = PrintableLine(service::ForCaller(status).message(), 1000);
    if (line != said) spdlog::warn("{}; trying again every second", line);
    said = line;
    if (end.Wait(absl::Seconds(1))) return absl::CancelledError("ended before the database came");
  }
}

absl::StatusOr<std::unique_ptr<store::Database>> OpenWhenThere(const Options& options,
                                                               service::EndSignal& end) {
  std::unique_ptr<store::Database> database;
  RETURN_IF_ERROR(UntilTheDatabaseIsThere(end, [&] {
    auto opened = store::Database::Open(
        {.conninfo = options.database, .connections = kThreads + 3 + kHttpConnections});
    if (opened.ok()) database = *std::move(opened);
    return opened.status();
  }));
  RETURN_IF_ERROR(UntilTheDatabaseIsThere(end, [&] {
    const absl::StatusOr<int> applied = store::Migrate(*database);
    if (applied.ok() && *applied > 0) spdlog::info("database: {} migrations applied", *applied);
    return applied.status();
  }));
  return database;
}

absl::StatusOr<service::ServerOptions> ReadServerOptions(const Options& options) {
  service::ServerOptions server;
  server.listen = options.listen;
  if (options.tls_cert.empty() != options.tls_key.empty()) {
    return absl::InvalidArgumentError("--tls-cert and --tls-key: want both or none");
  }
  if (!options.tls_cert.empty()) {
    ASSIGN_OR_RETURN(server.tls_certificate, ReadFile(options.tls_cert, 1 << 20));
    ASSIGN_OR_RETURN(server.tls_key, ReadFile(options.tls_key, 1 << 20));
  }
  RETURN_IF_ERROR(service::CheckListen(server.listen, !server.tls_certificate.empty()));
  if (!options.http.empty()) {
    RETURN_IF_ERROR(web::CheckHttpListen(options.http, !server.tls_certificate.empty()));
  }
  return server;
}

// The HTTP side, when --http asks for it. Its parts go in the order that they need.
struct HttpSide {
  web::HttpCounters counters;
  std::unique_ptr<web::Site> site;
  std::unique_ptr<web::HttpServer> server;
};

absl::StatusOr<std::unique_ptr<HttpSide>> StartHttp(const Options& options,
                                                    const service::ServerOptions& tls,
                                                    const service::Backend& backend) {
  auto http = std::make_unique<HttpSide>();
  if (options.http.empty()) return http;
  web::Assets assets;
  if (!options.dashboard.empty()) {
    auto loaded = web::Assets::Load(options.dashboard);
    if (loaded.ok()) {
      assets = *std::move(loaded);
    } else {
      spdlog::warn("{}; the page will say so", PrintableLine(loaded.status().message(), 1000));
    }
  }
  std::string key = web::DrawSessionKey();
  if (!options.session_key.empty()) {
    ASSIGN_OR_RETURN(key, web::ReadOrMakeSessionKey(options.session_key));
  }
  const bool secure = !tls.tls_certificate.empty();
  http->site = std::make_unique<web::Site>(
      backend, web::SiteOptions{.public_read = options.public_read, .tls = secure},
      std::move(assets), std::move(key), SystemClock(), http->counters);
  ASSIGN_OR_RETURN(
      http->server,
      web::HttpServer::Start(
          {.listen = options.http, .tls_certificate = tls.tls_certificate, .tls_key = tls.tls_key},
          [site = http->site.get()](const web::HttpRequest& request) {
            return site->Handle(request);
          },
          http->counters));
  spdlog::info("page on {}://{} (port {})", secure ? "https" : "http", options.http,
               http->server->port());
  return http;
}

// A thread that a lost database holds up must not hold up the end: the controller keeps nothing
// that matters.
void StopWithin(absl::Duration limit, service::Dispatcher& dispatcher,
                std::unique_ptr<service::Server> server, std::unique_ptr<HttpSide> http,
                std::unique_ptr<service::Background> background) {
  auto stopped = std::async(std::launch::async, [&] {
    dispatcher.BeginStop();
    if (http->server != nullptr) http->server->Stop(limit / 3);
    server->Stop(limit / 2);
    background.reset();
  });
  if (stopped.wait_for(absl::ToChronoNanoseconds(limit)) != std::future_status::ready) {
    spdlog::warn("stopped with calls that still waited for the database");
    std::_Exit(0);
  }
}

absl::Status Serve(const Options& options) {
  service::EndSignal end;
  ASSIGN_OR_RETURN(const service::ServerOptions server_options, ReadServerOptions(options));
  ASSIGN_OR_RETURN(const auto artefacts, service::ArtefactStore::Open(options.artefacts));
  ASSIGN_OR_RETURN(const auto database, OpenWhenThere(options, end));
  int kernels = 0;
  RETURN_IF_ERROR(UntilTheDatabaseIsThere(end, [&] {
    const auto put = service::PutCatalog(*database, *artefacts, options.catalog);
    if (put.ok()) kernels = *put;
    return put.status();
  }));
  RETURN_IF_ERROR(UntilTheDatabaseIsThere(end, [&] { return service::PutPublished(*database); }));
  service::FarmApi farm(*database, *artefacts,
                        kernels::FragmentsIn(absl::StrCat(options.catalog, "/configs")));
  service::AgentApi agents(*database, *artefacts);
  service::HistoryApi history(*database);
  service::ImportApi imports(*database);
  service::Dispatcher dispatcher(kThreads, kQueue);
  store::Listener listener(database->options());
  auto background = std::make_unique<service::Background>(*database, listener, dispatcher);
  const service::Backend backend{*database, farm, agents, history, imports, dispatcher};
  ASSIGN_OR_RETURN(auto http, StartHttp(options, server_options, backend));
  ASSIGN_OR_RETURN(auto server, service::Server::Start(server_options, backend));
  spdlog::info("serves on {} (port {}), {} kernels in the catalog", options.listen, server->port(),
               kernels);
  end.Wait(absl::InfiniteDuration());
  spdlog::info("stops");
  StopWithin(absl::Seconds(1.5), dispatcher, std::move(server), std::move(http),
             std::move(background));
  return absl::OkStatus();
}

absl::Status MigrateOnly(const Options& options) {
  ASSIGN_OR_RETURN(const auto database, store::Database::Open({.conninfo = options.database}));
  ASSIGN_OR_RETURN(const int applied, store::Migrate(*database));
  spdlog::info("{} migrations applied", applied);
  return absl::OkStatus();
}

absl::Status CreateToken(const Options& options) {
  ASSIGN_OR_RETURN(const auto database, store::Database::Open({.conninfo = options.database}));
  RETURN_IF_ERROR(store::Migrate(*database).status());
  const store::Role role = options.role == "agent" ? store::Role::kAgent : store::Role::kUser;
  return service::CreateTokenFile(*database, role, options.name, options.out);
}

int Report(const absl::Status& status) {
  if (status.ok() || absl::IsCancelled(status)) return EXIT_SUCCESS;
  std::fprintf(stderr, "shakedown-controller: %s\n", PrintableLine(status.message(), 4000).c_str());
  const bool usage = absl::IsInvalidArgument(status) || absl::IsFailedPrecondition(status);
  return usage ? kUsage : EXIT_FAILURE;
}

int Main(int argc, char** argv) {
  Options options;
  CLI::App app(
      "The controller of a Shakedown farm: plans jobs, leases them to agents, keeps results.",
      "shakedown-controller");
  app.require_subcommand(1);
  const auto database = [&](CLI::App* command) {
    command->add_option("--database", options.database, "libpq connection string or URI")
        ->required()
        ->envname("SHAKEDOWN_DATABASE");
  };
  CLI::App* serve = app.add_subcommand("serve", "Serve agents and people until SIGTERM");
  database(serve);
  serve->add_option("--artefacts", options.artefacts, "Folder of kernels and other files")
      ->required();
  serve->add_option("--catalog", options.catalog, "Folder with catalog/ and configs/")->required();
  serve->add_option("--listen", options.listen, "HOST:PORT; beyond loopback with TLS only")
      ->capture_default_str();
  serve->add_option("--tls-cert", options.tls_cert, "Certificate chain, PEM");
  serve->add_option("--tls-key", options.tls_key, "Its private key, PEM");
  serve->add_option("--http", options.http, "HOST:PORT of the page, the API as JSON and /metrics");
  serve->add_option("--dashboard", options.dashboard, "Folder of the built page");
  serve->add_option("--session-key", options.session_key,
                    "File that keeps people signed in over a restart; made when it is not there");
  serve->add_flag("--public-read", options.public_read,
                  "Over HTTP, let everybody read; changes still want a token");
  CLI::App* migrate = app.add_subcommand("migrate", "Bring the database to this program's schema");
  database(migrate);
  CLI::App* token = app.add_subcommand("token", "Who may call");
  token->require_subcommand(1);
  CLI::App* create =
      token->add_subcommand("create", "Make a token and write it to a new file, mode 0600");
  database(create);
  create->add_option("--role", options.role, "user or agent")
      ->required()
      ->check(CLI::IsMember({"user", "agent"}));
  create->add_option("--name", options.name, "The person's or the agent's name")->required();
  create->add_option("--out", options.out, "File to make")->required();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    return Report(absl::InvalidArgumentError(error.what()));
  }
  SendLogsToStderr();
  if (serve->parsed()) return Report(Serve(options));
  if (migrate->parsed()) return Report(MigrateOnly(options));
  return Report(CreateToken(options));
}

}  // namespace
}  // namespace shakedown

int main(int argc, char** argv) { return shakedown::Main(argc, argv); }
