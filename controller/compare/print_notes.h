#pragma once

#include <string>

#include "shakedown/v1/report.pb.h"

namespace shakedown::compare {

// What people saw, a paragraph a note, as plain ASCII; empty when nobody wrote anything.
std::string PrintNotes(const v1::Report& report);

}  // namespace shakedown::compare
