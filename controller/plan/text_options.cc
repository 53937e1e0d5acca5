#include "controller/plan/text_options.h"

#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "controller/plan/text_words.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::plan {
namespace {

template <typename Map>
std::string NamesOf(const Map& map) {
  return absl::StrJoin(
      map, ", ", [](std::string* out, const auto& entry) { absl::StrAppend(out, entry.first); });
}

absl::Status SetOption(const std::string& load, const std::string& word, const Options& options) {
  const size_t equals = word.find('=');
  if (equals == std::string::npos) {
    const auto flag = options.flags.find(word);
    if (flag != options.flags.end()) {
      flag->second();
      return absl::OkStatus();
    }
  } else if (const auto value = options.values.find(word.substr(0, equals));
             value != options.values.end()) {
    return Annotate(value->second(word.substr(equals + 1)),
                    absl::StrCat("load ", load, ": option ", Quoted(word)));
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "load ", load, ": no option ", Quoted(word), ", want name=value with one of ",
      NamesOf(options.values), options.flags.empty() ? "" : "; or ", NamesOf(options.flags)));
}

bool IsDigits(absl::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), absl::ascii_isdigit);
}

}  // namespace

absl::Status SetOptions(const std::vector<std::string>& words, const Options& options) {
  for (size_t i = 1; i < words.size(); ++i) {
    RETURN_IF_ERROR(SetOption(words[0], words[i], options));
  }
  return absl::OkStatus();
}

template <typename Number>
Setter NumberInto(std::function<void(Number)> set) {
  return [set](const std::string& value) -> absl::Status {
    Number number;
    if (!IsDigits(value) || !absl::SimpleAtoi(value, &number)) {
      return absl::InvalidArgumentError("want a whole number");
    }
    set(number);
    return absl::OkStatus();
  };
}
template Setter NumberInto(std::function<void(uint32_t)>);
template Setter NumberInto(std::function<void(uint64_t)>);

Setter CountInto(std::function<void(uint32_t)> set) {
  return [set](const std::string& value) -> absl::Status {
    bool zero = false;
    const Setter number =
        NumberInto<uint32_t>([&](uint32_t n) { n == 0 ? zero = true : (set(n), true); });
    RETURN_IF_ERROR(number(value));
    return zero ? absl::InvalidArgumentError("want a whole number from 1") : absl::OkStatus();
  };
}

Setter SignedInto(std::function<void(int32_t)> set) {
  return [set](const std::string& value) -> absl::Status {
    int32_t number;
    const bool minus = !value.empty() && value[0] == '-';
    if (!IsDigits(absl::string_view(value).substr(minus ? 1 : 0)) ||
        !absl::SimpleAtoi(value, &number)) {
      return absl::InvalidArgumentError("want a whole number, which may have a minus");
    }
    set(number);
    return absl::OkStatus();
  };
}

Setter TextInto(std::function<void(std::string)> set) {
  return [set](const std::string& value) -> absl::Status {
    if (value.empty()) return absl::InvalidArgumentError("want a word behind the \"=\"");
    set(value);
    return absl::OkStatus();
  };
}

Setter ListInto(Names* list) {
  return [list](const std::string& value) -> absl::Status {
    list->Clear();
    for (absl::string_view name : absl::StrSplit(value, ',')) {
      if (name.empty()) return absl::InvalidArgumentError("want names parted by single commas");
      list->Add(std::string(name));
    }
    return absl::OkStatus();
  };
}

void OptionPrinter::Number(absl::string_view name, uint64_t value, uint64_t assumed) {
  if (value != assumed) absl::StrAppend(out_, " ", name, "=", value);
}
void OptionPrinter::Signed(absl::string_view name, int64_t value) {
  if (value != 0) absl::StrAppend(out_, " ", name, "=", value);
}
void OptionPrinter::List(absl::string_view name, const Names& value, const Names& assumed) {
  const bool same = std::equal(value.begin(), value.end(), assumed.begin(), assumed.end());
  if (!same) Text(name, absl::StrJoin(value, ","));
}
void OptionPrinter::Text(absl::string_view name, absl::string_view value) {
  if (!value.empty()) absl::StrAppend(out_, " ", JoinWords({absl::StrCat(name, "=", value)}));
}
void OptionPrinter::Flag(absl::string_view name, bool value) {
  if (value) absl::StrAppend(out_, " ", name);
}

}  // namespace shakedown::plan
