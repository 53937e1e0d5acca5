#include "controller/web/http_server.h"

#include <httplib.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "controller/service/server.h"
#include "controller/web/connect.h"
#include "controller/web/connection_pool.h"
#include "controller/web/request_head.h"
#include "controller/web/site.h"
#include "proto/wire/clock.h"
#include "proto/wire/ids.h"

namespace shakedown::web {
namespace {

constexpr int kRequestsOfAConnection = 1000;
constexpr int kBacklog = 512;
// Unread bodies up to this size are read and dropped, so that the connection can go on.
constexpr size_t kSmallBody = 64 << 10;

constexpr char kTooMany[] =
    "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 5\r\n"
    "Content-Type: text/plain\r\nContent-Length: 44\r\n\r\ntoo many connections, call again in a "
    "while\n";

// What the library reads from and writes to: the head as we checked it, then the connection.
class CheckedStream : public httplib::Stream {
 public:
  CheckedStream(Connection& connection, std::string head)
      : connection_(connection), head_(std::move(head)) {}

  bool is_readable() const override { return true; }
  bool is_writable() const override { return !connection_.Gone(); }
  ssize_t read(char* out, size_t size) override {
    if (at_ == head_.size()) return connection_.Read(out, size);
    const size_t taken = std::min(size, head_.size() - at_);
    std::memcpy(out, head_.data() + at_, taken);
    at_ += taken;
    return static_cast<ssize_t>(taken);
  }
  ssize_t write(const char* bytes, size_t size) override {
    return connection_.Write(absl::string_view(bytes, size)) ? static_cast<ssize_t>(size) : -1;
  }
  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}
  socket_t socket() const override { return connection_.socket(); }

 private:
  Connection& connection_;
  const std::string head_;
  size_t at_ = 0;
};

class Tasks : public httplib::TaskQueue {
 public:
  explicit Tasks(size_t threads) : pool_(threads) {}
  void enqueue(std::function<void()> task) override { pool_.Run(std::move(task)); }
  void shutdown() override { pool_.Finish(); }

 private:
  ConnectionPool pool_;
};

// The request that this thread answers.
struct Exchange {
  Connection& connection;
  bool must_close = false;
};
thread_local Exchange* exchange = nullptr;

HttpRequest FromLibrary(const httplib::Request& request) {
  HttpRequest out;
  out.method = request.method;
  out.path = request.path;
  for (const auto& [name, value] : request.headers) {
    out.headers.emplace(absl::AsciiStrToLower(name), value);
  }
  return out;
}

void Count(HttpCounters& counters, int status) {
  if (status >= 500) {
    ++counters.answers_5xx;
  } else if (status >= 400) {
    ++counters.answers_4xx;
  } else if (status >= 300) {
    ++counters.answers_3xx;
  } else {
    ++counters.answers_2xx;
  }
}

void ToLibrary(HttpResponse answer, httplib::Response& out) {
  out.status = answer.status;
  for (const auto& [name, value] : answer.headers) out.set_header(name, value);
  if (answer.stream == nullptr) return out.set_content(answer.body, answer.content_type);
  const std::shared_ptr<BodyStream> stream = std::move(answer.stream);
  Connection& connection = exchange->connection;
  out.set_chunked_content_provider(answer.content_type,
                                   [stream, &connection](size_t, httplib::DataSink& sink) {
                                     const std::optional<std::string> piece =
                                         stream->Next([&connection] { return connection.Gone(); });
                                     if (piece) return sink.write(piece->data(), piece->size());
                                     sink.done();
                                     return true;
                                   });
}

class Server : public HttpServer, private httplib::Server {
 public:
  Server(const HttpServerOptions& options, HttpServer::Handler handler, HttpCounters& counters)
      : options_(options), handler_(std::move(handler)), counters_(counters) {}

  ~Server() override {
    if (thread_.joinable()) Stop(absl::ZeroDuration());
  }

