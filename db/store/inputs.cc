#include "db/store/inputs.h"

#include "absl/strings/str_cat.h"
#include "db/store/sql.h"
#include "proto/wire/digest.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::store {
namespace {

#define SHAKEDOWN_INPUT_COLUMNS \
  "SELECT name, sha256, size, submitter, " SHAKEDOWN_MICROS("added_at") " AS added FROM inputs "

v1::InputView ViewOf(const pqxx::row& row) {
  v1::InputView view;
  view.set_name(row["name"].as<std::string>());
  view.set_sha256(row["sha256"].as<std::string>());
  view.set_size(row["size"].as<uint64_t>());
  view.set_submitter(row["submitter"].as<std::string>());
  *view.mutable_added() = ReadTime(row["added"]);
  return view;
}

absl::Status Check(const v1::Input& input) {
  RETURN_IF_ERROR(CheckName("input", input.name()));
  if (IsSha256Hex(input.archive().sha256()) && input.archive().size() > 0) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "input ", input.name(), ": digest ", Quoted(input.archive().sha256()), " of ",
      input.archive().size(), " bytes; 64 lower-case hex digits of at least one byte are wanted"));
}

}  // namespace

absl::StatusOr<v1::InputView> AddInput(Database& database, const v1::Input& input,
                                       const std::string& submitter) {
  RETURN_IF_ERROR(Check(input));
  v1::InputView view;
  RETURN_IF_ERROR(Write(database, [&](Transaction& tx) -> absl::Status {
    tx.exec_params(
        "INSERT INTO inputs (name, sha256, size, submitter) VALUES ($1, $2, $3, $4) "
        "ON CONFLICT (name) DO NOTHING",
        input.name(), input.archive().sha256(), static_cast<int64_t>(input.archive().size()),
        Text(submitter));
    view = ViewOf(tx.exec_params1(SHAKEDOWN_INPUT_COLUMNS "WHERE name = $1", input.name()));
    if (view.sha256() == input.archive().sha256()) return absl::OkStatus();
    return absl::AlreadyExistsError(
        absl::StrCat("input ", input.name(), ": the name stands for another archive, ",
                     view.sha256().substr(0, 12), "… of user ", view.submitter(),
                     ", and this one is ", input.archive().sha256().substr(0, 12),
                     "…; a name is never given to other content, "
                     "choose another, such as ",
                     input.name().substr(0, 60), "-2"));
  }));
  return view;
}

absl::StatusOr<std::vector<v1::InputView>> ListInputs(Database& database) {
  std::vector<v1::InputView> inputs;
  RETURN_IF_ERROR(Read(database, [&](Transaction& tx) {
    inputs.clear();
    for (const pqxx::row& row : tx.exec(SHAKEDOWN_INPUT_COLUMNS "ORDER BY name")) {
      inputs.push_back(ViewOf(row));
    }
    return absl::OkStatus();
  }));
  return inputs;
}

}  // namespace shakedown::store
