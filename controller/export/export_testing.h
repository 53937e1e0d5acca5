// For tests: a job with one boot of every kind that matters.
#ifndef SHAKEDOWN_CONTROLLER_EXPORT_EXPORT_TESTING_H_
#define SHAKEDOWN_CONTROLLER_EXPORT_EXPORT_TESTING_H_

#include <string>

#include "controller/plan/text.h"
#include "proto/wire/ids.h"
#include "shakedown/v1/report.pb.h"

namespace shakedown::exporting {

inline v1::ReportData::BootData& AddBoot(v1::ReportData& data, uint32_t block, uint32_t variant,
                                         v1::Outcome outcome, const std::string& reason = "") {
  v1::ReportData::BootData& boot = *data.add_boots();
  v1::BootView& view = *boot.mutable_view();
  view.set_name(FormatBootName({.job = 17, .block = block, .variant = variant}));
  view.set_block(block);
  view.set_variant(variant);
  view.set_attempt(1);
  view.set_outcome(outcome);
  view.set_reason(reason);
  view.set_machine("x1");
  view.set_boot_ms(2500);
  view.mutable_started()->set_seconds(1'800'000'000 + block);
  return boot;
}

inline void AddRun(v1::ReportData::BootData& boot, uint32_t load, const std::string& metric,
                   double value) {
  v1::LoadRun& run = *boot.mutable_result()->add_load_runs();
  run.set_load(load);
  run.set_duration_ms(1500);
  v1::Measurement& m = *run.add_measurements();
  m.set_metric(metric);
  m.set_value(value);
  m.set_unit("s");
  m.set_iteration(1);
}

inline v1::ReportData SampleJob() {
  v1::ReportData data;
  v1::JobView& job = *data.mutable_job();
  job.set_job(17);
  job.set_state(v1::JOB_STATE_DONE);
  job.set_submitter("ada");
  job.mutable_spec()->set_title("CFS, \"EEVDF\"");
  *job.mutable_spec()->add_loads() = plan::ParseLoad("make jobs=4").value();
  *job.mutable_spec()->add_loads() = plan::ParseLoad("latt").value();
  for (const char* kernel : {"debian-6.1", "mine"}) {
    v1::ReportData::VariantData& variant = *data.add_variants();
    variant.mutable_variant()->set_kernel(kernel);
    variant.mutable_kernel()->set_name(kernel);
    variant.mutable_build()->set_build_id(std::string("id-of-") + kernel);
    variant.mutable_build()->set_status("built");
    variant.mutable_build()->set_toolchain("gcc 12");
  }
  v1::GitCommit& git = *data.mutable_variants(1)->mutable_kernel()->mutable_git();
  git.set_location("https://example.org/linux.git");
  git.set_commit(std::string(40, 'c'));
  auto& measured = AddBoot(data, 1, 0, v1::OUTCOME_MEASURED);
  AddRun(measured, 0, "make.real", 20.125);
  AddRun(measured, 1, "latt.wakeup.avg", 0.1);
  (*measured.mutable_result()->mutable_fingerprint()->mutable_facts())["governor"] = "performance";
  (*measured.mutable_result()->mutable_fingerprint()->mutable_facts())["cpu.model"] = "A, \"B\"";
  AddBoot(data, 1, 1, v1::OUTCOME_PANICKED, "BUG: in pick_eevdf");
  AddRun(AddBoot(data, 2, 0, v1::OUTCOME_LOAD_FAILED, "latt: no such file"), 0, "make.real", 20.5);
  AddBoot(data, 2, 1, v1::OUTCOME_FARM_FAILED, "no\nnetwork");
  auto& disturbed = AddBoot(data, 3, 0, v1::OUTCOME_DISTURBED, "steal 3 %");
  AddRun(disturbed, 0, "make.real", 25);
  disturbed.mutable_result()->mutable_load_runs(0)->add_disturbances()->set_rule("steal");
  return data;
}

}  // namespace shakedown::exporting

#endif  // SHAKEDOWN_CONTROLLER_EXPORT_EXPORT_TESTING_H_
