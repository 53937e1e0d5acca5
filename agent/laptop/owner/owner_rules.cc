#include "agent/laptop/owner/owner_rules.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "agent/laptop/owner/hours.h"
#include "agent/laptop/owner/order_words.h"
#include "proto/wire/ids.h"
#include "proto/wire/kernel_signature.h"

namespace shakedown::laptop {
namespace {

constexpr uint64_t kMib = 1 << 20;

// Gathers refusals about one file.
class Refusals {
 public:
  explicit Refusals(const OwnerFile& owner) : owner_(owner) {}
  void Add(const std::string& field, absl::string_view text) {
    lines_.push_back(absl::StrCat(owner_.Place(field), ": ", field, " ", text));
  }
  std::vector<std::string> Take() { return std::move(lines_); }

 private:
  const OwnerFile& owner_;
  std::vector<std::string> lines_;
};

template <typename List>
bool Holds(const List& list, absl::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

template <typename List>
bool AnyCovers(const List& rules, absl::string_view name) {
  return std::any_of(rules.begin(), rules.end(),
                     [&](const std::string& rule) { return Covers(rule, name); });
}

bool WithinAny(const v1::OwnerRules& rules, absl::Time begin, absl::Time end, absl::TimeZone zone) {
  return std::any_of(rules.hours().begin(), rules.hours().end(),
                     [&](const v1::Hours& hours) { return Within(hours, begin, end, zone); });
}

std::string AllHours(const v1::OwnerRules& rules) {
  return absl::StrJoin(rules.hours(), "; ", [](std::string* out, const v1::Hours& hours) {
    out->append(HoursText(hours));
  });
}

std::string LocalTime(absl::Time time, absl::TimeZone zone) {
  return absl::FormatTime("%a %H:%M", time, zone);
}

void CheckFarm(const v1::OwnerRules& rules, const Moment& moment, Refusals& refusals) {
  if (moment.server.empty()) {
    refusals.Add("farms", "are asked for: this machine is not enrolled (shakedown-laptop enroll)");
  } else if (!Holds(rules.farms(), moment.server)) {
    refusals.Add("farms", absl::StrCat(rules.farms().empty() ? "are none" : "do not have it",
                                       ": the agent's is ", Quoted(moment.server)));
  }
}

void CheckDay(const v1::OwnerRules& rules, const Moment& moment, Refusals& refusals) {
  const absl::CivilDay today = absl::ToCivilDay(moment.now, moment.zone);
  const std::optional<absl::CivilDay> stop = ParseStopDate(rules.stop_date());
  if (stop && today > *stop) {
    refusals.Add("stop_date",
                 absl::StrCat(rules.stop_date(), ": today is ", absl::FormatCivilTime(today)));
  }
  if (moment.boots_today >= MaxBootsADay(rules)) {
    refusals.Add("max_boots_a_day",
                 absl::StrCat(MaxBootsADay(rules), ": ", moment.boots_today, " had today"));
  }
  if (!rules.hours().empty() && !WithinAny(rules, moment.now, moment.now, moment.zone)) {
    refusals.Add("hours",
                 absl::StrCat(AllHours(rules), ": now is ", LocalTime(moment.now, moment.zone)));
  }
}

void CheckPower(const v1::OwnerRules& rules, const Moment& moment, Refusals& refusals) {
  if (!moment.has_battery) return;
  if (NeedsAc(rules) && !moment.on_ac.value_or(false)) {
    refusals.Add("need_ac", absl::StrCat("true: ", moment.on_ac ? "on battery"
                                                                : "mains power can not be read"));
  }
  if (rules.min_battery_percent() == 0) return;
  if (!moment.battery_percent) {
    refusals.Add("min_battery_percent",
                 absl::StrCat(rules.min_battery_percent(), ": the charge can not be read"));
  } else if (*moment.battery_percent < rules.min_battery_percent()) {
    refusals.Add("min_battery_percent",
                 absl::StrFormat("%d: the charge is %.0f %%", rules.min_battery_percent(),
                                 *moment.battery_percent));
  }
}

void CheckMachine(const v1::OwnerRules& rules, const Moment& moment, Refusals& refusals) {
  if (rules.max_celsius() > 0 && !moment.celsius) {
    refusals.Add("max_celsius", absl::StrCat(rules.max_celsius(), ": no thermal zone can be read"));
  } else if (rules.max_celsius() > 0 && *moment.celsius > rules.max_celsius()) {
    refusals.Add("max_celsius", absl::StrFormat("%d: the machine has %.0f °C", rules.max_celsius(),
                                                *moment.celsius));
  }
  if (rules.need_dock() && !moment.docked.value_or(false)) {
    refusals.Add("need_dock",
                 absl::StrCat("true: ", moment.docked ? "not docked" : "no dock can be seen"));
  }
  if (rules.idle_minutes() == 0) return;
  if (!moment.idle) {
    refusals.Add("idle_minutes",
                 absl::StrCat(rules.idle_minutes(), ": how long nobody was here can not be read"));
  } else if (*moment.idle < absl::Minutes(rules.idle_minutes())) {
    refusals.Add("idle_minutes", absl::StrCat(rules.idle_minutes(), ": idle for ",
                                              absl::ToInt64Minutes(*moment.idle), " min"));
  }
}

SignedKernel ToSign(const v1::BootOrder& order) {
  return {order.expected().release(), order.image().sha256(), order.initramfs().sha256(),
          order.modules().sha256()};
}

void CheckSignatures(const v1::OwnerRules& rules, const v1::BootOrder& order, Refusals& refusals) {
  if (rules.any_kernel()) return;
  const SignedKernel kernel = ToSign(order);
  for (const v1::KernelSignature& signature : order.signatures()) {
    for (const v1::KernelSigner& signer : rules.kernel_signers()) {
      if (signer.key() == signature.key() &&
          Verify(signer.key(), signature.signature(), kernel).ok()) {
        return;
      }
    }
  }
  refusals.Add("kernel_signers",
               absl::StrCat(rules.kernel_signers().empty() ? "are none" : "vouch not for it",
                            ": kernel ", Quoted(order.expected().release()), " has ",
                            order.signatures_size(), " signatures"));
}

void CheckLoads(const v1::OwnerRules& rules, const v1::BootOrder& order, Refusals& refusals) {
  for (const std::string& word : LoadsOf(order)) {
    if (rules.loads().empty() ? !LoadIsHarmless(word) : !Holds(rules.loads(), word)) {
      refusals.Add("loads", absl::StrCat("do not have ", word, ", which the order wants"));
    }
  }
  for (const std::string& word : SetupOf(order)) {
    if (rules.setup_steps().empty() ? !SetupIsHarmless(word) : !Holds(rules.setup_steps(), word)) {
      refusals.Add("setup_steps", absl::StrCat("do not have ", word, ", which the order wants"));
    }
  }
}

// Blanks and quotes would make two parameters of one.
bool IsOneParameter(absl::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return c > ' ' && c < 0x7f && c != '"' && c != '\'' && c != '\\';
  });
}

void CheckParameters(const v1::OwnerRules& rules, const v1::BootOrder& order, Refusals& refusals) {
  const std::vector<std::string> names = BootParametersOf(order);
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string& whole = order.boot_parameters(static_cast<int>(i));
    if (!IsOneParameter(whole)) {
      refusals.Add("boot_parameters",
                   absl::StrCat("must be one each, without blanks and quotes: ", Quoted(whole)));
    } else if (!BootParameterIsHarmless(names[i]) &&
               !AnyCovers(rules.boot_parameters(), names[i])) {
      refusals.Add("boot_parameters",
                   absl::StrCat("do not have ", Quoted(names[i]), ", which the order wants"));
    }
  }
  for (const std::string& name : TunablesOf(order)) {
    if (!TunableIsHarmless(name) && !AnyCovers(rules.tunables(), name)) {
      refusals.Add("tunables",
                   absl::StrCat("do not have ", Quoted(name), ", which the order wants"));
    }
  }
}

