#include "controller/plan/check_job.h"

#include <algorithm>
#include <limits>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "controller/plan/check_load.h"
#include "controller/plan/check_setup.h"
#include "controller/plan/check_stopping.h"
#include "controller/plan/check_variant.h"
#include "controller/plan/errors.h"
#include "controller/plan/text.h"
#include "proto/wire/ids.h"
#include "proto/wire/sanitise.h"

namespace shakedown::plan {
namespace {

// Controls, line separators and the marks that turn the direction of writing: they forge reports.
bool IsControl(char32_t point) {
  return point < 0x20 || (point >= 0x7f && point < 0xa0) || (point >= 0x2028 && point <= 0x202e) ||
         (point >= 0x2066 && point <= 0x2069);
}

bool IsPlainText(absl::string_view text) {
  while (!text.empty()) {
    char32_t point;
    const size_t length = DecodeUtf8(text, &point);
    if (length == 0 || IsControl(point)) return false;
    text.remove_prefix(length);
  }
  return true;
}

void CheckSelector(const v1::MachineSelector& machines, Errors& errors) {
  errors.CheckRange("number of machine names", machines.names_size(), 0, 100);
  errors.CheckRange("number of machine tags", machines.tags_size(), 0, 100);
  for (const std::string& name : machines.names()) {
    const absl::Status ok = CheckName("machine", name);
    if (!ok.ok()) errors.Add(std::string(ok.message()));
  }
  for (const std::string& tag : machines.tags()) {
    const absl::Status ok = CheckName("machine tag", tag);
    if (!ok.ok()) errors.Add(std::string(ok.message()));
  }
}

// The kernels' names, or all that is said of the variants where these are the same.
std::string DefaultTitle(const v1::JobSpec& spec) {
  std::set<std::string> names;
  for (const v1::Variant& variant : spec.variants()) names.insert(variant.kernel());
  const bool told_apart = static_cast<int>(names.size()) == spec.variants_size();
  std::string title;
  for (int i = 0; i < spec.variants_size(); ++i) {
    const v1::Variant& variant = spec.variants(i);
    absl::StrAppend(&title,
                    i == 0   ? ""
                    : i == 1 ? " against "
                             : ", ",
                    told_apart ? variant.kernel() : PrintVariant(variant));
  }
  if (title.size() > 200) title = absl::StrCat(spec.variants_size(), " variants");
  return title;
}

// A once more, behind the others.
void AddControl(v1::JobSpec& spec) {
  if (!spec.control() || spec.variants(spec.variants_size() - 1).control()) return;
  v1::Variant control = spec.variants(0);
  control.set_control(true);
  *spec.add_variants() = std::move(control);
}

template <typename Set>
void SetIfZero(uint64_t value, uint32_t assumed, Set set) {
  if (value == 0) set(assumed);
}

void FillLatt(v1::LattLoad* latt) {
  SetIfZero(latt->clients(), 4, [&](uint32_t n) { latt->set_clients(n); });
  SetIfZero(latt->min_sleep_ms(), 100, [&](uint32_t n) { latt->set_min_sleep_ms(n); });
  SetIfZero(latt->sleep_width_ms(), 500, [&](uint32_t n) { latt->set_sleep_width_ms(n); });
  if (latt->command_size() == 0) latt->mutable_make();
}

void FillInterbench(v1::InterbenchLoad* bench) {
  SetIfZero(bench->seconds(), 30, [&](uint32_t n) { bench->set_seconds(n); });
  bench->set_seconds((bench->seconds() + 9) / 10 * 10);  // The length of X's ramp.
  if (bench->benchmarks_size() == 0) {
    bench->add_benchmarks("Video");
    bench->add_benchmarks(bench->realtime() ? "Audio" : "X");
    if (bench->custom_percent() > 0) bench->add_benchmarks("Custom");
  }
  if (bench->loads_size() == 0) bench->add_loads("Burn");
}

void FillLaunch(v1::LaunchLoad* launch) {
  SetIfZero(launch->count(), 50, [&](uint32_t n) { launch->set_count(n); });
  SetIfZero(launch->pause_ms(), 100, [&](uint32_t n) { launch->set_pause_ms(n); });
}

void FillFrames(v1::FramesLoad* frames) {
  SetIfZero(frames->fps(), 25, [&](uint32_t n) { frames->set_fps(n); });
  SetIfZero(frames->seconds(), 30, [&](uint32_t n) { frames->set_seconds(n); });
  SetIfZero(frames->cpu_percent(), 30, [&](uint32_t n) { frames->set_cpu_percent(n); });
  SetIfZero(frames->threads(), 1, [&](uint32_t n) { frames->set_threads(n); });
}

}  // namespace

absl::Status CheckJob(const v1::JobSpec& spec, const Kernels& kernels) {
  Errors errors;
  if (spec.title().size() > 200 || !IsPlainText(spec.title())) {
    errors.Add("title ", Quoted(spec.title()), " (", spec.title().size(),
               " bytes): want at most 200 bytes of UTF-8 without control characters");
  }
  errors.CheckRange("number of variants", spec.variants_size(), 2, 26);
  errors.CheckRange("number of loads", spec.loads_size(), 1, 32);
  CheckStopping(spec, errors);
  errors.CheckRange("max_attempts", spec.max_attempts(), 0, 10);
  errors.CheckRange("order_seed", spec.order_seed(), 0, std::numeric_limits<int64_t>::max());
  for (int i = 0; i < std::min(spec.variants_size(), 26); ++i) {
    CheckVariant(spec.variants(i), absl::StrCat("variant ", std::string(1, VariantLetter(i))),
                 kernels, errors);
  }
  for (int i = 0; i < std::min(spec.loads_size(), 32); ++i) {
    CheckLoad(spec.loads(i), absl::StrCat("load ", i + 1), errors);
  }
  CheckActivities(spec.background(), errors);
  CheckSelector(spec.machines(), errors);
  CheckSetup(spec, kernels, errors);
  return errors.AsStatus();
}

v1::JobSpec WithDefaults(v1::JobSpec spec) {
  if (spec.title().empty()) spec.set_title(DefaultTitle(spec));
  if (spec.max_attempts() == 0) spec.set_max_attempts(3);
  if (spec.stopping() == v1::STOPPING_RULE_UNSPECIFIED) {
    spec.set_stopping(v1::STOPPING_RULE_FIXED);
  }
  AddControl(spec);
  for (v1::Load& load : *spec.mutable_loads()) {
    if (load.iterations() == 0) load.set_iterations(1);
    if (load.has_latt()) FillLatt(load.mutable_latt());
    if (load.has_interbench()) FillInterbench(load.mutable_interbench());
    if (load.has_launch()) FillLaunch(load.mutable_launch());
    if (load.has_frames()) FillFrames(load.mutable_frames());
    if (load.has_tool() && load.tool().seconds() == 0) load.mutable_tool()->set_seconds(10);
  }
  return spec;
}

}  // namespace shakedown::plan
