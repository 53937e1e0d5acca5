#include "controller/web/site.h"

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "controller/service/auth.h"
#include "controller/service/store_call.h"
#include "controller/web/connect.h"
#include "controller/web/json_stream_body.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::web {
namespace {

constexpr char kJson[] = "application/json";
constexpr char kConnectJson[] = "application/connect+json";
constexpr char kText[] = "text/plain; charset=utf-8";
// A kernel with some patches, in base64; what somebody without a token may send is a question.
constexpr size_t kMaxBody = 16 << 20;
constexpr size_t kMaxPublicBody = 64 << 10;
constexpr size_t kMaxLoginBody = 4 << 10;
constexpr absl::Duration kPatience = absl::Seconds(5);
// Callers at the database at a time.
constexpr int kUnaryCallers = 4;
constexpr int kStreamCallers = 2;

constexpr char kNotBuilt[] =
    "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Shakedown</title>"
    "<h1>Shakedown</h1><p>The controller runs, but its dashboard was not built: node and npm were "
    "not there, or --dashboard names no folder with it. The <code>shakedown</code> command can "
    "all that the page can.</html>\n";

HttpResponse Answer(int status, std::string type, std::string body) {
  HttpResponse response;
  response.status = status;
  response.content_type = std::move(type);
  response.headers.emplace_back("Cache-Control", "no-store");
  response.body = std::move(body);
  return response;
}

HttpResponse Refuse(const absl::Status& status) {
  return Answer(HttpStatus(status.code()), kJson, ConnectError(status));
}

HttpResponse NotAllowed(const char* allowed) {
  HttpResponse response =
      Answer(405, kText, absl::StrCat("method not allowed, want ", allowed, "\n"));
  response.headers.emplace_back("Allow", allowed);
  return response;
}

absl::Status Busy() {
  return absl::ResourceExhaustedError("the controller has too many calls to do, call again later");
}

// "application/json" of "Application/JSON; charset=utf-8".
std::string MediaType(const HttpRequest& request) {
  const std::vector<absl::string_view> parts =
      absl::StrSplit(request.Header("content-type"), absl::MaxSplits(';', 1));
  return absl::AsciiStrToLower(absl::StripAsciiWhitespace(parts[0]));
}

absl::Status CheckConnectHeaders(const HttpRequest& request) {
  const absl::string_view version = request.Header("connect-protocol-version");
  if (!version.empty() && version != "1") {
    return absl::InvalidArgumentError(
        absl::StrCat("connect-protocol-version ", Quoted(version), ": want 1"));
  }
  for (const char* name : {"content-encoding", "connect-content-encoding"}) {
    const absl::string_view encoding = request.Header(name);
    if (!encoding.empty() && encoding != "identity") {
      return absl::UnimplementedError(absl::StrCat(name, " ", Quoted(encoding), ": want identity"));
    }
  }
  return absl::OkStatus();
}

// At most ten digits, as the protocol says. InvalidArgument: not that.
absl::StatusOr<std::optional<absl::Duration>> TimeLimit(const HttpRequest& request) {
  const absl::string_view text = request.Header("connect-timeout-ms");
  if (text.empty()) return std::nullopt;
  int64_t ms = 0;
  if (text.size() > 10 || !absl::SimpleAtoi(text, &ms) || ms < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("connect-timeout-ms ", Quoted(text), ": want at most ten digits"));
  }
  return absl::Milliseconds(ms);
}

