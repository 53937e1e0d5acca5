#include "tests/fakes/fake_laptop.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "proto/wire/framing.h"
#include "tests/fakes/boot_results.h"

namespace shakedown::fakes {
namespace {

constexpr char kTestBootId[] = "6a1a4c3e-9d0a-4f6c-8f35-0d5c7d3f1a11";

std::string VerbOf(const v1::LaptopRequest& request) {
  switch (request.kind_case()) {
    case v1::LaptopRequest::kInstall:
      return "install";
    case v1::LaptopRequest::kReboot:
      return "reboot";
    case v1::LaptopRequest::kOpenRunner:
      return "open";
    case v1::LaptopRequest::kKeepResult:
      return "keep";
    case v1::LaptopRequest::kRestore:
      return "restore";
    case v1::LaptopRequest::kCollect:
      return "collect";
    default:
      return "status";
  }
}

std::string AttemptOf(const v1::LaptopRequest& request) {
  if (request.has_reboot()) return request.reboot().attempt_id();
  if (request.has_open_runner()) return request.open_runner().attempt_id();
  if (request.has_keep_result()) return request.keep_result().result().attempt_id();
  if (request.has_restore()) return request.restore().attempt_id();
  return request.collect().attempt_id();
}

bool SendAll(int fd, absl::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

template <typename Message>
bool SendMessage(int fd, const Message& message) {
  return SendAll(fd, EncodeFrame(message.SerializeAsString()));
}

// Until the other side hangs up, the laptop goes away, or `take` wants no more.
void EachMessage(int fd, const std::atomic<bool>& away,
                 const std::function<bool(const std::string&)>& take) {
  FrameReader frames;
  char block[1 << 16];
  while (!away) {
    pollfd wanted = {fd, POLLIN, 0};
    if (poll(&wanted, 1, 20) <= 0) continue;
    const ssize_t got = recv(fd, block, sizeof block, 0);
    if (got <= 0) return;
    frames.Add(absl::string_view(block, static_cast<size_t>(got)));
    while (const std::optional<std::string> payload = frames.Next()) {
      if (!take(*payload)) return;
    }
  }
}

v1::Identity IdentityOf(const v1::BootOrder& order, const v1::Identify& asked) {
  v1::Identity identity;
  identity.set_release(order.expected().release());
  identity.set_build_id(order.expected().build_id());
  identity.set_command_line(
      absl::StrCat("root=/dev/sda2 ", absl::StrJoin(order.boot_parameters(), " ")));
  identity.set_boot_id(kTestBootId);
  for (const v1::Tunable& tunable : order.tunables()) {
    for (const std::string& name : asked.tunables()) {
      if (name == tunable.name()) *identity.add_tunables() = tunable;
    }
  }
  return identity;
}

v1::RunnerEvent Hello() {
  v1::RunnerEvent event;
  event.mutable_hello()->set_boot_id(kTestBootId);
  return event;
}

absl::Status Wrong(const std::string& verb, v1::BootStage stage) {
  return absl::FailedPreconditionError(
      absl::StrCat(verb, ": the machine is at ", v1::BootStage_Name(stage)));
}

}  // namespace

FakeLaptop::FakeLaptop(std::string socket) : socket_(std::move(socket)) { ComeBack(); }

FakeLaptop::~FakeLaptop() { GoAway(); }

void FakeLaptop::GoAway() {
  if (away_.exchange(true)) return;
  listener_.join();
}

void FakeLaptop::ComeBack() {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, socket_.data(), socket_.size());
  Descriptor listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  unlink(socket_.c_str());
  bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  listen(listener.get(), 16);
  away_ = false;
  listener_ = std::thread([this, fd = listener.Release()] {
    const Descriptor own(fd);
    std::vector<std::thread> connections;
    while (!away_) {
      pollfd wanted = {fd, POLLIN, 0};
      if (poll(&wanted, 1, 20) <= 0) continue;
      connections.emplace_back([this, connection = accept4(fd, nullptr, nullptr, SOCK_CLOEXEC)] {
        Serve(Descriptor(connection));
      });
    }
    unlink(socket_.c_str());
    for (std::thread& connection : connections) connection.join();
  });
}

void FakeLaptop::With(const std::function<void(LaptopBook&)>& change) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    change(book_);
  }
  changed_.notify_all();
}

