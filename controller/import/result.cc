#include "controller/import/result.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace shakedown::importer {
namespace {

// Most texts come in order, and moving a million results is not for nothing.
template <typename Item>
void SortByLine(std::vector<Item>& items) {
  const auto by_line = [](const Item& a, const Item& b) { return a.line < b.line; };
  if (!std::is_sorted(items.begin(), items.end(), by_line))
    std::stable_sort(items.begin(), items.end(), by_line);
}

}  // namespace

absl::string_view DirectionWord(Direction direction) {
  switch (direction) {
    case Direction::kLower:
      return "lower";
    case Direction::kHigher:
      return "higher";
    case Direction::kUnknown:
      break;
  }
  return "";
}

void Sink::Add(Result result) {
  last_line_ = std::max(last_line_, result.line);
  if (parsed_.results.size() < kMostResults) {
    parsed_.results.push_back(std::move(result));
  } else if (!full_) {
    full_ = true;
    Refuse(result.line,
           absl::StrCat("more than ", kMostResults, " results: not read from here on"));
  }
}

void Sink::Note(int line, std::string text) {
  last_line_ = std::max(last_line_, line);
  if (parsed_.notes.size() < kMostRemarks) {
    parsed_.notes.push_back({line, std::move(text)});
  } else {
    ++notes_left_out_;
  }
}

void Sink::Refuse(int line, std::string reason) {
  last_line_ = std::max(last_line_, line);
  if (parsed_.refused.size() < kMostRemarks) {
    parsed_.refused.push_back({line, std::move(reason)});
  } else {
    ++refusals_left_out_;
  }
}

Parsed Sink::Take() {
  if (notes_left_out_ > 0)
    parsed_.notes.push_back({last_line_, absl::StrCat(notes_left_out_, " more notes")});
  if (refusals_left_out_ > 0)
    parsed_.refused.push_back(
        {last_line_, absl::StrCat(refusals_left_out_, " more lines could not be read")});
  SortByLine(parsed_.results);
  SortByLine(parsed_.notes);
  SortByLine(parsed_.refused);
  Parsed taken = std::move(parsed_);
  *this = Sink();
  return taken;
}

SourcePtr MakeSource(absl::string_view tool, absl::string_view form,
                     std::vector<std::pair<std::string, std::string>> context,
                     absl::string_view version) {
  auto source = std::make_shared<Source>();
  source->tool = std::string(tool);
  source->form = std::string(form);
  source->version = std::string(version);
  for (auto& pair : context)
    if (!pair.second.empty()) source->context.push_back(std::move(pair));
  return source;
}

}  // namespace shakedown::importer
