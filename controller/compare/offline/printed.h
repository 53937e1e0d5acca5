// A number as it stands in a table.
#ifndef SHAKEDOWN_CONTROLLER_COMPARE_OFFLINE_PRINTED_H_
#define SHAKEDOWN_CONTROLLER_COMPARE_OFFLINE_PRINTED_H_

#include <string>

namespace shakedown::offline {

inline constexpr int kValueWidth = 8;

// Up to six significant digits, fewer where they would take more than `width` columns.
std::string PrintValue(double value, int width = kValueWidth);
// What a reader of PrintValue() takes it for.
double PrintedValue(double value);

}  // namespace shakedown::offline

#endif  // SHAKEDOWN_CONTROLLER_COMPARE_OFFLINE_PRINTED_H_
