#include "db/store/imports.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "db/store/import_check.h"
#include "db/store/import_rows.h"
#include "db/store/paging.h"
#include "db/store/sql.h"
#include "db/store/withdrawal.h"
#include "proto/wire/digest.h"
#include "proto/wire/status.h"

namespace shakedown::store {
namespace {

constexpr size_t kRowsAtOnce = 5000;  // Of one INSERT.

absl::Status NoSuchImport(int64_t import) {
  return absl::NotFoundError(absl::StrCat("import ", import, ": no such import"));
}

// For to_timestamp(); empty: not known.
std::string SecondsText(const std::optional<google::protobuf::Timestamp>& time) {
  if (!time.has_value()) return "";
  return absl::StrFormat("%d.%06d", time->seconds(), time->nanos() / 1000);
}

void InsertVariants(Transaction& tx, int64_t id, const NewImport& import) {
  std::vector<std::string> names, kernels, tunables;
  for (const ImportVariant& variant : import.variants) {
    names.push_back(variant.name);
    kernels.push_back(variant.kernel);
    tunables.push_back(variant.tunables);
  }
  tx.exec_params(
      "INSERT INTO import_variants (import, variant, name, kernel, tunables) "
      "SELECT $1, v.ordinal - 1, v.name, v.kernel, v.tunables "
      "FROM unnest($2::text[], $3::text[], $4::text[]) WITH ORDINALITY "
      "AS v (name, kernel, tunables, ordinal)",
      id, TextArray(names), TextArray(kernels), TextArray(tunables));
}

// Marks of one value as one text, that arrays of arrays are not needed.
std::string MarksText(const v1::ImportedValue& value) {
  std::string text;
  for (const std::string& mark : value.marks()) {
    absl::StrAppend(&text, text.empty() ? "" : "|",
                    absl::StrReplaceAll(mark, {{"\\", "\\\\"}, {"|", "\\p"}}));
  }
  return text;
}

void InsertValues(Transaction& tx, int64_t id, const NewImport& import, size_t first, size_t end) {
  std::map<std::string, int64_t> numbers;
  for (size_t i = 0; i < import.variants.size(); ++i) {
    numbers[import.variants[i].name] = static_cast<int64_t>(i);
  }
  std::vector<std::string> metrics, details, units, directions, marks;
  std::vector<int64_t> variants, said, runs, iterations, warmups, starred, lines;
  std::vector<double> values;
  for (size_t i = first; i < end; ++i) {
    const v1::ImportedValue& value = import.values[i];
    variants.push_back(numbers[value.variant()]);
    metrics.push_back(value.metric());
    details.push_back(value.detail());
    units.push_back(value.unit());
    said.push_back(value.unit_said() ? 1 : 0);
    directions.push_back(value.direction());
    runs.push_back(value.run());
    iterations.push_back(value.iteration());
    warmups.push_back(value.warmup() ? 1 : 0);
    starred.push_back(value.starred() ? 1 : 0);
    marks.push_back(MarksText(value));
    lines.push_back(value.line());
    values.push_back(value.value());
  }
  tx.exec_params(
      "INSERT INTO import_values (import, ordinal, variant, metric, detail, unit, unit_said, "
      "direction, run, iteration, warmup, starred, marks, line, value) "
      "SELECT $1, $2 + v.ordinal, v.variant, v.metric, v.detail, v.unit, v.said = 1, v.direction, "
      "v.run, v.iteration, v.warmup = 1, v.starred = 1, v.marks, v.line, v.value "
      "FROM unnest($3::int[], $4::text[], $5::text[], $6::text[], $7::int[], $8::text[], "
      "$9::bigint[], $10::bigint[], $11::int[], $12::int[], $13::text[], $14::bigint[], "
      "$15::double precision[]) WITH ORDINALITY AS v (variant, metric, detail, unit, said, "
      "direction, run, iteration, warmup, starred, marks, line, value, ordinal)",
      id, static_cast<int64_t>(first), Int64Array(variants), TextArray(metrics), TextArray(details),
      TextArray(units), Int64Array(said), TextArray(directions), Int64Array(runs),
      Int64Array(iterations), Int64Array(warmups), Int64Array(starred), TextArray(marks),
      Int64Array(lines), DoubleArray(values));
}

// The import that is there; 0: none is.
v1::AddImportResponse Find(Transaction& tx, const std::string& identity) {
  v1::AddImportResponse response;
  const pqxx::result found = tx.exec_params(
      "SELECT id, value_count FROM imports WHERE identity = $1 AND withdrawn_at IS "
      "NULL",
      identity);
  if (found.empty()) return response;
  response.set_import(found[0][0].as<int64_t>());
  response.set_values(found[0][1].as<uint32_t>());
  response.set_existed(true);
  return response;
}

v1::AddImportResponse Insert(Transaction& tx, const NewImport& import) {
  const std::string identity = IdentityOf(import);
  // Looked for first: an insertion that comes to nothing uses up a number.
  v1::AddImportResponse response = Find(tx, identity);
  if (response.import() != 0) return response;
  std::vector<std::string> names, facts;
  for (const auto& [name, fact] : import.facts) {
    names.push_back(name);
    facts.push_back(fact);
  }
  const pqxx::result inserted = tx.exec_params(
      "INSERT INTO imports (identity, file, sha256, raw, format, machine, source, submitter, "
      "facts, measured_at, refused, value_count, shipped) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, "
      "jsonb_object($9::text[], $10::text[]), to_timestamp(nullif($11, '')::double precision), "
      "$12, $13, $14) "
      "ON CONFLICT (identity) WHERE withdrawn_at IS NULL DO NOTHING RETURNING id",
      identity, import.file, Sha256Hex(import.raw), Bytes(import.raw), import.format,
      import.machine, import.source, Text(import.submitter), TextArray(names), TextArray(facts),
      SecondsText(import.measured), static_cast<int64_t>(import.refused),
      static_cast<int64_t>(import.values.size()), import.shipped);
  if (inserted.empty()) return Find(tx, identity);  // Somebody else's, a moment ago.
  response.set_import(inserted[0][0].as<int64_t>());
  response.set_values(static_cast<uint32_t>(import.values.size()));
  InsertVariants(tx, response.import(), import);
  for (size_t first = 0; first < import.values.size(); first += kRowsAtOnce) {
    InsertValues(tx, response.import(), import, first,
                 std::min(first + kRowsAtOnce, import.values.size()));
  }
  AddToSeries(tx, response.import());
  return response;
}

#define SHAKEDOWN_IMPORT_COLUMNS \
  "SELECT i.id, i.file, i.sha256, i.format, i.machine, i.source, i.submitter, i.value_count, " \
  "i.shipped, i.refused, length(i.raw) AS size, " SHAKEDOWN_MICROS(                            \
      "i.added_at") " AS added, " SHAKEDOWN_MICROS("i.measured_at") " AS measured, " \
      SHAKEDOWN_WITHDRAWAL_COLUMNS " FROM imports i "

v1::ImportView ViewOf(const pqxx::row& row) {
  v1::ImportView view;
  view.set_import(row["id"].as<int64_t>());
  view.set_file(row["file"].as<std::string>());
  view.set_sha256(row["sha256"].as<std::string>());
  view.set_format(row["format"].as<std::string>());
  view.set_machine(row["machine"].as<std::string>());
  view.set_source(row["source"].as<std::string>());
  view.set_submitter(row["submitter"].as<std::string>());
  view.set_values(row["value_count"].as<uint32_t>());
  view.set_shipped(row["shipped"].as<bool>());
  view.set_refused(row["refused"].as<uint32_t>());
  view.set_size(row["size"].as<uint64_t>());
  *view.mutable_added() = ReadTime(row["added"]);
  if (!row["measured"].is_null()) *view.mutable_measured() = ReadTime(row["measured"]);
  ReadWithdrawal(row, view);
  return view;
}

// Kernels and facts of imports that are there, by their ids.
void FillRest(Transaction& tx, const std::map<int64_t, v1::ImportView*>& views) {
  std::vector<int64_t> ids;
  for (const auto& [id, view] : views) ids.push_back(id);
  for (const pqxx::row& row :
       tx.exec_params("SELECT import, name, kernel, tunables FROM import_variants "
                      "WHERE import = ANY ($1::bigint[]) ORDER BY import, variant",
                      Int64Array(ids))) {
    (*views.at(row[0].as<int64_t>())->mutable_variants())[row[1].as<std::string>()] =
        KernelText(row[2].as<std::string>(), row[3].as<std::string>());
  }
  for (const pqxx::row& row :
       tx.exec_params("SELECT i.id, f.key, f.value FROM imports i, jsonb_each_text(i.facts) f "
                      "WHERE i.id = ANY ($1::bigint[])",
                      Int64Array(ids))) {
    (*views.at(row[0].as<int64_t>())->mutable_facts())[row[1].as<std::string>()] =
        row[2].as<std::string>();
  }
  for (const auto& [id, view] : views) {
    std::set<std::string> kernels;
    for (const auto& [name, kernel] : view->variants()) kernels.insert(kernel);
    if (kernels.size() == 1) view->set_kernel(*kernels.begin());
  }
}

void ReadMarks(const std::string& text, v1::ImportedValue& value) {
  if (text.empty()) return;
  std::string mark;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '|') {
      value.add_marks(mark);
      mark.clear();
    } else if (text[i] == '\\' && i + 1 < text.size()) {
      mark += text[++i] == 'p' ? '|' : text[i];
    } else {
      mark += text[i];
    }
  }
  value.add_marks(mark);
}

