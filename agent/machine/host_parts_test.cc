// The small parts that touch this host: sockets, disks, processes, the embedded driver's folder.
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <string>

#include "absl/strings/str_cat.h"
#include "agent/machine/embedded_driver.h"
#include "agent/machine/guest_disk.h"
#include "agent/machine/guest_link.h"
#include "agent/machine/libvirt_machine.h"
#include "agent/machine/qemu_processes.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/wire/files.h"
#include "proto/wire/kvm.h"
#include "proto/wire/subprocess.h"

namespace shakedown::agent {
namespace {

using testing::HasSubstr;
using std::string_literals::operator""s;

class HostPartsTest : public testing::Test {
 protected:
  HostPartsTest() {
    char path[] = "/tmp/shakedown-machine-XXXXXX";
    folder_ = mkdtemp(path);
  }
  ~HostPartsTest() override { std::filesystem::remove_all(folder_); }

  std::string Write(const std::string& name, const std::string& content) {
    const std::string path = absl::StrCat(folder_, "/", name);
    EXPECT_TRUE(WriteFileAtomically(path, content).ok());
    return path;
  }
  std::string Ext4() {
    std::string head(4096, '\0');
    head.replace(1024 + 56, 2, "\x53\xEF");
    return Write("guest.img", head);
  }

