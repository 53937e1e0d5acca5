#include "controller/compare/differences.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"

namespace shakedown::compare {
namespace {

using VariantData = v1::ReportData::VariantData;
using Values = std::set<std::string>;

// A boot that failed may have told a part of its facts; what is missing there is no difference.
bool HasFacts(const v1::ReportData::BootData& boot) {
  return boot.view().outcome() == v1::OUTCOME_MEASURED &&
         !boot.result().fingerprint().facts().empty();
}

// More than three values of one variant are not told apart here: the boots themselves have them.
std::string OneText(const Values& values) {
  if (values.size() > 3) return absl::StrCat(values.size(), " different values");
  return absl::StrJoin(values, " | ");
}

std::string SourceOf(const v1::Kernel& kernel) {
  switch (kernel.source_case()) {
    case v1::Kernel::kDebianSource:
      return absl::StrCat(kernel.debian_source().package(), " ", kernel.debian_source().version());
    case v1::Kernel::kTarball:
      return kernel.tarball().location();
    case v1::Kernel::kGit:
      return absl::StrCat(kernel.git().location(), " ", kernel.git().commit());
    case v1::Kernel::kLocalTree:
      return kernel.local_tree().path();
    case v1::Kernel::kDebianImage:
      return absl::StrCat(kernel.debian_image().package(), " ", kernel.debian_image().version());
    case v1::Kernel::SOURCE_NOT_SET:
      return "";
  }
  return "";
}

std::string ConfigOf(const v1::Kernel& kernel) {
  const v1::KernelConfig& config = kernel.config();
  if (config.base() == v1::KernelConfig::BASE_UNSPECIFIED) return "";
  std::string text = config.base() == v1::KernelConfig::BASE_FILE
                         ? config.base_file()
                         : absl::AsciiStrToLower(absl::StripPrefix(
                               v1::KernelConfig::Base_Name(config.base()), "BASE_"));
  for (const std::string& fragment : config.fragments()) absl::StrAppend(&text, " ", fragment);
  for (const std::string& option : config.options()) absl::StrAppend(&text, " ", option);
  return text;
}

std::string PatchesOf(const v1::Kernel& kernel) {
  return absl::StrJoin(kernel.patches(), " ", [](std::string* out, const v1::Patch& patch) {
    const absl::string_view location = patch.location();
    absl::StrAppend(out, location.substr(location.rfind('/') + 1), "@",
                    absl::string_view(patch.sha256()).substr(0, 12));
  });
}

// The kernel's own come first, the variant's after them: as they are put on the command line.
std::string BootParametersOf(const VariantData& data) {
  std::vector<std::string> all(data.kernel().boot_parameters().begin(),
                               data.kernel().boot_parameters().end());
  all.insert(all.end(), data.variant().boot_parameters().begin(),
             data.variant().boot_parameters().end());
  return absl::StrJoin(all, " ");
}

// The variant's value of a name wins.
std::string TunablesOf(const VariantData& data) {
  std::map<std::string, std::string> values;
  for (const v1::Tunable& tunable : data.kernel().tunables()) {
    values[tunable.name()] = tunable.value();
  }
  for (const v1::Tunable& tunable : data.variant().tunables()) {
    values[tunable.name()] = tunable.value();
  }
  return absl::StrJoin(values, " ", absl::PairFormatter("="));
}

void AddDeclared(const v1::ReportData& data, const std::string& name,
                 const std::function<std::string(const VariantData&)>& text,
                 std::vector<v1::ReportDifference>* differences) {
  v1::ReportDifference difference;
  difference.set_name(name);
  Values distinct;
  for (const VariantData& variant : data.variants()) {
    difference.add_values(text(variant));
    distinct.insert(text(variant));
  }
  if (distinct.size() > 1) differences->push_back(std::move(difference));
}

// What every boot with a result said under `name`, by variant.
std::map<uint32_t, Values> FoundByVariant(
    const v1::ReportData& data, const std::function<std::string(const v1::BootResult&)>& text) {
  std::map<uint32_t, Values> found;
  for (const v1::ReportData::BootData& boot : data.boots()) {
    if (HasFacts(boot)) found[boot.view().variant()].insert(text(boot.result()));
  }
  return found;
}

Values AllOf(const std::map<uint32_t, Values>& by_variant) {
  Values all;
  for (const auto& [variant, values] : by_variant) all.insert(values.begin(), values.end());
  return all;
}

void AddFound(const v1::ReportData& data, const std::string& name,
              const std::function<std::string(const v1::BootResult&)>& text,
              std::vector<v1::ReportDifference>* differences) {
  std::map<uint32_t, Values> found = FoundByVariant(data, text);
  if (AllOf(found).size() <= 1) return;
  v1::ReportDifference difference;
  difference.set_name(name);
  for (int i = 0; i < data.variants_size(); ++i) difference.add_values(OneText(found[i]));
  differences->push_back(std::move(difference));
}

// Readings of one boot, of which no two are alike; they are no state of the machine.
bool IsReading(const std::string& name) {
  return name == "vm.host_foreign_cpu" || name == "vm.host_steal";
}

Values FactNames(const v1::ReportData& data) {
  Values names;
  for (const v1::ReportData::BootData& boot : data.boots()) {
    if (!HasFacts(boot)) continue;
    for (const auto& [name, value] : boot.result().fingerprint().facts()) {
      if (!IsReading(name)) names.insert(name);
    }
  }
  return names;
}

std::string FactOf(const v1::BootResult& result, const std::string& name) {
  const auto& facts = result.fingerprint().facts();
  const auto found = facts.find(name);
  return found == facts.end() ? "" : found->second;
}

}  // namespace

std::vector<v1::ReportDifference> FindDifferences(const v1::ReportData& data) {
  std::vector<v1::ReportDifference> found;
  const auto kernel = [](auto text) {
    return [text](const VariantData& variant) { return text(variant.kernel()); };
  };
  AddDeclared(
      data, "kernel", [](const auto& v) { return v.variant().kernel(); }, &found);
  AddDeclared(data, "source", kernel(SourceOf), &found);
  AddDeclared(
      data, "source version", [](const auto& v) { return v.build().source_version(); }, &found);
  AddDeclared(data, "config", kernel(ConfigOf), &found);
  AddDeclared(data, "patches", kernel(PatchesOf), &found);
  AddDeclared(
      data, "toolchain", [](const auto& v) { return v.build().toolchain(); }, &found);
  AddDeclared(
      data, "release", [](const auto& v) { return v.expected().release(); }, &found);
  AddDeclared(data, "boot parameters", BootParametersOf, &found);
  AddDeclared(data, "tunables", TunablesOf, &found);
  AddFound(
      data, "sched_ext",
      [](const v1::BootResult& result) {
        return absl::StrCat(result.identity().sched_ext_state(), " ",
                            result.identity().sched_ext_ops());
      },
      &found);
  for (const std::string& name : FactNames(data)) {
    AddFound(
        data, name, [&](const v1::BootResult& result) { return FactOf(result, name); }, &found);
  }
  return found;
}

std::vector<v1::ReportFact> CommonFacts(const v1::ReportData& data) {
  std::vector<v1::ReportFact> common;
  for (const std::string& name : FactNames(data)) {
    const Values values = AllOf(
        FoundByVariant(data, [&](const v1::BootResult& result) { return FactOf(result, name); }));
    if (values.size() != 1 || values.begin()->empty()) continue;
    v1::ReportFact fact;
    fact.set_name(name);
    fact.set_value(*values.begin());
    common.push_back(std::move(fact));
  }
  return common;
}

}  // namespace shakedown::compare