void ReadValues(Transaction& tx, int64_t import, v1::GetImportResponse& response) {
  for (const pqxx::row& row : tx.exec_params(
           "SELECT v.metric, v.value, v.unit, v.run, v.line, v.starred, n.name, n.kernel, "
           "n.tunables, v.detail, v.iteration, v.warmup, v.unit_said, v.direction, v.marks "
           "FROM import_values v JOIN import_variants n ON n.import = v.import AND n.variant = "
           "v.variant WHERE v.import = $1 ORDER BY v.ordinal",
           import)) {
    v1::ImportedValue& value = *response.add_values();
    value.set_metric(row[0].as<std::string>());
    value.set_value(row[1].as<double>());
    value.set_unit(row[2].as<std::string>());
    value.set_run(row[3].as<uint32_t>());
    value.set_line(row[4].as<uint32_t>());
    value.set_starred(row[5].as<bool>());
    value.set_variant(row[6].as<std::string>());
    value.set_kernel(KernelText(row[7].as<std::string>(), row[8].as<std::string>()));
    value.set_detail(row[9].as<std::string>());
    value.set_iteration(row[10].as<uint32_t>());
    value.set_warmup(row[11].as<bool>());
    value.set_unit_said(row[12].as<bool>());
    value.set_direction(row[13].as<std::string>());
    ReadMarks(row[14].as<std::string>(), value);
  }
}

}  // namespace

