// Agents on a laptop that are killed with SIGKILL at every step of a boot: always home, no load run
// twice, one result. Alone in its program: the children are forked before gRPC has any thread.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "absl/strings/str_cat.h"
#include "agent/machine/laptop_machine.h"
#include "agent/session/options.h"
#include "agent/session/sync_loop.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/wire/digest.h"
#include "proto/wire/ids.h"
#include "tests/fakes/fake_laptop.h"
#include "tests/fakes/scripted_farm.h"

namespace shakedown::agent {
namespace {

using fakes::FarmBook;
using fakes::LaptopBook;

constexpr int kLives = 8;  // Enough for a boot with one kill: four, and a bug shall not hang.

// All of an agent in a process of its own, until it is killed or told to stop.
int LiveAsAgent(const std::string& folder, int life) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  const std::string boot_id = absl::StrCat("boot-", life);
  auto state = *TakeStateFolder(folder + "/state");
  auto journal = *OpenJournal(folder + "/state/journal", boot_id, SystemClock());
  auto farm = *MakeFarmClient(
      {.server = absl::StrCat("unix:", folder, "/farm"), .token = "secret", .tls_ca = ""});
  auto cache = *MakeArtefactCache({.folder = folder + "/state/artefacts"}, *farm);
  auto inputs = *MakeInputCache({.folder = folder + "/state/inputs"}, *cache, *farm);
  LaptopMachineOptions laptop;
  laptop.name = "x1";
  laptop.socket = folder + "/laptop";
  laptop.poll = absl::Milliseconds(2);
  laptop.tell_limit = absl::Milliseconds(20);
  laptop.root = folder;
  auto machine = *MakeLaptopMachine(laptop, SystemClock());
  SyncLoopOptions options;
  options.agent = "host1";
  options.boot_id = boot_id;
  options.log_folder = folder + "/state/logs";
  options.busy_poll = options.idle_poll = absl::Milliseconds(50);
  options.last_word = absl::Milliseconds(100);
  SyncLoopParts parts;
  parts.machines = {machine.get()};
  parts.journal = journal.get();
  parts.farm = farm.get();
  parts.cache = cache.get();
  parts.inputs = inputs.get();
  parts.clock = &SystemClock();
  parts.random = MakeRandom();
  parts.waiters = [](absl::string_view) { return MakeWaiter(); };
  parts.free_bytes = [] { return uint64_t{1} << 40; };
  auto loop = MakeSyncLoop(options, parts);
  std::thread listener([&] {
    int signal = 0;
    sigwait(&signals, &signal);
    loop->RequestStop();
  });
  const bool ran = loop->Run().ok();
  listener.join();
  return ran ? 0 : 1;
}

// Processes that wait for their turn to be an agent.
class Children {
 public:
  Children(const std::string& folder, int count) {
    for (int life = 1; life <= count; ++life) {
      int turn[2];
      if (pipe(turn) != 0) abort();
      const pid_t child = fork();
      if (child == 0) {
        close(turn[1]);
        char go;
        _exit(read(turn[0], &go, 1) == 1 ? LiveAsAgent(folder, life) : 0);
      }
      close(turn[0]);
      waiting_.push_back({child, turn[1]});
    }
  }
  ~Children() {
    while (next_ < waiting_.size()) {
      close(waiting_[next_].turn);
      kill(waiting_[next_].pid, SIGKILL);
      waitpid(waiting_[next_++].pid, nullptr, 0);
    }
  }
  pid_t Start() {
    const Child child = waiting_.at(next_++);
    EXPECT_EQ(write(child.turn, "g", 1), 1);
    close(child.turn);
    return child.pid;
  }
  bool any_left() const { return next_ < waiting_.size(); }

