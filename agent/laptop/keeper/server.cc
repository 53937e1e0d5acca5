#include "agent/laptop/keeper/server.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <list>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "agent/laptop/keeper/connection.h"
#include "proto/wire/sanitise.h"
#include "proto/wire/status.h"

namespace shakedown::laptop {
namespace {

constexpr int kBacklog = 8;
constexpr size_t kMaxRefusal = 1000;

struct Peer {
  explicit Peer(Descriptor fd) : connection(std::move(fd)) {}
  Connection connection;
  bool root = false;
  bool runs = false;  // Carries the runner's frames.
  absl::Duration heard;
};

class SocketServer : public Server {
 public:
  SocketServer(ServerOptions options, Keeper& keeper, Clock& clock, Descriptor listener,
               Descriptor refuse)
      : options_(std::move(options)),
        keeper_(keeper),
        clock_(clock),
        listener_(std::move(listener)),
        refuse_(std::move(refuse)) {}
  ~SocketServer() override { unlink(options_.socket.c_str()); }

  void Step(absl::Duration wait) override {
    Wait(wait);
    Accept();
    for (Peer& peer : peers_) Serve(peer);
    ServeRunner();
    HearRefusal();
    CloseTheIdle();
    peers_.remove_if([](const Peer& peer) { return !peer.connection.open(); });
    keeper_.Tick();
  }

 private:
  Peer* Runs() {
    const auto peer =
        std::find_if(peers_.begin(), peers_.end(), [](const Peer& p) { return p.runs; });
    return peer == peers_.end() ? nullptr : &*peer;
  }

  void Wait(absl::Duration wait) {
    std::vector<pollfd> fds = {{listener_.get(), POLLIN, 0}, {refuse_.get(), POLLIN, 0}};
    const auto add = [&](const Connection& connection, bool read) {
      const int wanted = (read ? POLLIN : 0) | (connection.waiting() > 0 ? POLLOUT : 0);
      fds.push_back({connection.fd(), static_cast<short>(wanted), 0});
    };
    for (const Peer& peer : peers_) add(peer.connection, Takes(peer));
    if (runner_) add(*runner_, RunnerIsRead());
    poll(fds.data(), fds.size(), static_cast<int>(absl::ToInt64Milliseconds(wait)));
  }

  // Who does not take answers is not asked for more.
  bool Takes(const Peer& peer) const {
    if (peer.runs && runner_ && runner_->waiting() > kMostWaiting) return false;
    return peer.connection.waiting() <= kMostWaiting;
  }
  bool RunnerIsRead() {
    const Peer* peer = Runs();
    return peer != nullptr && peer->connection.waiting() <= kMostWaiting;
  }

  void Accept() {
    const int fd = accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) return;
    Peer peer{Descriptor(fd)};
    ucred who = {};
    socklen_t size = sizeof who;
    const bool known = getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0;
    peer.root = known && who.uid == options_.root;
    peer.heard = clock_.Elapsed();
    if (!peer.root && !(known && options_.agent && who.uid == *options_.agent)) {
      return Turn(peer, absl::PermissionDeniedError(
                            absl::StrCat("user ", who.uid,
                                         " may not talk to shakedown-laptop, want root or "
                                         "the agent's")));
    }
    if (peers_.size() >= kMostConnections) {
      return Turn(peer, absl::ResourceExhaustedError(
                            absl::StrCat(kMostConnections, " connections are open, want no more")));
    }
    peers_.push_back(std::move(peer));
  }

  // Says why, once, as far as that goes without waiting.
  static void Turn(Peer& peer, const absl::Status& why) {
    v1::LaptopReply reply;
    reply.set_error(std::string(why.message()));
    reply.set_error_code(static_cast<uint32_t>(why.code()));
    reply.mutable_status();
    peer.connection.Send(reply.SerializeAsString());
  }

  void Serve(Peer& peer) {
    if (Takes(peer)) peer.connection.Receive();
    while (Takes(peer)) {
      const std::optional<std::string> payload = peer.connection.Next();
      if (!payload) break;
      peer.heard = clock_.Elapsed();
      peer.runs ? PassToRunner(peer, *payload) : Answer(peer, *payload);
      if (!peer.connection.open()) break;
    }
    peer.connection.Flush();
    if (peer.runs && !peer.connection.open()) LoseRunner();
  }

