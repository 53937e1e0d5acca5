#include "controller/plan/text_activity.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "controller/plan/text_options.h"
#include "controller/plan/text_words.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::plan {
namespace {

// How many words from the first on are the activity's own: its kind and its options.
size_t OwnWords(const Words& words) {
  size_t own = 1;
  while (own < words.size() &&
         (absl::StartsWith(words[own], "name=") || absl::StartsWith(words[own], "nice="))) {
    ++own;
  }
  return own;
}

}  // namespace

absl::StatusOr<v1::Activity> ParseActivity(absl::string_view text) {
  ASSIGN_OR_RETURN(Words words, SplitWords(text));
  v1::Activity activity;
  const std::string kind = words.empty() ? "" : words[0];
  if (kind == "command") {
    size_t own = OwnWords(words);
    const Words rest(words.begin() + static_cast<ptrdiff_t>(own), words.end());
    const bool dashes = !rest.empty() && rest[0] == "--";
    activity.mutable_command()->mutable_words()->Add(rest.begin() + (dashes ? 1 : 0), rest.end());
    if (activity.command().words().empty()) {
      return absl::InvalidArgumentError("activity command: want a program behind it");
    }
    words.resize(own);
  } else if (kind == "audio") {
    activity.set_audio(true);
  } else if (kind == "video") {
    activity.set_video(true);
  } else {
    return absl::InvalidArgumentError(
        absl::StrCat("activity ", Quoted(kind), ": want audio, video or command PROGRAM"));
  }
  Options options;
  options.values["name"] = TextInto([&](std::string name) { activity.set_name(std::move(name)); });
  options.values["nice"] = SignedInto([&](int32_t nice) { activity.set_nice(nice); });
  RETURN_IF_ERROR(SetOptions(words, options));
  return activity;
}

std::string PrintActivity(const v1::Activity& activity) {
  std::string text = activity.has_video() ? "video" : activity.has_audio() ? "audio" : "command";
  OptionPrinter print(&text);
  print.Text("name", activity.name());
  print.Signed("nice", activity.nice());
  if (activity.has_command()) {
    const auto& words = activity.command().words();
    absl::StrAppend(&text, " -- ", JoinWords({words.begin(), words.end()}));
  }
  return text;
}

}  // namespace shakedown::plan
