#include "controller/cli/screen.h"

#include <google/protobuf/util/json_util.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "controller/cli/text_width.h"
#include "proto/wire/sanitise.h"

namespace shakedown::cli {
namespace {

// Select Graphic Rendition, the eight colours every terminal has.
absl::string_view Sgr(Tone tone) {
  switch (tone) {
    case Tone::kGood:
      return "\x1b[32m";
    case Tone::kBad:
      return "\x1b[31m";
    case Tone::kFarm:
      return "\x1b[33m";
    case Tone::kDim:
      return "\x1b[2m";
    case Tone::kBold:
      return "\x1b[1m";
    case Tone::kPlain:
      break;
  }
  return "";
}

Line CutLine(const Line& line, size_t columns) {
  Line cut;
  for (const Span& span : line) {
    const size_t width = Width(span.text);
    if (width > columns) {
      cut.push_back({Cut(span.text, columns), span.tone});
      return cut;
    }
    cut.push_back(span);
    columns -= width;
  }
  return cut;
}

}  // namespace

std::string Text(const Line& line) {
  std::string text;
  for (const Span& span : line) absl::StrAppend(&text, span.text);
  return text;
}

std::string Screen::Render(const Line& line) const {
  std::string text;
  for (const Span& span : line) {
    const absl::string_view sgr = setup_.colour ? Sgr(span.tone) : "";
    absl::StrAppend(&text, sgr, Printable(span.text), sgr.empty() ? "" : "\x1b[0m");
  }
  return text;
}

void Screen::Print(absl::string_view text) { out_ << Printable(text); }

void Screen::Print(const Line& line) { out_ << Render(line) << '\n'; }

void Screen::PrintJson(const google::protobuf::Message& message) {
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = true;
  options.always_print_primitive_fields = true;
  std::string json;
  const auto status = google::protobuf::util::MessageToJsonString(message, &json, options);
  if (!status.ok()) return Complain(absl::StrCat("JSON: ", status.ToString()));
  PrintRaw(json);
}

void Screen::PrintRaw(absl::string_view bytes) { out_ << bytes; }

bool Screen::healthy() {
  out_.flush();
  return out_.good();
}

void Screen::Complain(absl::string_view text) {
  absl::ConsumeSuffix(&text, "\n");
  err_ << "shakedown: " << absl::StrReplaceAll(Printable(text), {{"\n", "\n  "}}) << '\n';
}

void Screen::Note(absl::string_view text) { err_ << Printable(text) << '\n'; }

std::optional<std::string> Screen::Ask(absl::string_view question) {
  out_.flush();
  err_ << Printable(question) << std::flush;
  return setup_.read_line();
}

void Screen::Redraw(const std::vector<Line>& lines) {
  EraseDrawn();
  const size_t columns = size().columns;
  std::string text;
  for (const Line& line : lines) {
    absl::StrAppend(&text, Render(columns > 0 ? CutLine(line, columns) : line), "\n");
  }
  out_ << text << std::flush;
  drawn_ = lines.size();
}

void Screen::EraseDrawn() {
  // Cursor up, erase to the end of the screen.
  if (drawn_ > 0) out_ << "\x1b[" << drawn_ << "A\r\x1b[J";
  drawn_ = 0;
}

}  // namespace shakedown::cli