bool FakeLaptop::WaitUntil(const std::function<bool(const LaptopBook&)>& wanted) {
  std::unique_lock<std::mutex> lock(mutex_);
  return changed_.wait_for(lock, std::chrono::seconds(20), [&] { return wanted(book_); });
}

void FakeLaptop::Reboot() {
  With([](LaptopBook& book) {
    if (book.stage == v1::BOOT_STAGE_LEAVING && !book.fate) {
      book.stage = v1::BOOT_STAGE_IN_TEST;
      return;
    }
    if (book.stage != v1::BOOT_STAGE_LEAVING && book.stage != v1::BOOT_STAGE_IN_TEST) return;
    book.stage = v1::BOOT_STAGE_RETURNED;
    book.going_home = false;
    if (book.result) return;
    const v1::BootOrder& order = book.installed.order();
    book.result = EndedBoot(order, v1::OUTCOME_HUNG, "no result was kept");
    if (book.fate) {
      book.result = EndedBoot(order, book.fate->outcome(), book.fate->reason());
      book.result->set_evidence(book.fate->evidence());
    }
    book.fate.reset();
  });
}

void FakeLaptop::Before(std::function<bool(absl::string_view)> before) {
  std::lock_guard<std::mutex> lock(mutex_);
  before_ = std::move(before);
}

void FakeLaptop::After(std::function<void(absl::string_view)> after) {
  std::lock_guard<std::mutex> lock(mutex_);
  after_ = std::move(after);
}

bool FakeLaptop::MayAnswer(absl::string_view verb) {
  std::unique_lock<std::mutex> lock(mutex_);
  const auto before = before_;
  lock.unlock();
  return !before || before(verb);
}

void FakeLaptop::Answered(absl::string_view verb) {
  std::unique_lock<std::mutex> lock(mutex_);
  const auto after = after_;
  lock.unlock();
  if (after) after(verb);
}

void FakeLaptop::Serve(Descriptor connection) {
  const int fd = connection.get();
  bool runner = false;
  EachMessage(fd, away_, [&](const std::string& payload) {
    v1::LaptopRequest request;
    if (!request.ParseFromString(payload)) return false;
    const std::string verb = VerbOf(request);
    if (verb != "status" && !MayAnswer(verb)) return false;
    const v1::LaptopReply reply = Answer(request, verb);
    std::string garbage;
    With([&](LaptopBook& book) { garbage = book.garbage; });
    const bool sent = garbage.empty() ? SendMessage(fd, reply) : SendAll(fd, garbage);
    if (verb != "status") Answered(verb);
    runner = sent && request.has_open_runner() && reply.error_code() == 0;
    return sent && !runner;
  });
  if (runner) RunRunner(fd);
}

v1::LaptopReply FakeLaptop::Answer(const v1::LaptopRequest& request, const std::string& verb) {
  v1::LaptopReply reply;
  With([&](LaptopBook& book) {
    absl::Status done;
    if (verb != "status") {
      book.verbs.push_back(verb);
      const auto refusal = book.refusals.find(verb);
      done = refusal == book.refusals.end() ? Do(request, verb, reply) : refusal->second;
    }
    reply.set_error(std::string(done.message()));
    reply.set_error_code(static_cast<uint32_t>(done.code()));
    v1::LaptopStatus& status = *reply.mutable_status();
    status.set_stage(book.stage);
    if (book.stage != v1::BOOT_STAGE_NONE) {
      status.set_attempt_id(book.installed.order().attempt_id());
      status.set_epoch(book.installed.order().epoch());
    }
    status.set_problem(book.problem);
    status.set_hands(book.hands);
    status.set_runner_was_open(book.runner_was_open);
    status.mutable_facts()->insert(book.facts.begin(), book.facts.end());
  });
  return reply;
}

