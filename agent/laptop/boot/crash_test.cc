// A whole boot, stopped at every step it makes: the process killed, or the power cut with what was
// not synced kept, lost or mixed. Afterwards the machine boots by its loader's rules and everything
// is carried on as the agent would.
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <new>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "agent/laptop/boot/crash_disk.h"
#include "agent/laptop/boot/fake_laptop.h"

namespace shakedown::laptop {
namespace {

namespace fs = std::filesystem;

enum class Life {
  kNormal,
  kPanicsAtOnce,
  kNoTrace,
  kPanicsInRun,
  kWrongRelease,
  kHangs,
  kNotTaken
};

struct Plan {
  std::string loader = "grub";
  Life life = Life::kNormal;
  int stop_at = 0;     // Step, from 1; 0: never.
  int stop_again = 0;  // That many steps after the first stop.
  bool cut = false;    // The power; else the process alone.
  Loss loss = Loss::kNothing;
  uint32_t seed = 0;
};

// What parent and children share. Nothing in it is lost by a stop: it is the world.
struct World {
  int steps;
  int stops;
  bool power_cut;
  bool rebooting, kexec;
  bool panicked;         // The kernel in the middle of a load.
  int measured;          // How often loads began.
  bool kept;             // KeepResult() has returned OK.
  int outcome, results;  // Collected.
  bool unequal;          // Collected twice, and not the same.
  bool done;
  bool stopped_unseen;  // In the test kernel, before its journal could say that it was there.
  char reason[512], error[512];
};

enum Exit { kOver = 0, kReboots = 10, kFails = 11 };

class Laptop {
 public:
  explicit Laptop(const Plan& plan) : plan_(plan) {
    char name[] = "/dev/shm/shakedown-crash-XXXXXX";
    top_ = mkdtemp(name);
    root_ = top_ + "/root";
    fs::create_directories(root_);
    MakeLaptop(root_, plan.loader);
    if (plan.loader == "grub" && plan.seed % 2 == 1) {
      WriteText(root_ + "/boot/grub/custom.cfg", "menuentry 'mine' --id mine {\n}");
    }
    files_ = MakeBootFiles(top_ + "/agent", &order_);
    before_ = Snapshot(root_);
    world_ = new (mmap(nullptr, sizeof(World), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                       -1, 0)) World();
    boot_ = BootMachine(root_, plan.loader, false);
  }
  ~Laptop() {
    munmap(world_, sizeof(World));
    fs::remove_all(top_);
  }

  const World& Run() {
    for (int lives = 0; lives < 40 && !world_->done && ::testing::Test::HasFailure() == false;
         ++lives) {
      OneLife();
    }
    return *world_;
  }

  void ExpectHomeWithoutATrace() {
    ASSERT_TRUE(world_->done) << world_->error;
    EXPECT_EQ(boot_.release, kSafeRelease);
    EXPECT_FALSE(absl::StrContains(boot_.command_line, "shakedown"));
    EXPECT_EQ(Snapshot(root_), before_);
    // And whatever comes now, its own kernel starts.
    EXPECT_EQ(BootMachine(root_, plan_.loader, false).release, kSafeRelease);
    EXPECT_FALSE(absl::StrContains(ReadText(root_ + "/boot/grub/grubenv"), "shakedown"));
    EXPECT_LE(world_->measured, 1);
    EXPECT_FALSE(world_->unequal);
    EXPECT_LE(test_boots_, 2);
  }

 private:
  std::string BootId() const {
    return absl::StrCat("b0000000-0000-4000-8000-", 100000000000 + boots_);
  }
  bool InTest() const { return absl::StrContains(boot_.command_line, "shakedown.boot="); }

  void Boot(bool kexec) {
    now_ += absl::Minutes(1);
    // kNotTaken: the firmware starts the owner's kernel without the loader that was asked.
    if (plan_.life != Life::kNotTaken) boot_ = BootMachine(root_, plan_.loader, kexec);
    ASSERT_FALSE(boot_.stuck) << boot_.why;
    ++boots_;
    if (!InTest()) return;
    ++test_boots_;
    ASSERT_EQ(boot_.release, kTestRelease);
    switch (plan_.life) {
      case Life::kPanicsAtOnce:
        WritePanic();
        return Boot(false);
      case Life::kNoTrace:
        return Boot(false);
      case Life::kHangs:
        now_ += absl::Hours(3);
        return Boot(false);
      case Life::kWrongRelease:
        boot_.release = "6.12.0-other";
        return;
      default:
        return;
    }
  }

  void WritePanic() {
    WriteText(
        root_ + "/sys/fs/pstore/dmesg-efi-1",
        absl::StrCat("Panic#1 Part1\n<0>[    1.500000] Kernel panic - not syncing: sched: broken\n"
                     "<4>[    1.500000] CPU: 0 PID: 1 Comm: init Not tainted ",
                     kTestRelease, " #1\n"));
  }

