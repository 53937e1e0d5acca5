#include "db/store/import_check.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "db/store/sql.h"
#include "proto/wire/digest.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::store {
namespace {

constexpr size_t kMaxText = 1000;  // Of a metric, a detail, a name in a text.
constexpr size_t kMaxTunables = 400;
constexpr size_t kMaxFacts = 100;
constexpr size_t kMaxMarks = 16;

absl::Status Bad(const NewImport& import, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("file ", Quoted(import.file), ": ", what));
}

// PostgreSQL's text holds all of it, as it is.
absl::Status CheckText(const NewImport& import, absl::string_view what, const std::string& text,
                       size_t most) {
  if (text.size() <= most && Text(text) == text) return absl::OkStatus();
  return Bad(import, absl::StrCat(what, " ", Quoted(text), ": want at most ", most,
                                  " bytes of UTF-8 without NUL"));
}

absl::Status CheckHead(const NewImport& import) {
  if (import.raw.empty() || import.raw.size() > kMaxImportBytes) {
    return Bad(import, absl::StrCat(import.raw.size(), " bytes, want 1 to ", kMaxImportBytes));
  }
  RETURN_IF_ERROR(CheckName("machine", import.machine));
  constexpr int64_t kYear10000 = 253402300800;
  if (import.measured.has_value() &&
      (import.measured->seconds() < 0 || import.measured->seconds() >= kYear10000 ||
       import.measured->nanos() < 0 || import.measured->nanos() >= 1'000'000'000)) {
    return Bad(import, "time of measuring: want 1970 to 9999");
  }
  RETURN_IF_ERROR(CheckText(import, "name", import.file, kMaxText));
  RETURN_IF_ERROR(CheckText(import, "source", import.source, 2 * kMaxText));
  RETURN_IF_ERROR(CheckText(import, "format", import.format, kMaxText));
  if (import.facts.size() > kMaxFacts) {
    return Bad(import, absl::StrCat(import.facts.size(), " facts, want at most ", kMaxFacts));
  }
  for (const auto& [name, value] : import.facts) {
    RETURN_IF_ERROR(CheckText(import, "fact", name, kMaxText));
    RETURN_IF_ERROR(CheckText(import, "fact", value, kMaxText));
  }
  return absl::OkStatus();
}

absl::Status CheckVariants(const NewImport& import) {
  if (import.variants.empty() || import.variants.size() > kMaxImportVariants) {
    return Bad(import,
               absl::StrCat(import.variants.size(), " kernels, want 1 to ", kMaxImportVariants));
  }
  std::set<std::string> names;
  for (const ImportVariant& variant : import.variants) {
    RETURN_IF_ERROR(CheckName("kernel", variant.kernel));
    RETURN_IF_ERROR(CheckText(import, "tunables", variant.tunables, kMaxTunables));
    RETURN_IF_ERROR(CheckText(import, "column", variant.name, kMaxText));
    if (!names.insert(variant.name).second) {
      return Bad(import, absl::StrCat("column ", Quoted(variant.name), " twice"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckValue(const NewImport& import, const v1::ImportedValue& value) {
  RETURN_IF_ERROR(CheckText(import, "metric", value.metric(), kMaxText));
  RETURN_IF_ERROR(CheckText(import, "detail", value.detail(), kMaxText));
  RETURN_IF_ERROR(CheckText(import, "unit", value.unit(), kMaxText));
  if (static_cast<size_t>(value.marks_size()) > kMaxMarks) {
    return Bad(import, absl::StrCat("line ", value.line(), ": ", value.marks_size(),
                                    " marks on a value, want at most ", kMaxMarks));
  }
  for (const std::string& mark : value.marks()) {
    RETURN_IF_ERROR(CheckText(import, "mark", mark, kMaxText));
  }
  const bool sound = !value.metric().empty() && std::isfinite(value.value()) && value.line() > 0 &&
                     value.run() > 0 && value.iteration() > 0;
  if (sound) return absl::OkStatus();
  return Bad(import, absl::StrCat("line ", value.line(), ": metric ", Quoted(value.metric()),
                                  ": want a name, a finite value, line, run and iteration from 1"));
}

}  // namespace

absl::Status CheckImport(const NewImport& import) {
  RETURN_IF_ERROR(CheckHead(import));
  RETURN_IF_ERROR(CheckVariants(import));
  if (import.values.empty() || import.values.size() > kMaxImportValues) {
    return Bad(import, absl::StrCat(import.values.size(), " values, want 1 to ", kMaxImportValues));
  }
  std::set<std::string> names;
  for (const ImportVariant& variant : import.variants) names.insert(variant.name);
  for (const v1::ImportedValue& value : import.values) {
    RETURN_IF_ERROR(CheckValue(import, value));
    if (names.count(value.variant()) > 0) continue;
    return Bad(import, absl::StrCat("line ", value.line(), ": column ", Quoted(value.variant()),
                                    " has no kernel"));
  }
  return absl::OkStatus();
}

std::string IdentityOf(const NewImport& import) {
  std::vector<std::string> parts = {Sha256Hex(import.raw), import.machine};
  std::vector<std::string> variants;
  for (const ImportVariant& variant : import.variants) {
    std::string text;
    for (const std::string* part : {&variant.name, &variant.kernel, &variant.tunables}) {
      absl::StrAppend(&text, part->size(), ":", *part);
    }
    variants.push_back(std::move(text));
  }
  std::sort(variants.begin(), variants.end());
  parts.insert(parts.end(), variants.begin(), variants.end());
  std::string text;
  for (const std::string& part : parts) absl::StrAppend(&text, part.size(), ":", part);
  return Sha256Hex(text);
}

}  // namespace shakedown::store
