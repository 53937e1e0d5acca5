// import: texts of other tools into the farm.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "controller/cli/commands.h"
#include "controller/cli/exit_code.h"
#include "controller/cli/import_client.h"
#include "controller/cli/import_text.h"
#include "controller/import/parse.h"
#include "proto/wire/sanitise.h"

namespace shakedown::cli {
namespace {

struct Outcome {
  std::string file;
  absl::StatusOr<v1::AddImportResponse> answer = absl::UnknownError("not tried");
  int code = kOk;
};

// A text that can not be taken as it is is not wrong usage.
int CodeOf(const absl::Status& status) {
  return absl::IsFailedPrecondition(status) || absl::IsAborted(status) ? kOther
                                                                       : ExitCodeOf(status);
}

Outcome ImportOne(const Desk& desk, const std::string& file, const ImportArgs& args,
                  std::string* machine) {
  Outcome outcome{.file = file};
  const absl::StatusOr<ReadText> text = ReadForImport(file);
  if (!text.ok()) {
    outcome.answer = text.status();
    outcome.code = ExitCodeOf(text.status());
    return outcome;
  }
  if (args.json) {
    // Standard output is for the answer.
  } else {
    desk.screen.Print(Summary(*text));
    desk.screen.Flush();
  }
  const absl::StatusOr<v1::AddImportRequest> request =
      RequestFor(desk.screen, *text, args, machine);
  outcome.answer = request.ok() ? desk.imports->AddImport(*request)
                                : absl::StatusOr<v1::AddImportResponse>(request.status());
  outcome.code = CodeOf(outcome.answer.status());
  return outcome;
}

void Tell(const Desk& desk, const Outcome& outcome) {
  if (!outcome.answer.ok()) return desk.screen.Complain(outcome.answer.status());
  const v1::AddImportResponse& answer = *outcome.answer;
  desk.screen.Print(absl::StrCat("import ", answer.import(),
                                 answer.existed() ? ": was stored before, " : ": stored, ",
                                 answer.values(), " values\n"));
}

std::string Json(const std::vector<Outcome>& outcomes) {
  nlohmann::ordered_json imports = nlohmann::ordered_json::array();
  for (const Outcome& outcome : outcomes) {
    nlohmann::ordered_json one = {{"file", ToUtf8(outcome.file)}};
    if (outcome.answer.ok()) {
      one["import"] = outcome.answer->import();
      one["existed"] = outcome.answer->existed();
      one["values"] = outcome.answer->values();
    } else {
      one["error"] = ToUtf8(outcome.answer.status().message());
    }
    imports.push_back(std::move(one));
  }
  return absl::StrCat(nlohmann::ordered_json{{"imports", std::move(imports)}}.dump(1), "\n");
}

}  // namespace

int ImportDryRun(Screen& screen, const ImportArgs& args) {
  return Parse(screen, {.files = args.files, .json = args.json});
}

int Import(const Desk& desk, const ImportArgs& args) {
  std::vector<Outcome> outcomes;
  int code = kOk;
  std::string machine;  // The last one that was asked for.
  for (const std::string& file : args.files) {
    outcomes.push_back(ImportOne(desk, file, args, &machine));
    if (!args.json) Tell(desk, outcomes.back());
    if (code == kOk) code = outcomes.back().code;
  }
  if (args.json) desk.screen.PrintRaw(Json(outcomes));
  return code;
}

}  // namespace shakedown::cli
