#include "agent/machine/laptop_client.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "proto/wire/framing.h"
#include "proto/wire/ids.h"
#include "proto/wire/sanitise.h"
#include "proto/wire/status.h"

namespace shakedown::agent {
namespace {

constexpr int kLookMs = 100;
constexpr size_t kHeader = 12;  // proto/wire/framing.h: magic, length, checksum.
constexpr size_t kLengthAt = 4;
constexpr size_t kLine = 400;
constexpr int kMostFacts = 200;

using Time = std::chrono::steady_clock::time_point;

absl::Status Garbage(absl::string_view what) {
  return absl::DataLossError(absl::StrCat("shakedown-laptop's answer ", what));
}

// One exchange on one connection. On the machine's own clock: it bounds another process.
class Exchange {
 public:
  Exchange(int fd, Time until, const std::function<bool()>& give_up)
      : fd_(fd), until_(until), give_up_(give_up) {}

  absl::Status Send(absl::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent > 0) {
        bytes.remove_prefix(static_cast<size_t>(sent));
      } else if (errno == EAGAIN) {
        RETURN_IF_ERROR(Wait(POLLOUT));
      } else if (errno != EINTR) {
        return ErrnoStatus(errno, "shakedown-laptop");
      }
    }
    return absl::OkStatus();
  }

  // Not a byte more than the reply: the runner's may follow.
  absl::StatusOr<v1::LaptopReply> Receive() {
    std::string frame;
    RETURN_IF_ERROR(Read(kHeader, frame));
    size_t length = 0;
    for (size_t i = 4; i-- > 0;) {
      length = length << 8 | static_cast<unsigned char>(frame[kLengthAt + i]);
    }
    if (length > kMaxFramePayload) return Garbage("is no message");
    RETURN_IF_ERROR(Read(length, frame));
    FrameReader frames;
    frames.Add(frame);
    const std::optional<std::string> payload = frames.Next();
    v1::LaptopReply reply;
    if (!payload || !reply.ParseFromString(*payload)) return Garbage("is no message");
    return reply;
  }

 private:
  absl::Status Read(size_t count, std::string& bytes) {
    const size_t want = bytes.size() + count;
    char block[1 << 16];
    while (bytes.size() < want) {
      RETURN_IF_ERROR(Wait(POLLIN));
      const ssize_t got = recv(fd_, block, std::min(sizeof block, want - bytes.size()), 0);
      if (got == 0) return absl::UnavailableError("shakedown-laptop hung up without an answer");
      if (got < 0 && (errno == EAGAIN || errno == EINTR)) continue;
      if (got < 0) return ErrnoStatus(errno, "shakedown-laptop");
      bytes.append(block, static_cast<size_t>(got));
    }
    return absl::OkStatus();
  }

  absl::Status Wait(short events) {
    for (;;) {
      if (give_up_ && give_up_()) return absl::CancelledError("given up");
      if (std::chrono::steady_clock::now() >= until_) {
        return absl::DeadlineExceededError("shakedown-laptop does not answer in time");
      }
      pollfd wanted = {fd_, events, 0};
      if (poll(&wanted, 1, kLookMs) > 0) return absl::OkStatus();
    }
  }

  const int fd_;
  const Time until_;
  const std::function<bool()>& give_up_;
};

// Its lines come from an owner's file, a loader, a kernel: shown and stored like foreign ones.
absl::Status Clean(v1::LaptopStatus& status) {
  if (!v1::BootStage_IsValid(status.stage()) || status.stage() == v1::BOOT_STAGE_UNSPECIFIED) {
    return Garbage(absl::StrCat("names stage ", status.stage(), ", want a known one"));
  }
  for (std::string* text : {status.mutable_problem(), status.mutable_loader(),
                            status.mutable_release(), status.mutable_hands()}) {
    *text = PrintableLine(*text, kLine);
  }
  google::protobuf::Map<std::string, std::string> facts;
  for (const auto& [name, value] : status.facts()) {
    if (static_cast<int>(facts.size()) == kMostFacts) break;
    facts[PrintableLine(name, 100)] = PrintableLine(value);
  }
  *status.mutable_facts() = facts;
  return absl::OkStatus();
}

absl::Status RefusalOf(const v1::LaptopReply& reply) {
  if (reply.error_code() == 0 && reply.error().empty()) return absl::OkStatus();
  constexpr uint32_t kLastCode = static_cast<uint32_t>(absl::StatusCode::kUnauthenticated);
  const auto code = reply.error_code() > 0 && reply.error_code() <= kLastCode
                        ? static_cast<absl::StatusCode>(reply.error_code())
                        : absl::StatusCode::kUnknown;
  return absl::Status(code, PrintableLine(reply.error(), kLine));
}

}  // namespace

absl::StatusOr<Descriptor> LaptopClient::Connect() const {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (socket_.size() >= sizeof address.sun_path) {
    return absl::InvalidArgumentError(absl::StrCat("socket ", Quoted(socket_), ": want at most ",
                                                   sizeof address.sun_path - 1, " bytes"));
  }
  std::memcpy(address.sun_path, socket_.data(), socket_.size());
  Descriptor fd(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (fd.get() < 0) return ErrnoStatus(errno, "socket");
  if (connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    return fd;
  }
  if (errno == ENOENT || errno == ECONNREFUSED) {
    return absl::UnavailableError(
        "shakedown-laptop does not run: systemctl start shakedown-laptop");
  }
  if (errno == EAGAIN) return absl::UnavailableError("shakedown-laptop is busy");
  return ErrnoStatus(errno, socket_);
}

absl::StatusOr<LaptopAnswer> LaptopClient::Ask(const v1::LaptopRequest& request,
                                               absl::Duration limit,
                                               const std::function<bool()>& give_up) const {
  const std::string payload = request.SerializeAsString();
  if (payload.size() > kMaxFramePayload) {
    return absl::InvalidArgumentError(
        absl::StrCat("request of ", payload.size(), " bytes, want at most ", kMaxFramePayload));
  }
  LaptopAnswer answer;
  ASSIGN_OR_RETURN(answer.connection, Connect());
  Exchange exchange(answer.connection.get(),
                    std::chrono::steady_clock::now() + absl::ToChronoMilliseconds(limit), give_up);
  RETURN_IF_ERROR(exchange.Send(EncodeFrame(payload)));
  ASSIGN_OR_RETURN(v1::LaptopReply reply, exchange.Receive());
  RETURN_IF_ERROR(Clean(*reply.mutable_status()));
  answer.refusal = RefusalOf(reply);
  answer.status = std::move(*reply.mutable_status());
  answer.collected = std::move(*reply.mutable_collected());
  if (!request.has_open_runner() || !answer.refusal.ok()) answer.connection.Close();
  return answer;
}

}  // namespace shakedown::agent
