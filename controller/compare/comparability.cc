#include "controller/compare/comparability.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "proto/wire/ids.h"
#include "proto/wire/sanitise.h"

namespace shakedown::compare {
namespace {

using BootData = v1::ReportData::BootData;
using VariantData = v1::ReportData::VariantData;
using Map = google::protobuf::Map<std::string, std::string>;

struct Entry {
  absl::string_view name;
  Tier tier;
};
constexpr Entry kTiers[] = {
    // The machine, its CPUs, and how fast they may run.
    {"machine", Tier::kHard},
    {"cpu.model", Tier::kHard},
    {"cpu.online", Tier::kHard},
    {"cpu.smt", Tier::kHard},
    {"cpu.governor", Tier::kHard},
    {"cpu.epp", Tier::kHard},
    {"cpu.turbo", Tier::kHard},
    {"memory_kib", Tier::kHard},
    {"power.ac", Tier::kHard},
    {"hypervisor", Tier::kHard},
    {"vm.accelerator", Tier::kHard},
    {"vm.vcpus", Tier::kHard},
    {"vm.memory_mib", Tier::kHard},
    {"vm.host_cpu", Tier::kHard},
    {"vm.pinning", Tier::kHard},
    // The workload: its input, tools and program.
    {"vm.image", Tier::kHard},
    {"gcc", Tier::kHard},
    {"latt.zlib", Tier::kHard},
    {"runner.version", Tier::kHard},
    {"loads.user", Tier::kHard},
    // The kernel and its setting.
    {"kernel", Tier::kSubject},
    {"source", Tier::kSubject},
    {"source version", Tier::kSubject},
    {"patches", Tier::kSubject},
    {"config", Tier::kSubject},
    {"toolchain", Tier::kSubject},
    {"release", Tier::kSubject},
    {"boot parameters", Tier::kSubject},
    {"tunables", Tier::kSubject},
    {"sched_ext", Tier::kSubject},
    {"autogroup", Tier::kSubject},
    {"mitigations", Tier::kSubject},
    {"kernel.hz", Tier::kSubject},
    {"kernel.preemption", Tier::kSubject},
    {"kernel.preempt_dynamic", Tier::kSubject},
    {"kernel.preempt_mode", Tier::kSubject},
};

// The kernel's names of vulnerabilities; parts of a state look like "STIBP: disabled".
bool IsVulnerability(absl::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return absl::ascii_islower(static_cast<unsigned char>(c)) ||
           absl::ascii_isdigit(static_cast<unsigned char>(c)) || c == '_';
  });
}

// "meltdown: Mitigation: PTI; mds: Not affected" → meltdown: "Mitigation", mds: "Not".
std::map<std::string, std::string> Mitigations(absl::string_view text) {
  std::map<std::string, std::string> words;
  for (absl::string_view part : absl::StrSplit(text, "; ")) {
    const std::vector<absl::string_view> halves = absl::StrSplit(part, absl::MaxSplits(": ", 1));
    if (halves.size() != 2 || !IsVulnerability(halves[0])) continue;
    const std::vector<absl::string_view> state =
        absl::StrSplit(halves[1], absl::ByAnyChar(" :;,"), absl::SkipEmpty());
    if (!state.empty()) words.emplace(halves[0], state[0]);
  }
  return words;
}

bool MitigationsDiffer(absl::string_view base, absl::string_view challenger) {
  const std::map<std::string, std::string> theirs = Mitigations(challenger);
  for (const auto& [name, state] : Mitigations(base)) {
    const auto other = theirs.find(name);
    if (other != theirs.end() && other->second != state) return true;
  }
  return false;
}

// "none (voluntary) full" → "voluntary": what is chosen, whatever else the kernel offers.
absl::string_view Chosen(absl::string_view modes) {
  const size_t open = modes.find('(');
  const size_t close = modes.find(')');
  if (open == absl::string_view::npos || close == absl::string_view::npos || close < open) {
    return modes;
  }
  return modes.substr(open + 1, close - open - 1);
}

// A small kernel and a distribution's leave unlike parts of half a GiB to user space.
bool MemoryDiffers(absl::string_view base, absl::string_view challenger) {
  constexpr double kKernelsShare = 0.15;
  double a = 0;
  double b = 0;
  if (!absl::SimpleAtod(base, &a) || !absl::SimpleAtod(challenger, &b)) return true;
  return std::fabs(a - b) > kKernelsShare * std::max(std::fabs(a), std::fabs(b));
}

std::string Value(const Map& facts, const std::string& name) {
  const auto found = facts.find(name);
  return found == facts.end() ? "" : found->second;
}