HttpResponse UnsupportedType(const char* wanted) {
  HttpResponse response = Answer(415, kText, absl::StrCat("content-type: want ", wanted, "\n"));
  response.headers.emplace_back("Accept-Post", wanted);
  return response;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> SecurityHeaders(bool tls) {
  std::vector<std::pair<std::string, std::string>> headers = {
      {"Content-Security-Policy",
       "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; "
       "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
      {"X-Content-Type-Options", "nosniff"},
      {"X-Frame-Options", "DENY"},
      {"Referrer-Policy", "no-referrer"},
      {"Cross-Origin-Opener-Policy", "same-origin"},
      {"Cross-Origin-Resource-Policy", "same-origin"}};
  if (tls) headers.emplace_back("Strict-Transport-Security", "max-age=31536000");
  return headers;
}

bool FromOurPage(const HttpRequest& request, bool tls) {
  const absl::string_view site = request.Header("sec-fetch-site");
  const absl::string_view origin = request.Header("origin");
  const std::string ours = absl::StrCat(tls ? "https://" : "http://", request.Header("host"));
  if (!site.empty() && site != "same-origin") return false;
  if (!origin.empty()) return origin == ours;
  return !site.empty();
}

Site::Site(const service::Backend& backend, SiteOptions options, Assets assets,
           std::string session_key, Clock& clock, HttpCounters& counters)
    : backend_(backend),
      options_(options),
      assets_(std::move(assets)),
      api_(backend),
      sessions_(std::move(session_key), clock),
      metrics_(backend.database, backend.agents.times(), clock),
      counters_(counters),
      unary_gate_(kUnaryCallers),
      stream_gate_(kStreamCallers) {}

HttpResponse Site::Handle(const HttpRequest& request) {
  const bool post = request.method == "POST";
  if (absl::StartsWith(request.path, "/shakedown.v1.")) {
    return post ? Call(request) : NotAllowed("POST");
  }
  if (request.path == "/login") {
    if (post) return Login(request);
  } else if (request.path == "/logout") {
    return post ? Logout(request) : NotAllowed("POST");
  }
  // /login is a page, too.
  if (request.method != "GET" && request.method != "HEAD") return NotAllowed("GET, HEAD");
  return Get(request);
}

absl::StatusOr<store::Principal> Site::CheckToken(absl::string_view token) {
  const Gate::Pass pass = unary_gate_.Enter(kPatience);
  if (!pass.entered()) return Busy();
  return service::Authenticate(backend_.database, absl::StrCat("Bearer ", token),
                               store::Role::kUser);
}

absl::StatusOr<Site::Caller> Site::WhoCalls(const HttpRequest& request, bool reads) {
  const bool open = reads && options_.public_read;
  if (const absl::string_view header = request.Header("authorization"); !header.empty()) {
    absl::string_view token = header;
    if (!absl::StartsWithIgnoreCase(header, "bearer ")) {
      return absl::UnauthenticatedError("no token, want \"Authorization: Bearer TOKEN\"");
    }
    token.remove_prefix(7);
    ASSIGN_OR_RETURN(const store::Principal principal, CheckToken(token));
    return Caller{principal, false};
  }
  const std::string cookie = CookieOf(request);
  if (!cookie.empty()) {
    // A GET changes nothing, and what it answers no other page can read.
    if (request.method == "POST" && !FromOurPage(request, options_.tls)) {
      return absl::PermissionDeniedError("signed in by cookie, but not called by our own page");
    }
    const absl::StatusOr<std::string> token = sessions_.Find(cookie);
    const absl::StatusOr<store::Principal> principal =
        token.ok() ? CheckToken(*token) : token.status();
    if (principal.ok()) return Caller{*principal, false};
    if (!absl::IsUnauthenticated(principal.status()) || !open) return principal.status();
  }
  if (open) return Caller{{}, true};
  return absl::UnauthenticatedError("no token, sign in or send \"Authorization: Bearer TOKEN\"");
}

HttpResponse Site::Call(const HttpRequest& request) {
  const absl::StatusOr<const Method*> method = api_.Find(request.path);
  if (!method.ok()) return Refuse(method.status());
  const bool stream = (*method)->stream != nullptr;
  const char* type = stream ? kConnectJson : kJson;
  if (MediaType(request) != type) return UnsupportedType(type);
  if (stream) return CallStream(request, **method);
  absl::StatusOr<std::string> json = CallUnary(request, **method);
  return json.ok() ? Answer(200, kJson, *std::move(json)) : Refuse(json.status());
}

absl::StatusOr<std::string> Site::CallUnary(const HttpRequest& request, const Method& method) {
  RETURN_IF_ERROR(CheckConnectHeaders(request));
  RETURN_IF_ERROR(TimeLimit(request).status());
  ASSIGN_OR_RETURN(const Caller caller, WhoCalls(request, method.reads));
  ASSIGN_OR_RETURN(const std::string body,
                   request.read_body(caller.anonymous ? kMaxPublicBody : kMaxBody));
  const Gate::Pass pass = unary_gate_.Enter(kPatience);
  if (!pass.entered()) return Busy();
  return method.unary(caller.principal, body);
}

absl::StatusOr<std::unique_ptr<JsonStream>> Site::OpenStream(const HttpRequest& request,
                                                             const Method& method) {
  RETURN_IF_ERROR(CheckConnectHeaders(request));
  RETURN_IF_ERROR(WhoCalls(request, method.reads).status());
  ASSIGN_OR_RETURN(const std::string body, request.read_body(kMaxPublicBody));
  ASSIGN_OR_RETURN(const std::string json, OpenEnvelope(body));
  return method.stream(json);
}

HttpResponse Site::CallStream(const HttpRequest& request, const Method& method) {
  absl::StatusOr<std::unique_ptr<JsonStream>> stream = OpenStream(request, method);
  const auto limit = TimeLimit(request);
  absl::Status status = stream.ok() ? limit.status() : stream.status();
  service::StreamStep<std::string> first;
  if (status.ok()) {
    const Gate::Pass pass = unary_gate_.Enter(kPatience);
    if (pass.entered()) {
      first = (*stream)->Step();
    } else {
      status = Busy();
    }
  }
  if (status.ok() && ++counters_.streams > options_.max_streams) {
    --counters_.streams;
    status = absl::ResourceExhaustedError("too many streams are open, call again later");
  }
  if (!status.ok()) return Answer(200, kConnectJson, EndEnvelope(status));
  HttpResponse response = Answer(200, kConnectJson, "");
  // So that a page can start at the end of a long log.
  if (const uint64_t size = (*stream)->log_size(); size > 0) {
    response.headers.emplace_back("Log-Size", absl::StrCat(size));
  }
  response.stream = std::make_unique<JsonStreamBody>(
      *std::move(stream), std::move(first), backend_.dispatcher, stream_gate_, counters_, *limit);
  return response;
}

HttpResponse Site::Get(const HttpRequest& request) {
  if (request.path == "/healthz") return Answer(200, kText, "ok\n");
  if (request.path == "/readyz") return Ready();
  if (request.path == "/session") return Session(request);
  if (request.path == "/metrics") {
    const absl::StatusOr<Caller> caller = WhoCalls(request, true);
    if (!caller.ok()) return Refuse(caller.status());
    return Answer(200, "text/plain; version=0.0.4; charset=utf-8", metrics_.Text(counters_));
  }
  return File(request);
}

HttpResponse Site::Ready() {
  const Gate::Pass pass = unary_gate_.Enter(kPatience);
  const absl::Status status =
      pass.entered() ? service::FromStore([&] { return backend_.database.Ping(); }) : Busy();
  if (status.ok()) return Answer(200, kText, "ready\n");
  return Answer(503, kText, absl::StrCat("not ready: ", ConnectError(status), "\n"));
}

HttpResponse Site::Session(const HttpRequest& request) {
  const absl::StatusOr<Caller> caller = WhoCalls(request, false);
  if (!caller.ok() && !absl::IsUnauthenticated(caller.status()) &&
      !absl::IsPermissionDenied(caller.status())) {
    return Refuse(caller.status());
  }
  // Names are of CheckName: nothing to escape.
  return Answer(200, kJson,
                absl::StrCat("{\"name\":\"", caller.ok() ? caller->principal.name : "",
                             "\",\"publicRead\":", options_.public_read ? "true" : "false", "}"));
}

HttpResponse Site::Login(const HttpRequest& request) {
  if (MediaType(request) != kJson) return UnsupportedType(kJson);
  if (!request.Header("origin").empty() && !FromOurPage(request, options_.tls)) {
    return Refuse(absl::PermissionDeniedError("login: not called by our own page"));
  }
  const absl::StatusOr<std::string> body = request.read_body(kMaxLoginBody);
  if (!body.ok()) return Refuse(body.status());
  google::protobuf::Struct fields;
  if (!google::protobuf::util::JsonStringToMessage(*body, &fields).ok() ||
      fields.fields().count("token") == 0) {
    return Refuse(absl::InvalidArgumentError("login: want {\"token\":\"…\"}"));
  }
  const std::string token(absl::StripAsciiWhitespace(fields.fields().at("token").string_value()));
  const absl::StatusOr<store::Principal> principal = CheckToken(token);
  if (!principal.ok()) return Refuse(principal.status());
  HttpResponse response = Answer(200, kJson, absl::StrCat("{\"name\":\"", principal->name, "\"}"));
  response.headers.emplace_back("Set-Cookie", Cookie(sessions_.Begin(token), kSessionLength));
  return response;
}

HttpResponse Site::Logout(const HttpRequest& request) {
  if (MediaType(request) != kJson) return UnsupportedType(kJson);
  if (!FromOurPage(request, options_.tls)) {
    return Refuse(absl::PermissionDeniedError("logout: not called by our own page"));
  }
  sessions_.End(CookieOf(request));
  HttpResponse response = Answer(200, kJson, "{}");
  response.headers.emplace_back("Set-Cookie", Cookie("", absl::ZeroDuration()));
  return response;
}

// A person gets the page, which says so in its own way; a program a line.
HttpResponse Site::NotFound(const HttpRequest& request) const {
  const Asset* page = assets_.Page();
  if (page == nullptr || absl::StartsWith(request.path, "/assets/") ||
      !absl::StrContains(request.Header("accept"), "text/html")) {
    return Answer(404, kText, "no such page\n");
  }
  return Answer(404, page->content_type, page->body);
}

HttpResponse Site::File(const HttpRequest& request) const {
  if (assets_.empty()) return Answer(200, "text/html; charset=utf-8", kNotBuilt);
  const Asset* asset = assets_.Find(request.path);
  if (asset == nullptr) return NotFound(request);
  HttpResponse response;
  const bool same = request.Header("if-none-match") == asset->etag;
  response.status = same ? 304 : 200;
  response.content_type = asset->content_type;
  response.headers.emplace_back(
      "Cache-Control", asset->immutable ? "public, max-age=31536000, immutable" : "no-cache");
  response.headers.emplace_back("ETag", asset->etag);
  if (!same) response.body = asset->body;
  return response;
}

// The prefix __Host- makes browsers take it over TLS and from this host only.
std::string Site::Cookie(absl::string_view value, absl::Duration age) const {
  return absl::StrCat(options_.tls ? "__Host-" : "", "shakedown=", value,
                      "; Path=/; HttpOnly; SameSite=Strict; Max-Age=", absl::ToInt64Seconds(age),
                      options_.tls ? "; Secure" : "");
}

std::string Site::CookieOf(const HttpRequest& request) const {
  const std::string prefix = options_.tls ? "__Host-shakedown=" : "shakedown=";
  for (absl::string_view part : absl::StrSplit(request.Header("cookie"), ';')) {
    part = absl::StripAsciiWhitespace(part);
    if (absl::ConsumePrefix(&part, prefix)) return std::string(part);
  }
  return "";
}

}  // namespace shakedown::web