std::string KernelText(const std::string& kernel, const std::string& tunables) {
  return tunables.empty() ? kernel : absl::StrCat(kernel, " ", tunables);
}

absl::StatusOr<v1::AddImportResponse> AddImport(Database& database, const NewImport& import) {
  RETURN_IF_ERROR(CheckImport(import));
  v1::AddImportResponse response;
  RETURN_IF_ERROR(Write(database, [&](Transaction& tx) {
    response = Insert(tx, import);
    return absl::OkStatus();
  }));
  return response;
}

absl::Status PutShippedImports(Database& database, const std::vector<NewImport>& imports) {
  std::vector<std::string> identities;
  for (const NewImport& import : imports) {
    RETURN_IF_ERROR(CheckImport(import));
    identities.push_back(IdentityOf(import));
  }
  return Write(database, [&](Transaction& tx) {
    for (const NewImport& import : imports) Insert(tx, import);
    tx.exec_params("DELETE FROM imports WHERE shipped AND identity <> ALL ($1::text[])",
                   TextArray(identities));
    return absl::OkStatus();
  });
}

absl::StatusOr<v1::ListImportsResponse> ListImports(Database& database,
                                                    const v1::ListImportsRequest& request) {
  ASSIGN_OR_RETURN(const int64_t limit, PageSize(request.limit()));
  v1::ListImportsResponse response;
  RETURN_IF_ERROR(Read(database, [&](Transaction& tx) {
    response.Clear();
    const pqxx::result rows = tx.exec_params(
        SHAKEDOWN_IMPORT_COLUMNS
        "WHERE ($1 = '' OR i.machine = $1) AND ($2 = '' OR EXISTS (SELECT FROM import_variants v "
        "WHERE v.import = i.id AND v.kernel = $2)) AND ($3 = 0 OR i.id < $3) "
        "AND (i.withdrawn_at IS NOT NULL) = $5 ORDER BY i.id DESC LIMIT $4 + 1",
        Text(request.machine()), Text(request.kernel()), request.before(), limit,
        request.withdrawn());
    std::map<int64_t, v1::ImportView*> views;
    for (const pqxx::row& row : rows) {
      if (response.imports_size() == limit) {
        response.set_next_before(response.imports(response.imports_size() - 1).import());
        break;
      }
      *response.add_imports() = ViewOf(row);
    }
    for (v1::ImportView& view : *response.mutable_imports()) views[view.import()] = &view;
    FillRest(tx, views);
    return absl::OkStatus();
  }));
  return response;
}