  absl::Status Bind() {
    if (!options_.tls_certificate.empty()) {
      absl::StatusOr<TlsContext> tls = MakeTlsContext(options_.tls_certificate, options_.tls_key);
      if (!tls.ok()) return tls.status();
      tls_ = *std::move(tls);
    }
    SetUp();
    const size_t colon = options_.listen.rfind(':');
    std::string host = options_.listen.substr(0, colon);
    host = absl::StrReplaceAll(host, {{"[", ""}, {"]", ""}});
    int port = 0;
    (void)absl::SimpleAtoi(options_.listen.substr(colon + 1), &port);
    if (port == 0) {
      port_ = bind_to_any_port(host);
    } else {
      port_ = bind_to_port(host, port) ? port : -1;
    }
    if (port_ <= 0) {
      return absl::UnavailableError(absl::StrCat(
          "address ", Quoted(options_.listen), ": can not be bound, want a free one of this host"));
    }
    ::listen(svr_sock_, kBacklog);  // The library's own is 5.
    thread_ = std::thread([this] {
      listen_after_bind();
      accepting_ended_ = true;
    });
    return absl::OkStatus();
  }

  int port() const override { return port_; }

  void Stop(absl::Duration limit) override {
    stopping_ = true;
    const absl::Duration deadline = SystemClock().Elapsed() + limit;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      for (Connection* connection : open_) {
        if (connection->idle()) connection->Interrupt();
      }
      const auto left = absl::ToChronoMilliseconds(deadline - SystemClock().Elapsed());
      closed_.wait_for(lock, left, [&] { return open_.empty(); });
      for (Connection* connection : open_) connection->Interrupt();
    }
    // Before the loop has begun to accept, the library's stop() does nothing.
    while (!is_running() && !accepting_ended_) std::this_thread::yield();
    stop();
    thread_.join();
  }

 private:
  using ContentReader = httplib::ContentReader;
  using LibraryRequest = httplib::Request;
  using LibraryResponse = httplib::Response;

