#include "proto/wire/text_proto.h"

#include <google/protobuf/io/tokenizer.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace shakedown {
namespace {

class Errors : public google::protobuf::io::ErrorCollector {
 public:
  Errors(absl::string_view file, size_t most) : file_(file), most_(most) {}

  // `line` and `column` count from 0; -1 when the error belongs to no line.
  void AddError(int line, google::protobuf::io::ColumnNumber column,
                const std::string& message) override {
    if (lines_.size() == most_) return;
    lines_.push_back(line < 0 ? absl::StrCat(file_, ": ", message)
                              : absl::StrCat(file_, ":", line + 1, ":", column + 1, ": ", message));
  }

  std::string Text() const { return absl::StrJoin(lines_, "\n"); }

 private:
  const std::string file_;
  const size_t most_;
  std::vector<std::string> lines_;
};

}  // namespace

absl::Status ParseTextProto(absl::string_view text, absl::string_view file,
                            google::protobuf::Message* message, size_t max_errors,
                            google::protobuf::TextFormat::ParseInfoTree* places) {
  Errors errors(file, max_errors);
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&errors);
  if (places != nullptr) parser.WriteLocationsTo(places);
  if (parser.ParseFromString(std::string(text), message)) return absl::OkStatus();
  return absl::InvalidArgumentError(errors.Text());
}

}  // namespace shakedown
