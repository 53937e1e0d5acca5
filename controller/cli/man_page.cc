#include "controller/cli/man_page.h"

#include <CLI/CLI.hpp>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"

namespace shakedown::cli {
namespace {

// Text as roff takes it: backslashes and hyphens stand for themselves, no line begins a request.
std::string Roff(absl::string_view text) {
  std::vector<std::string> lines;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    std::string safe = absl::StrReplaceAll(line, {{"\\", "\\e"}, {"-", "\\-"}});
    if (absl::StartsWith(safe, ".") || absl::StartsWith(safe, "'")) safe.insert(0, "\\&");
    lines.push_back(std::move(safe));
  }
  return absl::StrJoin(lines, "\n");
}

std::string OptionHead(const CLI::Option& option) {
  if (option.get_lnames().empty() && option.get_snames().empty()) return Roff(option.get_name());
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames())
    names.push_back(absl::StrCat("\\-", Roff(name)));
  for (const std::string& name : option.get_lnames())
    names.push_back(absl::StrCat("\\-\\-", Roff(name)));
  std::string head = absl::StrCat("\\fB", absl::StrJoin(names, "\\fR, \\fB"), "\\fR");
  if (option.get_type_size() != 0 && !option.get_type_name().empty()) {
    absl::StrAppend(&head, " \\fI", Roff(option.get_type_name()), "\\fR");
  }
  return head;
}

void AddOptions(const CLI::App& app, std::string* out) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_name() == "--help") continue;
    absl::StrAppend(out, ".TP\n", OptionHead(*option), "\n", Roff(option->get_description()), "\n");
  }
}

// Examples keep their lines.
void AddFooter(const std::string& footer, std::string* out) {
  if (!footer.empty()) absl::StrAppend(out, ".PP\n.nf\n", Roff(footer), "\n.fi\n");
}

std::string Synopsis(const CLI::App& command) {
  std::string text;
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_positional()) continue;
    const bool many = option->get_expected_max() > 1;
    const std::string name =
        absl::StrCat("\\fI", Roff(option->get_name(true)), "\\fR", many ? "..." : "");
    absl::StrAppend(&text, " ", option->get_required() ? name : absl::StrCat("[", name, "]"));
  }
  return text;
}

void AddCommand(const CLI::App& command, const std::string& path, std::string* out) {
  if (command.get_group().empty()) return;
  const std::string name = absl::StrCat(path, " ", command.get_name());
  absl::StrAppend(out, ".SS \"", Roff(name), "\"\n\\fB", Roff(name), "\\fR", Synopsis(command),
                  "\n.PP\n", Roff(command.get_description()), ".\n");
  AddOptions(command, out);
  AddFooter(command.get_footer(), out);
  for (const CLI::App* sub : command.get_subcommands(nullptr)) AddCommand(*sub, name, out);
}

}  // namespace

std::string ManPage(const CLI::App& app, absl::string_view version) {
  std::string out = absl::StrCat(
      ".TH SHAKEDOWN 1 \"\" \"", Roff(version), "\" \"Shakedown\"\n",
      ".SH NAME\nshakedown \\- compare Linux CPU schedulers on a farm of machines\n",
      ".SH SYNOPSIS\n\\fBshakedown\\fR [\\fIoptions\\fR] \\fIcommand\\fR [\\fIarguments\\fR]\n",
      ".SH DESCRIPTION\n", Roff(app.get_description()), "\n.SH OPTIONS\n");
  AddOptions(app, &out);
  out += ".SH COMMANDS\n";
  for (const CLI::App* command : app.get_subcommands(nullptr))
    AddCommand(*command, "shakedown", &out);
  out += ".SH NOTES\n";
  AddFooter(app.get_footer(), &out);
  out += ".SH FILES\n\\fI~/.config/shakedown/config.txtpb\\fR: the farms that are known by name.\n";
  return out;
}

}  // namespace shakedown::cli
