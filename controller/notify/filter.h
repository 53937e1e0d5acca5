// Which events a subscription wants.
#ifndef SHAKEDOWN_CONTROLLER_NOTIFY_FILTER_H_
#define SHAKEDOWN_CONTROLLER_NOTIFY_FILTER_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace shakedown::notify {

// What an event is about, by the words of the filter: {"machine": {"x1"}, "kernel": {…}}.
using Facts = std::map<std::string, std::vector<std::string>>;

// "machine=x1 kernel=debian-*,mine verdict=worse by=*": terms parted by blanks, all of which must
// hold. A term holds when one of its patterns, parted by commas, matches one of the event's values;
// '*' stands for any characters, '?' for one. Words: machine, kernel, verdict ("better", "worse",
// "same", "small", "inconclusive", …), metric, outcome ("done", "cancelled"), by (who submitted).
// Without a term on `by`, only events of the subscriber's own jobs and those of nobody's match.
class Filter {
 public:
  // InvalidArgument: an unknown word, an empty pattern, more than 1,000 bytes.
  static absl::StatusOr<Filter> Parse(absl::string_view text);
  bool Matches(const Facts& facts, absl::string_view subscriber) const;

 private:
  struct Term {
    std::string word;
    std::vector<std::string> patterns;
  };
  std::vector<Term> terms_;
};

// Whether `text` is of `pattern`. Time in the product of their lengths at most.
bool MatchesPattern(absl::string_view pattern, absl::string_view text);

}  // namespace shakedown::notify

#endif  // SHAKEDOWN_CONTROLLER_NOTIFY_FILTER_H_
