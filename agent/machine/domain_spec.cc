#include "agent/machine/domain_spec.h"

#include <algorithm>
#include <pugixml.hpp>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::agent {
namespace {

constexpr size_t kMaxParameter = 200;
constexpr size_t kMaxCommandLine = 2000;

pugi::xml_node Child(pugi::xml_node parent, const char* name) { return parent.append_child(name); }

void Text(pugi::xml_node parent, const char* name, const std::string& text) {
  Child(parent, name).text().set(text.c_str());
}

void Set(pugi::xml_node node, const char* name, const std::string& value) {
  node.append_attribute(name).set_value(value.c_str());
}

void AddSystem(pugi::xml_node domain, const DomainSpec& spec) {
  Text(domain, "name", spec.name);
  pugi::xml_node memory = Child(domain, "memory");
  Set(memory, "unit", "MiB");
  memory.text().set(spec.memory_mib);
  Child(domain, "vcpu").text().set(spec.vcpus);
  pugi::xml_node os = Child(domain, "os");
  pugi::xml_node type = Child(os, "type");
  Set(type, "arch", "x86_64");
  Set(type, "machine", "pc");
  type.text().set("hvm");
  Text(os, "kernel", spec.kernel);
  if (!spec.initramfs.empty()) Text(os, "initrd", spec.initramfs);
  Text(os, "cmdline", spec.command_line);
  Child(Child(domain, "features"), "acpi");
  pugi::xml_node cpu = Child(domain, "cpu");
  Set(cpu, "mode", spec.kvm ? "host-passthrough" : "maximum");
  pugi::xml_node topology = Child(cpu, "topology");
  Set(topology, "sockets", "1");
  Set(topology, "cores", absl::StrCat(spec.vcpus));
  Set(topology, "threads", "1");
  Set(Child(domain, "clock"), "offset", "utc");
  Text(domain, "on_poweroff", "destroy");
  Text(domain, "on_reboot", "destroy");
  Text(domain, "on_crash", "preserve");
}

void AddDisk(pugi::xml_node devices, const DomainSpec& spec) {
  pugi::xml_node disk = Child(devices, "disk");
  Set(disk, "type", "file");
  Set(disk, "device", "disk");
  pugi::xml_node driver = Child(disk, "driver");
  Set(driver, "name", "qemu");
  Set(driver, "type", "qcow2");
  // Thrown away after the boot: nothing is gained by flushing it, and the host's disk would be
  // heard in the numbers.
  Set(driver, "cache", "unsafe");
  Set(driver, "error_policy", "stop");
  Set(Child(disk, "source"), "file", spec.overlay);
  // Named here so that nothing is probed: what stands in the overlay's header is not followed.
  pugi::xml_node backing = Child(disk, "backingStore");
  Set(backing, "type", "file");
  Set(Child(backing, "format"), "type", "raw");
  Set(Child(backing, "source"), "file", spec.image);
  Child(backing, "backingStore");
  pugi::xml_node target = Child(disk, "target");
  Set(target, "dev", "vda");
  Set(target, "bus", "virtio");
}

// vdb and on: read-only, so that several machines may share one.
void AddInput(pugi::xml_node devices, const InputDisk& input, char letter) {
  pugi::xml_node disk = Child(devices, "disk");
  Set(disk, "type", "file");
  Set(disk, "device", "disk");
  pugi::xml_node driver = Child(disk, "driver");
  Set(driver, "name", "qemu");
  Set(driver, "type", "raw");
  Set(Child(disk, "source"), "file", input.path);
  Child(disk, "backingStore");
  pugi::xml_node target = Child(disk, "target");
  Set(target, "dev", absl::StrCat("vd", std::string(1, letter)));
  Set(target, "bus", "virtio");
  Child(disk, "readonly");
  Text(disk, "serial", input.serial);
}

pugi::xml_node AddSocket(pugi::xml_node devices, const char* kind, const std::string& path) {
  pugi::xml_node device = Child(devices, kind);
  Set(device, "type", "unix");
  pugi::xml_node source = Child(device, "source");
  Set(source, "mode", "connect");
  Set(source, "path", path);
  return device;
}

void AddDevices(pugi::xml_node domain, const DomainSpec& spec) {
  pugi::xml_node devices = Child(domain, "devices");
  AddDisk(devices, spec);
  char letter = 'b';
  for (const InputDisk& input : spec.inputs) AddInput(devices, input, letter++);
  pugi::xml_node usb = Child(devices, "controller");
  Set(usb, "type", "usb");
  Set(usb, "model", "none");
  pugi::xml_node serial = AddSocket(devices, "serial", spec.console_socket);
  Set(Child(serial, "target"), "port", "0");
  pugi::xml_node channel = AddSocket(devices, "channel", spec.runner_socket);
  pugi::xml_node target = Child(channel, "target");
  Set(target, "type", "virtio");
  Set(target, "name", kRunnerPort);
  pugi::xml_node watchdog = Child(devices, "watchdog");
  Set(watchdog, "model", "i6300esb");
  Set(watchdog, "action", "pause");
  Set(Child(devices, "memballoon"), "model", "none");
  pugi::xml_node rng = Child(devices, "rng");
  Set(rng, "model", "virtio");
  pugi::xml_node backend = Child(rng, "backend");
  Set(backend, "model", "random");
  backend.text().set("/dev/urandom");
}

// libvirt 9.0 knows pvpanic on the ISA bus only, which needs a driver that few kernels have; the
// PCI one goes past it, at a slot that libvirt gives to nothing here.
void AddPvpanic(pugi::xml_node domain) {
  pugi::xml_node arguments = Child(domain, "qemu:commandline");
  for (const char* argument : {"-device", "pvpanic-pci,bus=pci.0,addr=0x1e"}) {
    Set(Child(arguments, "qemu:arg"), "value", argument);
  }
}

bool GoodParameter(const std::string& parameter) {
  return !parameter.empty() && parameter.size() <= kMaxParameter && parameter != "--" &&
         std::all_of(parameter.begin(), parameter.end(),
                     [](char c) { return c > ' ' && c <= '~' && c != '"' && c != '\''; });
}

}  // namespace

