#include "agent/machine/domain_spec.h"

#include <pugixml.hpp>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace shakedown::agent {
namespace {

using testing::HasSubstr;
using testing::Not;

DomainSpec ASpec() {
  DomainSpec spec;
  spec.name = "shakedown-vm1@0123abcd";
  spec.kernel = "/srv/k/bzImage";
  spec.command_line = "console=ttyS0";
  spec.overlay = "/srv/w/overlay.qcow2";
  spec.image = "/srv/guest.img";
  spec.console_socket = "/srv/w/console.sock";
  spec.runner_socket = "/srv/w/runner.sock";
  return spec;
}

std::string At(const pugi::xml_document& document, const char* path) {
  const pugi::xpath_node found = document.select_node(path);
  return found.attribute() ? found.attribute().value() : found.node().text().get();
}

TEST(DomainXmlTest, SaysWhatTheMachineIs) {
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(DomainXml(ASpec()).c_str()));
  EXPECT_EQ(At(document, "/domain/@type"), "qemu");
  EXPECT_EQ(At(document, "/domain/vcpu"), "2");
  EXPECT_EQ(At(document, "/domain/memory"), "1024");
  EXPECT_EQ(At(document, "/domain/os/kernel"), "/srv/k/bzImage");
  EXPECT_EQ(At(document, "/domain/os/initrd"), "");
  EXPECT_EQ(At(document, "/domain/on_reboot"), "destroy");
  EXPECT_EQ(At(document, "/domain/devices/disk/source/@file"), "/srv/w/overlay.qcow2");
  EXPECT_EQ(At(document, "/domain/devices/disk/backingStore/format/@type"), "raw");
  EXPECT_EQ(At(document, "/domain/devices/serial/source/@mode"), "connect");
  EXPECT_EQ(At(document, "/domain/devices/channel/target/@name"), "org.shakedown.runner.0");
}

TEST(DomainXmlTest, KvmTakesTheHostsProcessor) {
  DomainSpec spec = ASpec();
  spec.kvm = true;
  spec.initramfs = "/srv/k/initramfs";
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(DomainXml(spec).c_str()));
  EXPECT_EQ(At(document, "/domain/@type"), "kvm");
  EXPECT_EQ(At(document, "/domain/cpu/@mode"), "host-passthrough");
  EXPECT_EQ(At(document, "/domain/os/initrd"), "/srv/k/initramfs");
}

TEST(DomainXmlTest, TextCanNotBecomeElements) {
  DomainSpec spec = ASpec();
  spec.command_line = "x=</cmdline><kernel>/etc/shadow</kernel>&amp;\"'";
  spec.overlay = "/srv/\"><evil/>'&.qcow2";
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(DomainXml(spec).c_str()));
  EXPECT_EQ(At(document, "/domain/os/cmdline"), spec.command_line);
  EXPECT_EQ(At(document, "/domain/devices/disk/source/@file"), spec.overlay);
  EXPECT_FALSE(document.select_node("//evil"));
  EXPECT_EQ(document.select_nodes("//kernel").size(), 1u);
}

TEST(DomainXmlTest, InputsAreReadOnlyDisksWithSerials) {
  DomainSpec spec = ASpec();
  spec.inputs = {{"/srv/i/one", "0123456789abcdef0123"}, {"/srv/i/two", "aa"}};
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(DomainXml(spec).c_str()));
  EXPECT_EQ(document.select_nodes("//disk").size(), 3u);
  EXPECT_EQ(document.select_nodes("//disk[readonly]").size(), 2u);
  EXPECT_EQ(At(document, "//disk[target/@dev='vdb']/source/@file"), "/srv/i/one");
  EXPECT_EQ(At(document, "//disk[target/@dev='vdb']/serial"), "0123456789abcdef0123");
  EXPECT_EQ(At(document, "//disk[target/@dev='vdb']/driver/@type"), "raw");
  EXPECT_EQ(At(document, "//disk[target/@dev='vdc']/serial"), "aa");
  EXPECT_FALSE(document.select_node("//disk[target/@dev='vda']/readonly"));
}

TEST(CommandLineTest, NamesTheInputs) {
  v1::BootOrder order;
  v1::Input* input = order.add_inputs();
  input->set_name("linux-6.12");
  input->mutable_archive()->set_sha256(std::string(64, 'a'));
  order.add_boot_parameters("quiet");
  EXPECT_THAT(*CommandLine(order, true),
              testing::EndsWith(" shakedown.input=linux-6.12:aaaaaaaaaaaaaaaaaaaa quiet"));
  input->set_name("../x");
  EXPECT_FALSE(CommandLine(order, true).ok());
  input->set_name("x");
  for (int i = 0; i < kMaxInputs; ++i) *order.add_inputs() = order.inputs(0);
  EXPECT_THAT(std::string(CommandLine(order, true).status().message()), HasSubstr("inputs 9"));
}

TEST(CommandLineTest, TheOrdersParametersComeLast) {
  v1::BootOrder order;
  order.add_boot_parameters("preempt=full");
  order.add_boot_parameters("root=/dev/nonexistent");
  const absl::StatusOr<std::string> line = CommandLine(order, false);
  ASSERT_TRUE(line.ok());
  EXPECT_THAT(*line, HasSubstr("console=ttyS0 root=/dev/vda "));
  EXPECT_THAT(*line, HasSubstr(" tsc=reliable "));
  EXPECT_THAT(*CommandLine(order, true), Not(HasSubstr("tsc=")));
  EXPECT_THAT(*line, testing::EndsWith(" preempt=full root=/dev/nonexistent"));
}

TEST(CommandLineTest, RefusesWhatWouldBeReadOtherwise) {
  for (const std::string& bad :
       {std::string(""), std::string("a b"), std::string("a\nb"), std::string("x=\"y\""),
        std::string("--"), std::string("é"), std::string(201, 'a'), std::string("a\0b", 3)}) {
    v1::BootOrder order;
    order.add_boot_parameters(bad);
    const absl::StatusOr<std::string> line = CommandLine(order, false);
    EXPECT_EQ(line.status().code(), absl::StatusCode::kInvalidArgument) << bad;
    EXPECT_THAT(std::string(line.status().message()), HasSubstr("boot parameter \""));
  }
  v1::BootOrder order;
  for (int i = 0; i < 20; ++i) order.add_boot_parameters(std::string(150, 'a'));
  EXPECT_THAT(std::string(CommandLine(order, false).status().message()), HasSubstr("at most 2000"));
}

}  // namespace
}  // namespace shakedown::agent
