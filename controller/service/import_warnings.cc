#include "controller/service/import_warnings.h"

#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace shakedown::service {
namespace {

// "a" or "a / b" over the texts of one kernel; "not said" where none says it.
std::string ValuesOf(const std::vector<store::ImportFacts>& texts, const std::string& fact) {
  std::set<std::string> values;
  for (const store::ImportFacts& text : texts) {
    const auto found = text.facts.find(fact);
    values.insert(found == text.facts.end() ? "not said" : found->second);
  }
  return absl::StrJoin(values, " / ");
}

std::set<std::string> NamesOf(const TextsByKernel& texts) {
  std::set<std::string> names;
  for (const auto& [kernel, its] : texts) {
    for (const store::ImportFacts& text : its) {
      for (const auto& [name, value] : text.facts) names.insert(name);
    }
  }
  return names;
}

}  // namespace

std::vector<std::string> FactWarnings(const std::vector<std::string>& kernels,
                                      const TextsByKernel& texts) {
  std::vector<std::string> warnings;
  for (const std::string& name : NamesOf(texts)) {
    std::set<std::string> values;
    std::vector<std::string> parts;
    for (const std::string& kernel : kernels) {
      const auto its = texts.find(kernel);
      if (its == texts.end()) continue;
      const std::string value = ValuesOf(its->second, name);
      values.insert(value);
      parts.push_back(absl::StrCat(kernel, ": ", value));
    }
    if (values.size() < 2) continue;
    warnings.push_back(
        absl::StrCat(name, " differs beside the kernel: ", absl::StrJoin(parts, "; ")));
  }
  return warnings;
}

std::vector<std::string> PoolingWarnings(const std::vector<std::string>& kernels,
                                         const TextsByKernel& texts) {
  std::vector<std::string> warnings;
  for (const std::string& kernel : kernels) {
    const auto its = texts.find(kernel);
    if (its == texts.end()) continue;
    std::set<std::string> sources;
    for (const store::ImportFacts& text : its->second) sources.insert(text.source);
    if (sources.size() < 2) continue;
    warnings.push_back(absl::StrCat(kernel, ": numbers of ", its->second.size(), " texts from ",
                                    sources.size(), " sources together"));
  }
  return warnings;
}

}  // namespace shakedown::service
