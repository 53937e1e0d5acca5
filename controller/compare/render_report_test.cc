#include "controller/compare/render_report.h"

#include <gmock/gmock.h>
#include <google/protobuf/message.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "absl/strings/str_split.h"

namespace shakedown::compare {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kHostile[] = "\"'><script>alert(1)</script><img src=x onerror=alert(1)>|`&\x1b[2J";

// `text` in every string there is, with a few numbers so that plots are drawn.
void Fill(google::protobuf::Message* message, const std::string& text) {
  const auto* descriptor = message->GetDescriptor();
  const auto* reflection = message->GetReflection();
  using Field = google::protobuf::FieldDescriptor;
  for (int i = 0; i < descriptor->field_count(); ++i) {
    const Field* field = descriptor->field(i);
    for (int n = 0; n < 3 && (n == 0 || field->is_repeated()); ++n) {
      const bool many = field->is_repeated();
      if (field->cpp_type() == Field::CPPTYPE_MESSAGE) {
        Fill(many ? reflection->AddMessage(message, field)
                  : reflection->MutableMessage(message, field),
             text);
      } else if (field->cpp_type() == Field::CPPTYPE_STRING) {
        many ? reflection->AddString(message, field, text)
             : reflection->SetString(message, field, text);
      } else if (field->cpp_type() == Field::CPPTYPE_DOUBLE && !many) {
        reflection->SetDouble(message, field, 1 + field->index());
      }
    }
  }
}

v1::Report HostileReport(bool verdicts) {
  v1::Report report;
  Fill(&report, kHostile);
  if (verdicts) report.clear_no_verdict();
  // A pair of interbench's grid has a name that is used as three.
  report.mutable_loads(0)->mutable_metrics(1)->set_name(
      std::string("interbench.<b>.<i onclick=x>.latency.max"));
  return report;
}

std::string Rendered(const v1::Report& report, const std::string& format,
                     const std::string& layout = "") {
  v1::GetReportRequest request;
  request.set_format(format);
  request.set_layout(layout);
  request.set_all(true);
  const absl::StatusOr<std::string> text = RenderReport(report, request);
  EXPECT_TRUE(text.ok()) << text.status();
  return text.value_or("");
}

// The names of all elements; their attributes are checked for what could run.
std::set<std::string> Elements(const std::string& html) {
  std::set<std::string> names;
  for (size_t at = html.find('<'); at != std::string::npos; at = html.find('<', at + 1)) {
    std::string tag = html.substr(at + 1, html.find('>', at) - at - 1);
    for (size_t open; (open = tag.find('"')) != std::string::npos;) {
      const size_t close = tag.find('"', open + 1);
      EXPECT_NE(close, std::string::npos) << tag;
      tag.replace(open, close - open + 1, "value");
    }
    const std::string name = tag.substr(0, tag.find_first_of(" \n"));
    EXPECT_THAT(tag, Not(HasSubstr(" on"))) << tag;
    EXPECT_THAT(tag, Not(HasSubstr("src="))) << tag;
    if (name[0] != '/') names.insert(name);
  }
  return names;
}

TEST(HtmlTest, HostileStringsAreText) {
  const std::set<std::string> ours = {
      "!DOCTYPE", "html", "head", "meta", "title",  "style",      "body", "h1",      "h2",
      "h3",       "div",  "pre",  "p",    "table",  "tr",         "th",   "td",      "figure",
      "svg",      "line", "text", "rect", "circle", "figcaption", "br",   "polyline"};
  for (const bool verdicts : {false, true}) {
    const std::string html = Rendered(HostileReport(verdicts), "html");
    for (const std::string& name : Elements(html)) EXPECT_EQ(ours.count(name), 1u) << name;
    EXPECT_THAT(html, HasSubstr("&lt;script&gt;"));
    EXPECT_THAT(html, HasSubstr("default-src 'none'"));
    EXPECT_THAT(html, Not(HasSubstr("http://")));
    EXPECT_THAT(html, Not(HasSubstr("https://")));
    EXPECT_EQ(html.find('\x1b'), std::string::npos);
  }
}

TEST(MarkdownTest, HostileStringsAreNoMarkup) {
  for (const bool verdicts : {false, true}) {
    for (absl::string_view line : std::vector<std::string>(
             absl::StrSplit(Rendered(HostileReport(verdicts), "markdown"), '\n'))) {
      // An indented line is code: nothing in it is markup.
      if (line.substr(0, 4) == "    ") continue;
      for (size_t at = line.find_first_of("<`"); at != absl::string_view::npos;
           at = line.find_first_of("<`", at + 1)) {
        ASSERT_TRUE(at > 0 && line[at - 1] == '\\') << line;
      }
    }
  }
}

TEST(TextTest, HostileStringsStayInTheTable) {
  for (const char* layout : {"", "2009", "2010"}) {
    for (const bool verdicts : {false, true}) {
      const std::string text = Rendered(HostileReport(verdicts), "text", layout);
      for (const char c : text) ASSERT_TRUE(c == '\n' || (c >= 0x20 && c < 0x7f)) << int{c};
    }
  }
}

TEST(CsvTest, QuotesAndDefusesFormulas) {
  v1::Report report;
  v1::ReportLoad* load = report.add_loads();
  load->set_text("=cmd|' /C calc'!A0");
  v1::ReportMetric* metric = load->add_metrics();
  metric->set_name("a,\"b\"");
  metric->set_unit("s");
  v1::ReportRow* row = metric->add_rows();
  row->set_letter("A");
  row->add_boots();
  v1::ReportCell* cell = row->add_boots();
  cell->set_boot("17.2A");
  cell->set_value(0.1);
  EXPECT_EQ(Rendered(report, "csv"),
            "load,metric,unit,variant,block,boot,value\n"
            "'=cmd|' /C calc'!A0,\"a,\"\"b\"\"\",s,A,2,17.2A,0.1\n");
}

TEST(RenderReportTest, RefusesWhatItDoesNotKnow) {
  v1::GetReportRequest request;
  request.set_format("pdf");
  EXPECT_EQ(RenderReport({}, request).status().message(),
            "format \"pdf\": want text, markdown, html, csv or json");
  request.set_format("");
  request.set_asterisk("bold");
  EXPECT_EQ(RenderReport({}, request).status().message(),
            "asterisk \"bold\": want classic or default");
  request.set_asterisk("");
  request.set_layout("2011");
  EXPECT_EQ(RenderReport({}, request).status().message(), "layout \"2011\": want 2009 or 2010");
}

TEST(RenderReportTest, WhichSideStandsFirst) {
  v1::Report report;
  report.set_no_verdict("n < 6 blocks: insufficient, no verdict");
  for (const char* letter : {"A", "B"}) report.add_variants()->set_letter(letter);
  v1::ReportMetric* metric = report.add_loads()->add_metrics();
  metric->set_name("make.real");
  for (const double value : {161.907, 160.232}) metric->add_rows()->set_median(value);
  v1::GetReportRequest request;
  request.set_layout("2009");
  EXPECT_THAT(*RenderReport(report, request),
              HasSubstr("  time    real           2m40.232s        real           2m41.907s\n"));
  request.set_baseline_first(true);
  EXPECT_THAT(*RenderReport(report, request),
              HasSubstr("  time    real           2m41.907s        real           2m40.232s\n"));
}

TEST(RenderReportTest, JsonIsAskedForInTwoWays) {
  v1::GetReportRequest request;
  request.set_json(true);
  const std::string json = *RenderReport({}, request);
  request.set_json(false);
  request.set_format("json");
  EXPECT_EQ(*RenderReport({}, request), json);
  EXPECT_EQ(json[0], '{');
}

TEST(NotesTest, StandInEveryFormWithoutTheirControlCharacters) {
  v1::Report report;
  report.set_job(17);
  v1::ReportNote& note = *report.add_notes();
  note.set_subject("17.3B");
  note.set_kind("freeze");
  note.set_author("ada");
  note.set_text("mouse froze\x1b[2J\nfor <b>two</b> seconds");
  for (const char* format : {"text", "markdown", "html"}) {
    const std::string text = Rendered(report, format);
    EXPECT_THAT(text, HasSubstr("What people saw")) << format;
    EXPECT_THAT(text, HasSubstr("17.3B freeze (ada): mouse froze for")) << format;
    EXPECT_THAT(text, Not(HasSubstr("\x1b"))) << format;
  }
  EXPECT_THAT(Rendered(report, "html"), Not(HasSubstr("<b>two")));
  EXPECT_THAT(Rendered(report, "json"), HasSubstr("\"kind\": \"freeze\""));
  report.clear_notes();
  EXPECT_THAT(Rendered(report, "text"), Not(HasSubstr("What people saw")));
}

}  // namespace
}  // namespace shakedown::compare