bool HasFacts(const BootData& boot) {
  return boot.view().outcome() == v1::OUTCOME_MEASURED &&
         !boot.result().fingerprint().facts().empty();
}

// The measured boot of A and of the challenger, a pair a block.
struct Pair {
  uint32_t block;
  const BootData* base;
  const BootData* challenger;
};
std::vector<Pair> PairsOf(const v1::ReportData& data, uint32_t variant) {
  std::map<uint32_t, Pair> blocks;
  for (const BootData& boot : data.boots()) {
    if (!HasFacts(boot)) continue;
    Pair& pair =
        blocks.try_emplace(boot.view().block(), Pair{boot.view().block(), nullptr, nullptr})
            .first->second;
    if (boot.view().variant() == 0) pair.base = &boot;
    if (boot.view().variant() == variant) pair.challenger = &boot;
  }
  std::vector<Pair> pairs;
  for (const auto& [block, pair] : blocks) {
    if (pair.base != nullptr && pair.challenger != nullptr) pairs.push_back(pair);
  }
  return pairs;
}

// Facts of one tier that differ in some pair, each with the first such pair.
std::map<std::string, Pair> FactsThatDiffer(const std::vector<Pair>& pairs, Tier tier) {
  std::map<std::string, Pair> found;
  for (const Pair& pair : pairs) {
    const Map& theirs = pair.challenger->result().fingerprint().facts();
    for (const auto& [name, value] : pair.base->result().fingerprint().facts()) {
      if (TierOf(name) == tier && Differs(name, value, Value(theirs, name))) {
        found.emplace(name, pair);
      }
    }
  }
  return found;
}

void AddHard(const std::string& letter, const std::vector<Pair>& pairs, v1::Report* report) {
  const auto add = [&](const std::string& name, const Pair& pair, absl::string_view base,
                       absl::string_view challenger) {
    v1::ReportHardDifference* difference = report->add_hard_differences();
    difference->set_letter(letter);
    difference->set_name(PrintableLine(name));
    difference->set_base(PrintableLine(base));
    difference->set_challenger(PrintableLine(challenger));
    difference->set_block(pair.block);
  };
  for (const Pair& pair : pairs) {
    if (pair.base->view().machine() == pair.challenger->view().machine()) continue;
    add("machine", pair, pair.base->view().machine(), pair.challenger->view().machine());
    break;
  }
  for (const auto& [name, pair] : FactsThatDiffer(pairs, Tier::kHard)) {
    add(name, pair, Value(pair.base->result().fingerprint().facts(), name),
        Value(pair.challenger->result().fingerprint().facts(), name));
  }
}

// "guest-6.12.config" is for 6.12 and for "6.12.57-1", not for 6.1.
bool IsOfVersion(absl::string_view fragment, absl::string_view release) {
  if (!absl::ConsumeSuffix(&fragment, ".config")) return false;
  const absl::string_view version = fragment.substr(fragment.rfind('-') + 1);
  if (version.empty() || !absl::ascii_isdigit(version.front())) return false;
  if (!absl::StrContains(version, '.') || !absl::ConsumePrefix(&release, version)) return false;
  return release.empty() || !absl::ascii_isdigit(release.front());
}

// Its release; of a kernel that is not built, what the name of its source package says.
absl::string_view VersionOf(const VariantData& data) {
  if (!data.expected().release().empty()) return data.expected().release();
  absl::string_view package = data.kernel().debian_source().package();
  absl::ConsumePrefix(&package, "linux-source-");
  return package;
}

std::string ConfigOf(const VariantData& data) {
  const v1::KernelConfig& config = data.kernel().config();
  std::string text = absl::StrCat(static_cast<int>(config.base()), " ", config.base_file());
  for (const std::string& fragment : config.fragments()) {
    if (!IsOfVersion(fragment, VersionOf(data))) absl::StrAppend(&text, " ", fragment);
  }
  for (const std::string& option : config.options()) absl::StrAppend(&text, " ", option);
  return text;
}

// What is compiled: the version that was found, else where it was to come from.
std::string SourceOf(const VariantData& data) {
  if (!data.build().source_version().empty()) return data.build().source_version();
  const v1::Kernel& kernel = data.kernel();
  return absl::StrCat(kernel.debian_source().ShortDebugString(),
                      kernel.tarball().ShortDebugString(), kernel.git().ShortDebugString(),
                      kernel.local_tree().ShortDebugString(),
                      kernel.debian_image().ShortDebugString());
}