std::string DomainXml(const DomainSpec& spec) {
  pugi::xml_document document;
  pugi::xml_node domain = document.append_child("domain");
  Set(domain, "type", spec.kvm ? "kvm" : "qemu");
  Set(domain, "xmlns:qemu", "http://libvirt.org/schemas/domain/qemu/1.0");
  AddSystem(domain, spec);
  AddDevices(domain, spec);
  AddPvpanic(domain);
  std::ostringstream xml;
  document.save(xml, "  ");
  return xml.str();
}

std::vector<std::string> MachineParameters(bool kvm) {
  std::vector<std::string> parameters = {
      "console=ttyS0", "root=/dev/vda", "rootfstype=ext4", "rw",
      "init=/usr/lib/shakedown/shakedown-runner",
      // A reset at once: the machine ends, and what led to it stands on the console.
      "panic=-1", "oops=panic", "reboot=t"};
  // An emulated CPU's TSC is the host's, the same on each CPU. Kernels that test it by racing the
  // CPUs may or may not believe it: 6.1 took the HPET (820 ns a reading), 6.12 the TSC (60 ns),
  // which is no difference of their schedulers.
  if (!kvm) parameters.push_back("tsc=reliable");
  return parameters;
}

std::string SerialOf(const v1::Input& input) { return input.archive().sha256().substr(0, 20); }

absl::StatusOr<std::string> CommandLine(const v1::BootOrder& order, bool kvm) {
  std::vector<std::string> parameters = MachineParameters(kvm);
  if (order.inputs_size() > kMaxInputs) {
    return absl::InvalidArgumentError(
        absl::StrCat("number of inputs ", order.inputs_size(), ": want at most ", kMaxInputs));
  }
  for (const v1::Input& input : order.inputs()) {
    RETURN_IF_ERROR(CheckName("input", input.name()));
    parameters.push_back(absl::StrCat(kInputParameter, "=", input.name(), ":", SerialOf(input)));
  }
  for (const std::string& parameter : order.boot_parameters()) {
    if (!GoodParameter(parameter)) {
      return absl::InvalidArgumentError(
          absl::StrCat("boot parameter ", Quoted(parameter), ": want 1 to ", kMaxParameter,
                       " bytes of printable ASCII without blank and quotes, and not \"--\""));
    }
    parameters.push_back(parameter);
  }
  std::string line = absl::StrJoin(parameters, " ");
  if (line.size() <= kMaxCommandLine) return line;
  return absl::InvalidArgumentError(absl::StrCat("boot parameters: the command line has ",
                                                 line.size(), " bytes, want at most ",
                                                 kMaxCommandLine));
}

}  // namespace shakedown::agent
