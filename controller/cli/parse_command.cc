// parse: texts of other tools, no farm.
#include <string>
#include <vector>

#include "controller/cli/commands.h"
#include "controller/cli/exit_code.h"
#include "controller/cli/input_file.h"
#include "controller/import/parse.h"
#include "proto/wire/sanitise.h"

namespace shakedown::cli {

int Parse(Screen& screen, const ParseArgs& args) {
  std::vector<importer::ParsedFile> files;
  int code = kOk;
  for (const std::string& file : args.files) {
    const absl::StatusOr<std::string> text = ReadInput(file, importer::kMostBytes);
    if (!text.ok()) {
      code = Fail(screen, text.status());
      continue;
    }
    files.push_back({file, importer::ParseText(*text)});
    if (!files.back().parsed.refused.empty() && code == kOk) code = kOther;
  }
  screen.Print(args.json ? importer::PrintJson(files) : importer::PrintText(files));
  return code;
}

}  // namespace shakedown::cli