template <typename Range>
std::string Joined(const Range& messages) {
  return absl::StrJoin(messages, "\n", [](std::string* out, const auto& message) {
    absl::StrAppend(out, message.ShortDebugString());
  });
}

std::string PatchesOf(const VariantData& data) {
  return absl::StrJoin(data.kernel().patches(), " ", [](std::string* out, const v1::Patch& patch) {
    absl::StrAppend(out, patch.sha256().empty() ? patch.location() : patch.sha256());
  });
}

// Whether a difference of a fact follows from what is already told.
bool IsExplained(const std::string& fact, const std::set<std::string>& axes, bool parameters,
                 bool tunables) {
  const bool config = axes.count("config") > 0;
  if (fact == "mitigations") return parameters || config;
  if (fact == "autogroup" || fact == "kernel.preempt_mode") return parameters || tunables || config;
  return config;
}

std::vector<std::string> WhatDiffers(const VariantData& a, const VariantData& b,
                                     const std::vector<Pair>& pairs) {
  std::vector<std::string> names;
  const auto add = [&](const char* name, bool differs) {
    if (differs) names.push_back(name);
  };
  add("source version", SourceOf(a) != SourceOf(b));
  add("patches", PatchesOf(a) != PatchesOf(b));
  add("config", ConfigOf(a) != ConfigOf(b));
  add("toolchain", !a.build().toolchain().empty() && !b.build().toolchain().empty() &&
                       a.build().toolchain() != b.build().toolchain());
  const std::string parameters_a = absl::StrJoin(a.kernel().boot_parameters(), " ");
  const std::string parameters_b = absl::StrJoin(b.kernel().boot_parameters(), " ");
  add("the kernel entry's boot parameters", parameters_a != parameters_b);
  const bool entry_tunables = Joined(a.kernel().tunables()) != Joined(b.kernel().tunables());
  add("the kernel entry's tunables", entry_tunables);
  const std::set<std::string> axes(names.begin(), names.end());
  const bool parameters =
      parameters_a != parameters_b || absl::StrJoin(a.variant().boot_parameters(), " ") !=
                                          absl::StrJoin(b.variant().boot_parameters(), " ");
  const bool tunables =
      entry_tunables || Joined(a.variant().tunables()) != Joined(b.variant().tunables());
  for (const auto& [fact, pair] : FactsThatDiffer(pairs, Tier::kSubject)) {
    if (!IsExplained(fact, axes, parameters, tunables)) names.push_back(PrintableLine(fact));
  }
  const bool other_scheduler = std::any_of(pairs.begin(), pairs.end(), [](const Pair& pair) {
    return pair.base->result().identity().sched_ext_ops() !=
           pair.challenger->result().identity().sched_ext_ops();
  });
  add("sched_ext scheduler", other_scheduler);
  return names;
}

}  // namespace

Tier TierOf(absl::string_view name) {
  // "input.NAME": the digest of a tree that the loads build.
  if (absl::StartsWith(name, "input.")) return Tier::kHard;
  const auto* found = std::find_if(std::begin(kTiers), std::end(kTiers),
                                   [&](const Entry& entry) { return entry.name == name; });
  return found == std::end(kTiers) ? Tier::kSoft : found->tier;
}

std::string TierWord(Tier tier) {
  if (tier == Tier::kHard) return "hard";
  return tier == Tier::kSubject ? "subject" : "soft";
}

bool Differs(absl::string_view name, absl::string_view base, absl::string_view challenger) {
  if (base.empty() || challenger.empty() || base == challenger) return false;
  if (name == "memory_kib") return MemoryDiffers(base, challenger);
  if (name == "mitigations") return MitigationsDiffer(base, challenger);
  if (name == "kernel.preempt_mode") return Chosen(base) != Chosen(challenger);
  return true;
}

void AddComparability(const v1::ReportData& data, v1::Report* report) {
  for (int v = 1; v < data.variants_size(); ++v) {
    const auto index = static_cast<uint32_t>(v);
    const std::string letter(1, VariantLetter(index));
    const std::vector<Pair> pairs = PairsOf(data, index);
    AddHard(letter, pairs, report);
    const std::vector<std::string> names = WhatDiffers(data.variants(0), data.variants(v), pairs);
    const bool other_kernel =
        data.variants(0).variant().kernel() != data.variants(v).variant().kernel();
    if (names.size() <= (other_kernel ? 1u : 0u)) continue;
    v1::ReportConfounding* confounding = report->add_confounded();
    confounding->set_letter(letter);
    for (const std::string& name : names) confounding->add_names(name);
  }
}

}  // namespace shakedown::compare
