// The options of a load's text: "jobs=4", "cold".
#pragma once

#include <functional>
#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "shakedown/v1/job.pb.h"

namespace shakedown::plan {

// Puts the text of one option into the load. Error: InvalidArgument that says what is wanted.
using Setter = std::function<absl::Status(const std::string& value)>;
struct Options {
  std::map<std::string, Setter> values;                // "name=value".
  std::map<std::string, std::function<void()>> flags;  // "name".
};

// `words[0]` is the load's name and not looked at again. InvalidArgument names the word.
absl::Status SetOptions(const std::vector<std::string>& words, const Options& options);

// A whole number from 0.
template <typename Number>
Setter NumberInto(std::function<void(Number)> set);
// From 1: where a message has 0 for "not said", a 0 that was said would become what is assumed.
Setter CountInto(std::function<void(uint32_t)> set);
extern template Setter NumberInto(std::function<void(uint32_t)>);
extern template Setter NumberInto(std::function<void(uint64_t)>);
// -20 to 19, for example.
Setter SignedInto(std::function<void(int32_t)> set);
Setter TextInto(std::function<void(std::string)> set);

using Names = google::protobuf::RepeatedPtrField<std::string>;
Setter ListInto(Names* list);  // Parted by commas.

// Adds " name=value" or " name" for each option whose value is not the one that is assumed.
class OptionPrinter {
 public:
  explicit OptionPrinter(std::string* out) : out_(out) {}
  void Number(absl::string_view name, uint64_t value, uint64_t assumed);
  void Signed(absl::string_view name, int64_t value);  // Assumed: 0.
  void List(absl::string_view name, const Names& value, const Names& assumed);
  void Text(absl::string_view name, absl::string_view value);  // Assumed: empty.
  void Flag(absl::string_view name, bool value);

 private:
  std::string* out_;
};

}  // namespace shakedown::plan
