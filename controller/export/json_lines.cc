#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "controller/compare/words.h"
#include "controller/export/export.h"
#include "controller/export/parts.h"
#include "proto/wire/ids.h"

namespace shakedown::exporting {
namespace {

void Line(const Json& json, std::string* out) { absl::StrAppend(out, Dump(json), "\n"); }

// A text, unless it is empty.
void Add(Json& json, const char* name, const std::string& text) {
  if (!text.empty()) json[name] = text;
}

const char* StateWord(v1::JobState state) {
  if (state == v1::JOB_STATE_DONE) return "done";
  return state == v1::JOB_STATE_CANCELLED ? "cancelled" : "active";
}

Json JobObject(const v1::ReportData& data) {
  const v1::JobView& job = data.job();
  Json json = {{"type", "job"}, {"job", job.job()}, {"state", StateWord(job.state())}};
  Add(json, "title", job.spec().title());
  Add(json, "submitter", job.submitter());
  Add(json, "end_reason", job.end_reason());
  if (job.has_submitted()) json["submitted"] = TimeText(job.submitted());
  if (job.has_ended()) json["ended"] = TimeText(job.ended());
  json["order_seed"] = job.plan().order_seed();
  Json& loads = json["loads"] = Json::array();
  for (const v1::Load& load : job.spec().loads()) loads.push_back(plan::PrintLoad(load));
  Json& variants = json["variants"] = Json::array();
  for (int v = 0; v < data.variants_size(); ++v) {
    const v1::ReportData::VariantData& variant = data.variants(v);
    Json one = {{"letter", std::string(1, VariantLetter(static_cast<uint32_t>(v)))},
                {"kernel", variant.variant().kernel()},
                {"text", plan::PrintVariant(variant.variant())}};
    Add(one, "build_key", variant.build().build_key());
    Add(one, "release", variant.build().release());
    variants.push_back(one);
  }
  return json;
}

Json BootObject(const v1::ReportData& data, const v1::ReportData::BootData& boot) {
  const v1::BootView& view = boot.view();
  Json json = {{"type", "boot"},
               {"boot", view.name()},
               {"job", data.job().job()},
               {"block", view.block()},
               {"variant", std::string(1, VariantLetter(view.variant()))},
               {"attempt", view.attempt()},
               {"kernel", KernelOf(data, view.variant())},
               {"outcome", compare::Word(view.outcome())}};
  Add(json, "machine", view.machine());
  Add(json, "reason", view.reason());
  if (view.has_started()) json["started"] = TimeText(view.started());
  if (view.has_ended()) json["ended"] = TimeText(view.ended());
  if (view.boot_ms() != 0) json["boot_ms"] = view.boot_ms();
  Add(json, "release", boot.result().identity().release());
  Add(json, "build_id", boot.result().identity().build_id());
  // A map of the protos has no order of its own.
  std::map<std::string, std::string> facts(boot.result().fingerprint().facts().begin(),
                                           boot.result().fingerprint().facts().end());
  if (!facts.empty()) json["facts"] = facts;
  return json;
}

}  // namespace

absl::StatusOr<Format> ParseFormat(absl::string_view text) {
  if (text == "json") return Format::kJson;
  if (text == "csv") return Format::kCsv;
  if (text == "kcidb") return Format::kKcidb;
  return absl::InvalidArgumentError(
      absl::StrCat("format ", Quoted(text), ": want json, csv or kcidb"));
}

std::string JsonLines(const v1::ReportData& data) {
  std::string out;
  Line(JobObject(data), &out);
  for (const v1::ReportData::BootData& boot : data.boots()) {
    Line(BootObject(data, boot), &out);
    for (const v1::LoadRun& run : boot.result().load_runs()) {
      for (const v1::Measurement& m : run.measurements()) {
        Line({{"type", "measurement"},
              {"boot", boot.view().name()},
              {"load", LoadOf(data, run.load())},
              {"metric", m.metric()},
              {"iteration", m.iteration()},
              {"warmup", m.warmup()},
              {"value", m.value()},
              {"unit", m.unit()}},
             &out);
      }
    }
  }
  return out;
}

std::string ImportJsonLines(const v1::GetImportResponse& import) {
  const v1::ImportView& view = import.import();
  Json head = {{"type", "import"}, {"import", view.import()}};
  Add(head, "file", view.file());
  Add(head, "sha256", view.sha256());
  Add(head, "format", view.format());
  Add(head, "machine", view.machine());
  Add(head, "source", view.source());
  Add(head, "submitter", view.submitter());
  if (view.has_added()) head["added"] = TimeText(view.added());
  if (view.has_measured()) head["measured"] = TimeText(view.measured());
  head["raw"] = absl::Base64Escape(import.raw());
  std::string out;
  Line(head, &out);
  for (const v1::ImportedValue& value : import.values()) {
    Json json = {{"type", "imported_value"}, {"import", view.import()}, {"metric", value.metric()}};
    Add(json, "kernel", value.kernel());
    Add(json, "variant", value.variant());
    Add(json, "detail", value.detail());
    json["run"] = value.run();
    json["line"] = value.line();
    json["value"] = value.value();
    json["unit"] = value.unit();
    Line(json, &out);
  }
  return out;
}

}  // namespace shakedown::exporting
