// One accepted socket, plain or TLS, with a deadline on everything. No HTTP library here.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

typedef struct ssl_ctx_st SSL_CTX;
typedef struct ssl_st SSL;

namespace shakedown::web {

struct Limits {
  absl::Duration idle = absl::Seconds(30);  // Between two requests.
  absl::Duration head = absl::Seconds(10);  // A whole head, from its first byte; the TLS handshake.
  absl::Duration body = absl::Seconds(60);  // A whole body.
  absl::Duration write = absl::Seconds(10);  // Without a byte taken: a slow reader.
};

struct FreeTls {
  void operator()(SSL_CTX* context) const;
};
using TlsContext = std::unique_ptr<SSL_CTX, FreeTls>;

// InvalidArgument: not PEM, or the key is not the certificate's.
absl::StatusOr<TlsContext> MakeTlsContext(const std::string& certificate, const std::string& key);

// Owns and closes `socket`. Used by one thread; Interrupt() may be called by any.
class Connection {
 public:
  // `tls`: nullptr for none; outlives it.
  Connection(int socket, SSL_CTX* tls, const Limits& limits);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // The TLS handshake, when there is TLS.
  bool Begin();
  // All up to and with the next empty line. NotFound: closed or silent, nobody to answer.
  // InvalidArgument: longer than kMaxHead, or not in time.
  absl::StatusOr<std::string> ReadHead();
  // Of the body that follows; -1: nothing came in time. At most Limits::body after StartBody().
  void StartBody();
  ssize_t Read(char* out, size_t size);
  // All of it, or false: nobody reads.
  bool Write(absl::string_view bytes);
  // The other end has closed.
  bool Gone() const;
  // Waits for a request that has not begun.
  bool idle() const { return idle_; }
  // Ends all waiting: reads give the end, writes fail.
  void Interrupt();
  // Before closing while the other end may still send: it should get the answer, not a reset.
  // Reads for at most a second and a MiB.
  void Linger();
  bool slow_reader() const { return slow_reader_; }
  int socket() const { return socket_; }

 private:
  ssize_t ReadSome(char* out, size_t size, absl::Duration deadline);
  // Waits for `events` of poll(2).
  bool WaitFor(short events, absl::Duration deadline) const;

  const int socket_;
  SSL* ssl_ = nullptr;
  const Limits limits_;
  std::string ahead_;  // Read, not yet asked for: from `at_` on.
  size_t at_ = 0;
  std::atomic<bool> idle_ = false;
  absl::Duration body_deadline_;
  bool slow_reader_ = false;
};

}  // namespace shakedown::web
