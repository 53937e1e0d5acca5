// Reference values of tests/golden/statistics/*.json, for tests only.
#ifndef SHAKEDOWN_CONTROLLER_COMPARE_STATISTICS_GOLDEN_VALUES_H_
#define SHAKEDOWN_CONTROLLER_COMPARE_STATISTICS_GOLDEN_VALUES_H_

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace shakedown::statistics {

using Json = google::protobuf::Value;

inline std::vector<Json> GoldenCases(const std::string& file) {
  const char* root = std::getenv("SHAKEDOWN_SOURCE_DIR");
  const std::string path =
      std::string(root == nullptr ? "." : root) + "/tests/golden/statistics/" + file;
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  Json all;
  const auto status = google::protobuf::util::JsonStringToMessage(text.str(), &all);
  EXPECT_TRUE(status.ok()) << path << ": " << status.ToString();
  const auto& cases = all.struct_value().fields().at("cases").list_value().values();
  return {cases.begin(), cases.end()};
}

inline bool Has(const Json& object, const std::string& key) {
  const auto& fields = object.struct_value().fields();
  const auto at = fields.find(key);
  return at != fields.end() && !at->second.has_null_value();
}
inline const Json& At(const Json& object, const std::string& key) {
  return object.struct_value().fields().at(key);
}
inline double Num(const Json& object, const std::string& key) {
  return At(object, key).number_value();
}
inline std::vector<double> List(const Json& object, const std::string& key) {
  std::vector<double> numbers;
  for (const Json& value : At(object, key).list_value().values())
    numbers.push_back(value.number_value());
  return numbers;
}
inline std::optional<double> MaybeNum(const Json& object, const std::string& key) {
  return Has(object, key) ? std::optional<double>(Num(object, key)) : std::nullopt;
}

inline void ExpectClose(double want, double got, const std::string& what) {
  EXPECT_NEAR(got, want, 1e-9 * std::fabs(want) + (want == 0 ? 1e-12 : 0)) << what;
}
inline void ExpectClose(std::optional<double> want, std::optional<double> got,
                        const std::string& what) {
  ASSERT_EQ(got.has_value(), want.has_value()) << what;
  if (want) ExpectClose(*want, *got, what);
}

}  // namespace shakedown::statistics

#endif  // SHAKEDOWN_CONTROLLER_COMPARE_STATISTICS_GOLDEN_VALUES_H_
