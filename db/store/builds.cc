#include "db/store/builds.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "db/store/settle.h"
#include "db/store/shareable.h"
#include "db/store/signature_rows.h"
#include "db/store/sql.h"
#include "db/store/views.h"
#include "proto/wire/digest.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::store {
namespace {

constexpr size_t kMostError = 8 << 10;

absl::Status Bad(const v1::BuildResult& result, absl::string_view what, absl::string_view want) {
  return absl::InvalidArgumentError(
      absl::StrCat("build ", result.build_id(), ": ", what, "; ", want));
}

absl::Status Check(const v1::BuildResult& result) {
  RETURN_IF_ERROR(CheckUuid("build", result.build_id()));
  if (result.status() == v1::BuildResult::STATUS_UNSPECIFIED ||
      !v1::BuildResult::Status_IsValid(result.status())) {
    return Bad(result, absl::StrCat("status ", result.status()),
               "one of BuildResult.Status is wanted");
  }
  if (result.status() != v1::BuildResult::STATUS_BUILT) return absl::OkStatus();
  if (!IsSha256Hex(result.build_key())) {
    return Bad(result, absl::StrCat("build key ", Quoted(result.build_key())),
               "64 lower-case hex digits are wanted");
  }
  if (!result.has_image()) return Bad(result, "built without an image", "one is wanted");
  if (result.expected().release().empty()) {
    return Bad(result, "built without an expected release", "uname -r of the kernel is wanted");
  }
  return absl::OkStatus();
}

absl::Status CheckUploaded(Transaction& tx, const v1::BuildResult& result,
                           const v1::Artefact& artefact) {
  const pqxx::result row =
      tx.exec_params("SELECT size FROM artefacts WHERE sha256 = $1", Text(artefact.sha256()));
  if (row.empty()) {
    return absl::FailedPreconditionError(absl::StrCat("build ", result.build_id(), ": artefact ",
                                                      Quoted(artefact.sha256()),
                                                      " was not uploaded; upload it first"));
  }
  if (row[0][0].as<uint64_t>() == artefact.size()) return absl::OkStatus();
  return Bad(result,
             absl::StrCat("artefact ", artefact.sha256(), " of ", artefact.size(), " bytes"),
             absl::StrCat("it has ", row[0][0].as<uint64_t>()));
}

std::string FirstLine(const std::string& error) {
  for (absl::string_view line : absl::StrSplit(error, '\n')) {
    if (!line.empty()) return std::string(line.substr(0, 500));
  }
  return "no error was given";
}

absl::Status AcceptBuilt(Transaction& tx, const v1::BuildResult& result, const std::string& digest,
                         const FarmSigner& signer) {
  RETURN_IF_ERROR(CheckUploaded(tx, result, result.image()));
  if (result.has_initramfs()) RETURN_IF_ERROR(CheckUploaded(tx, result, result.initramfs()));
  if (result.has_modules()) RETURN_IF_ERROR(CheckUploaded(tx, result, result.modules()));
  if (result.has_config()) RETURN_IF_ERROR(CheckUploaded(tx, result, result.config()));
  tx.exec_params(
      "UPDATE builds SET state = 'built', ended_at = now(), error = '', build_key = $3, image = "
      "$4, "
      "initramfs = nullif($5, ''), result = $6, result_sha256 = $7, duration_ms = $8, reused = $9, "
      "modules = nullif($10, '') WHERE id = $1 AND state = 'running' AND epoch = $2",
      result.build_id(), result.epoch(), result.build_key(), result.image().sha256(),
      result.initramfs().sha256(), Bytes(Canonical(result)), digest,
      static_cast<int64_t>(result.duration_ms()), result.reused(), result.modules().sha256());
  if (signer) RETURN_IF_ERROR(SignAsFarm(tx, result, signer).status());
  QueueBoots(tx, result.build_id());
  return absl::OkStatus();
}

void AcceptFailed(Transaction& tx, const v1::BuildResult& result, const std::string& digest) {
  tx.exec_params(
      "UPDATE builds SET state = 'failed', ended_at = now(), error = $3, result = $4, "
      "result_sha256 = $5, duration_ms = $6 WHERE id = $1 AND state = 'running' AND epoch = $2",
      result.build_id(), result.epoch(), Text(result.error().substr(0, kMostError)),
      Bytes(Canonical(result)), digest, static_cast<int64_t>(result.duration_ms()));
  EndWaitingBoots(tx, result.build_id(), "build_failed", FirstLine(result.error()));
}

absl::Status Accept(Transaction& tx, const v1::BuildResult& result, const std::string& digest,
                    const FarmSigner& signer) {
  switch (result.status()) {
    case v1::BuildResult::STATUS_BUILT:
      RETURN_IF_ERROR(AcceptBuilt(tx, result, digest, signer));
      break;
    case v1::BuildResult::STATUS_FAILED:
      AcceptFailed(tx, result, digest);
      break;
    default: {
      // CANCELLED though nobody here cancelled it: handed back by an agent that stops.
      if (result.status() == v1::BuildResult::STATUS_CANCELLED) {
        HandBackBuild(tx, result.build_id());
      }
      const std::string error = result.error().empty() ? "stopped by its agent" : result.error();
      EndBuildAttempt(tx, result.build_id(), error.substr(0, kMostError), digest);
    }
  }
  Notify(tx);
  return absl::OkStatus();
}

// Why a result can not be accepted; OK: it can, or it was.
absl::Status Refusal(const pqxx::row& row, const std::string& agent,
                     const v1::BuildResult& result) {
  const auto state = row["state"].as<std::string>();
  const auto epoch = row["epoch"].as<int64_t>();
  const std::string build = absl::StrCat("build ", result.build_id());
  if (state == "cancelled") {
    if (result.status() == v1::BuildResult::STATUS_CANCELLED) return absl::OkStatus();
    return absl::FailedPreconditionError(absl::StrCat(build, ": was cancelled"));
  }
  if (row["agent"].as<std::string>("") != agent || epoch != result.epoch()) {
    return absl::FailedPreconditionError(absl::StrCat(
        build, ": epoch ", result.epoch(), " of agent ", agent, " is not the lease's, which is ",
        epoch, " of agent ", row["agent"].as<std::string>("none")));
  }
  if (state == "running") return absl::OkStatus();
  if (row["result_sha256"].is_null()) {
    return absl::FailedPreconditionError(absl::StrCat(build, ": was given up meanwhile"));
  }
  return absl::AlreadyExistsError(absl::StrCat(build, ": another result was accepted already"));
}

}  // namespace

