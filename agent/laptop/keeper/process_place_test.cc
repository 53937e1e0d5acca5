#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pwd.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>

#include "agent/laptop/keeper/connection.h"
#include "agent/laptop/keeper/noting_host.h"
#include "agent/laptop/keeper/runner_place.h"
#include "agent/laptop/keeper/runner_view.h"
#include "agent/runner/setup/fake_root.h"
#include "proto/wire/files.h"
#include "shakedown/v1/runner.pb.h"

namespace shakedown::laptop {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ProcessPlaceTest : public testing::Test {
 protected:
  ProcessPlaceTest() : host(clock) {
    options.inputs = root.path() + "/run/inputs";
    options.links = root.path() + "/sys/class/net";
  }
  std::string ReadAll(const Descriptor& fd) {
    std::string text;
    char piece[256];
    for (ssize_t got; (got = read(fd.get(), piece, sizeof piece)) > 0;) {
      text.append(piece, static_cast<size_t>(got));
    }
    return text;
  }

  runner::FakeRoot root;
  FakeClock clock;
  NotingHost host;
  PlaceOptions options;
};

TEST_F(ProcessPlaceTest, ASessionOfItsOwnWithNothingOfOurs) {
  options.runner =
      root.PutProgram("/runner",
                      "echo \"$1 $2 $HOME $SHAKEDOWN_SECRET $(ls /proc/self/fd | wc -l)\" >&3\n"
                      "cut -d' ' -f6 /proc/$$/stat >&3; echo $$ >&3\n");
  setenv("SHAKEDOWN_SECRET", "secret", 1);
  const auto place = MakeProcessPlace(host, options);
  const auto fd = place->Start({}, v1::NETWORK_AS_IS);
  ASSERT_TRUE(fd.ok()) << fd.status();
  const std::string text = ReadAll(*fd);
  // 0, 1, 2, 3 and ls's own.
  EXPECT_THAT(text, HasSubstr("--fd 3 /nonexistent  5\n"));
  const std::string rest = text.substr(text.find('\n') + 1);
  EXPECT_EQ(rest.substr(0, rest.find('\n')) + "\n", rest.substr(rest.find('\n') + 1));
}

TEST_F(ProcessPlaceTest, LoadsAreSomebodyElse) {
  options.runner = root.PutProgram("/runner", "echo \"$#:$3 $4\" >&3\n");
  options.load_user = "nobody";
  const passwd* nobody = getpwnam("nobody");
  ASSERT_NE(nobody, nullptr);
  {
    const auto place = MakeProcessPlace(host, options);
    const auto fd = place->Start({}, v1::NETWORK_AS_IS);
    ASSERT_TRUE(fd.ok()) << fd.status();
    EXPECT_EQ(ReadAll(*fd),
              absl::StrCat("4:--load-user ", nobody->pw_uid, ":", nobody->pw_gid, "\n"));
  }
  options.load_user = "shakedown-no-such-user";
  const auto refused = MakeProcessPlace(host, options)->Start({}, v1::NETWORK_AS_IS);
  EXPECT_THAT(std::string(refused.status().message()), HasSubstr("user shakedown-no-such-user"));
}

TEST_F(ProcessPlaceTest, TheGroupIsKilledToTheLastProcess) {
  options.runner = root.PutProgram("/runner", "(sleep 1000) & echo ready >&3; wait\n");
  const auto place = MakeProcessPlace(host, options);
  const auto fd = place->Start({}, v1::NETWORK_AS_IS);
  ASSERT_TRUE(fd.ok());
  char word[6];
  ASSERT_EQ(read(fd->get(), word, 6), 6);
  EXPECT_FALSE(place->Start({}, v1::NETWORK_AS_IS).ok());  // One at a time.
  place->End();
  place->End();
  // Every holder of the socket's other end is gone: its end is seen.
  pollfd poll_fd = {fd->get(), POLLIN, 0};
  ASSERT_EQ(poll(&poll_fd, 1, 5000), 1);
  EXPECT_EQ(read(fd->get(), word, 6), 0);
}

TEST_F(ProcessPlaceTest, UsesItsCgroup) {
  // Ordinary files in place of the kernel's: what is written is seen.
  options.runner = root.PutProgram("/runner", "sleep 1000\n");
  options.cgroup = root.path() + "/cgroup/runner";
  root.Put("/cgroup/runner/cgroup.procs", "");
  root.Put("/cgroup/runner/cgroup.kill", "");
  root.Put("/cgroup/runner/cgroup.events", "populated 0\n");
  const auto place = MakeProcessPlace(host, options);
  const auto fd = place->Start({}, v1::NETWORK_AS_IS);
  ASSERT_TRUE(fd.ok());
  for (int i = 0; i < 500 && root.Get("/cgroup/runner/cgroup.procs").empty(); ++i) usleep(10000);
  EXPECT_EQ(root.Get("/cgroup/runner/cgroup.procs"), "0");
  place->End();
  EXPECT_EQ(root.Get("/cgroup/runner/cgroup.kill"), "1");
}

TEST_F(ProcessPlaceTest, ARunnerWithoutItsCgroupDoesNotRun) {
  options.runner = root.PutProgram("/runner", "echo runs >&3\n");
  options.cgroup = root.path() + "/cgroup";  // No control files in it.
  const auto place = MakeProcessPlace(host, options);
  const auto fd = place->Start({}, v1::NETWORK_AS_IS);
  ASSERT_TRUE(fd.ok());
  EXPECT_EQ(ReadAll(*fd), "");
}

TEST_F(ProcessPlaceTest, MountsInputsReadOnlyAndTakesThemBack) {
  options.runner = root.PutProgram("/runner", "exit 0\n");
  const auto place = MakeProcessPlace(host, options);
  ASSERT_TRUE(place->Start({{"a", "/s/0.img"}, {"b-2", "/s/1.img"}}, v1::NETWORK_AS_IS).ok());
  const std::string folder = root.path() + "/run/inputs/";
  EXPECT_THAT(
      host.tools,
      ElementsAre("mount -t ext4 -o loop,ro,nosuid,nodev,noload -- /s/0.img " + folder + "a",
                  "mount -t ext4 -o loop,ro,nosuid,nodev,noload -- /s/1.img " + folder + "b-2"));
  host.tools.clear();
  place->End();
  EXPECT_THAT(host.tools, ElementsAre("umount -- " + folder + "b-2", "umount -- " + folder + "a"));
  EXPECT_FALSE(std::filesystem::exists(folder + "a"));
}

TEST_F(ProcessPlaceTest, AMountThatFailsLeavesNothing) {
  options.runner = root.PutProgram("/runner", "echo runs >&3\n");
  host.run = [&](const Tool& tool) -> absl::StatusOr<std::string> {
    if (tool.argv[0] == "mount" && host.tools.size() == 2) {
      return absl::InternalError("mount: no loop device");
    }
    return "";
  };
  const auto place = MakeProcessPlace(host, options);
  EXPECT_EQ(
      place->Start({{"a", "/s/0.img"}, {"b", "/s/1.img"}}, v1::NETWORK_AS_IS).status().message(),
      "mount: no loop device");
  EXPECT_EQ(host.tools.back(), "umount -- " + root.path() + "/run/inputs/a");
  EXPECT_FALSE(place->Start({{"../x", "/s/0.img"}}, v1::NETWORK_AS_IS).ok());
}

TEST_F(ProcessPlaceTest, SetsTheLinks) {
  options.runner = root.PutProgram("/runner", "exit 0\n");
  for (const char* link : {"lo", "wlan0", "eth0"}) {
    root.Put(std::string("/sys/class/net/") + link + "/operstate", "up");
  }
  const auto place = MakeProcessPlace(host, options);
  ASSERT_TRUE(place->Start({}, v1::NETWORK_DOWN).ok());
  EXPECT_THAT(host.tools, ElementsAre("ip link set dev eth0 down", "ip link set dev wlan0 down"));
}

// The real program: its frames over the socket it is given.
TEST_F(ProcessPlaceTest, TheRunnerItself) {
  options.runner = std::string(getenv("SHAKEDOWN_BIN_DIR")) + "/shakedown-runner";
  options.load_user = "nobody";
  const auto place = MakeProcessPlace(host, options);
  auto fd = place->Start({}, v1::NETWORK_AS_IS);
  ASSERT_TRUE(fd.ok());
  Connection link(*std::move(fd));
  std::optional<std::string> payload;
  const auto wait = [&] {
    for (int i = 0; i < 1000 && !payload && link.open(); ++i) {
      pollfd poll_fd = {link.fd(), POLLIN, 0};
      poll(&poll_fd, 1, 100);
      link.Receive();
      payload = link.Next();
    }
    v1::RunnerEvent event;
    EXPECT_TRUE(payload && event.ParseFromString(*payload));
    payload.reset();
    return event;
  };
  EXPECT_TRUE(wait().has_hello());
  v1::RunnerRequest request;
  request.set_id(5);
  request.mutable_identify();
  link.Send(request.SerializeAsString());
  v1::RunnerEvent event = wait();
  while (event.has_hello()) event = wait();
  EXPECT_EQ(event.id(), 5u);
  EXPECT_FALSE(event.identified().identity().release().empty());
  EXPECT_EQ(event.identified().fingerprint().facts().at("loads.user"), "unprivileged");
}

TEST(CgroupFolderTest, OfTheUnifiedHierarchy) {
  EXPECT_EQ(*CgroupFolder("1:name=systemd:/x\n0::/system.slice/shakedown-laptop.service\n"),
            "/sys/fs/cgroup/system.slice/shakedown-laptop.service");
  EXPECT_FALSE(CgroupFolder("9:cpu:/\n").ok());
}

// Runs `body` in a child, which may lose its view of this machine. Its exit code.
int InChild(const std::function<int()>& body) {
  const pid_t pid = fork();
  if (pid == 0) _exit(body());
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(RunnerViewTest, HidesTheOwnersFoldersAndDisks) {
  runner::FakeRoot root;
  root.Put("/home/me/thesis.txt", "years");
  if (InChild([] { return unshare(CLONE_NEWNS) == 0 ? 0 : 1; }) != 0) {
    GTEST_SKIP() << "this machine gives no mount namespaces";
  }
  const std::string home = root.path() + "/home";
  const auto there = [](const std::string& path) { return access(path.c_str(), F_OK) == 0; };
  EXPECT_EQ(
      InChild([&] {
        const absl::Status entered = EnterRunnerView({home, root.path() + "/none"});
        if (!entered.ok()) return 1;
        if (there(home + "/me")) return 2;
        if (open((home + "/new").c_str(), O_CREAT | O_WRONLY, 0600) >= 0) return 3;
        if (!there("/dev/null") || !there("/dev/urandom") || !there("/dev/fd")) return 4;
        if (there("/dev/sda") || there("/dev/vda") || there("/dev/loop0") || there("/dev/mem")) {
          return 5;
        }
        const int null = open("/dev/null", O_WRONLY);
        return null >= 0 && write(null, "x", 1) == 1 ? 0 : 6;
      }),
      0);
  EXPECT_EQ(root.Get("/home/me/thesis.txt"), "years");
}

}  // namespace
}  // namespace shakedown::laptop
