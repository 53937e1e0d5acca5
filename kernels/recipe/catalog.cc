#include "kernels/recipe/catalog.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "kernels/recipe/config.h"
#include "kernels/recipe/kernel_text.h"
#include "proto/wire/digest.h"
#include "proto/wire/files.h"
#include "proto/wire/status.h"

namespace shakedown::kernels {
namespace {

namespace fs = std::filesystem;

constexpr absl::string_view kEnding = ".txtpb";
constexpr size_t kMaxFragment = 1 << 20;

void Error(std::vector<Finding>& findings, absl::string_view where, absl::string_view what) {
  findings.push_back({Finding::Severity::kError, std::string(where), std::string(what)});
}

// File names in `folder` with the ending, sorted.
absl::StatusOr<std::vector<std::string>> List(const std::string& folder, absl::string_view ending) {
  std::error_code error;
  std::vector<std::string> names;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::string name = it->path().filename().string();
    if (absl::EndsWith(name, ending)) names.push_back(std::move(name));
  }
  if (error) return ErrnoStatus(error.value(), folder);
  std::sort(names.begin(), names.end());
  return names;
}

// A patch of a URL or an absolute path lives on another machine, perhaps: only those beside the
// catalog are read.
void CheckPatchFiles(const v1::Kernel& kernel, const std::string& folder, const std::string& file,
                     std::vector<Finding>& findings) {
  for (const v1::Patch& patch : kernel.patches()) {
    if (absl::StrContains(patch.location(), "://") || absl::StartsWith(patch.location(), "/")) {
      continue;
    }
    const std::vector<std::string> parts = absl::StrSplit(patch.location(), '/');
    if (std::count(parts.begin(), parts.end(), "..") > 0) {
      Error(findings, file, absl::StrCat("patch ", patch.location(), ": leaves the catalog"));
      continue;
    }
    absl::StatusOr<std::string> digest = Sha256File(absl::StrCat(folder, "/", patch.location()));
    if (!digest.ok()) {
      Error(findings, file, absl::StrCat("patch: ", digest.status().message()));
    } else if (!patch.sha256().empty() && *digest != patch.sha256()) {
      Error(findings, file,
            absl::StrCat("patch ", patch.location(), ": sha256 is ", *digest, ", the entry says ",
                         patch.sha256()));
    }
  }
}

std::vector<Finding> LintFile(const std::string& folder, const std::string& name,
                              const std::set<std::string>* fragments) {
  const std::string file = absl::StrCat(folder, "/", name);
  std::vector<Finding> findings;
  absl::StatusOr<std::string> text = ReadFile(file, kMaxKernelText);
  if (!text.ok()) {
    Error(findings, file, text.status().message());
    return findings;
  }
  absl::StatusOr<v1::Kernel> kernel = ParseKernel(*text, file);
  if (!kernel.ok()) {
    for (absl::string_view line : absl::StrSplit(kernel.status().message(), '\n')) {
      Error(findings, file, absl::StripPrefix(line, absl::StrCat(file, ":")));
    }
    return findings;
  }
  findings = CheckKernel(*kernel, file);
  if (name != absl::StrCat(kernel->name(), kEnding)) {
    Error(findings, file,
          absl::StrCat("name: \"", kernel->name(), "\": want the file's name without ", kEnding));
  }
  CheckPatchFiles(*kernel, folder, file, findings);
  if (fragments == nullptr) return findings;
  std::vector<std::string> wanted(kernel->config().fragments().begin(),
                                  kernel->config().fragments().end());
  if (!kernel->config().base_file().empty()) wanted.push_back(kernel->config().base_file());
  for (const std::string& fragment : wanted) {
    if (!fragments->contains(fragment)) {
      Error(findings, file, absl::StrCat("config: no file ", fragment, " among the fragments"));
    }
  }
  return findings;
}

std::set<std::string> LintFragments(const std::string& folder, std::vector<Finding>& findings) {
  std::set<std::string> good;
  absl::StatusOr<std::vector<std::string>> names = List(folder, ".config");
  if (!names.ok()) {
    Error(findings, folder, names.status().message());
    return good;
  }
  for (const std::string& name : *names) {
    const std::string file = absl::StrCat(folder, "/", name);
    absl::StatusOr<std::string> text = ReadFile(file, kMaxFragment);
    absl::Status status = text.ok() ? ParseFragment(*text, name).status() : text.status();
    if (status.ok() && !IsFragmentName(name)) status = absl::InvalidArgumentError("bad file name");
    if (!status.ok()) Error(findings, file, status.message());
    good.insert(name);
  }
  return good;
}

void Append(std::vector<Finding>& to, std::vector<Finding> from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

}  // namespace

absl::StatusOr<std::map<std::string, v1::Kernel>> LoadCatalog(const std::string& folder) {
  ASSIGN_OR_RETURN(const std::vector<std::string> names, List(folder, kEnding));
  std::map<std::string, v1::Kernel> kernels;
  std::vector<Finding> errors;
  for (const std::string& name : names) {
    std::vector<Finding> findings = LintFile(folder, name, nullptr);
    if (!Passes(findings)) {
      Append(errors, std::move(findings));
      continue;
    }
    const std::string file = absl::StrCat(folder, "/", name);
    ASSIGN_OR_RETURN(const std::string text, ReadFile(file, kMaxKernelText));
    ASSIGN_OR_RETURN(v1::Kernel kernel, ParseKernel(text, file));
    std::string key = kernel.name();
    kernels.emplace(std::move(key), std::move(kernel));
  }
  if (!errors.empty()) return absl::InvalidArgumentError(PrintFindings(errors));
  return kernels;
}

std::vector<Finding> LintCatalog(const std::string& catalog_folder,
                                 const std::string& configs_folder) {
  std::vector<Finding> findings;
  const std::set<std::string> fragments = LintFragments(configs_folder, findings);
  absl::StatusOr<std::vector<std::string>> names = List(catalog_folder, kEnding);
  if (!names.ok()) {
    Error(findings, catalog_folder, names.status().message());
    return findings;
  }
  if (names->empty()) Error(findings, catalog_folder, "no *.txtpb in this folder: want kernels");
  for (const std::string& name : *names) {
    Append(findings, LintFile(catalog_folder, name, &fragments));
  }
  return findings;
}

}  // namespace shakedown::kernels
