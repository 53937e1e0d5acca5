#include "agent/laptop/owner/owner_template.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "agent/laptop/owner/hours.h"
#include "agent/laptop/owner/order_words.h"
#include "agent/laptop/owner/owner_rules.h"

namespace shakedown::laptop {
namespace {

constexpr char kRest[] = R"(
# Kernels that nobody vouches for, too:
# any_kernel: true

# When tests may run, local time. A boot must be able to end in them. Without hours: at any time.
hours { from: "22:00" to: "07:00" }
# hours { days: "sat" days: "sun" from: "00:00" to: "24:00" }

# Only when nobody has touched the machine for so long.
idle_minutes: 30
need_ac: true
min_battery_percent: 40
max_celsius: 75

max_disk_mib: 2048
max_boot_minutes: 720
max_boots_a_day: 20
# The last day:
# stop_date: "2027-12-31"

# A reboot is announced to all who are logged in, and can be refused for so long (shakedown-laptop refuse).
countdown_seconds: 60

# Nothing is booted before the machine's own kernel has been booted this way and come home.
need_tried_boot: true

# What may run: make, latt, interbench, launch and frames unless said. "command" and "tool" run programs that the farm
# names, "tree" builds source trees that the farm brings. All of them run as the user shakedown-load, who may do two
# things of root's: set priorities and lock memory.
# loads: "make"
# While loads run:
# network: NETWORK_DOWN
)";

std::string Or(const std::string& text, absl::string_view otherwise) {
  return text.empty() ? std::string(otherwise) : text;
}

std::string Signers(const v1::OwnerRules& rules) {
  if (rules.any_kernel()) return "anybody's, signed or not";
  std::vector<std::string> names;
  for (const v1::KernelSigner& signer : rules.kernel_signers()) {
    names.push_back(absl::StrCat("signed by ", Or(signer.name(), "a person without a name"), " (",
                                 signer.key().substr(0, 16), "…)"));
  }
  return Or(absl::StrJoin(names, ", "), "none: no kernel_signers");
}

std::string When(const v1::OwnerRules& rules) {
  std::vector<std::string> spans;
  for (const v1::Hours& hours : rules.hours()) spans.push_back(HoursText(hours));
  std::string text = Or(absl::StrJoin(spans, "; "), "at any time");
  if (rules.idle_minutes() > 0) {
    absl::StrAppend(&text, ", idle for ", rules.idle_minutes(), " min");
  }
  if (!rules.stop_date().empty()) absl::StrAppend(&text, ", until ", rules.stop_date());
  return text;
}

std::string Conditions(const v1::OwnerRules& rules) {
  std::vector<std::string> words;
  if (NeedsAc(rules)) words.push_back("on mains power");
  if (rules.min_battery_percent() > 0) {
    words.push_back(absl::StrCat("charge at least ", rules.min_battery_percent(), " %"));
  }
  if (rules.max_celsius() > 0) {
    words.push_back(absl::StrCat("at most ", rules.max_celsius(), " °C"));
  }
  if (rules.need_dock()) words.push_back("docked");
  return Or(absl::StrJoin(words, ", "), "any");
}

}  // namespace

std::string OwnerTemplate(absl::string_view server, const std::vector<std::string>& keys) {
  std::string text = absl::StrCat(
      "# What a farm may do with this machine. Only root may write this file; no order changes "
      "it.\n"
      "# `shakedown-laptop rules` checks it. Every refusal names a line of it.\n\n",
      "farms: \"", absl::CEscape(server), "\"\n\n# Whose kernels may be booted:\n");
  for (const std::string& key : keys) {
    absl::StrAppend(&text, "kernel_signers { name: \"\" key: \"", absl::CEscape(key), "\" }\n");
  }
  if (keys.empty()) text += "# kernel_signers { name: \"somebody\" key: \"64 hex digits\" }\n";
  return text + kRest;
}

std::vector<std::string> RulesInWords(const OwnerFile& owner) {
  const v1::OwnerRules& rules = owner.rules;
  const uint64_t disk = rules.has_max_disk_mib() ? rules.max_disk_mib() : kDefaultDiskMib;
  return {
      absl::StrCat("farms: ", Or(absl::StrJoin(rules.farms(), ", "), "none")),
      absl::StrCat("kernels: ", Signers(rules)),
      absl::StrCat("when: ", When(rules)),
      absl::StrCat("conditions: ", Conditions(rules)),
      absl::StrCat("at most: ", MaxBootsADay(rules), " boots a day, ", disk, " MiB of disk"),
      absl::StrCat("loads: ", rules.loads().empty() ? "make, latt, interbench, launch, frames"
                                                    : absl::StrJoin(rules.loads(), ", ")),
      absl::StrCat("notice: ", absl::FormatDuration(Countdown(rules)), " before a reboot"),
  };
}

}  // namespace shakedown::laptop
