#include "controller/web/http_testing.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace shakedown::web {

TestClient::TestClient(int port) : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
  timeval limit{20, 0};
  setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) std::abort();
}

TestClient::~TestClient() { close(socket_); }

void TestClient::SetReceiveBuffer(int bytes) {
  setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
}

bool TestClient::Send(absl::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

bool TestClient::Fill() {
  char piece[65536];
  const ssize_t got = recv(socket_, piece, sizeof piece, 0);
  if (got > 0) ahead_.append(piece, static_cast<size_t>(got));
  return got > 0;
}

std::string TestClient::Line() {
  for (;;) {
    const size_t end = ahead_.find("\r\n");
    if (end != std::string::npos) {
      std::string line = ahead_.substr(0, end);
      ahead_.erase(0, end + 2);
      return line;
    }
    if (!Fill()) return "";
  }
}

std::string TestClient::Take(size_t size) {
  while (ahead_.size() < size && Fill()) {
  }
  std::string out = ahead_.substr(0, size);
  ahead_.erase(0, size);
  return out;
}

Reply TestClient::ReadHead() {
  Reply reply;
  const std::string first = Line();
  if (first.size() > 12) (void)absl::SimpleAtoi(first.substr(9, 3), &reply.status);
  for (std::string line = Line(); !line.empty(); line = Line()) {
    const size_t colon = line.find(':');
    reply.headers[absl::AsciiStrToLower(line.substr(0, colon))] =
        std::string(absl::StripAsciiWhitespace(line.substr(colon + 1)));
  }
  return reply;
}

std::string TestClient::ReadChunk() {
  const size_t size = std::strtoul(Line().c_str(), nullptr, 16);
  std::string chunk = Take(size);
  Line();
  return chunk;
}

Reply TestClient::Read() {
  Reply reply = ReadHead();
  if (reply.headers.count("transfer-encoding") > 0) {
    for (std::string chunk = ReadChunk(); !chunk.empty(); chunk = ReadChunk()) {
      reply.body += chunk;
    }
  } else {
    reply.body = Take(std::strtoul(reply.headers["content-length"].c_str(), nullptr, 10));
  }
  return reply;
}

bool TestClient::Closes() {
  char piece[65536];
  for (;;) {
    const ssize_t got = recv(socket_, piece, sizeof piece, 0);
    if (got == 0) return true;
    if (got < 0) return errno == ECONNRESET;
  }
}

std::string Request(const std::string& method, const std::string& target, const Fields& fields,
                    const std::string& body) {
  std::string out = absl::StrCat(method, " ", target, " HTTP/1.1\r\nHost: farm.test\r\n");
  for (const auto& [name, value] : fields) absl::StrAppend(&out, name, ": ", value, "\r\n");
  if (method == "POST") absl::StrAppend(&out, "Content-Length: ", body.size(), "\r\n");
  return absl::StrCat(out, "\r\n", body);
}

Reply Ask(int port, const std::string& request) {
  TestClient client(port);
  client.Send(request);
  return client.Read();
}

}  // namespace shakedown::web
