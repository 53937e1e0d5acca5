#include "controller/compare/offline/printed.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"

namespace shakedown::offline {

std::string PrintValue(double value, int width) {
  std::string text;
  for (int digits = 6; digits >= 1; --digits) {
    text = absl::StrFormat("%.*g", digits, value);
    if (static_cast<int>(text.size()) <= width) break;
  }
  return text == "-0" ? "0" : text;
}

double PrintedValue(double value) {
  double printed = value;
  return absl::SimpleAtod(PrintValue(value), &printed) ? printed : value;
}

}  // namespace shakedown::offline