void CheckSchedExt(const v1::OwnerRules& rules, const v1::BootOrder& order, Refusals& refusals) {
  if (!order.has_sched_ext()) return;
  const std::string program =
      order.sched_ext().command().empty() ? "" : order.sched_ext().command(0);
  if (!Holds(rules.sched_ext_programs(), program)) {
    refusals.Add("sched_ext_programs",
                 absl::StrCat("do not have ", Quoted(program), ", which the order wants"));
  }
}

}  // namespace

std::vector<std::string> RefusalsNow(const OwnerFile& owner, const Moment& moment) {
  Refusals refusals(owner);
  CheckFarm(owner.rules, moment, refusals);
  CheckDay(owner.rules, moment, refusals);
  CheckPower(owner.rules, moment, refusals);
  CheckMachine(owner.rules, moment, refusals);
  if (owner.rules.need_tried_boot() && !absl::StartsWith(moment.tried_boot, "ok ")) {
    refusals.Add(
        "need_tried_boot",
        absl::StrCat("true: ", moment.tried_boot.empty() ? "never tried" : moment.tried_boot,
                     " (shakedown-laptop enroll --try-boot)"));
  }
  return refusals.Take();
}

std::vector<std::string> RefusalsOfOrder(const OwnerFile& owner, const v1::BootOrder& order,
                                         uint64_t disk_bytes, const Moment& moment) {
  Refusals refusals(owner);
  const v1::OwnerRules& rules = owner.rules;
  CheckSignatures(rules, order, refusals);
  CheckLoads(rules, order, refusals);
  CheckParameters(rules, order, refusals);
  CheckSchedExt(rules, order, refusals);
  const uint64_t most = rules.has_max_disk_mib() ? rules.max_disk_mib() : kDefaultDiskMib;
  if (disk_bytes / kMib >= most && disk_bytes > most * kMib) {
    refusals.Add("max_disk_mib",
                 absl::StrCat(most, ": the order's files have ", (disk_bytes + kMib - 1) / kMib));
  }
  const absl::Duration whole = Countdown(rules) + BootLimit(order) + RunLimit(order);
  const uint32_t longest =
      rules.has_max_boot_minutes() ? rules.max_boot_minutes() : kDefaultBootMinutes;
  if (whole > absl::Minutes(longest)) {
    refusals.Add("max_boot_minutes",
                 absl::StrCat(longest, ": the order's limits allow ", absl::ToInt64Minutes(whole)));
  }
  if (!rules.hours().empty() && WithinAny(rules, moment.now, moment.now, moment.zone) &&
      !WithinAny(rules, moment.now, moment.now + whole, moment.zone)) {
    refusals.Add("hours", absl::StrCat(AllHours(rules), ": a boot from now may last until ",
                                       LocalTime(moment.now + whole, moment.zone)));
  }
  return refusals.Take();
}

absl::Duration BootLimit(const v1::BootOrder& order) {
  return order.boot_limit_s() == 0 ? kDefaultBootLimit : absl::Seconds(order.boot_limit_s());
}

absl::Duration RunLimit(const v1::BootOrder& order) {
  return order.run_limit_s() == 0 ? kDefaultRunLimit : absl::Seconds(order.run_limit_s());
}

absl::Duration Countdown(const v1::OwnerRules& rules) {
  return absl::Seconds(rules.has_countdown_seconds() ? rules.countdown_seconds()
                                                     : kDefaultCountdownSeconds);
}

bool NeedsAc(const v1::OwnerRules& rules) { return !rules.has_need_ac() || rules.need_ac(); }

uint32_t MaxBootsADay(const v1::OwnerRules& rules) {
  return rules.has_max_boots_a_day() ? rules.max_boots_a_day() : kDefaultBootsADay;
}

std::optional<absl::CivilDay> ParseStopDate(absl::string_view text) {
  absl::CivilDay day;
  if (text.size() != 10 || !absl::ParseCivilTime(text, &day)) return std::nullopt;
  return day;
}

}  // namespace shakedown::laptop
