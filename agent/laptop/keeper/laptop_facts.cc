#include "agent/laptop/keeper/laptop_facts.h"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "agent/runner/telemetry/machine_facts.h"
#include "proto/wire/files.h"
#include "proto/wire/sanitise.h"

namespace shakedown::laptop {
namespace {

constexpr char kSupplies[] = "/sys/class/power_supply";
constexpr char kCpus[] = "/sys/devices/system/cpu";

using Facts = std::map<std::string, std::string>;

// Names in a folder that start with `start`, sorted.
std::vector<std::string> Entries(const std::string& folder, absl::string_view start) {
  std::vector<std::string> names;
  if (DIR* entries = opendir(folder.c_str())) {
    while (const dirent* entry = readdir(entries)) {
      if (entry->d_name[0] != '.' && absl::StartsWith(entry->d_name, start)) {
        names.emplace_back(entry->d_name);
      }
    }
    closedir(entries);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::optional<std::string> Line(const std::string& path) {
  const absl::StatusOr<std::string> text = ReadFile(path, 4096);
  if (!text.ok()) return std::nullopt;
  const std::string line = PrintableLine(*text);
  return line.empty() ? std::nullopt : std::optional(line);
}

std::optional<double> Number(const std::string& path) {
  const std::optional<std::string> line = Line(path);
  double value = 0;
  if (!line || !absl::SimpleAtod(*line, &value)) return std::nullopt;
  return value;
}

void Put(Facts& facts, const std::string& name, const std::optional<std::string>& value) {
  if (value) facts[name] = *value;
}

std::vector<std::string> Batteries(const std::string& root) {
  std::vector<std::string> folders;
  for (const std::string& name : Entries(root + kSupplies, "")) {
    const std::string folder = absl::StrCat(root, kSupplies, "/", name);
    // A mouse has a battery too: its scope is its device.
    if (Line(folder + "/type") == "Battery" && Line(folder + "/scope") != "Device") {
      folders.push_back(folder);
    }
  }
  return folders;
}

std::optional<double> Health(const std::string& battery) {
  for (const absl::string_view kind : {"energy", "charge"}) {
    const std::optional<double> full = Number(absl::StrCat(battery, "/", kind, "_full"));
    const std::optional<double> design = Number(absl::StrCat(battery, "/", kind, "_full_design"));
    if (full && design && *design > 0) return 100 * *full / *design;
  }
  return std::nullopt;
}

void AddBatteries(const std::string& root, Facts& facts) {
  for (const std::string& battery : Batteries(root)) {
    // "battery", "battery2", … : most have one.
    std::string name = "battery";
    for (int i = 2; facts.count(name + ".status") > 0; ++i) name = absl::StrCat("battery", i);
    Put(facts, name + ".status", Line(battery + "/status"));
    Put(facts, name + ".capacity", Line(battery + "/capacity"));
    Put(facts, name + ".cycles", Line(battery + "/cycle_count"));
    if (const auto health = Health(battery)) {
      facts[name + ".health"] = absl::StrFormat("%.0f", *health);
    }
  }
}

void AddDmi(const std::string& root, Facts& facts) {
  const std::string dmi = root + "/sys/class/dmi/id/";
  Put(facts, "dmi.vendor", Line(dmi + "sys_vendor"));
  Put(facts, "dmi.model", Line(dmi + "product_name"));
  Put(facts, "dmi.bios", Line(dmi + "bios_version"));
}

void AddCpu(const std::string& root, Facts& facts) {
  const std::string cpus = root + kCpus;
  Put(facts, "cpu.microcode", Line(cpus + "/cpu0/microcode/version"));
  Put(facts, "cpu.governor", Line(cpus + "/cpu0/cpufreq/scaling_governor"));
  Put(facts, "cpu.epp", Line(cpus + "/cpu0/cpufreq/energy_performance_preference"));
  if (const auto no_turbo = Line(cpus + "/intel_pstate/no_turbo")) {
    facts["cpu.turbo"] = *no_turbo == "0" ? "on" : "off";
  } else if (const auto boost = Line(cpus + "/cpufreq/boost")) {
    facts["cpu.turbo"] = *boost == "0" ? "off" : "on";
  }
  for (const std::string kind : {"core", "package"}) {
    std::optional<double> events;
    for (const std::string& cpu : Entries(cpus, "cpu")) {
      const auto count =
          Number(absl::StrCat(cpus, "/", cpu, "/thermal_throttle/", kind, "_throttle_count"));
      if (count) events = events.value_or(0) + *count;
    }
    if (events) facts["throttle." + kind] = absl::StrFormat("%.0f", *events);
  }
}

std::optional<bool> Docked(const std::string& root) {
  std::optional<bool> docked;
  for (const std::string& dock : Entries(root + "/sys/devices/platform", "dock.")) {
    const auto state = Line(absl::StrCat(root, "/sys/devices/platform/", dock, "/docked"));
    if (state) docked = docked.value_or(false) || *state == "1";
  }
  return docked;
}

void AddPlace(const std::string& root, Facts& facts) {
  if (const auto on_ac = runner::ReadOnAc(root)) facts["ac.online"] = *on_ac ? "yes" : "no";
  if (const auto docked = Docked(root)) facts["dock"] = *docked ? "docked" : "undocked";
  const std::string lids = root + "/proc/acpi/button/lid/";
  for (const std::string& lid : Entries(lids, "")) {
    const auto state = Line(lids + lid + "/state");
    if (state) facts["lid"] = absl::StrContains(*state, "open") ? "open" : "closed";
  }
}

// A connector lights up when it is enabled and its power management says "On".
void AddDisplays(const std::string& root, Facts& facts) {
  std::vector<std::string> lit;
  bool any = false;
  for (const std::string& card : Entries(root + "/sys/class/drm", "card")) {
    const std::string folder = absl::StrCat(root, "/sys/class/drm/", card);
    const auto enabled = Line(folder + "/enabled");
    if (!enabled) continue;
    any = true;
    if (*enabled == "enabled" && Line(folder + "/dpms") == "On") {
      lit.push_back(card.substr(card.find('-') + 1));  // "card0-eDP-1".
    }
  }
  if (any) facts["display"] = lit.empty() ? "off" : absl::StrJoin(lit, ", ");
}

void AddWifi(const std::string& root, Facts& facts) {
  for (const std::string& link : Entries(root + "/sys/class/net", "")) {
    const std::string folder = absl::StrCat(root, "/sys/class/net/", link);
    if (access((folder + "/wireless").c_str(), F_OK) != 0) continue;
    facts["wifi"] =
        absl::StrCat(PrintableLine(link), " ", Line(folder + "/operstate").value_or("unknown"));
  }
}

// Of all zones, °C with the zone's type. Those that a driver can not read now are left out.
std::optional<std::pair<double, std::string>> Hottest(const std::string& root) {
  std::optional<std::pair<double, std::string>> hottest;
  for (const std::string& zone : Entries(root + "/sys/class/thermal", "thermal_zone")) {
    const std::string folder = absl::StrCat(root, "/sys/class/thermal/", zone);
    const auto thousandths = Number(folder + "/temp");
    if (!thousandths) continue;
    const double celsius = *thousandths / 1000;
    if (!hottest || celsius > hottest->first) {
      hottest = {celsius, Line(folder + "/type").value_or(zone)};
    }
  }
  return hottest;
}

void AddHeat(const std::string& root, Facts& facts) {
  if (const auto hottest = Hottest(root)) {
    facts["thermal.max"] = absl::StrFormat("%.1f %s", hottest->first, hottest->second);
  }
  std::vector<std::string> fans;
  const std::string monitors = root + "/sys/class/hwmon/";
  for (const std::string& monitor : Entries(monitors, "hwmon")) {
    for (const std::string& file : Entries(monitors + monitor, "fan")) {
      if (!absl::EndsWith(file, "_input")) continue;
      if (const auto rpm = Line(absl::StrCat(monitors, monitor, "/", file))) fans.push_back(*rpm);
    }
  }
  if (!fans.empty()) facts["fan"] = absl::StrJoin(fans, ", ");
}

}  // namespace

PowerFacts ReadPowerFacts(const std::string& root) {
  PowerFacts facts;
  const std::vector<std::string> batteries = Batteries(root);
  facts.has_battery = !batteries.empty();
  facts.on_ac = runner::ReadOnAc(root);
  facts.docked = Docked(root);
  for (const std::string& battery : batteries) {
    const auto capacity = Number(battery + "/capacity");
    if (capacity) {
      facts.battery_percent = std::min(facts.battery_percent.value_or(*capacity), *capacity);
    }
  }
  if (const auto hottest = Hottest(root)) facts.celsius = hottest->first;
  return facts;
}

std::map<std::string, std::string> ReadLaptopFacts(const std::string& root) {
  Facts facts;
  for (const auto& add : {AddDmi, AddCpu, AddBatteries, AddPlace, AddDisplays, AddWifi, AddHeat}) {
    add(root, facts);
  }
  return facts;
}

}  // namespace shakedown::laptop
