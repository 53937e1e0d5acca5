#include "agent/runner/setup/port.h"

#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "gtest/gtest.h"

namespace shakedown::runner {
namespace {

TEST(FindPortTest, ByNameAmongOthers) {
  char folder[] = "/tmp/port_test.XXXXXX";
  const std::string root = mkdtemp(folder);
  FakeClock clock;
  EXPECT_EQ(FindPort("org.a", absl::Seconds(3), clock, root).status().code(),
            absl::StatusCode::kNotFound);
  EXPECT_GE(clock.Elapsed(), absl::Seconds(3));
  for (const auto& [node, name] : {std::pair("vport1p1", "org.b"), {"vport1p2", "org.a"}}) {
    const std::string place = root + "/sys/class/virtio-ports/" + node;
    std::filesystem::create_directories(place);
    std::ofstream(place + "/name") << name << "\n";
  }
  EXPECT_EQ(FindPort("org.a", absl::Seconds(3), clock, root).value(), root + "/dev/vport1p2");
  const absl::Status missing = FindPort("org.c", absl::ZeroDuration(), clock, root).status();
  EXPECT_NE(missing.message().find("org.b, org.a"), absl::string_view::npos) << missing;
  std::filesystem::remove_all(root);
}

TEST(PortTest, KeepsWhatIsNotTakenAndInOrder) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  Port port(ends[0]);
  EXPECT_EQ(port.Receive().value(), "");
  std::string sent;
  for (int i = 0; i < 64; ++i) {
    const std::string piece(64 << 10, static_cast<char>('a' + i % 26));
    ASSERT_TRUE(port.Send(piece).ok());
    sent += piece;
  }
  EXPECT_TRUE(port.HasUnsent());
  std::string received;
  char piece[1 << 16];
  while (received.size() < sent.size()) {
    const ssize_t got = read(ends[1], piece, sizeof piece);
    ASSERT_GT(got, 0);
    received.append(piece, static_cast<size_t>(got));
    ASSERT_TRUE(port.Flush().ok());
  }
  EXPECT_EQ(received, sent);
  EXPECT_FALSE(port.HasUnsent());
  ASSERT_EQ(write(ends[1], "hello", 5), 5);
  EXPECT_EQ(port.Receive().value(), "hello");
  close(ends[1]);
}

TEST(PortTest, OnlyASocketEnds) {
  for (const Port::Kind kind : {Port::Kind::kVirtio, Port::Kind::kSocket}) {
    int ends[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    Port port(ends[0], kind);
    EXPECT_EQ(port.Receive().value(), "");
    ASSERT_EQ(write(ends[1], "last", 4), 4);
    close(ends[1]);
    EXPECT_EQ(port.Receive().value(), "last");
    EXPECT_EQ(absl::IsCancelled(port.Receive().status()), kind == Port::Kind::kSocket);
  }
}

TEST(PortTest, RefusesMoreThanItsBound) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  Port port(ends[0]);
  const std::string piece(16 << 20, 'x');
  absl::Status status;
  int accepted = 0;
  while (status.ok() && accepted < 10) {
    status = port.Send(piece);
    if (status.ok()) ++accepted;
  }
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(accepted, 4);
  close(ends[1]);
}

}  // namespace
}  // namespace shakedown::runner