absl::Status RecordBuild(Database& database, const std::string& agent,
                         const v1::BuildResult& result, const FarmSigner& signer) {
  RETURN_IF_ERROR(Check(result));
  const std::string content = Canonical(result);
  const std::string digest = Sha256Hex(content);
  absl::Status refusal;  // Apart, so that the evidence is committed with it.
  RETURN_IF_ERROR(Write(database, [&](Transaction& tx) -> absl::Status {
    const pqxx::result found = tx.exec_params(
        "SELECT state, epoch, agent, result_sha256 FROM builds WHERE id = $1 FOR NO KEY UPDATE",
        result.build_id());
    if (found.empty()) {
      return absl::NotFoundError(absl::StrCat("build ", result.build_id(), ": no such build"));
    }
    const pqxx::row& row = found[0];
    refusal = absl::OkStatus();
    if (row["result_sha256"].as<std::string>("") == digest) return absl::OkStatus();
    refusal = Refusal(row, agent, result);
    if (!refusal.ok()) {
      KeepEvidence(tx, result.build_id(), agent, refusal.message(), content);
      return absl::OkStatus();
    }
    return row["state"].as<std::string>() == "running" ? Accept(tx, result, digest, signer)
                                                       : absl::OkStatus();
  }));
  return refusal;
}

absl::StatusOr<std::set<std::string>> BuildsAtHand(Database& database,
                                                   const std::vector<std::string>& request_keys) {
  std::set<std::string> at_hand;
  RETURN_IF_ERROR(Read(database, [&](Transaction& tx) {
    at_hand.clear();
    const pqxx::result rows = tx.exec_params(
        "SELECT DISTINCT b.request_key FROM builds b WHERE b.request_key = ANY ($1::text[]) "
        "AND " SHAKEDOWN_SHAREABLE,
        TextArray(request_keys));
    for (const pqxx::row& row : rows) at_hand.insert(row[0].as<std::string>());
    return absl::OkStatus();
  }));
  return at_hand;
}

absl::StatusOr<std::optional<v1::BuildResult>> FindBuilt(Database& database,
                                                         const std::string& build_key) {
  std::optional<v1::BuildResult> built;
  RETURN_IF_ERROR(Read(database, [&](Transaction& tx) -> absl::Status {
    built.reset();
    const pqxx::result rows = tx.exec_params(
        "SELECT result FROM builds WHERE state = 'built' AND build_key = $1 ORDER BY ended_at DESC "
        "LIMIT 1",
        Text(build_key));
    if (rows.empty()) return absl::OkStatus();
    return ReadProto(rows[0][0], built.emplace());
  }));
  return built;
}

absl::StatusOr<std::vector<v1::BuildView>> ListBuilds(Database& database, uint32_t limit) {
  std::vector<v1::BuildView> builds;
  const int64_t most = limit == 0 ? 50 : std::min<uint32_t>(limit, 1000);
  RETURN_IF_ERROR(Read(database, [&](Transaction& tx) -> absl::Status {
    ASSIGN_OR_RETURN(builds, ReadBuilds(tx, "ORDER BY b.created_at DESC, b.id LIMIT $1", most));
    return absl::OkStatus();
  }));
  return builds;
}

}  // namespace shakedown::store