  std::string folder_;
};

TEST_F(HostPartsTest, OnlyRawImagesAreGuestDisks) {
  EXPECT_TRUE(CheckGuestImage(Ext4()).ok());
  const absl::Status qcow2 = CheckGuestImage(Write("a.qcow2", "QFI\xfb" + std::string(4096, '\0')));
  EXPECT_EQ(qcow2.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(qcow2.message()),
              HasSubstr("a.qcow2: is a qcow2 image, want a raw image"));
  EXPECT_THAT(std::string(CheckGuestImage(Write("b.img", "x")).message()),
              HasSubstr("no ext4 image"));
  EXPECT_TRUE(absl::IsNotFound(CheckGuestImage(folder_ + "/none")));
}

TEST_F(HostPartsTest, AnImageThatIsTooShortIsDamaged) {
  const std::string image = folder_ + "/guest.img";
  Command make;
  make.argv = {"mke2fs", "-q", "-F", "-t", "ext4", image, "4096k"};
  ASSERT_TRUE(RunForOutput(make).ok());
  EXPECT_EQ(CheckGuestImage(image), absl::OkStatus());
  std::filesystem::resize_file(image, (4096 << 10) - 1);
  EXPECT_THAT(std::string(CheckGuestImage(image).message()),
              HasSubstr("has 4194303 bytes, its file system 4194304: damaged"));
}

TEST_F(HostPartsTest, AKernelImageIsABzImage) {
  std::string kernel(4096, '\0');
  EXPECT_TRUE(absl::IsInvalidArgument(CheckKernelImage(Write("k", kernel))));
  EXPECT_TRUE(absl::IsInvalidArgument(CheckKernelImage(Write("k", "short"))));
  kernel.replace(0x202, 4, "HdrS");
  EXPECT_TRUE(CheckKernelImage(Write("k", kernel)).ok());
}

TEST_F(HostPartsTest, AnOverlayStandsOnItsImage) {
  const std::string image = Ext4(), overlay = folder_ + "/overlay.qcow2";
  ASSERT_TRUE(MakeOverlay(image, overlay).ok());
  Command info;
  info.argv = {"qemu-img", "info", overlay};
  EXPECT_THAT(RunForOutput(info).value(), HasSubstr("backing file format: raw"));
  EXPECT_THAT(std::string(MakeOverlay(folder_ + "/none", overlay).message()), HasSubstr("none"));
}

// A client that does what QEMU does: connects and sends.
int Connect(const std::string& path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::strcpy(address.sun_path, path.c_str());
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) return fd;
  close(fd);
  return -1;
}

TEST_F(HostPartsTest, ALinkLosesNoEarlyByteAndTakesOneConnection) {
  const std::string path = folder_ + "/a.sock";
  auto link = GuestLink::Listen(path, false).value();
  EXPECT_EQ(link->Receive(), "");
  const int qemu = Connect(path);
  ASSERT_GE(qemu, 0);
  ASSERT_EQ(write(qemu, "early", 5), 5);
  EXPECT_EQ(link->Receive(), "early");
  EXPECT_EQ(Connect(path), -1);
  ASSERT_TRUE(link->Send("answer").ok());
  char buffer[16];
  EXPECT_EQ(read(qemu, buffer, sizeof buffer), 6);
  close(qemu);
  EXPECT_EQ(link->Receive(), "");
  EXPECT_EQ(link->fd(), -1);
  link.reset();
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(HostPartsTest, AGuestThatDoesNotReadHasABound) {
  const std::string path = folder_ + "/a.sock";
  auto link = GuestLink::Listen(path, false).value();
  const int qemu = Connect(path);
  link->Receive();
  absl::Status sent;
  for (int i = 0; i < 100 && sent.ok(); ++i) sent = link->Send(std::string(1 << 18, 'x'));
  EXPECT_TRUE(absl::IsResourceExhausted(sent));
  close(qemu);
}

TEST_F(HostPartsTest, ASocketsPathHasABound) {
  const absl::Status status =
      GuestLink::Listen(folder_ + "/" + std::string(120, 'a'), false).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("want at most 107"));
}

TEST_F(HostPartsTest, TheEmbeddedDriverKeepsAConfigurationOfPeople) {
  const std::string conf = folder_ + "/etc/qemu.conf";
  ASSERT_TRUE(PrepareEmbeddedDriver(folder_).ok());
  EXPECT_THAT(ReadFile(conf).value(), HasSubstr("stdio_handler = \"file\""));
  ASSERT_TRUE(WriteFileAtomically(conf, "user = \"me\"\n").ok());
  ASSERT_TRUE(PrepareEmbeddedDriver(folder_).ok());
  EXPECT_EQ(ReadFile(conf).value(), "user = \"me\"\n");
}

TEST_F(HostPartsTest, OptionsAreNamed) {
  LibvirtMachineOptions good;
  good.name = "vm1";
  good.image = Ext4();
  good.work_folder = folder_;
  EXPECT_TRUE(MakeLibvirtMachine(good, SystemClock()).ok());
  const auto error = [&](auto change) {
    LibvirtMachineOptions options = good;
    change(options);
    return std::string(MakeLibvirtMachine(options, SystemClock()).status().message());
  };
  EXPECT_THAT(error([](auto& o) { o.name = "../vm"; }), HasSubstr("machine \"../vm\""));
  EXPECT_THAT(error([](auto& o) { o.vcpus = 0; }), HasSubstr("vcpus 0: want 1 to 64"));
  EXPECT_THAT(error([](auto& o) { o.memory_mib = 1; }), HasSubstr("memory 1: want 128"));
  EXPECT_THAT(error([](auto& o) { o.uri = "xen:///"; }), HasSubstr("libvirt URI \"xen:///\""));
  EXPECT_THAT(error([](auto& o) { o.work_folder = "x"; }), HasSubstr("absolute path"));
  EXPECT_THAT(error([](auto& o) { o.work_folder = "/" + std::string(100, 'a'); }),
              HasSubstr("want at most 107"));
  EXPECT_THAT(error([](auto& o) { o.image = "/nonexistent"; }), HasSubstr("/nonexistent"));
  EXPECT_THAT(error([](auto& o) { o.tags = {"A b"}; }), HasSubstr("tag \"A b\""));
}

TEST(EmbeddedRootTest, ReadsTheUri) {
  EXPECT_EQ(EmbeddedRoot("qemu:///embed?root=/srv/a%20b").value(), "/srv/a b");
  EXPECT_EQ(EmbeddedRoot("qemu:///system").value(), "");
  EXPECT_EQ(EmbeddedRoot("qemu:///session").value(), "");
  EXPECT_FALSE(EmbeddedRoot("qemu:///embed").ok());
  EXPECT_FALSE(EmbeddedRoot("qemu:///embed?root=relative").ok());
  EXPECT_FALSE(EmbeddedRoot("lxc:///").ok());
}

TEST(IsOurQemuTest, NameAndFolderMustBeOurs) {
  const std::string ours =
      "/usr/bin/qemu-system-x86_64\0-name\0guest=shakedown-vm1@0123abcd,debug-threads=on\0"
      "-blockdev\0{\"filename\":\"/srv/w/vm1/overlay.qcow2\"}\0"s;
  EXPECT_TRUE(IsOurQemu(ours, "shakedown-vm1@", "/srv/w/vm1"));
  EXPECT_FALSE(IsOurQemu(ours, "shakedown-vm@", "/srv/w/vm1"));
  EXPECT_FALSE(IsOurQemu(ours, "shakedown-vm1@", "/srv/other/vm1"));
  EXPECT_FALSE(IsOurQemu("/bin/cat\0"s + ours, "shakedown-vm1@", "/srv/w/vm1"));
  EXPECT_FALSE(IsOurQemu("", "shakedown-vm1@", "/srv/w/vm1"));
}

TEST(HasVirtualisationTest, LooksForTheFlag) {
  EXPECT_TRUE(HasVirtualisation("processor : 0\nflags\t\t: fpu vmx sse\n"));
  EXPECT_TRUE(HasVirtualisation("flags\t\t: fpu svm\n"));
  EXPECT_FALSE(HasVirtualisation("model name : svm vmx\nflags\t\t: fpu svm_lock hypervisor\n"));
  EXPECT_FALSE(HasVirtualisation(""));
}

}  // namespace
}  // namespace shakedown::agent
