// A text that is to be imported: what it holds, and whose numbers they are.
#ifndef SHAKEDOWN_CONTROLLER_CLI_IMPORT_TEXT_H_
#define SHAKEDOWN_CONTROLLER_CLI_IMPORT_TEXT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "controller/cli/options.h"
#include "controller/cli/screen.h"
#include "controller/import/result.h"
#include "shakedown/v1/import.pb.h"

namespace shakedown::cli {

struct ReadText {
  std::string file;  // As the user named it.
  std::string raw;
  importer::Parsed parsed;
  std::vector<std::string> variants;  // Systems or kernels that the text names; {""}: none.
  std::string format;
  bool plain = false;   // Of our own form: says kernels and machine itself.
  std::string machine;  // Of the plain form.
};

// The error of the file.
absl::StatusOr<ReadText> ReadForImport(const std::string& file);

// What was read, a line a metric, and what was not.
std::string Summary(const ReadText& text);

// The request that stores the text. Asks on a terminal for what the options leave open, taking what
// the text says as a question only; `*machine` is offered and set to the answer.
// InvalidArgument: something is unclear and nobody can be asked. Aborted: the person said no.
absl::StatusOr<v1::AddImportRequest> RequestFor(Screen& screen, const ReadText& text,
                                                const ImportArgs& args, std::string* machine);

}  // namespace shakedown::cli

#endif  // SHAKEDOWN_CONTROLLER_CLI_IMPORT_TEXT_H_