  void OneLife() {
    world_->rebooting = world_->kexec = world_->power_cut = world_->panicked = false;
    const pid_t child = fork();
    if (child == 0) Child();
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == kFails) {
      ADD_FAILURE() << world_->error;
      return;
    }
    if (world_->panicked) {
      WritePanic();
      return Boot(false);
    }
    if (world_->power_cut) return Boot(false);
    if (!world_->rebooting) return;  // The process is started again in the same boot.
    journals_[absl::StrReplaceAll(BootId(), {{"-", ""}})] =
        "Nov 30 20:00:00 laptop systemd[1]: Reached target reboot.target - System Reboot.\n";
    Boot(world_->kexec);
  }

  // One process of the daemon, with the agent's decisions.
  [[noreturn]] void Child() {
    auto disk = std::make_unique<CrashDisk>(
        root_, [this] { return StopsHere(); }, [this] { Stop(); });
    disk_ = disk.get();
    FakeHost host(root_, std::move(disk));
    host.command_line = boot_.command_line;
    host.release = boot_.release;
    host.boot_id = BootId();
    host.journals = journals_;
    host.now = now_;
    host.reboot = [this](Host::RebootKind kind) {
      if (StopsHere()) Stop();
      world_->rebooting = true;
      world_->kexec = kind == Host::RebootKind::kKexec;
      return absl::OkStatus();
    };
    host.before_tool = [this] {
      if (StopsHere()) Stop();
    };
    const absl::Status status = Live(host);
    if (status.ok()) _exit(world_->rebooting ? kReboots : kOver);
    absl::StrAppend(&error_, status.ToString());
    strncpy(world_->error, error_.c_str(), sizeof world_->error - 1);
    _exit(kFails);
  }

  absl::Status Live(FakeHost& host) {
    auto loader = MakeBootLoader(root_, host, plan_.loader);
    if (!loader.ok()) return loader.status();
    auto opened = OpenBootTransaction({.root = root_, .state = root_ + kState}, **loader, host);
    if (!opened.ok()) return opened.status();
    BootTransaction& boot = **opened;
    for (;;) {
      absl::Status status;
      switch (boot.Where().stage) {
        case v1::BOOT_STAGE_NONE:
          world_->done = world_->results > 0;
          if (world_->done) return absl::OkStatus();
          if (InTest()) return absl::InternalError("in a test kernel that nobody knows");
          status = boot.Install(order_, files_);
          break;
        case v1::BOOT_STAGE_INSTALLED:
          return boot.Leave();
        case v1::BOOT_STAGE_IN_TEST:
          return Measure(boot);
        case v1::BOOT_STAGE_RETURNED:
          status = Collect(boot);
          break;
        default:
          return absl::InternalError("stage LEAVING after Open()");
      }
      if (!status.ok()) return status;
    }
  }

  absl::Status Measure(BootTransaction& boot) {
    const Standing standing = boot.Where();
    if (standing.has_result || standing.runner_was_open) return boot.Restore();
    if (absl::Status status = boot.RunnerOpened(); !status.ok()) return status;
    ++world_->measured;
    if (plan_.life == Life::kPanicsInRun) {
      world_->panicked = true;
      kill(getpid(), SIGKILL);
    }
    v1::BootResult result;
    result.set_attempt_id(order_.attempt_id());
    result.set_epoch(order_.epoch());
    result.set_outcome(v1::OUTCOME_MEASURED);
    if (absl::Status status = boot.KeepResult(result); !status.ok()) return status;
    world_->kept = true;
    return boot.Restore();
  }

  absl::Status Collect(BootTransaction& boot) {
    const absl::StatusOr<v1::BootResult> result = boot.Collect();
    if (!result.ok()) return result.status();
    world_->unequal |= world_->results > 0 && world_->outcome != result->outcome();
    world_->outcome = result->outcome();
    strncpy(world_->reason, result->reason().c_str(), sizeof world_->reason - 1);
    ++world_->results;
    return boot.Restore();
  }

  bool StopsHere() {
    ++world_->steps;
    if (plan_.stop_at == 0) return false;
    if (world_->stops == 0) return world_->steps == plan_.stop_at;
    return world_->stops == 1 && plan_.stop_again > 0 &&
           world_->steps == plan_.stop_at + plan_.stop_again;
  }

  void Stop() {
    ++world_->stops;
    world_->stopped_unseen |= InTest() && world_->measured == 0;
    if (plan_.cut) {
      world_->power_cut = true;
      disk_->CutPower(plan_.loss, plan_.seed);
    }
    kill(getpid(), SIGKILL);
  }

