#include "kernels/recipe/kernel_text.h"

#include <google/protobuf/text_format.h>

#include "absl/strings/str_cat.h"
#include "proto/wire/status.h"
#include "proto/wire/text_proto.h"

namespace shakedown::kernels {

absl::StatusOr<v1::Kernel> ParseKernel(absl::string_view text, absl::string_view file) {
  if (text.size() > kMaxKernelText) {
    return absl::InvalidArgumentError(
        absl::StrCat(file, ": ", text.size(), " bytes, want at most ", kMaxKernelText));
  }
  v1::Kernel kernel;
  RETURN_IF_ERROR(ParseTextProto(text, file, &kernel));
  return kernel;
}

std::string PrintKernel(const v1::Kernel& kernel) {
  google::protobuf::TextFormat::Printer printer;
  printer.SetUseUtf8StringEscaping(true);
  std::string text;
  printer.PrintToString(kernel, &text);
  return text;
}

}  // namespace shakedown::kernels