absl::StatusOr<v1::ImportView> WithdrawImport(Database& database, int64_t import,
                                              const std::string& by, const std::string& why) {
  RETURN_IF_ERROR(CheckWhyWithdrawn(why));
  v1::ImportView view;
  RETURN_IF_ERROR(Write(database, [&](Transaction& tx) -> absl::Status {
    tx.exec_params(
        "UPDATE imports SET withdrawn_at = now(), withdrawn_by = $2, withdrawn_why = $3 "
        "WHERE id = $1 AND withdrawn_at IS NULL AND NOT shipped",
        import, Text(by), why);
    const pqxx::result rows = tx.exec_params(SHAKEDOWN_IMPORT_COLUMNS "WHERE i.id = $1", import);
    if (rows.empty()) return NoSuchImport(import);
    view = ViewOf(rows[0]);
    if (view.shipped()) return CannotWithdrawShipped("import", import);
    RemoveFromSeries(tx, import);
    FillRest(tx, {{import, &view}});
    return absl::OkStatus();
  }));
  return view;
}

absl::StatusOr<v1::GetImportResponse> GetImport(Database& database, int64_t import) {
  v1::GetImportResponse response;
  RETURN_IF_ERROR(Read(database, [&](Transaction& tx) -> absl::Status {
    response.Clear();
    const pqxx::result rows = tx.exec_params(SHAKEDOWN_IMPORT_COLUMNS "WHERE i.id = $1", import);
    if (rows.empty()) return NoSuchImport(import);
    *response.mutable_import() = ViewOf(rows[0]);
    FillRest(tx, {{import, response.mutable_import()}});
    response.set_raw(
        ReadBytes(tx.exec_params1("SELECT raw FROM imports WHERE id = $1", import)[0]));
    ReadValues(tx, import, response);
    return absl::OkStatus();
  }));
  return response;
}

}  // namespace shakedown::store
