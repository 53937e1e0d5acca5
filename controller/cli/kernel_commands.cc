// kernels show, add, remove, lint.
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "controller/cli/commands.h"
#include "controller/cli/exit_code.h"
#include "controller/cli/input_file.h"
#include "kernels/recipe/catalog.h"
#include "kernels/recipe/check_kernel.h"
#include "kernels/recipe/kernel_text.h"
#include "proto/wire/ids.h"
#include "proto/wire/sanitise.h"
#include "proto/wire/status.h"

namespace shakedown::cli {
namespace {

using kernels::Finding;

constexpr size_t kMaxPatch = 8 << 20;
constexpr char kCatalog[] = "kernels/catalog";
constexpr char kConfigs[] = "kernels/configs";

absl::Status AddPatch(const std::string& path, uint32_t strip, v1::AddKernelRequest& request) {
  absl::StatusOr<std::string> content = ReadInput(path, kMaxPatch);
  if (absl::IsOutOfRange(content.status())) {
    return absl::InvalidArgumentError(
        absl::StrCat("--patch ", Quoted(path), ": is longer than 8 MiB, want at most that"));
  }
  if (!content.ok()) return Annotate(content.status(), "--patch");
  if (content->empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--patch ", Quoted(path), ": is empty, want a patch"));
  }
  v1::AddKernelRequest::PatchFile* patch = request.add_patches();
  // For display only: the farm knows it by its digest. Not UTF-8 would not travel.
  patch->set_name(ToUtf8(std::filesystem::path(path).filename().string()));
  patch->set_content(*std::move(content));
  patch->set_strip(strip);
  return absl::OkStatus();
}

absl::StatusOr<v1::AddKernelRequest> RequestOf(const KernelAddArgs& args) {
  RETURN_IF_ERROR(CheckName("kernel", args.name));
  if (args.patches.empty() && args.options.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("kernel ", Quoted(args.name),
                                                   ": nothing differs from ", Quoted(args.from),
                                                   "; want --patch or --config"));
  }
  v1::AddKernelRequest request;
  request.set_from(args.from);
  request.mutable_kernel()->set_name(args.name);
  request.mutable_kernel()->set_description(args.description);
  for (const std::string& path : args.patches) {
    RETURN_IF_ERROR(AddPatch(path, args.strip, request));
  }
  for (const std::string& option : args.options) {
    if (!absl::StrContains(option, '=') || absl::StartsWith(option, "CONFIG_")) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--config ", Quoted(option), ": want OPTION=VALUE without CONFIG_, e.g. HZ_1000=y"));
    }
    request.add_config_options(option);
  }
  return request;
}

std::vector<Finding> LintOne(const std::string& file) {
  const auto wrong = [&](absl::string_view what) {
    return std::vector<Finding>{{Finding::Severity::kError, file, std::string(what)}};
  };
  const absl::StatusOr<std::string> text = ReadInput(file, kernels::kMaxKernelText);
  if (!text.ok()) return wrong(text.status().message());
  const absl::StatusOr<v1::Kernel> kernel = kernels::ParseKernel(*text, file);
  if (!kernel.ok()) {
    std::vector<Finding> findings;
    for (absl::string_view line : absl::StrSplit(kernel.status().message(), '\n')) {
      absl::ConsumePrefix(&line, absl::StrCat(file, ":"));
      findings.push_back({Finding::Severity::kError, file, std::string(line)});
    }
    return findings;
  }
  return kernels::CheckKernel(*kernel, file);
}

}  // namespace

int ShowKernel(const Desk& desk, const KernelShowArgs& args) {
  const absl::StatusOr<v1::ListKernelsResponse> answer = desk.farm.ListKernels();
  if (!answer.ok()) return Fail(desk.screen, answer.status());
  for (const v1::Kernel& kernel : answer->kernels()) {
    if (kernel.name() != args.name) continue;
    if (args.json) {
      desk.screen.PrintJson(kernel);
    } else {
      desk.screen.Print(kernels::PrintKernel(kernel));
    }
    return kOk;
  }
  return Fail(desk.screen, absl::NotFoundError(absl::StrCat(
                               "kernel ", Quoted(args.name),
                               ": the catalog has none of this name; see shakedown kernels")));
}

int AddKernel(const Desk& desk, const KernelAddArgs& args) {
  const absl::StatusOr<v1::AddKernelRequest> request = RequestOf(args);
  if (!request.ok()) return Fail(desk.screen, request.status());
  const absl::StatusOr<v1::AddKernelResponse> answer = desk.farm.AddKernel(*request);
  if (!answer.ok()) return Fail(desk.screen, answer.status());
  desk.screen.Print(absl::StrCat("Kernel ", PrintableLine(answer->kernel().name()),
                                 " is in the catalog. It is built when a job first asks for it: ",
                                 "shakedown submit --baseline ", args.from, " --challenger ",
                                 PrintableLine(answer->kernel().name()), " --load latt\n"));
  return kOk;
}

int RemoveKernel(const Desk& desk, const KernelRemoveArgs& args) {
  const absl::Status name = CheckName("kernel", args.name);
  if (!name.ok()) return Fail(desk.screen, name);
  v1::RemoveKernelRequest request;
  request.set_name(args.name);
  const absl::StatusOr<v1::RemoveKernelResponse> answer = desk.farm.RemoveKernel(request);
  if (!answer.ok()) return Fail(desk.screen, answer.status());
  desk.screen.Print(absl::StrCat("Kernel ", args.name,
                                 " is removed. What was built and measured of it stays.\n"));
  return kOk;
}

int LintKernels(Screen& screen, const KernelLintArgs& args) {
  std::vector<Finding> findings;
  if (args.files.empty()) {
    findings = kernels::LintCatalog(args.catalog.empty() ? kCatalog : args.catalog,
                                    args.configs.empty() ? kConfigs : args.configs);
  }
  for (const std::string& file : args.files) {
    for (Finding& finding : LintOne(file)) findings.push_back(std::move(finding));
  }
  const std::string text = kernels::PrintFindings(findings);
  screen.Print(text);
  if (!text.empty() && text.back() != '\n') screen.Print("\n");
  if (!kernels::Passes(findings)) return kOther;
  screen.Note("no errors");
  return kOk;
}

}  // namespace shakedown::cli
