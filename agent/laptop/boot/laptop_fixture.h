// For tests: a laptop, its loader and a boot transaction on it.
#ifndef SHAKEDOWN_AGENT_LAPTOP_BOOT_LAPTOP_FIXTURE_H_
#define SHAKEDOWN_AGENT_LAPTOP_BOOT_LAPTOP_FIXTURE_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <memory>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "agent/laptop/boot/crash_disk.h"
#include "agent/laptop/boot/fake_laptop.h"

namespace shakedown::laptop {

struct Laptop {
  explicit Laptop(const std::string& loader_name) : name(loader_name) {
    char folder[] = "/dev/shm/shakedown-refusals-XXXXXX";
    top = mkdtemp(folder);
    root = top + "/root";
    MakeLaptop(root, loader_name);
    files = MakeBootFiles(top + "/agent", &order);
    auto crash_disk = std::make_unique<CrashDisk>(
        root, [] { return false; }, [] {});
    disk = crash_disk.get();
    host = std::make_unique<FakeHost>(root, std::move(crash_disk));
    host->command_line = "BOOT_IMAGE=/vmlinuz root=UUID=1b2c ro quiet";
  }
  ~Laptop() { std::filesystem::remove_all(top); }

  void Free(const std::string& folder, uint64_t bytes, bool read_only = false) {
    disk->space = [this, folder, bytes, read_only](const std::string& path) {
      if (absl::StartsWith(path, root + folder)) return Disk::Space{bytes, 2, read_only};
      return Disk::Space{uint64_t{1} << 40, 1, false};
    };
  }
  void Replace(const std::string& path, const std::string& from, const std::string& to) {
    const std::string text = ReadText(root + path);
    EXPECT_THAT(text, testing::HasSubstr(from));
    WriteText(root + path, absl::StrReplaceAll(text, {{from, to}}));
  }
  BootTransaction& Boot() {
    loader = MakeBootLoader(root, *host, name).value();
    auto opened = OpenBootTransaction({.root = root, .state = root + kState}, *loader, *host);
    EXPECT_TRUE(opened.ok()) << opened.status();
    boot = *std::move(opened);
    return *boot;
  }

  std::string name, top, root;
  v1::BootOrder order;
  BootFiles files;
  CrashDisk* disk = nullptr;
  std::unique_ptr<FakeHost> host;
  std::unique_ptr<BootLoader> loader;
  std::unique_ptr<BootTransaction> boot;
};

}  // namespace shakedown::laptop

#endif  // SHAKEDOWN_AGENT_LAPTOP_BOOT_LAPTOP_FIXTURE_H_
