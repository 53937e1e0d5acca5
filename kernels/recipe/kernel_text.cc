#include "kernels/recipe/kernel_text.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace shakedown::kernels {
namespace {

class Errors : public google::protobuf::io::ErrorCollector {
 public:
  explicit Errors(absl::string_view file) : file_(file) {}

  // `line` and `column` count from 0; -1 when the error belongs to no line.
  void AddError(int line, google::protobuf::io::ColumnNumber column,
                const std::string& message) override {
    if (line < 0) {
      lines_.push_back(absl::StrCat(file_, ": ", message));
    } else {
      lines_.push_back(absl::StrCat(file_, ":", line + 1, ":", column + 1, ": ", message));
    }
  }

  std::string Text() const { return absl::StrJoin(lines_, "\n"); }

 private:
  std::string file_;
  std::vector<std::string> lines_;
};

}  // namespace

absl::StatusOr<v1::Kernel> ParseKernel(absl::string_view text, absl::string_view file) {
  if (text.size() > kMaxKernelText) {
    return absl::InvalidArgumentError(
        absl::StrCat(file, ": ", text.size(), " bytes, want at most ", kMaxKernelText));
  }
  Errors errors(file);
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&errors);
  v1::Kernel kernel;
  if (parser.ParseFromString(std::string(text), &kernel)) return kernel;
  return absl::InvalidArgumentError(errors.Text());
}

std::string PrintKernel(const v1::Kernel& kernel) {
  google::protobuf::TextFormat::Printer printer;
  printer.SetUseUtf8StringEscaping(true);
  std::string text;
  printer.PrintToString(kernel, &text);
  return text;
}

}  // namespace shakedown::kernels
