// A tree of files in place of /proc, /sys, /run and /etc, for tests.
#ifndef SHAKEDOWN_AGENT_RUNNER_SETUP_FAKE_ROOT_H_
#define SHAKEDOWN_AGENT_RUNNER_SETUP_FAKE_ROOT_H_

#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "absl/strings/str_cat.h"

namespace shakedown::runner {

class FakeRoot {
 public:
  FakeRoot() {
    std::string path = "/tmp/shakedown-root.XXXXXX";
    if (mkdtemp(path.data()) == nullptr) abort();
    path_ = path;
    for (const char* folder : {"/run", "/etc/init.d", "/proc/sys", "/sys"}) {
      std::filesystem::create_directories(path_ + folder);
    }
  }
  ~FakeRoot() { std::filesystem::remove_all(path_); }
  FakeRoot(const FakeRoot&) = delete;

  const std::string& path() const { return path_; }
  void Put(const std::string& file, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(path_ + file).parent_path());
    std::ofstream(path_ + file) << text;
  }
  std::string Get(const std::string& file) const {
    std::ostringstream text;
    text << std::ifstream(path_ + file).rdbuf();
    return text.str();
  }
  // A System V script that keeps its state in a file: "running" or not there.
  void PutService(const std::string& name) {
    const std::string state = absl::StrCat(path_, "/run/", name, ".state");
    PutProgram("/etc/init.d/" + name,
               absl::StrCat("case $1 in start) touch ", state, ";; stop) rm -f ", state,
                            ";; status) test -e ", state, " || exit 3;; esac\n"));
    std::ofstream{state};
  }
  bool Runs(const std::string& name) const {
    return std::filesystem::exists(absl::StrCat(path_, "/run/", name, ".state"));
  }
  std::string PutProgram(const std::string& file, const std::string& script) {
    Put(file, "#!/bin/sh\n" + script);
    chmod((path_ + file).c_str(), 0755);
    return path_ + file;
  }
  // A machine with two CPUs at "schedutil", turbo on, autogroup on, service cron.
  void PutMachine() {
    for (const std::string cpu : {"0", "1"}) {
      const std::string folder = "/sys/devices/system/cpu/cpu" + cpu + "/cpufreq/";
      Put(folder + "scaling_governor", "schedutil\n");
      Put(folder + "scaling_available_governors", "performance schedutil\n");
    }
    Put("/sys/devices/system/cpu/intel_pstate/no_turbo", "0\n");
    Put("/proc/sys/kernel/sched_autogroup_enabled", "1\n");
    Put("/proc/sys/vm/drop_caches", "0\n");
    PutService("cron");
  }
  // Whether all of PutMachine() stands as it stood.
  bool IsAsItWas() const {
    const auto is = [&](const std::string& file, const std::string& text) {
      const std::string now = Get(file);
      return now.substr(0, now.find('\n')) == text;
    };
    const std::string cpu = "/sys/devices/system/cpu/";
    return is(cpu + "cpu0/cpufreq/scaling_governor", "schedutil") &&
           is(cpu + "cpu1/cpufreq/scaling_governor", "schedutil") &&
           is(cpu + "intel_pstate/no_turbo", "0") &&
           is("/proc/sys/kernel/sched_autogroup_enabled", "1") && Runs("cron");
  }

 private:
  std::string path_;
};

}  // namespace shakedown::runner

#endif  // SHAKEDOWN_AGENT_RUNNER_SETUP_FAKE_ROOT_H_
