// An agent process that is killed with SIGKILL in the middle of a boot, and the one after it. Alone
// in its program: the child is forked before gRPC has any thread.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "absl/strings/str_cat.h"
#include "agent/session/options.h"
#include "agent/session/sync_loop.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/wire/digest.h"
#include "proto/wire/ids.h"
#include "tests/fakes/fake_machine.h"
#include "tests/fakes/scripted_farm.h"

namespace shakedown::agent {
namespace {

using fakes::FarmBook;

// All of an agent on one state folder, but its hardware.
class Agent {
 public:
  Agent(const std::string& folder, const std::string& address) {
    folder_ = *TakeStateFolder(folder + "/state");
    journal_ = *OpenJournal(folder + "/state/journal", "boot-1", SystemClock());
    farm_ = *MakeFarmClient({.server = address, .token = "secret", .tls_ca = ""});
    cache_ = *MakeArtefactCache({.folder = folder + "/state/artefacts"}, *farm_);
    inputs_ = *MakeInputCache({.folder = folder + "/state/inputs"}, *cache_, *farm_);
    SyncLoopOptions options;
    options.agent = "host1";
    options.boot_id = "boot-1";
    options.log_folder = folder + "/state/logs";
    options.busy_poll = absl::Milliseconds(50);
    SyncLoopParts parts;
    parts.machines = {&machine};
    parts.journal = journal_.get();
    parts.farm = farm_.get();
    parts.cache = cache_.get();
    parts.inputs = inputs_.get();
    parts.clock = &SystemClock();
    parts.random = MakeRandom();
    parts.waiters = [](absl::string_view) { return MakeWaiter(); };
    parts.free_bytes = [] { return uint64_t{1} << 40; };
    loop = MakeSyncLoop(options, parts);
  }

  fakes::FakeMachine machine{"vm1"};
  std::unique_ptr<SyncLoop> loop;

 private:
  std::unique_ptr<StateFolder> folder_;
  std::unique_ptr<Journal> journal_;
  std::unique_ptr<FarmClient> farm_;
  std::unique_ptr<ArtefactCache> cache_;
  std::unique_ptr<InputCache> inputs_;
};

v1::BootOrder Order(const std::string& name, const std::string& image, int64_t epoch) {
  v1::BootOrder order;
  order.set_attempt_id(NewUuid());
  order.set_name(name);
  order.set_machine("vm1");
  order.set_epoch(epoch);
  order.mutable_image()->set_sha256(Sha256Hex(image));
  order.mutable_image()->set_size(image.size());
  return order;
}

TEST(KillTest, EachBootEndsMeasuredExactlyOnce) {
  const std::string folder = absl::StrCat(testing::TempDir(), "/kill-", NewUuid());
  std::filesystem::create_directories(folder);
  int start[2];
  ASSERT_EQ(pipe(start), 0);
  const pid_t child = fork();
  if (child == 0) {
    char go;
    if (read(start[0], &go, 1) != 1) _exit(1);
    Agent agent(folder, absl::StrCat("unix:", folder, "/farm"));
    agent.machine.gate.Close();
    _exit(agent.loop->Run().ok() ? 0 : 1);
  }

  auto farm = fakes::MakeScriptedFarm(folder + "/farm", "secret");
  const v1::BootOrder first = Order("17.1A", "bzImage", 1);
  farm->With([&](FarmBook& book) {
    book.artefacts[first.image().sha256()] = "bzImage";
    book.boots[first.attempt_id()] = first;
  });
  ASSERT_EQ(write(start[1], "g", 1), 1);
  ASSERT_TRUE(farm->WaitUntil([](const FarmBook& book) {
    return !book.syncs.empty() && book.syncs.back().machines(0).phase() == "booting";
  }));
  ASSERT_EQ(kill(child, SIGKILL), 0);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);

  Agent agent(folder, farm->address());
  std::thread running([&] { EXPECT_TRUE(agent.loop->Run().ok()); });
  EXPECT_TRUE(farm->WaitUntil(
      [&](const FarmBook& book) { return book.boot_results.count(first.attempt_id()) > 0; }));
  // As the farm does: another attempt of the same boot.
  const v1::BootOrder second = Order("17.1A.2", "bzImage", 2);
  farm->With([&](FarmBook& book) { book.boots[second.attempt_id()] = second; });
  EXPECT_TRUE(farm->WaitUntil([&](const FarmBook& book) {
    return book.boot_results.count(second.attempt_id()) > 0 &&
           book.syncs.back().machines(0).attempt_id().empty();
  }));
  farm->With([&](FarmBook& book) {
    const v1::BootResult& lost = book.boot_results[first.attempt_id()];
    EXPECT_EQ(lost.outcome(), v1::OUTCOME_FARM_FAILED);
    EXPECT_THAT(lost.reason(), testing::HasSubstr("agent restarted during boot 17.1A"));
    EXPECT_EQ(book.boot_results[second.attempt_id()].outcome(), v1::OUTCOME_MEASURED);
    EXPECT_GT(book.syncs.back().incarnation(), book.syncs.front().incarnation());
    EXPECT_EQ(book.reports[first.attempt_id()], 1);
    EXPECT_EQ(book.reports[second.attempt_id()], 1);
  });
  EXPECT_EQ(agent.machine.gate.arrivals(), 1);
  EXPECT_EQ(agent.machine.clean_ups, 1);
  agent.loop->RequestStop();
  running.join();
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace shakedown::agent