  void SetUp() {
    new_task_queue = [this] {
      // Some threads more than connections, to say so to those over the limit.
      return new Tasks(static_cast<size_t>(options_.max_connections) + 4);
    };
    // The library's default lets two programs share a port.
    set_socket_options([](socket_t socket) {
      const int yes = 1;
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    set_tcp_nodelay(true);
    // What the Keep-Alive field says; kept by Serve().
    set_keep_alive_timeout(absl::ToInt64Seconds(options_.limits.idle));
    set_keep_alive_max_count(kRequestsOfAConnection);
    httplib::Headers defaults;
    for (const auto& [name, value] : SecurityHeaders(tls_ != nullptr)) {
      defaults.emplace(name, value);
    }
    set_default_headers(std::move(defaults));
    set_post_routing_handler([this](const LibraryRequest&, LibraryResponse& response) {
      if (exchange->must_close || stopping_) response.set_header("Connection", "close");
    });
    set_pre_routing_handler([this](const LibraryRequest& request, LibraryResponse& response) {
      // The library reads bodies of POST only through a handler of a content reader.
      if (request.method == "POST") return HandlerResponse::Unhandled;
      HttpRequest question = FromLibrary(request);
      exchange->must_close = HasBody(request);
      Answer(question, response);
      return HandlerResponse::Handled;
    });
    Post(".*", [this](const LibraryRequest& request, LibraryResponse& response,
                      const ContentReader& reader) { AnswerPost(request, response, reader); });
  }

  static bool HasBody(const LibraryRequest& request) {
    return request.has_header("Transfer-Encoding") ||
           (request.has_header("Content-Length") &&
            request.get_header_value("Content-Length") != "0");
  }

  static absl::StatusOr<std::string> ReadBody(const LibraryRequest& request,
                                              const ContentReader& reader, size_t limit) {
    std::string body;
    bool too_long = false;
    uint64_t announced = 0;
    if (request.has_header("Content-Length") &&
        !absl::SimpleAtoi(request.get_header_value("Content-Length"), &announced)) {
      return absl::InvalidArgumentError("content-length: want a number");
    }
    too_long = announced > limit;
    const bool whole = !too_long && reader([&](const char* bytes, size_t size) {
      too_long = body.size() + size > limit;
      if (!too_long) body.append(bytes, size);
      return !too_long;
    });
    if (too_long) {
      return absl::ResourceExhaustedError(absl::StrCat("body: want at most ", limit, " bytes"));
    }
    if (!whole) return absl::UnavailableError("body: did not come whole and in time");
    return body;
  }

  void AnswerPost(const LibraryRequest& request, LibraryResponse& response,
                  const ContentReader& reader) {
    HttpRequest question = FromLibrary(request);
    bool read = false;
    const auto read_body = [&](size_t limit) {
      read = true;
      absl::StatusOr<std::string> body = ReadBody(request, reader, limit);
      if (!body.ok()) exchange->must_close = true;
      return body;
    };
    question.read_body = read_body;
    Answer(question, response);
    if (read || !HasBody(request)) return;
    // Else the rest would be taken for the next request. A reader that fails sets another status.
    const int status = response.status;
    (void)read_body(kSmallBody);
    response.status = status;
  }

  void Answer(const HttpRequest& question, LibraryResponse& response) {
    HttpResponse answer = handler_(question);
    Count(counters_, answer.status);
    ToLibrary(std::move(answer), response);
  }

  // The library's loop over a connection, with our reading and writing.
  bool process_and_close_socket(socket_t socket) override {
    Connection connection(socket, tls_.get(), options_.limits);
    if (++counters_.connections > options_.max_connections) {
      ++counters_.refused_connections;
      if (tls_ == nullptr) {
        connection.Write(kTooMany);
        connection.Linger();
      }
    } else if (Open(connection)) {
      if (connection.Begin()) Serve(connection);
      Close(connection);
    }
    if (connection.slow_reader()) ++counters_.slow_readers;
    --counters_.connections;
    return true;
  }

  void Serve(Connection& connection) {
    for (int left = kRequestsOfAConnection; left > 0 && !stopping_; --left) {
      absl::StatusOr<std::string> head = connection.ReadHead();
      if (absl::IsNotFound(head.status())) return;
      if (head.ok()) head = CleanHead(*head);
      if (!head.ok()) return RefuseHead(connection, head.status());
      connection.StartBody();
      CheckedStream stream(connection, *std::move(head));
      Exchange mine{connection};
      exchange = &mine;
      bool closed = false;
      const bool served = process_request(stream, left == 1, closed, [](LibraryRequest& request) {
        // Brotli at the library's level takes seconds for a MiB.
        const bool gzip = absl::StrContains(request.get_header_value("Accept-Encoding"), "gzip");
        request.headers.erase("Accept-Encoding");
        if (gzip) request.headers.emplace("Accept-Encoding", "gzip");
      });
      exchange = nullptr;
      if (mine.must_close) return connection.Linger();
      if (!served || closed) return;
    }
  }

  void RefuseHead(Connection& connection, const absl::Status& status) {
    ++counters_.refused_connections;
    ++counters_.answers_4xx;
    const std::string body = absl::StrCat(ConnectError(status), "\n");
    std::string answer =
        "HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: application/json\r\n";
    for (const auto& [name, value] : SecurityHeaders(tls_ != nullptr)) {
      absl::StrAppend(&answer, name, ": ", value, "\r\n");
    }
    connection.Write(absl::StrCat(answer, "Content-Length: ", body.size(), "\r\n\r\n", body));
    connection.Linger();
  }

  bool Open(Connection& connection) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (stopping_) return false;
    open_.insert(&connection);
    return true;
  }
  void Close(Connection& connection) {
    const std::lock_guard<std::mutex> lock(mutex_);
    open_.erase(&connection);
    closed_.notify_all();
  }

  const HttpServerOptions options_;
  const HttpServer::Handler handler_;
  HttpCounters& counters_;
  TlsContext tls_;
  int port_ = -1;
  std::atomic<bool> stopping_ = false;
  std::atomic<bool> accepting_ended_ = false;
  std::mutex mutex_;
  std::condition_variable closed_;
  std::set<Connection*> open_;
  std::thread thread_;
};

}  // namespace

absl::Status CheckHttpListen(const std::string& listen, bool tls) {
  absl::Status status = absl::StartsWith(listen, "unix:")
                            ? absl::InvalidArgumentError(absl::StrCat(
                                  "--http ", Quoted(listen), ": want HOST:PORT or [IPV6]:PORT"))
                            : service::CheckListen(listen, tls);
  return absl::Status(status.code(),
                      absl::StrReplaceAll(status.message(), {{"--listen", "--http"}}));
}

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Start(const HttpServerOptions& options,
                                                              Handler handler,
                                                              HttpCounters& counters) {
  const absl::Status checked = CheckHttpListen(options.listen, !options.tls_certificate.empty());
  if (!checked.ok()) return checked;
  auto server = std::make_unique<Server>(options, std::move(handler), counters);
  const absl::Status bound = server->Bind();
  if (!bound.ok()) return bound;
  return server;
}

}  // namespace shakedown::web
