#include "db/store/listener.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "db/store/connect.h"

namespace shakedown::store {
namespace {

constexpr int kAgainMs = 1000;  // Between tries to connect.

class Receiver : public pqxx::notification_receiver {
 public:
  explicit Receiver(pqxx::connection& connection)
      : notification_receiver(connection, "shakedown") {}
  void operator()(const std::string&, int) override { got = true; }
  bool got = false;
};

}  // namespace

struct Listener::State {
  explicit State(DatabaseOptions o) : options(std::move(o)), wake(eventfd(0, EFD_CLOEXEC)) {}
  ~State() { close(wake); }

  void Bump() {
    std::lock_guard lock(mutex);
    ++count;
    changed.notify_all();
  }

  bool Stopping() {
    std::lock_guard lock(mutex);
    return stop;
  }

  // Until the connection breaks or Stop(). Whatever changed while nobody listened counts as one
  // change.
  void Listen(pqxx::connection& connection) try {
    Receiver receiver(connection);
    Bump();
    while (!Stopping()) {
      pollfd fds[2] = {{connection.sock(), POLLIN, 0}, {wake, POLLIN, 0}};
      poll(fds, 2, -1);
      if (fds[0].revents == 0) continue;
      connection.get_notifs();
      if (!connection.is_open()) return;
      if (receiver.got) Bump();
      receiver.got = false;
    }
  } catch (const std::exception&) {
    // Broken: the caller connects again. A hint needs no report; the queries meet the same server.
  }

  void Run() {
    while (!Stopping()) {
      absl::StatusOr<std::unique_ptr<pqxx::connection>> connection = Connect(options);
      if (connection.ok()) Listen(**connection);
      pollfd fd = {wake, POLLIN, 0};
      poll(&fd, 1, kAgainMs);
    }
  }

  const DatabaseOptions options;
  const int wake;
  std::mutex mutex;
  std::condition_variable changed;
  uint64_t count = 0;
  bool stop = false;
  std::thread thread;
};

Listener::Listener(const DatabaseOptions& options) : state_(std::make_unique<State>(options)) {
  state_->thread = std::thread([state = state_.get()] { state->Run(); });
}

Listener::~Listener() {
  Stop();
  state_->thread.join();
}

uint64_t Listener::counter() const {
  std::lock_guard lock(state_->mutex);
  return state_->count;
}

uint64_t Listener::Wait(uint64_t seen, absl::Duration limit) {
  std::unique_lock lock(state_->mutex);
  state_->changed.wait_for(lock, absl::ToChronoMilliseconds(std::min(limit, absl::Hours(1))),
                           [&] { return state_->stop || state_->count != seen; });
  return state_->count;
}

void Listener::Stop() {
  std::lock_guard lock(state_->mutex);
  state_->stop = true;
  state_->changed.notify_all();
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t ignored = write(state_->wake, &one, sizeof one);
}

}  // namespace shakedown::store
