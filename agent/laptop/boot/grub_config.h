// GRUB's scripts as texts: what grub.cfg does, and our section of custom.cfg. Pure.
#ifndef SHAKEDOWN_AGENT_LAPTOP_BOOT_GRUB_CONFIG_H_
#define SHAKEDOWN_AGENT_LAPTOP_BOOT_GRUB_CONFIG_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace shakedown::laptop {

// What of a one-shot boot is missing in grub.cfg, as "it does not load grubenv"; empty: it loads
// grubenv, takes next_entry for the default, clears and saves it before anything is booted, and
// sources custom.cfg. Comments and what is echoed do not count.
std::string WhatGrubConfigLacks(absl::string_view grub_cfg);

struct GrubEntry {
  std::string id;         // "shakedown-UUID".
  std::string image;      // As GRUB's file system has it: "/boot/shakedown/UUID/linux".
  std::string initramfs;  // Empty: none.
  std::string command_line;
  bool had_next_entry = false;  // Whether grubenv had an (empty) next_entry before ours.
  bool had_file = false;        // Whether there was a custom.cfg before ours.
};

// custom.cfg with our section at its end; every byte of `custom_cfg` stays. The entry finds its
// file system by the image's path, which holds an attempt's id and is on no other.
std::string AddSection(absl::string_view custom_cfg, const GrubEntry& entry);

struct Section {
  std::string without;          // custom_cfg as it was before.
  bool had_next_entry = false;  // As given.
  bool had_file = false;
};
// nullopt: no section of ours. DataLoss: the section's end is missing, or there are two: somebody
// has edited it.
absl::StatusOr<std::optional<Section>> FindSection(absl::string_view custom_cfg);

}  // namespace shakedown::laptop

#endif  // SHAKEDOWN_AGENT_LAPTOP_BOOT_GRUB_CONFIG_H_
