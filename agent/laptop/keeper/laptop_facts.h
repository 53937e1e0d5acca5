// What a laptop says of itself: facts for listings and fingerprints, and those that the owner's
// rules ask for.
#ifndef SHAKEDOWN_AGENT_LAPTOP_KEEPER_LAPTOP_FACTS_H_
#define SHAKEDOWN_AGENT_LAPTOP_KEEPER_LAPTOP_FACTS_H_

#include <map>
#include <optional>
#include <string>

namespace shakedown::laptop {

// `root` stands before every path; empty outside tests.

// Nothing: this machine does not tell, or it could not be read now.
struct PowerFacts {
  bool has_battery = false;
  std::optional<bool> on_ac;
  std::optional<double> battery_percent;  // The lowest of all batteries.
  std::optional<double> celsius;          // The hottest thermal zone.
  std::optional<bool> docked;             // A dock that ACPI knows; one behind USB-C tells nothing.
};
PowerFacts ReadPowerFacts(const std::string& root);

// dmi.vendor, dmi.model, dmi.bios, cpu.microcode, cpu.governor, cpu.epp, cpu.turbo ("on", "off"),
// battery.status, battery.capacity (%), battery.health (energy when full, % of design),
// battery.cycles, ac.online ("yes", "no"), lid ("open", "closed"), dock ("docked", "undocked"),
// display ("eDP-1"; "off"), wifi ("wlan0 up"), thermal.max ("61.5 x86_pkg_temp", °C), fan ("2100",
// rpm), throttle.core, throttle.package (events of all CPUs since boot). A fact that this machine
// does not have is absent. Values are one line, bounded.
std::map<std::string, std::string> ReadLaptopFacts(const std::string& root);

}  // namespace shakedown::laptop

#endif  // SHAKEDOWN_AGENT_LAPTOP_KEEPER_LAPTOP_FACTS_H_
