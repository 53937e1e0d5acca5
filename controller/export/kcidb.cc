#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "controller/compare/words.h"
#include "controller/export/export.h"
#include "controller/export/parts.h"
#include "proto/wire/ids.h"
#include "proto/wire/sanitise.h"

namespace shakedown::exporting {
namespace {

constexpr char kOrigin[] = "shakedown";
constexpr size_t kMostExcerpt = 16384;  // The schema's.

std::string Id(absl::string_view rest) { return absl::StrCat(kOrigin, ":", rest); }

std::string CheckoutId(const v1::ReportData::VariantData& variant) {
  if (variant.kernel().has_git()) return Id(absl::StrCat("git:", variant.kernel().git().commit()));
  return Id(absl::StrCat("kernel:", variant.variant().kernel()));
}

std::string BuildId(const v1::ReportData::VariantData& variant) {
  return Id(absl::StrCat("build:", variant.build().build_id()));
}

Json Checkout(const v1::ReportData::VariantData& variant) {
  Json json = {{"id", CheckoutId(variant)}, {"origin", kOrigin}, {"valid", true}};
  const v1::Kernel& kernel = variant.kernel();
  if (kernel.has_git()) {
    json["git_commit_hash"] = kernel.git().commit();
    if (absl::StartsWith(kernel.git().location(), "https://")) {
      json["git_repository_url"] = kernel.git().location();
    }
  }
  json["comment"] =
      PrintableLine(kernel.description().empty() ? kernel.name() : kernel.description());
  json["misc"] = {{"kernel", variant.variant().kernel()},
                  {"source_version", variant.build().source_version()}};
  return json;
}

Json Build(const v1::ReportData::VariantData& variant) {
  const v1::BuildView& build = variant.build();
  Json json = {{"id", BuildId(variant)},
               {"checkout_id", CheckoutId(variant)},
               {"origin", kOrigin},
               {"architecture", "x86_64"}};
  if (!build.toolchain().empty()) json["compiler"] = PrintableLine(build.toolchain());
  if (build.has_created()) json["start_time"] = TimeText(build.created());
  if (build.duration_ms() != 0) json["duration"] = static_cast<double>(build.duration_ms()) / 1000;
  // Only the kernel's own failure is one of the kernel's.
  if (build.status() == "built" || build.status() == "failed") {
    json["valid"] = build.status() == "built";
  }
  if (build.status() == "failed") {
    json["log_excerpt"] = ToUtf8(absl::string_view(build.error()).substr(0, kMostExcerpt));
  }
  json["misc"] = {{"build_key", build.build_key()}, {"release", build.release()}};
  return json;
}

// Letters, digits, '_' and '-' between dots.
std::string Path(absl::string_view load) {
  std::string path(load.substr(0, load.find(' ')));
  for (char& c : path) {
    const bool fits = absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-';
    if (!fits) c = '_';
  }
  return path.empty() ? "load" : path;
}

const char* BootStatus(v1::Outcome outcome) {
  switch (outcome) {
    case v1::OUTCOME_MEASURED:
    case v1::OUTCOME_LOAD_FAILED:
    case v1::OUTCOME_SCHEDULER_EJECTED:
    case v1::OUTCOME_DISTURBED:
      return "PASS";  // It came up; its loads are tests of their own.
    case v1::OUTCOME_BOOT_FAILED:
    case v1::OUTCOME_PANICKED:
    case v1::OUTCOME_HUNG:
      return "FAIL";
    case v1::OUTCOME_WRONG_KERNEL:
      return "ERROR";
    default:
      return "MISS";  // Lost by the farm, cancelled, or never built.
  }
}

Json Environment(const v1::BootView& view) {
  return {{"comment", absl::StrCat("machine ", PrintableLine(view.machine()))}};
}

Json BootTest(const v1::ReportData& data, const v1::ReportData::BootData& boot) {
  const v1::BootView& view = boot.view();
  Json json = {{"id", Id(absl::StrCat("boot:", view.name()))},
               {"build_id", BuildId(data.variants(static_cast<int>(view.variant())))},
               {"origin", kOrigin},
               {"path", "boot"},
               {"status", BootStatus(view.outcome())}};
  if (!view.machine().empty()) json["environment"] = Environment(view);
  if (!view.reason().empty()) json["comment"] = PrintableLine(view.reason(), 500);
  if (view.has_started()) json["start_time"] = TimeText(view.started());
  if (view.boot_ms() != 0) json["duration"] = static_cast<double>(view.boot_ms()) / 1000;
  if (!view.console_tail().empty()) {
    json["log_excerpt"] = ToUtf8(absl::string_view(view.console_tail()).substr(0, kMostExcerpt));
  }
  json["misc"] = {{"outcome", compare::Word(view.outcome())}, {"job", data.job().job()}};
  return json;
}

Json LoadTest(const v1::ReportData& data, const v1::ReportData::BootData& boot,
              const v1::LoadRun& run) {
  const v1::BootView& view = boot.view();
  const std::string load = LoadOf(data, run.load());
  Json measurements = Json::array();
  for (const v1::Measurement& m : run.measurements()) {
    measurements.push_back({{"metric", m.metric()},
                            {"value", m.value()},
                            {"unit", m.unit()},
                            {"iteration", m.iteration()},
                            {"warmup", m.warmup()}});
  }
  Json json = {{"id", Id(absl::StrCat("load:", view.name(), ":", run.load()))},
               {"build_id", BuildId(data.variants(static_cast<int>(view.variant())))},
               {"origin", kOrigin},
               {"path", Path(load)},
               {"status", run.disturbances().empty() ? "DONE" : "ERROR"},
               {"environment", Environment(view)},
               {"duration", static_cast<double>(run.duration_ms()) / 1000}};
  json["misc"] = {{"load", load}, {"boot", view.name()}, {"measurements", measurements}};
  return json;
}

// The load that a boot ended by has no run in its result.
Json FailedLoadTest(const v1::ReportData& data, const v1::ReportData::BootData& boot) {
  const v1::BootView& view = boot.view();
  const auto load = static_cast<uint32_t>(boot.result().load_runs_size());
  Json json = {{"id", Id(absl::StrCat("load:", view.name(), ":", load))},
               {"build_id", BuildId(data.variants(static_cast<int>(view.variant())))},
               {"origin", kOrigin},
               {"path", Path(LoadOf(data, load))},
               {"status", "FAIL"},
               {"environment", Environment(view)},
               {"comment", PrintableLine(view.reason(), 500)}};
  json["misc"] = {{"outcome", compare::Word(view.outcome())}, {"boot", view.name()}};
  return json;
}

}  // namespace

std::string KcidbObject(const v1::ReportData& data) {
  Json checkouts = Json::array();
  Json builds = Json::array();
  Json tests = Json::array();
  std::set<std::string> seen;
  for (const v1::ReportData::VariantData& variant : data.variants()) {
    if (seen.insert(CheckoutId(variant)).second) checkouts.push_back(Checkout(variant));
    if (seen.insert(BuildId(variant)).second) builds.push_back(Build(variant));
  }
  for (const v1::ReportData::BootData& boot : data.boots()) {
    const v1::BootView& view = boot.view();
    if (static_cast<int>(view.variant()) >= data.variants_size()) continue;
    tests.push_back(BootTest(data, boot));
    for (const v1::LoadRun& run : boot.result().load_runs()) {
      tests.push_back(LoadTest(data, boot, run));
    }
    const bool failed = view.outcome() == v1::OUTCOME_LOAD_FAILED ||
                        view.outcome() == v1::OUTCOME_SCHEDULER_EJECTED;
    if (failed && boot.result().load_runs_size() < data.job().spec().loads_size()) {
      tests.push_back(FailedLoadTest(data, boot));
    }
  }
  Json object;
  object["version"] = {{"major", 4}, {"minor", 1}};
  object["checkouts"] = checkouts;
  object["builds"] = builds;
  object["tests"] = tests;
  return Dump(object) + "\n";
}

}  // namespace shakedown::exporting
