// Results that other tools made elsewhere: texts byte for byte, and the values read from them.
#ifndef SHAKEDOWN_DB_STORE_IMPORTS_H_
#define SHAKEDOWN_DB_STORE_IMPORTS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "db/store/database.h"
#include "google/protobuf/timestamp.pb.h"
#include "shakedown/v1/import.pb.h"

namespace shakedown::store {

inline constexpr size_t kMaxImportBytes = 16 << 20;
inline constexpr size_t kMaxImportValues = 400'000;
inline constexpr size_t kMaxImportVariants = 64;

// Whose numbers a text has under one of its names.
struct ImportVariant {
  std::string name;      // In the text; empty when the text is of one system and does not say.
  std::string kernel;    // "2.6.35-ck1".
  std::string tunables;  // "rr_interval=6"; empty: none.
};

struct NewImport {
  std::string file;
  std::string raw;
  std::string format;
  std::string machine;
  std::string source;
  std::string submitter;
  std::map<std::string, std::string> facts;
  std::optional<google::protobuf::Timestamp> measured;
  uint32_t refused = 0;
  bool shipped = false;
  std::vector<ImportVariant> variants;
  std::vector<v1::ImportedValue>
      values;  // `variant` is a name of `variants`; `kernel` is not read.
};

// Once it returns, all of it is durable. The same bytes with the same machine and variants: the
// import that is there, unless it was withdrawn. InvalidArgument: names, sizes, a value of no
// variant.
absl::StatusOr<v1::AddImportResponse> AddImport(Database& database, const NewImport& import);

// Makes these the ones that came with the program: adds what is missing, removes the others.
absl::Status PutShippedImports(Database& database, const std::vector<NewImport>& imports);

// Without those that were withdrawn, or only those. InvalidArgument: the limit is above 1000.
absl::StatusOr<v1::ListImportsResponse> ListImports(Database& database,
                                                    const v1::ListImportsRequest& request);

// From now on it is in no list and no comparison; GetImport() still has it. Withdrawn before: as it
// was then. NotFound as below. FailedPrecondition: it came with the program. InvalidArgument:
// `why`.
absl::StatusOr<v1::ImportView> WithdrawImport(Database& database, int64_t import,
                                              const std::string& by, const std::string& why);

// NotFound: "import 17: no such import".
absl::StatusOr<v1::GetImportResponse> GetImport(Database& database, int64_t import);

// "2.6.35 rr_interval=6" for a kernel with tunables.
std::string KernelText(const std::string& kernel, const std::string& tunables);

}  // namespace shakedown::store

#endif  // SHAKEDOWN_DB_STORE_IMPORTS_H_