  const Plan plan_;
  std::string top_, root_, error_;
  v1::BootOrder order_;
  BootFiles files_;
  std::map<std::string, std::string> before_;
  World* world_ = nullptr;
  Booted boot_;
  std::map<std::string, std::string> journals_;
  int boots_ = 0;
  int test_boots_ = 0;
  absl::Time now_ = absl::FromUnixSeconds(1'800'000'000);
  CrashDisk* disk_ = nullptr;
};

v1::Outcome Undisturbed(Life life) {
  switch (life) {
    case Life::kNormal:
      return v1::OUTCOME_MEASURED;
    case Life::kPanicsAtOnce:
    case Life::kPanicsInRun:
      return v1::OUTCOME_PANICKED;
    case Life::kNoTrace:
      return v1::OUTCOME_BOOT_FAILED;
    case Life::kWrongRelease:
      return v1::OUTCOME_WRONG_KERNEL;
    case Life::kHangs:
      return v1::OUTCOME_HUNG;
    case Life::kNotTaken:
      return v1::OUTCOME_FARM_FAILED;
  }
  return v1::OUTCOME_UNSPECIFIED;
}

// Runs one plan to its end; returns the number of its steps.
int RunToTheEnd(const Plan& plan) {
  SCOPED_TRACE(absl::StrCat(plan.loader, " life ", static_cast<int>(plan.life), " stop ",
                            plan.stop_at, "+", plan.stop_again, plan.cut ? " cut" : " kill",
                            " loss ", static_cast<int>(plan.loss), " seed ", plan.seed));
  Laptop laptop(plan);
  const World& world = laptop.Run();
  laptop.ExpectHomeWithoutATrace();
  const v1::Outcome want = Undisturbed(plan.life);
  if (plan.stop_at == 0 || world.kept) {
    EXPECT_EQ(v1::Outcome_Name(static_cast<v1::Outcome>(world.outcome)), v1::Outcome_Name(want));
  } else if (world.stopped_unseen && world.outcome == v1::OUTCOME_BOOT_FAILED) {
    EXPECT_TRUE(absl::StrContains(world.reason, "a power cut during the boot looks the same"));
  } else {
    // What a stop takes away is the farm's loss, never another finding about the kernel.
    EXPECT_TRUE(world.outcome == want || world.outcome == v1::OUTCOME_FARM_FAILED)
        << v1::Outcome_Name(static_cast<v1::Outcome>(world.outcome));
  }
  EXPECT_EQ(world.outcome == v1::OUTCOME_MEASURED ? 1 : world.measured, world.measured);
  return world.steps;
}

std::string NameOf(const testing::TestParamInfo<std::string>& info) {
  return absl::StrReplaceAll(info.param, {{"-", "_"}});
}

class LifeTest : public testing::TestWithParam<std::string> {};

TEST_P(LifeTest, HasItsOutcomeWithoutAStop) {
  for (Life life : {Life::kNormal, Life::kPanicsAtOnce, Life::kNoTrace, Life::kPanicsInRun,
                    Life::kWrongRelease, Life::kHangs}) {
    EXPECT_GT(RunToTheEnd({.loader = GetParam(), .life = life}), 80);
  }
}

INSTANTIATE_TEST_SUITE_P(, LifeTest, testing::Values("grub", "systemd-boot", "kexec"), NameOf);

struct Stop {
  std::string name;
  std::string loader;
  bool cut;
  Loss loss;
  Life life = Life::kNormal;
};

class StopTest : public testing::TestWithParam<Stop> {};

TEST_P(StopTest, AtEveryStep) {
  const Stop& stop = GetParam();
  const int steps = RunToTheEnd({.loader = stop.loader, .life = stop.life});
  for (int step = 1; step <= steps && !HasFailure(); ++step) {
    RunToTheEnd({.loader = stop.loader,
                 .life = stop.life,
                 .stop_at = step,
                 .cut = stop.cut,
                 .loss = stop.loss,
                 .seed = static_cast<uint32_t>(step)});
  }
}

INSTANTIATE_TEST_SUITE_P(, StopTest,
                         testing::ValuesIn<Stop>({
                             {"GrubKilled", "grub", false, Loss::kNothing},
                             {"GrubCutKeepsAll", "grub", true, Loss::kNothing},
                             {"GrubCutLosesAll", "grub", true, Loss::kAll},
                             {"GrubNotTaken", "grub", true, Loss::kAll, Life::kNotTaken},
                             {"GrubCutMixes", "grub", true, Loss::kMixed},
                             {"SystemdBootCutLosesAll", "systemd-boot", true, Loss::kAll},
                             {"KexecCutMixes", "kexec", true, Loss::kMixed},
                         }),
                         [](const auto& test) { return test.param.name; });

TEST(StopTwiceTest, TheSecondOnTheWayBack) {
  std::mt19937 dice(7);
  const int steps = RunToTheEnd({});
  for (int i = 0; i < 80 && !testing::Test::HasFailure(); ++i) {
    const Life life = static_cast<Life>(dice() % 7);
    RunToTheEnd({.life = life,
                 .stop_at = 1 + static_cast<int>(dice() % steps),
                 .stop_again = 1 + static_cast<int>(dice() % 12),
                 .cut = true,
                 .loss = static_cast<Loss>(dice() % 3),
                 .seed = static_cast<uint32_t>(dice())});
  }
}

}  // namespace
}  // namespace shakedown::laptop
