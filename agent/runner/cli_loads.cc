// The loads that are measured by their own rules: make with make's options, the others in the words
// that `shakedown submit --load` takes.
#include <unistd.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "agent/runner/cli_options.h"
#include "controller/plan/text.h"
#include "controller/plan/text_loads.h"
#include "proto/wire/files.h"
#include "proto/wire/status.h"

namespace shakedown::runner {
namespace {

absl::StatusOr<std::string> ReadNamedFile(const std::string& path) {
  return ReadFile(path, 1 << 20);
}

// Puts an option of the load's text into an option of ours.
Option FromText(const plan::Setter& set, absl::string_view name) {
  return {true, [set, name = std::string(name)](absl::string_view value) {
            return Annotate(set(std::string(value)),
                            absl::StrCat("option ", name, ": ", Quoted(value)));
          }};
}

}  // namespace

absl::StatusOr<LoadCommandLine> ParseMakeCommandLine(const std::vector<std::string>& words) {
  LoadCommandLine line;
  const plan::FileReader files = ReadNamedFile;
  plan::Options text;
  plan::AddMakeOptions(line.load.mutable_make(), files, &text);
  Options options = CommonOptions(line);
  options["-j"] = FromText(text.values.at("jobs"), "-j");
  options["--config"] = FromText(text.values.at("config"), "--config");
  options["--cold"] = Flag(text.flags.at("cold"));
  v1::Load* load = &line.load;
  options["--nice"] =
      FromText(plan::SignedInto([load](int32_t nice) { load->set_nice(nice); }), "--nice");
  options["-C"] = TextOption([&](std::string folder) { line.tree = std::move(folder); });
  ASSIGN_OR_RETURN(const std::vector<std::string> rest, TakeOptions(words, options));
  for (const std::string& target : rest) line.load.mutable_make()->add_targets(target);
  return line;
}

absl::StatusOr<LoadCommandLine> ParseTextCommandLine(const std::vector<std::string>& words) {
  LoadCommandLine line;
  const Options options = CommonOptions(line);
  // TakeOptions swallows a "--" that follows them, and that one is the load's.
  size_t own = 1;
  while (own < words.size() && words[own].rfind("--", 0) == 0 && words[own] != "--") {
    const bool takes_next = words[own].find('=') == std::string::npos && words[own] != "--json";
    own += takes_next ? 2 : 1;
  }
  own = std::min(own, words.size());
  const auto middle = words.begin() + static_cast<ptrdiff_t>(own);
  ASSIGN_OR_RETURN(const std::vector<std::string> rest,
                   TakeOptions({words.begin(), middle}, options));
  std::vector<std::string> text = {words[0]};
  text.insert(text.end(), rest.begin(), rest.end());
  text.insert(text.end(), middle, words.end());
  const v1::Load common = line.load;
  ASSIGN_OR_RETURN(line.load, plan::ParseLoadWords(text, ReadNamedFile));
  line.load.MergeFrom(common);
  return line;
}

}  // namespace shakedown::runner