 private:
  struct Child {
    pid_t pid;
    int turn;
  };
  std::vector<Child> waiting_;
  size_t next_ = 0;
};

struct KillPoint {
  std::string verb;
  bool answered;  // Killed when the daemon has answered, else when it has been asked.
  v1::Outcome want;
  int loads;
};
const KillPoint kPoints[] = {
    {"install", false, v1::OUTCOME_MEASURED, 1},
    {"install", true, v1::OUTCOME_MEASURED, 1},
    {"reboot", false, v1::OUTCOME_MEASURED, 1},
    {"reboot", true, v1::OUTCOME_MEASURED, 1},
    {"open", true, v1::OUTCOME_FARM_FAILED, 0},
    {"load", false, v1::OUTCOME_FARM_FAILED, 1},
    {"keep", false, v1::OUTCOME_FARM_FAILED, 1},
    {"keep", true, v1::OUTCOME_MEASURED, 1},
    {"restore", true, v1::OUTCOME_MEASURED, 1},
    {"collect", false, v1::OUTCOME_MEASURED, 1},
    {"collect", true, v1::OUTCOME_MEASURED, 1},
    {"restore home", false, v1::OUTCOME_MEASURED, 1},
    {"restore home", true, v1::OUTCOME_MEASURED, 1},
};

struct Bench {
  std::string folder;
  Children children;
  explicit Bench(std::string path) : folder(std::move(path)), children(Made(folder), kLives) {}
  static const std::string& Made(const std::string& path) {
    std::filesystem::create_directories(path);
    return path;
  }
};

void RunAndKill(Bench& bench, const KillPoint& point) {
  fakes::FakeLaptop laptop(bench.folder + "/laptop");
  auto farm = fakes::MakeScriptedFarm(bench.folder + "/farm", "secret");
  v1::BootOrder order;
  order.set_attempt_id(NewUuid());
  order.set_name("17.3A");
  order.set_machine("x1");
  order.set_epoch(1);
  order.mutable_image()->set_sha256(Sha256Hex("bzImage"));
  order.mutable_image()->set_size(7);
  order.mutable_expected()->set_release("6.12.9");
  order.mutable_expected()->set_build_id("deadbeef");
  order.add_loads()->mutable_make();
  farm->With([&](FarmBook& book) {
    book.artefacts[order.image().sha256()] = "bzImage";
    book.boots[order.attempt_id()] = order;
  });

  std::atomic<pid_t> agent = 0;
  // Of this life: the machine is to reboot; the agent has been killed.
  std::atomic<bool> leaves = false, killed_now = false;
  std::atomic<int> kills = 0;
  const auto kill_at = [&](const std::string& verb, bool answered) {
    if (kills > 0 || verb != point.verb || answered != point.answered) return false;
    kill(agent, SIGKILL);
    waitpid(agent, nullptr, 0);
    ++kills;
    return true;
  };
  // "restore" at home is another step than the one that leads there.
  const auto step = [&](absl::string_view verb) {
    bool in_test = false;
    laptop.With([&](LaptopBook& book) { in_test = book.stage == v1::BOOT_STAGE_IN_TEST; });
    return verb == "restore" && !in_test ? std::string("restore home") : std::string(verb);
  };
  laptop.Before([&](absl::string_view verb) {
    if (!kill_at(step(verb), false)) return true;
    killed_now = true;
    laptop.With([](LaptopBook&) {});  // Wakes the test.
    return false;
  });
  laptop.After([&](absl::string_view verb) {
    const std::string name = step(verb);
    const bool kill = kill_at(name, true);
    if (name == "reboot" || name == "restore") leaves = true;
    killed_now = kill;
    laptop.With([](LaptopBook&) {});
  });

  const auto has_result = [&] {
    bool has = false;
    farm->With([&](FarmBook& book) { has = book.boot_results.count(order.attempt_id()) > 0; });
    return has;
  };
  bool done = false;
  while (!done && bench.children.any_left()) {
    leaves = killed_now = false;
    agent = bench.children.Start();
    ASSERT_TRUE(laptop.WaitUntil([&](const LaptopBook& book) {
      done = book.stage == v1::BOOT_STAGE_NONE && kills > 0 && !killed_now && has_result();
      return killed_now || leaves || done;
    }));
    if (!killed_now) {
      kill(agent, SIGTERM);
      waitpid(agent, nullptr, 0);
    }
    if (leaves) laptop.Reboot();
  }
  ASSERT_TRUE(done);
  farm->With([&](FarmBook& book) {
    EXPECT_EQ(book.boot_results[order.attempt_id()].outcome(), point.want);
    EXPECT_EQ(book.reports[order.attempt_id()], 1);
  });
  laptop.With([&](LaptopBook& book) {
    EXPECT_EQ(book.loads[order.attempt_id()], point.loads);
    EXPECT_EQ(book.stage, v1::BOOT_STAGE_NONE);
  });
}

TEST(LaptopKillTest, AlwaysHomeWithOneTrueResult) {
  const std::string base = absl::StrCat(testing::TempDir(), "/lk-", NewUuid().substr(0, 8));
  std::vector<std::unique_ptr<Bench>> benches;  // All forks come before the first thread.
  for (size_t i = 0; i < std::size(kPoints); ++i) {
    benches.push_back(std::make_unique<Bench>(absl::StrCat(base, "/", i)));
  }
  // Side by side: they wait for disks and processes most of the time.
  std::atomic<size_t> next = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      for (size_t i = next++; i < std::size(kPoints); i = next++) {
        SCOPED_TRACE(absl::StrCat(kPoints[i].verb, kPoints[i].answered ? " answered" : " asked"));
        RunAndKill(*benches[i], kPoints[i]);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  benches.clear();
  std::filesystem::remove_all(base);
}

}  // namespace
}  // namespace shakedown::agent
