#include "controller/cli/job_file.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "proto/wire/files.h"
#include "proto/wire/status.h"

namespace shakedown::cli {
namespace {

// More errors than this help nobody: a file that is something else altogether.
constexpr size_t kMaxErrors = 10;

class Errors : public google::protobuf::io::ErrorCollector {
 public:
  explicit Errors(absl::string_view file) : file_(file) {}

  // `line` and `column` count from 0; -1 when the error belongs to no line.
  void AddError(int line, google::protobuf::io::ColumnNumber column,
                const std::string& message) override {
    if (lines_.size() == kMaxErrors) return;
    lines_.push_back(line < 0 ? absl::StrCat(file_, ": ", message)
                              : absl::StrCat(file_, ":", line + 1, ":", column + 1, ": ", message));
  }

  std::string Text() const { return absl::StrJoin(lines_, "\n"); }

 private:
  std::string file_;
  std::vector<std::string> lines_;
};

}  // namespace

absl::StatusOr<v1::JobSpec> ParseJobFile(absl::string_view text, absl::string_view file) {
  if (text.size() > kMaxJobFile) {
    return absl::InvalidArgumentError(
        absl::StrCat(file, ": ", text.size(), " bytes, want a job file of at most ", kMaxJobFile));
  }
  Errors errors(file);
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&errors);
  v1::JobSpec spec;
  if (parser.ParseFromString(std::string(text), &spec)) return spec;
  return absl::InvalidArgumentError(errors.Text());
}

absl::StatusOr<v1::JobSpec> ReadJobFile(const std::string& path) {
  const bool standard_input = path == "-";
  absl::StatusOr<std::string> text = ReadFile(standard_input ? "/dev/stdin" : path, kMaxJobFile);
  if (!text.ok()) return Annotate(text.status(), "job file");
  return ParseJobFile(*text, standard_input ? "standard input" : path);
}

}  // namespace shakedown::cli
