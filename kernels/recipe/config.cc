#include "kernels/recipe/config.h"

#include <algorithm>
#include <functional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "proto/wire/ids.h"

namespace shakedown::kernels {
namespace {

constexpr absl::string_view kPrefix = "CONFIG_";
constexpr absl::string_view kNotSet = " is not set";

bool IsOption(absl::string_view option) {
  if (option.empty() || option.size() > 200) return false;
  return std::all_of(option.begin(), option.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_';
  });
}

// A string is quoted, with \" and \\ inside; nothing may end it early.
bool IsString(absl::string_view value) {
  if (value.size() < 2 || value.front() != '"' || value.back() != '"') return false;
  const absl::string_view inner = value.substr(1, value.size() - 2);
  for (size_t i = 0; i < inner.size(); ++i) {
    if (inner[i] == '"' || absl::ascii_iscntrl(static_cast<unsigned char>(inner[i]))) return false;
    if (inner[i] != '\\') continue;
    if (++i == inner.size()) return false;
  }
  return true;
}

bool IsNumber(absl::string_view value) {
  absl::ConsumePrefix(&value, "-");
  const bool hex = absl::ConsumePrefix(&value, "0x") || absl::ConsumePrefix(&value, "0X");
  if (value.empty() || value.size() > 20) return false;
  return std::all_of(value.begin(), value.end(), [hex](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return hex ? absl::ascii_isxdigit(byte) : absl::ascii_isdigit(byte);
  });
}

bool IsValue(absl::string_view value) {
  return value == "y" || value == "m" || value == "n" || IsNumber(value) || IsString(value);
}

// Calls `take` for each option line; an error has the file, the line number and the line.
absl::Status EachLine(absl::string_view text, absl::string_view name,
                      const std::function<void(Wish)>& take) {
  int number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    line = absl::StripAsciiWhitespace(line);
    const std::string origin = absl::StrCat(name, ":", number);
    if (absl::StartsWith(line, "# CONFIG_") && absl::EndsWith(line, kNotSet)) {
      line.remove_prefix(2 + kPrefix.size());
      line.remove_suffix(kNotSet.size());
      if (!IsOption(line)) {
        return absl::InvalidArgumentError(
            absl::StrCat(origin, ": ", Quoted(line), " is not an option's name"));
      }
      take(Wish{std::string(line), "n", origin});
      continue;
    }
    if (line.empty() || line.front() == '#') continue;
    if (!absl::StartsWith(line, kPrefix)) {
      return absl::InvalidArgumentError(absl::StrCat(
          origin, ": ", Quoted(line), ": want CONFIG_OPTION=value or # CONFIG_OPTION is not set"));
    }
    absl::StatusOr<Wish> wish = ParseWish(line, origin);
    if (!wish.ok()) return wish.status();
    take(*std::move(wish));
  }
  return absl::OkStatus();
}

std::string Shown(const std::string& actual) {
  return actual.empty() ? "no such option in the result (unknown, or its dependencies are not met)"
                        : actual;
}

}  // namespace

absl::StatusOr<Wish> ParseWish(absl::string_view text, absl::string_view origin) {
  absl::string_view rest = text;
  absl::ConsumePrefix(&rest, kPrefix);
  const size_t equals = rest.find('=');
  const absl::string_view option = rest.substr(0, std::min(equals, rest.size()));
  if (equals == absl::string_view::npos || !IsOption(option)) {
    return absl::InvalidArgumentError(
        absl::StrCat(origin, ": ", Quoted(text), ": want OPTION=value, e.g. SCHED_DEBUG=y"));
  }
  const absl::string_view value = rest.substr(equals + 1);
  if (!IsValue(value)) {
    return absl::InvalidArgumentError(
        absl::StrCat(origin, ": option ", option, ": value ", Quoted(value),
                     ": want y, m, n, a number or a \"string\" with its quotes"));
  }
  return Wish{std::string(option), std::string(value), std::string(origin)};
}

absl::StatusOr<std::vector<Wish>> ParseFragment(absl::string_view text, absl::string_view name) {
  std::vector<Wish> wishes;
  absl::Status status = EachLine(text, name, [&](Wish wish) { wishes.push_back(std::move(wish)); });
  if (!status.ok()) return status;
  return wishes;
}

absl::StatusOr<Config> ParseConfig(absl::string_view text, absl::string_view name) {
  Config config;
  absl::Status status = EachLine(
      text, name, [&](Wish wish) { config[std::move(wish.option)] = std::move(wish.value); });
  if (!status.ok()) return status;
  return config;
}

std::vector<Wish> MergeWishes(std::vector<Wish> wishes) {
  std::vector<Wish> merged;
  std::map<std::string, size_t> place;
  for (Wish& wish : wishes) {
    auto [it, fresh] = place.emplace(wish.option, merged.size());
    if (fresh) {
      merged.push_back(std::move(wish));
    } else {
      merged[it->second] = std::move(wish);
    }
  }
  return merged;
}

std::string PrintWishes(const std::vector<Wish>& wishes) {
  std::string text;
  for (const Wish& wish : wishes) {
    if (wish.value == "n") {
      absl::StrAppend(&text, "# ", kPrefix, wish.option, kNotSet, "\n");
    } else {
      absl::StrAppend(&text, kPrefix, wish.option, "=", wish.value, "\n");
    }
  }
  return text;
}

std::vector<LostWish> CompareWishes(const std::vector<Wish>& wishes, const Config& config) {
  std::vector<LostWish> lost;
  for (const Wish& wish : wishes) {
    auto it = config.find(wish.option);
    const std::string actual = it == config.end() ? "" : it->second;
    if (actual == wish.value || (actual.empty() && wish.value == "n")) continue;
    lost.push_back({wish, actual});
  }
  return lost;
}

absl::Status CheckWishes(const std::vector<Wish>& wishes, const Config& config) {
  const std::vector<LostWish> lost = CompareWishes(wishes, config);
  if (lost.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrJoin(lost, "\n", [](std::string* out, const LostWish& one) {
        absl::StrAppend(out, "option ", one.wish.option, " (", one.wish.origin, "): wanted ",
                        one.wish.value, ", got ", Shown(one.actual));
      }));
}

bool HasModules(const Config& config) {
  return std::any_of(config.begin(), config.end(),
                     [](const auto& option) { return option.second == "m"; });
}

}  // namespace shakedown::kernels
