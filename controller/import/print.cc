#include <algorithm>
#include <charconv>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "controller/import/parse.h"
#include "proto/wire/sanitise.h"

namespace shakedown::importer {
namespace {

constexpr size_t kUsualResult = 128;  // Bytes of JSON.

void AppendNumber(double value, std::string& out) {
  char text[40];
  const auto [end, code] = std::to_chars(text, text + sizeof(text), value);
  out.append(text, end - text);
}

bool IsPlain(absl::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c >= 0x20 && c < 0x7F && c != '"' && c != '\\'; });
}

void AppendString(absl::string_view text, std::string& out) {
  out += '"';
  if (IsPlain(text)) {
    out.append(text.data(), text.size());
    out += '"';
    return;
  }
  for (const char c : ToUtf8(text)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7F) {
      absl::StrAppendFormat(&out, "\\u%04x", byte);
    } else {
      out += c;
    }
  }
  out += '"';
}

void AppendMember(absl::string_view name, absl::string_view value, std::string& out) {
  absl::StrAppend(&out, ",\"", name, "\":");
  AppendString(value, out);
}

// {"tool":…,"form":…[,"version":…]
void AppendSource(const Source& source, std::string& out) {
  out += "{\"tool\":";
  AppendString(source.tool, out);
  AppendMember("form", source.form, out);
  if (!source.version.empty()) AppendMember("version", source.version, out);
}

void AppendContext(const Source& source, std::string& out) {
  if (source.context.empty()) return;
  out += ",\"context\":{";
  bool first = true;
  for (const auto& [name, value] : source.context) {
    if (!first) out += ',';
    first = false;
    AppendString(name, out);
    out += ':';
    AppendString(value, out);
  }
  out += '}';
}

void AppendResult(const Result& result, std::string& out) {
  AppendSource(*result.source, out);
  AppendMember("metric", result.metric, out);
  out += ",\"value\":";
  AppendNumber(result.value, out);
  if (result.unit.empty()) {
    out += ",\"unit\":null";
  } else {
    AppendMember("unit", result.unit, out);
  }
  if (!result.unit_said) out += ",\"unit_from\":\"default\"";
  if (result.direction != Direction::kUnknown)
    AppendMember("direction", DirectionWord(result.direction), out);
  absl::StrAppend(&out, ",\"line\":", result.line);
  AppendContext(*result.source, out);
  if (!result.marks.empty()) {
    out += ",\"marks\":[";
    for (size_t i = 0; i < result.marks.size(); ++i) {
      if (i > 0) out += ',';
      AppendString(result.marks[i], out);
    }
    out += ']';
  }
  out += '}';
}

// The members of `items`, one a line.
template <typename Item, typename Append>
void AppendList(absl::string_view name, const std::vector<Item>& items, std::string& out,
                Append append) {
  absl::StrAppend(&out, ",\n\"", name, "\":[");
  for (size_t i = 0; i < items.size(); ++i) {
    out += i > 0 ? ",\n" : "\n";
    append(items[i]);
  }
  out += ']';
}

std::string ContextLine(const Source& source) {
  std::string line;
  for (const auto& [name, value] : source.context)
    absl::StrAppend(&line, line.empty() ? "" : ", ", name, " ", value);
  return PrintableLine(line, 120);
}

void AppendPerson(const Result& result, std::string& out) {
  std::string value;
  AppendNumber(result.value, value);
  std::string marks;
  for (const std::string& mark : result.marks)
    absl::StrAppend(&marks, " ", PrintableLine(mark, 80));
  const std::string unit = result.unit.empty() ? "(no unit)" : PrintableLine(result.unit, 20);
  absl::StrAppendFormat(&out, "%7d  %-44s %14s %s%s%s  %s\n", result.line,
                        PrintableLine(result.metric, 80), value, unit,
                        result.unit_said ? "" : " (default)", marks, ContextLine(*result.source));
}

}  // namespace

std::string PrintJson(const std::vector<ParsedFile>& files) {
  std::string out = "{\"files\":[";
  size_t results = 0;
  for (const ParsedFile& file : files) results += file.parsed.results.size();
  out.reserve(results * kUsualResult);
  for (size_t i = 0; i < files.size(); ++i) {
    out += i > 0 ? ",\n{\"file\":" : "{\"file\":";
    AppendString(files[i].file, out);
    const Parsed& parsed = files[i].parsed;
    AppendList("results", parsed.results, out, [&](const Result& r) { AppendResult(r, out); });
    AppendList("notes", parsed.notes, out, [&](const Note& note) {
      absl::StrAppend(&out, "{\"line\":", note.line);
      AppendMember("text", note.text, out);
      out += '}';
    });
    AppendList("refused", parsed.refused, out, [&](const Refusal& refusal) {
      absl::StrAppend(&out, "{\"line\":", refusal.line);
      AppendMember("reason", refusal.reason, out);
      out += '}';
    });
    out += '}';
  }
  return out + "]}\n";
}

std::string PrintText(const std::vector<ParsedFile>& files) {
  std::string out;
  for (const ParsedFile& file : files) {
    const Parsed& parsed = file.parsed;
    absl::StrAppendFormat(&out, "%s%s: %d results, %d notes, %d refused\n", out.empty() ? "" : "\n",
                          PrintableLine(file.file, 400), parsed.results.size(), parsed.notes.size(),
                          parsed.refused.size());
    for (const Result& result : parsed.results) AppendPerson(result, out);
    for (const Note& note : parsed.notes)
      absl::StrAppendFormat(&out, "%7d  note: %s\n", note.line, PrintableLine(note.text, 400));
    for (const Refusal& refusal : parsed.refused)
      absl::StrAppendFormat(&out, "%7d  refused: %s\n", refusal.line,
                            PrintableLine(refusal.reason, 400));
  }
  return out;
}

}  // namespace shakedown::importer
