#include "controller/history/epoch.h"

#include <cstdint>
#include <set>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "controller/compare/comparability.h"
#include "proto/wire/digest.h"

namespace shakedown::history {
namespace {

std::string RoundedMemory(const std::string& text) {
  uint64_t kib = 0;
  if (!absl::SimpleAtoi(text, &kib) || kib > (uint64_t{1} << 50)) return text;
  uint64_t power = 1;
  while (power < kib) power *= 2;
  return absl::StrCat(power >= 4 && power / 4 * 3 >= kib ? power / 4 * 3 : power);
}

bool IsTheKernels(const std::string& name) {
  return name == "clocksource" || compare::TierOf(name) == compare::Tier::kSubject;
}

}  // namespace

Facts EpochFacts(const google::protobuf::Map<std::string, std::string>& fingerprint,
                 const Facts& tools) {
  Facts facts;
  for (const auto& [name, value] : fingerprint) {
    if (value.empty() || IsTheKernels(name)) continue;
    facts[name] = name == "memory_kib" ? RoundedMemory(value) : value;
  }
  for (const auto& [load, version] : tools) {
    if (!version.empty()) facts[absl::StrCat("tool.", load)] = version;
  }
  return facts;
}

std::string EpochKey(const Facts& facts) {
  std::string text;  // Lengths part names from values, whatever bytes they hold.
  for (const auto& [name, value] : facts) {
    absl::StrAppend(&text, name.size(), ":", name, "=", value.size(), ":", value, "\n");
  }
  return Sha256Hex(text);
}

std::string WhatChanged(const Facts& before, const Facts& now) {
  std::set<std::string> names;
  for (const auto& [name, value] : before) names.insert(name);
  for (const auto& [name, value] : now) names.insert(name);
  const auto value = [](const Facts& facts, const std::string& name) {
    const auto found = facts.find(name);
    return found == facts.end() ? std::string("(none)") : found->second;
  };
  std::vector<std::string> changes;
  for (const std::string& name : names) {
    if (value(before, name) == value(now, name)) continue;
    changes.push_back(absl::StrCat(name, " ", value(before, name), " → ", value(now, name)));
  }
  return absl::StrJoin(changes, "; ");
}

}  // namespace shakedown::history
