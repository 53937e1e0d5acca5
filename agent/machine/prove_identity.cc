#include "agent/machine/prove_identity.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "proto/wire/ids.h"

namespace shakedown::agent {
namespace {

std::string Differs(absl::string_view what, absl::string_view wanted, absl::string_view found) {
  return absl::StrCat(what, ": wanted ", Quoted(wanted), ", found ",
                      found.empty() ? "none" : Quoted(found));
}

std::vector<absl::string_view> Words(absl::string_view text) {
  return absl::StrSplit(text, absl::ByAnyChar(" \t\n"), absl::SkipEmpty());
}

std::optional<std::string> FindReleaseMismatch(const v1::ExpectedIdentity& expected,
                                               const v1::Identity& found) {
  if (found.release() != expected.release()) {
    return Differs("kernel release", expected.release(), found.release());
  }
  if (!expected.build_id().empty() && found.build_id() != expected.build_id()) {
    return Differs("kernel build id", expected.build_id(), found.build_id());
  }
  if (!expected.version().empty() && found.version() != expected.version()) {
    return Differs("kernel version", expected.version(), found.version());
  }
  if (expected.build_id().empty() && expected.version().empty()) {
    return "kernel identity: the order has neither a build id nor a version to prove it by";
  }
  return std::nullopt;
}

std::optional<std::string> FindParameterMismatch(const std::vector<std::string>& wanted,
                                                 const std::string& command_line) {
  const std::vector<absl::string_view> words = Words(command_line);
  auto from = words.begin();
  for (const std::string& parameter : wanted) {
    const auto at = std::find(from, words.end(), parameter);
    if (at == words.end()) {
      return absl::StrCat("boot parameter ", Quoted(parameter),
                          ": wanted on the command line, found ", Quoted(command_line));
    }
    from = at + 1;
  }
  return std::nullopt;
}

bool IsChosen(absl::string_view word, absl::string_view value) {
  return word == absl::StrCat("[", value, "]") || word == absl::StrCat("(", value, ")");
}

bool SameValue(const v1::Tunable& wanted, absl::string_view read_back) {
  const std::vector<absl::string_view> want = Words(wanted.value()), got = Words(read_back);
  if (want == got) return true;
  if (want.size() != 1) return false;
  return std::any_of(got.begin(), got.end(), [&](absl::string_view word) {
    return IsChosen(word, want[0]) || (wanted.name() == "sched/features" && word == want[0]);
  });
}

}  // namespace

std::optional<std::string> FindTunableMismatch(const std::vector<v1::Tunable>& wanted,
                                               const std::vector<v1::Tunable>& read_back) {
  for (size_t i = 0; i < wanted.size(); ++i) {
    const std::string what = absl::StrCat("tunable ", wanted[i].name());
    if (i >= read_back.size() || read_back[i].name() != wanted[i].name()) {
      return absl::StrCat(what, ": wanted ", Quoted(wanted[i].value()), ", was not read back");
    }
    if (!SameValue(wanted[i], read_back[i].value())) {
      return Differs(what, wanted[i].value(), read_back[i].value());
    }
  }
  return std::nullopt;
}

std::optional<std::string> FindMismatch(const Wanted& wanted, const v1::Identity& found) {
  if (auto mismatch = FindReleaseMismatch(wanted.expected, found)) return mismatch;
  if (!IsUuid(found.boot_id()) || found.boot_id() != wanted.boot_id) {
    return Differs("boot id", wanted.boot_id, found.boot_id());
  }
  if (auto mismatch = FindParameterMismatch(wanted.parameters, found.command_line())) {
    return mismatch;
  }
  return FindTunableMismatch(wanted.tunables, {found.tunables().begin(), found.tunables().end()});
}

std::optional<Change> FindChange(const v1::Identity& before, const v1::Identity& after) {
  const auto differs = [](absl::string_view what, const std::string& was, const std::string& is) {
    return absl::StrCat(what, " changed in mid-run: was ", was.empty() ? "none" : Quoted(was),
                        ", is ", is.empty() ? "none" : Quoted(is));
  };
  if (after.boot_id() != before.boot_id()) {
    return Change{false, differs("boot id", before.boot_id(), after.boot_id())};
  }
  if (after.sched_ext_state() != before.sched_ext_state()) {
    return Change{true, differs("sched_ext", before.sched_ext_state(), after.sched_ext_state())};
  }
  if (after.sched_ext_ops() != before.sched_ext_ops()) {
    return Change{true,
                  differs("sched_ext program", before.sched_ext_ops(), after.sched_ext_ops())};
  }
  if (after.release() != before.release() || after.version() != before.version() ||
      after.build_id() != before.build_id() || after.command_line() != before.command_line()) {
    return Change{false, differs("kernel", before.release(), after.release())};
  }
  for (int i = 0; i < before.tunables_size(); ++i) {
    const v1::Tunable& was = before.tunables(i);
    const std::string is = i < after.tunables_size() ? after.tunables(i).value() : "";
    if (is != was.value()) {
      return Change{false, differs(absl::StrCat("tunable ", was.name()), was.value(), is)};
    }
  }
  return std::nullopt;
}

}  // namespace shakedown::agent
