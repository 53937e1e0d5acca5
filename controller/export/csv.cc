#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "controller/compare/words.h"
#include "controller/export/export.h"
#include "controller/export/parts.h"
#include "proto/wire/ids.h"

namespace shakedown::exporting {
namespace {

// Quoted when it must be.
std::string Cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  return absl::StrCat("\"", absl::StrReplaceAll(text, {{"\"", "\"\""}}), "\"");
}

void Row(const std::vector<std::string>& cells, std::string* out) {
  absl::StrAppend(out,
                  absl::StrJoin(cells, ",",
                                [](std::string* to, const std::string& cell) {
                                  absl::StrAppend(to, Cell(cell));
                                }),
                  "\n");
}

std::vector<std::string> BootCells(const v1::ReportData& data, const v1::BootView& view) {
  return {absl::StrCat(data.job().job()),
          view.name(),
          absl::StrCat(view.block()),
          std::string(1, VariantLetter(view.variant())),
          absl::StrCat(view.attempt()),
          KernelOf(data, view.variant()),
          static_cast<int>(view.variant()) < data.variants_size()
              ? plan::PrintVariant(data.variants(static_cast<int>(view.variant())).variant())
              : "",
          view.machine(),
          std::string(compare::Word(view.outcome())),
          view.has_started() ? TimeText(view.started()) : ""};
}

}  // namespace

std::string CsvHeader() {
  return "job,boot,block,variant,attempt,kernel,variant_text,machine,outcome,started,load,metric,"
         "iteration,warmup,value,unit\n";
}

std::string CsvRows(const v1::ReportData& data) {
  std::string out;
  for (const v1::ReportData::BootData& boot : data.boots()) {
    const std::vector<std::string> head = BootCells(data, boot.view());
    bool any = false;
    for (const v1::LoadRun& run : boot.result().load_runs()) {
      for (const v1::Measurement& m : run.measurements()) {
        any = true;
        std::vector<std::string> cells = head;
        cells.insert(cells.end(),
                     {LoadOf(data, run.load()), m.metric(), absl::StrCat(m.iteration()),
                      m.warmup() ? "1" : "0", Dump(Json(m.value())), m.unit()});
        Row(cells, &out);
      }
    }
    if (any) continue;
    std::vector<std::string> cells = head;
    cells.insert(cells.end(), 6, "");
    Row(cells, &out);
  }
  return out;
}

std::string ImportCsvRows(const v1::GetImportResponse& import) {
  std::string out;
  const v1::ImportView& view = import.import();
  for (const v1::ImportedValue& value : import.values()) {
    Row({"", absl::StrCat("import ", view.import()), "", "", "", value.kernel(), value.variant(),
         view.machine(), "", view.has_measured() ? TimeText(view.measured()) : "", value.detail(),
         value.metric(), absl::StrCat(value.run()), "0", Dump(Json(value.value())), value.unit()},
        &out);
  }
  return out;
}

}  // namespace shakedown::exporting
