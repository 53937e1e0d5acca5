#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "agent/runner/cli_options.h"
#include "proto/wire/status.h"

namespace shakedown::runner {
namespace {

constexpr uint32_t kMostClients = 512;
constexpr char kOptions[] =
    R"(	-c	Clients (1)
	-s	Shortest sleep, ms (100)
	-S	Width of the sleeps, ms (500)
	-x	Work buffer, KiB; 0: no work (64)
	-v	Print each event on standard error
	-V	Print the version and end
	--seconds N	Run the command again until so much time has passed
	--profile P	0.1, or 2009-09-08: no work, one block
	--json, --iterations N, --warmups N, --limit SECONDS
)";

Options LattOptions(LoadCommandLine& line) {
  Options options = CommonOptions(line);
  v1::LattLoad* latt = line.load.mutable_latt();
  latt->set_clients(1);  // The original's defaults; the farm's differ.
  latt->set_work_kib(64);
  options["-c"] = AtLeastOne("-c", [latt, &line](uint32_t n) {
    if (n > kMostClients) {
      line.notices.push_back(absl::StrCat("latt: ", n, " clients: capped at ", kMostClients));
    }
    latt->set_clients(std::min(n, kMostClients));
  });
  options["-s"] = AtLeastOne("-s", [=](uint32_t n) { latt->set_min_sleep_ms(n); });
  options["-S"] = AtLeastOne("-S", [=](uint32_t n) { latt->set_sleep_width_ms(n); });
  options["-x"] = NumberOption("-x", [=](uint32_t n) { latt->set_work_kib(n); });
  options["-v"] = Flag([&line] { line.verbose = true; });
  options["-V"] = Flag([&line] { line.answer = {"latt-0.1\n", "", 0}; });
  options["-h"] = Flag([&line] { line.help = kOptions; });
  options["--seconds"] = NumberOption("--seconds", [=](uint32_t n) { latt->set_seconds(n); });
  options["--profile"] = TextOption([=](std::string profile) {
    if (profile == "2009-09-08") latt->set_work_kib(0);
    latt->set_profile(std::move(profile));
  });
  return options;
}

// Something only a shell understands.
bool WantsShell(absl::string_view word) {
  return !std::all_of(word.begin(), word.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
           absl::string_view("/._-+").find(c) != absl::string_view::npos;
  });
}

}  // namespace

absl::StatusOr<LoadCommandLine> ParseLattCommandLine(const std::vector<std::string>& words) {
  LoadCommandLine line;
  ASSIGN_OR_RETURN(const std::vector<std::string> rest, TakeOptions(words, LattOptions(line)));
  if (line.answer.has_value()) return line;
  if (rest.empty()) {
    line.answer = {line.help, "latt-0.1: [options] 'app'\n", 1};
    return line;
  }
  auto& command = *line.load.mutable_latt()->mutable_command();
  // The original takes the command as one word for the shell.
  if (rest.size() == 1 && WantsShell(rest[0])) {
    for (const char* word : {"sh", "-c"}) *command.Add() = word;
  }
  for (const std::string& word : rest) *command.Add() = word;
  return line;
}

}  // namespace shakedown::runner
