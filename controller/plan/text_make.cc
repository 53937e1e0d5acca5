#include <algorithm>
#include <array>
#include <cmath>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "controller/plan/text_loads.h"
#include "proto/wire/status.h"

namespace shakedown::plan {
namespace {

constexpr std::array<absl::string_view, 3> kConfigTargets = {"allnoconfig", "defconfig",
                                                             "tinyconfig"};

}  // namespace

absl::Status SetJobs(const std::string& value, v1::MakeLoad* make) {
  absl::string_view text = value;
  uint32_t jobs = 0;
  double per_cpu = 0;
  const bool multiple = absl::ConsumeSuffix(&text, "x");
  const bool plain = !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return absl::ascii_isdigit(c) || (multiple && c == '.');
  });
  if (plain && multiple && absl::SimpleAtod(text, &per_cpu) && per_cpu > 0) {
    make->clear_jobs();
    make->set_jobs_per_cpu(per_cpu);
    return absl::OkStatus();
  }
  if (plain && !multiple && absl::SimpleAtoi(text, &jobs) && jobs > 0) {
    make->clear_jobs_per_cpu();
    make->set_jobs(jobs);
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      "want a whole number from 1, or a multiple of the CPUs such as 2x or 1.5x");
}

std::string PrintJobs(const v1::MakeLoad& make) {
  if (make.jobs_per_cpu() > 0) return absl::StrCat(make.jobs_per_cpu(), "x");
  return make.jobs() > 0 ? absl::StrCat(make.jobs()) : "";
}

void AddMakeOptions(v1::MakeLoad* make, const FileReader& files, Options* options) {
  options->values["jobs"] = [make](const std::string& value) { return SetJobs(value, make); };
  options->values["targets"] = ListInto(make->mutable_targets());
  options->values["tree"] = TextInto([make](std::string name) { make->set_tree(std::move(name)); });
  options->values["config"] = [make, &files](const std::string& value) -> absl::Status {
    make->clear_config();
    make->clear_config_target();
    if (std::find(kConfigTargets.begin(), kConfigTargets.end(), value) != kConfigTargets.end()) {
      make->set_config_target(value);
      return absl::OkStatus();
    }
    if (!files) {
      return absl::InvalidArgumentError("want allnoconfig, defconfig or tinyconfig");
    }
    ASSIGN_OR_RETURN(*make->mutable_config(), files(value));
    return absl::OkStatus();
  };
  options->flags["cold"] = [make] { make->set_cold(true); };
}

void PrintMake(const v1::MakeLoad& make, OptionPrinter& print) {
  print.Text("jobs", PrintJobs(make));
  print.List("targets", make.targets(), {});
  print.Text("tree", make.tree());
  print.Text("config", make.config_target());
  if (!make.config().empty())
    print.Text("config", absl::StrCat("(", make.config().size(), " bytes)"));
  print.Flag("cold", make.cold());
}

}  // namespace shakedown::plan
