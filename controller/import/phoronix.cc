// Phoronix Test Suite: composite.xml. Entities of a document's own and its DTD are not expanded,
// nothing is fetched: pugixml can neither.
#include <algorithm>
#include <pugixml.hpp>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "controller/import/format.h"
#include "controller/import/words.h"

namespace shakedown::importer {
namespace {

constexpr size_t kMostXml = 16 << 20;
constexpr absl::string_view kRoot = "PhoronixTestSuite";

struct Document {
  std::string text;
  std::vector<size_t> starts;  // Of each line in `text`.
  size_t lines = 0;
  bool closed = false;
};

Document DocumentAt(const Lines& lines, size_t at) {
  Document document;
  const std::string end = absl::StrCat("</", kRoot, ">");
  for (size_t next = at; next < lines.size() && !document.closed; ++next) {
    document.starts.push_back(document.text.size());
    if (document.text.size() <= kMostXml) absl::StrAppend(&document.text, lines[next].text, "\n");
    document.closed = absl::StrContains(lines[next].text, end);
    ++document.lines;
  }
  return document;
}

class Reader {
 public:
  Reader(const Lines& lines, size_t at, const Document& document, Sink& sink)
      : lines_(lines), at_(at), document_(document), sink_(sink) {}

  void Read(const pugi::xml_node& root) {
    for (const pugi::xml_node& system : root.children("System")) {
      const std::string name = system.child_value("Identifier");
      systems_.push_back({name,
                          {{"system", name},
                           {"hardware", system.child_value("Hardware")},
                           {"software", system.child_value("Software")}}});
    }
    bool any = false;
    for (const pugi::xml_node& result : root.children("Result")) {
      any = true;
      ReadResult(result);
    }
    if (!any) sink_.Refuse(lines_[at_].number, "Phoronix: no <Result> in <PhoronixTestSuite>");
  }

 private:
  int LineOf(ptrdiff_t offset) const {
    const auto after = std::upper_bound(document_.starts.begin(), document_.starts.end(),
                                        static_cast<size_t>(std::max<ptrdiff_t>(offset, 0)));
    return lines_[at_ + (after - document_.starts.begin()) - 1].number;
  }
  int LineOf(const pugi::xml_node& node) const { return LineOf(node.offset_debug()); }

  void ReadResult(const pugi::xml_node& result) {
    const std::string title = result.child_value("Title");
    const std::string test = result.child_value("Identifier");
    const std::string format = result.child_value("DisplayFormat");
    unit_ = result.child_value("Scale");
    const std::string proportion = result.child_value("Proportion");
    if (format != "BAR_GRAPH" && !format.empty()) {
      sink_.Note(LineOf(result), absl::StrCat("Phoronix: ", Shown(title), " is a ", format,
                                              ", not a number: left out"));
      return;
    }
    if (unit_.empty()) {
      sink_.Refuse(LineOf(result), absl::StrCat("Phoronix: ", Shown(title), " has no <Scale>"));
      return;
    }
    direction_ = proportion == "LIB"   ? Direction::kLower
                 : proportion == "HIB" ? Direction::kHigher
                                       : Direction::kUnknown;
    metric_ = absl::StrCat("phoronix.", test.empty() ? title : test);
    version_ = result.child_value("AppVersion");
    test_ = {{"title", title}, {"description", result.child_value("Description")}};
    for (const pugi::xml_node& entry : result.child("Data").children("Entry")) ReadEntry(entry);
  }

  void ReadEntry(const pugi::xml_node& entry) {
    const std::string system = entry.child_value("Identifier");
    auto context = test_;
    const size_t before = context.size();
    for (const auto& [name, facts] : systems_)
      if (name == system && context.size() == before)
        context.insert(context.end(), facts.begin(), facts.end());
    if (context.size() == before) context.emplace_back("system", system);
    const std::string value = entry.child_value("Value");
    if (value.empty()) {
      sink_.Refuse(LineOf(entry), absl::StrCat("Phoronix: ", metric_, " of ", Shown(system),
                                               " has no value: the test failed"));
      return;
    }
    Add(metric_, value, context, LineOf(entry));
    const std::string raw = entry.child_value("RawString");
    if (raw.empty()) return;
    int run = 0;
    for (const absl::string_view part : absl::StrSplit(raw, ':')) {
      auto of_run = context;
      of_run.emplace_back("run", absl::StrCat(++run));
      Add(absl::StrCat(metric_, ".run"), part, of_run, LineOf(entry));
    }
  }

  void Add(const std::string& metric, absl::string_view text,
           const std::vector<std::pair<std::string, std::string>>& context, int line) {
    const std::optional<double> value = Number(absl::StripAsciiWhitespace(text));
    if (!value.has_value()) {
      sink_.Refuse(line, absl::StrCat("Phoronix: ", metric, " ", Shown(text), ": want a number"));
      return;
    }
    sink_.Add({.source = MakeSource("phoronix", "composite.xml", context, version_),
               .metric = metric,
               .value = *value,
               .unit = unit_,
               .direction = direction_,
               .line = line});
  }

  using Context = std::vector<std::pair<std::string, std::string>>;

  const Lines& lines_;
  const size_t at_;
  const Document& document_;
  Sink& sink_;
  std::vector<std::pair<std::string, Context>> systems_;
  Context test_;
  std::string metric_, unit_, version_;
  Direction direction_ = Direction::kUnknown;
};

}  // namespace

size_t ReadPhoronix(const Lines& lines, size_t at, Sink& sink) {
  const absl::string_view text = absl::StripLeadingAsciiWhitespace(lines[at].text);
  if (!absl::StartsWith(text, "<")) return 0;
  bool root = false;  // Its tag may come behind the declaration and comments.
  for (size_t next = at; next < at + 4 && !root; ++next)
    root = absl::StrContains(TextAt(lines, next), absl::StrCat("<", kRoot));
  if (!root) return 0;
  const Document document = DocumentAt(lines, at);
  const int line = lines[at].number;
  if (!document.closed || document.text.size() > kMostXml) {
    sink.Refuse(line, document.closed ? "Phoronix: more than 16 MiB of XML"
                                      : "Phoronix: XML that is broken off");
    return document.lines;
  }
  pugi::xml_document xml;
  const pugi::xml_parse_result parsed = xml.load_buffer(document.text.data(), document.text.size(),
                                                        pugi::parse_default, pugi::encoding_utf8);
  if (!parsed) {
    sink.Refuse(line, absl::StrCat("Phoronix: XML: ", parsed.description()));
    return document.lines;
  }
  Reader(lines, at, document, sink).Read(xml.child("PhoronixTestSuite"));
  return document.lines;
}

}  // namespace shakedown::importer
