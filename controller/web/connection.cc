#include "controller/web/connection.h"

#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "controller/web/request_head.h"
#include "proto/wire/clock.h"

namespace shakedown::web {
namespace {

constexpr size_t kPiece = 16 << 10;

absl::Duration Now() { return SystemClock().Elapsed(); }

struct FreeBio {
  void operator()(BIO* bio) const { BIO_free(bio); }
};
struct FreeCertificate {
  void operator()(X509* certificate) const { X509_free(certificate); }
};
struct FreeKey {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
using Bio = std::unique_ptr<BIO, FreeBio>;
using Certificate = std::unique_ptr<X509, FreeCertificate>;

Bio Reader(const std::string& text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

}  // namespace

void FreeTls::operator()(SSL_CTX* context) const { SSL_CTX_free(context); }

absl::StatusOr<TlsContext> MakeTlsContext(const std::string& certificate, const std::string& key) {
  TlsContext context(SSL_CTX_new(TLS_server_method()));
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_mode(context.get(),
                   SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  const Bio chain = Reader(certificate);
  const Certificate first(PEM_read_bio_X509(chain.get(), nullptr, nullptr, nullptr));
  bool good = first != nullptr && SSL_CTX_use_certificate(context.get(), first.get()) == 1;
  while (good) {
    X509* next = PEM_read_bio_X509(chain.get(), nullptr, nullptr, nullptr);
    if (next == nullptr) break;
    good = SSL_CTX_add0_chain_cert(context.get(), next) == 1;
  }
  const std::unique_ptr<EVP_PKEY, FreeKey> private_key(
      PEM_read_bio_PrivateKey(Reader(key).get(), nullptr, nullptr, nullptr));
  good = good && private_key != nullptr &&
         SSL_CTX_use_PrivateKey(context.get(), private_key.get()) == 1 &&
         SSL_CTX_check_private_key(context.get()) == 1;
  ERR_clear_error();
  if (good) return context;
  return absl::InvalidArgumentError(
      "--tls-cert and --tls-key: want a certificate and its key, PEM");
}

Connection::Connection(int socket, SSL_CTX* tls, const Limits& limits)
    : socket_(socket), limits_(limits) {
  fcntl(socket_, F_SETFL, fcntl(socket_, F_GETFL) | O_NONBLOCK);
  // What the kernel keeps for a client that reads slowly.
  const int buffer = 256 << 10;
  setsockopt(socket_, SOL_SOCKET, SO_SNDBUF, &buffer, sizeof buffer);
  if (tls == nullptr) return;
  ssl_ = SSL_new(tls);
  SSL_set_fd(ssl_, socket_);
}

Connection::~Connection() {
  if (ssl_ != nullptr) {
    SSL_shutdown(ssl_);
    SSL_free(ssl_);
    ERR_clear_error();
  }
  shutdown(socket_, SHUT_RDWR);
  close(socket_);
}

bool Connection::WaitFor(short events, absl::Duration deadline) const {
  for (;;) {
    const absl::Duration left = deadline - Now();
    if (left <= absl::ZeroDuration()) return false;
    pollfd waited{socket_, events, 0};
    const int ready = poll(&waited, 1, static_cast<int>(absl::ToInt64Milliseconds(left)) + 1);
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

bool Connection::Begin() {
  if (ssl_ == nullptr) return true;
  const absl::Duration deadline = Now() + limits_.head;
  for (;;) {
    ERR_clear_error();
    const int result = SSL_accept(ssl_);
    if (result == 1) return true;
    const int error = SSL_get_error(ssl_, result);
    if (error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE) return false;
    if (!WaitFor(error == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT, deadline)) return false;
  }
}

ssize_t Connection::ReadSome(char* out, size_t size, absl::Duration deadline) {
  for (;;) {
    short wanted = POLLIN;
    if (ssl_ != nullptr) {
      ERR_clear_error();
      const int got = SSL_read(ssl_, out, static_cast<int>(std::min<size_t>(size, 1 << 30)));
      if (got > 0) return got;
      const int error = SSL_get_error(ssl_, got);
      if (error == SSL_ERROR_ZERO_RETURN) return 0;
      if (error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE) return -1;
      if (error == SSL_ERROR_WANT_WRITE) wanted = POLLOUT;
    } else {
      const ssize_t got = recv(socket_, out, size, 0);
      if (got >= 0) return got;
      if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) return -1;
    }
    if (!WaitFor(wanted, deadline)) return -1;
  }
}

absl::StatusOr<std::string> Connection::ReadHead() {
  ahead_.erase(0, at_);
  at_ = 0;
  idle_ = ahead_.empty();
  absl::Duration deadline = Now() + (idle_ ? limits_.idle : limits_.head);
  for (size_t looked = 0;;) {
    const size_t end = ahead_.find("\r\n\r\n", looked);
    if (end != std::string::npos && end + 4 <= kMaxHead) {
      at_ = end + 4;
      return ahead_.substr(0, at_);
    }
    if (ahead_.size() > kMaxHead) {
      return absl::InvalidArgumentError("request: the head is too long");
    }
    looked = ahead_.size() < 3 ? 0 : ahead_.size() - 3;
    char piece[4096];
    const ssize_t got = ReadSome(piece, sizeof piece, deadline);
    if (got <= 0 && ahead_.empty()) return absl::NotFoundError("no request");
    if (got <= 0) return absl::InvalidArgumentError("request: the head did not come in time");
    if (ahead_.empty()) deadline = Now() + limits_.head;
    idle_ = false;
    ahead_.append(piece, static_cast<size_t>(got));
  }
}

void Connection::StartBody() { body_deadline_ = Now() + limits_.body; }

ssize_t Connection::Read(char* out, size_t size) {
  if (at_ == ahead_.size()) {
    if (size >= kPiece) return ReadSome(out, size, body_deadline_);
    at_ = 0;
    ahead_.resize(kPiece);  // The library reads chunked bodies byte by byte.
    const ssize_t got = ReadSome(ahead_.data(), kPiece, body_deadline_);
    ahead_.resize(got > 0 ? static_cast<size_t>(got) : 0);
    if (got <= 0) return got;
  }
  const size_t taken = std::min(size, ahead_.size() - at_);
  std::memcpy(out, ahead_.data() + at_, taken);
  at_ += taken;
  return static_cast<ssize_t>(taken);
}

bool Connection::Write(absl::string_view bytes) {
  while (!bytes.empty()) {
    short wanted = POLLOUT;
    if (ssl_ != nullptr) {
      ERR_clear_error();
      const int sent =
          SSL_write(ssl_, bytes.data(), static_cast<int>(std::min<size_t>(bytes.size(), 1 << 30)));
      if (sent > 0) {
        bytes.remove_prefix(static_cast<size_t>(sent));
        continue;
      }
      const int error = SSL_get_error(ssl_, sent);
      if (error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE) return false;
      if (error == SSL_ERROR_WANT_READ) wanted = POLLIN;
    } else {
      const ssize_t sent = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent >= 0) {
        bytes.remove_prefix(static_cast<size_t>(sent));
        continue;
      }
      if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) return false;
    }
    if (!WaitFor(wanted, Now() + limits_.write)) {
      slow_reader_ = true;
      return false;
    }
  }
  return true;
}

bool Connection::Gone() const {
  pollfd waited{socket_, POLLRDHUP, 0};
  return poll(&waited, 1, 0) > 0 && (waited.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

void Connection::Interrupt() { shutdown(socket_, SHUT_RDWR); }

void Connection::Linger() {
  shutdown(socket_, SHUT_WR);
  const absl::Duration deadline = Now() + absl::Seconds(1);
  char piece[kPiece];
  for (size_t left = 1 << 20; left > 0;) {
    const ssize_t got = recv(socket_, piece, std::min(left, sizeof piece), 0);
    if (got > 0) {
      left -= static_cast<size_t>(got);
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR) || !WaitFor(POLLIN, deadline)) {
      return;
    }
  }
}

}  // namespace shakedown::web
