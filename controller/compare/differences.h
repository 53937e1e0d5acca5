#pragma once

#include <vector>

#include "shakedown/v1/report.pb.h"

namespace shakedown::compare {

// What is not the same for all variants: kernel, source, configuration, patches, toolchain, boot
// parameters, tunables, what the booted kernel said of itself, and every fact of the fingerprints
// that had not one and the same value in all measured boots. In this order, facts by name.
std::vector<v1::ReportDifference> FindDifferences(const v1::ReportData& data);

// The facts that had the same value in all measured boots, by name.
std::vector<v1::ReportFact> CommonFacts(const v1::ReportData& data);

}  // namespace shakedown::compare