// Under the lock.
absl::Status FakeLaptop::Do(const v1::LaptopRequest& request, const std::string& verb,
                            v1::LaptopReply& reply) {
  if (verb == "install") {
    if (book_.stage != v1::BOOT_STAGE_NONE) return Wrong(verb, book_.stage);
    if (!book_.problem.empty()) return absl::FailedPreconditionError(book_.problem);
    book_.stage = v1::BOOT_STAGE_INSTALLED;
    book_.installed = request.install();
    book_.runner_was_open = false;
    book_.result.reset();
    return absl::OkStatus();
  }
  const bool mine = book_.stage != v1::BOOT_STAGE_NONE &&
                    AttemptOf(request) == book_.installed.order().attempt_id();
  if (!mine) return absl::NotFoundError(absl::StrCat(verb, ": no such attempt"));
  if (verb == "restore") {
    if (book_.stage == v1::BOOT_STAGE_IN_TEST) {
      book_.going_home = true;
    } else {
      book_.stage = v1::BOOT_STAGE_NONE;
    }
    return absl::OkStatus();
  }
  if (verb == "reboot") {
    if (book_.stage != v1::BOOT_STAGE_INSTALLED) return Wrong(verb, book_.stage);
    if (!book_.stuck_reboot) book_.stage = v1::BOOT_STAGE_LEAVING;
    return absl::OkStatus();
  }
  if (verb == "collect") {
    if (book_.stage != v1::BOOT_STAGE_RETURNED) return Wrong(verb, book_.stage);
    *reply.mutable_collected()->mutable_result() = *book_.result;
    return absl::OkStatus();
  }
  if (book_.stage != v1::BOOT_STAGE_IN_TEST) return Wrong(verb, book_.stage);
  if (verb == "keep") {
    if (book_.result) return absl::AlreadyExistsError("keep: a result is kept already");
    book_.result = request.keep_result().result();
    return absl::OkStatus();
  }
  if (book_.runner_was_open) return absl::FailedPreconditionError("open: was open before");
  book_.runner_was_open = true;
  return absl::OkStatus();
}

void FakeLaptop::RunRunner(int fd) {
  v1::BootOrder order;
  With([&](LaptopBook& book) { order = book.installed.order(); });
  if (!SendMessage(fd, Hello())) return;
  EachMessage(fd, away_, [&](const std::string& payload) {
    v1::RunnerRequest request;
    return request.ParseFromString(payload) && AnswerRunner(fd, request, order);
  });
}

bool FakeLaptop::AnswerRunner(int fd, const v1::RunnerRequest& request,
                              const v1::BootOrder& order) {
  v1::RunnerEvent event;
  event.set_id(request.id());
  if (request.has_identify()) {
    *event.mutable_identified()->mutable_identity() = IdentityOf(order, request.identify());
  } else if (request.has_apply_tunables()) {
    *event.mutable_tunables_applied()->mutable_read_back() = request.apply_tunables().tunables();
  } else if (request.has_run_load()) {
    With([&](LaptopBook& book) { ++book.loads[order.attempt_id()]; });
    if (!MayAnswer("load")) return false;
    v1::LoadRun& run = *event.mutable_load_run();
    run.set_load(request.run_load().index());
    v1::Measurement& measurement = *run.add_measurements();
    measurement.set_metric("make.real");
    measurement.set_unit("s");
    measurement.set_value(1.5);
    measurement.set_iteration(1);
  } else {
    event.mutable_failure()->set_error("this runner does not do that");
  }
  return SendMessage(fd, event);
}

}  // namespace shakedown::fakes