  void Answer(Peer& peer, const std::string& payload) {
    v1::LaptopRequest request;
    if (!request.ParseFromString(payload)) return peer.connection.Close();
    const v1::LaptopReply reply = keeper_.Handle(request, peer.root);
    peer.connection.Send(reply.SerializeAsString());
    if (!request.has_open_runner() || !reply.error().empty()) return;
    runner_.emplace(keeper_.TakeRunner());
    peer.runs = true;
  }

  void PassToRunner(Peer& peer, const std::string& payload) {
    v1::RunnerRequest request;
    if (!runner_ || !request.ParseFromString(payload)) return peer.connection.Close();
    const absl::StatusOr<v1::RunnerRequest> passed = keeper_.Gate().Admit(request);
    if (passed.ok()) return runner_->Send(passed->SerializeAsString());
    v1::RunnerEvent event;
    event.set_id(request.id());
    event.mutable_failure()->set_error(PrintableLine(passed.status().message(), kMaxRefusal));
    peer.connection.Send(event.SerializeAsString());
  }

  void ServeRunner() {
    Peer* peer = Runs();
    // What a command of the owner or a time limit has ended.
    if (peer == nullptr || !runner_) return LoseRunner();
    while (peer->connection.waiting() <= kMostWaiting) {
      std::optional<std::string> payload = runner_->Next();
      if (!payload && runner_->open()) {
        runner_->Receive();
        payload = runner_->Next();
      }
      if (!payload) break;
      v1::RunnerEvent event;
      if (!event.ParseFromString(*payload)) break;
      keeper_.Gate().Observe(event);
      peer->connection.Send(*payload);
    }
    runner_->Flush();
    if (runner_->open()) return;
    peer->connection.CloseOnceSent();
    LoseRunner();
  }

  void LoseRunner() {
    if (!runner_) return;
    runner_.reset();
    keeper_.EndRunner();
  }

  void HearRefusal() {
    char bytes[4096];
    bool any = false;
    while (read(refuse_.get(), bytes, sizeof bytes) > 0) any = true;
    // With no countdown there is nothing to refuse.
    if (any) keeper_.Refuse().IgnoreError();
  }

  void CloseTheIdle() {
    const absl::Duration now = clock_.Elapsed();
    for (Peer& peer : peers_) {
      if (!peer.runs && now - peer.heard > kIdleLimit) peer.connection.Close();
    }
  }

  const ServerOptions options_;
  Keeper& keeper_;
  Clock& clock_;
  const Descriptor listener_, refuse_;
  std::list<Peer> peers_;
  std::optional<Connection> runner_;
};

absl::StatusOr<Descriptor> ListenAt(const ServerOptions& options) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (options.socket.size() >= sizeof address.sun_path) {
    return absl::InvalidArgumentError(absl::StrCat("socket ", options.socket, ": want at most ",
                                                   sizeof address.sun_path - 1, " bytes"));
  }
  memcpy(address.sun_path, options.socket.data(), options.socket.size());
  Descriptor fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (fd.get() < 0) return ErrnoStatus(errno, options.socket);
  unlink(options.socket.c_str());
  // Nobody else may connect in between.
  const mode_t before = umask(0177);
  const int bound = bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  const int error = errno;
  umask(before);
  if (bound != 0) return ErrnoStatus(error, options.socket);
  const bool given =
      !options.group || chown(options.socket.c_str(), static_cast<uid_t>(-1), *options.group) == 0;
  if (!given || chmod(options.socket.c_str(), 0660) != 0 || listen(fd.get(), kBacklog) != 0) {
    return ErrnoStatus(errno, options.socket);
  }
  return fd;
}

// Read and write, so that it never ends when a writer goes.
absl::StatusOr<Descriptor> OpenRefusePipe(const std::string& path) {
  unlink(path.c_str());
  if (mkfifo(path.c_str(), 0600) != 0 || chmod(path.c_str(), 0622) != 0) {
    return ErrnoStatus(errno, path);
  }
  Descriptor fd(open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW));
  if (fd.get() < 0) return ErrnoStatus(errno, path);
  return fd;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Server>> Listen(ServerOptions options, Keeper& keeper,
                                               Clock& clock) {
  const std::string folder = FolderOf(options.socket);
  if (mkdir(folder.c_str(), 0755) != 0 && errno != EEXIST) return ErrnoStatus(errno, folder);
  ASSIGN_OR_RETURN(Descriptor listener, ListenAt(options));
  ASSIGN_OR_RETURN(Descriptor refuse, OpenRefusePipe(options.refuse));
  return std::make_unique<SocketServer>(std::move(options), keeper, clock, std::move(listener),
                                        std::move(refuse));
}

}  // namespace shakedown::laptop
