#include "controller/history/regression_mail.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "proto/wire/sanitise.h"

namespace shakedown::history {
namespace {

constexpr size_t kColumns = 76;
constexpr size_t kMostFact = 200;  // Bytes of one value.

// Words in lines, each behind `indent`.
std::string Wrapped(absl::string_view text, absl::string_view indent) {
  std::string out;
  std::string line(indent);
  for (absl::string_view word : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    if (line.size() > indent.size() && line.size() + 1 + word.size() > kColumns) {
      absl::StrAppend(&out, line, "\n");
      line = std::string(indent);
    }
    absl::StrAppend(&line, line.size() > indent.size() ? " " : "", word);
  }
  absl::StrAppend(&out, line, "\n");
  return out;
}

std::string Plain(const std::string& text) { return PrintableLine(text, kMostFact); }

std::string KernelText(const std::string& variant, const std::string& version) {
  return absl::StrCat(Plain(variant),
                      version.empty() ? "" : absl::StrCat(" (", Plain(version), ")"));
}

std::string Subject(const v1::RegressionView& r) {
  return absl::StrCat("Subject: ", r.confirmed() && !r.improvement() ? "[REGRESSION] " : "",
                      Plain(r.series().metric()), ": ", RegressionWord(r), " in ",
                      Plain(r.bad_version().empty() ? r.bad() : r.bad_version()), " on ",
                      Plain(r.series().machine()), "\n");
}

std::string Opening(const v1::RegressionView& r) {
  if (!r.confirmed()) {
    return absl::StrCat(
        "NOT CONFIRMED: this is a suspicion from results of several jobs. No paired job has shown "
        "it. State: ",
        r.confirm_verdict().empty()
            ? "waits for a paired job"
            : absl::StrCat("the paired job says ", Plain(r.confirm_verdict())),
        ".");
  }
  return absl::StrCat("A paired job has confirmed ",
                      r.improvement() ? "an improvement" : "a regression", " of ",
                      Plain(r.series().metric()),
                      r.unit().empty() ? "" : absl::StrCat(" (", Plain(r.unit()), ")"), ".");
}

// Blocks of "name  value" lines.
std::string Field(const char* name, const std::string& value) {
  return absl::StrFormat("  %-12s%s\n", name, value);
}

}  // namespace

std::string UpstreamName(absl::string_view version) {
  const size_t commit = version.rfind("-g");
  if (commit != absl::string_view::npos) {
    absl::string_view digits = version.substr(commit + 2);
    size_t n = 0;
    while (n < digits.size() && absl::ascii_isxdigit(digits[n])) ++n;
    if (n >= 7) return std::string(digits.substr(0, n));
  }
  if (version.empty() || absl::StrContains(version, '+')) return "";
  std::vector<std::string> parts;
  size_t at = 0;
  while (at < version.size() && parts.size() < 3) {
    size_t end = at;
    while (end < version.size() && absl::ascii_isdigit(version[end])) ++end;
    if (end == at) return "";
    parts.emplace_back(version.substr(at, end - at));
    at = end;
    if (at >= version.size() || version[at] != '.') break;
    ++at;
  }
  if (parts.size() < 2) return "";
  if (parts.size() == 3 && parts[2] == "0") parts.pop_back();
  std::string name = absl::StrCat("v", absl::StrJoin(parts, "."));
  absl::string_view rest = version.substr(at);
  if (absl::ConsumePrefix(&rest, "-rc") || absl::ConsumePrefix(&rest, "~rc")) {
    size_t n = 0;
    while (n < rest.size() && absl::ascii_isdigit(rest[n])) ++n;
    if (n > 0) absl::StrAppend(&name, "-rc", rest.substr(0, n));
  }
  return name;
}

std::string RegressionWord(const v1::RegressionView& r) {
  if (!r.confirmed()) return "suspected change";
  return r.improvement() ? "improvement" : "regression";
}

std::string RegressionMail(const v1::RegressionView& r, const MailFacts& facts) {
  std::string mail = absl::StrCat(Subject(r), "\n", Wrapped(Opening(r), ""), "\n");
  absl::StrAppend(
      &mail, Field("good", KernelText(facts.good_variant, r.good_version())),
      Field("bad", KernelText(facts.bad_variant, r.bad_version())),
      Field("metric", absl::StrCat(Plain(r.series().metric()), " [", Plain(r.unit()), "]")),
      Field("load", Plain(r.series().loads())),
      Field("machine",
            absl::StrCat(Plain(r.series().machine()), facts.emulated ? " (emulated CPU)" : "")));
  if (!r.confirm_text().empty()) {
    absl::StrAppend(&mail, "\nMeasured in job ", r.confirm_job(),
                    ", good against bad in one block:\n", Wrapped(Plain(r.confirm_text()), "  "));
  }
  if (!facts.order.empty()) absl::StrAppend(&mail, Wrapped(Plain(facts.order), "  "));
  absl::StrAppend(&mail, "\nFirst seen in the history of this machine:\n",
                  Wrapped(Plain(r.suspected_because()), "  "));
  if (!facts.differences.empty()) {
    absl::StrAppend(&mail, "\nWhat differs between the two:\n");
    for (const std::string& line : facts.differences)
      absl::StrAppend(&mail, Wrapped(Plain(line), "  "));
  }
  if (!facts.good_boot.empty() || !facts.repeat_command.empty()) {
    absl::StrAppend(&mail, "\nTo reproduce:\n");
    for (const std::string& boot : {facts.good_boot, facts.bad_boot}) {
      if (!boot.empty()) absl::StrAppend(&mail, "  shakedown reproduce ", Plain(boot), "\n");
    }
    std::vector<std::string> words;
    for (const std::string& word : facts.repeat_command) words.push_back(PrintableLine(word, 4000));
    if (!words.empty()) absl::StrAppend(&mail, "  ", absl::StrJoin(words, " \\\n    "), "\n");
  }
  if (!facts.facts.empty()) {
    absl::StrAppend(&mail, "\nThe machine, the same in every boot:\n");
    for (const auto& [name, value] : facts.facts) {
      if (!value.empty()) absl::StrAppend(&mail, "  ", Plain(name), ": ", Plain(value), "\n");
    }
  }
  const std::string good = UpstreamName(r.good_version()), bad = UpstreamName(r.bad_version());
  if (r.confirmed() && !r.improvement() && !good.empty() && !bad.empty() && good != bad) {
    absl::StrAppend(&mail, "\n#regzbot introduced: ", good, "..", bad, "\n");
  }
  return mail;
}

}  // namespace shakedown::history
