#include "controller/service/report_data.h"

namespace shakedown::service {

v1::ReportData ToReportData(const store::ReportData& data) {
  v1::ReportData out;
  *out.mutable_job() = data.job;
  for (const store::ReportVariant& variant : data.variants) {
    v1::ReportData::VariantData* added = out.add_variants();
    *added->mutable_variant() = variant.variant;
    *added->mutable_kernel() = variant.kernel;
    *added->mutable_build() = variant.build;
    *added->mutable_expected() = variant.expected;
  }
  for (const store::ReportBoot& boot : data.boots) {
    v1::ReportData::BootData* added = out.add_boots();
    *added->mutable_view() = boot.view;
    *added->mutable_result() = boot.result;
  }
  return out;
}

}  // namespace shakedown::service
