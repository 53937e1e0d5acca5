#include "db/store/signatures.h"

#include <map>

#include "absl/strings/str_cat.h"
#include "db/store/signature_rows.h"
#include "db/store/sql.h"
#include "proto/wire/digest.h"
#include "proto/wire/status.h"

namespace shakedown::store {
namespace {

constexpr char kFarm[] = "the farm";
constexpr int kPage = 200;  // Builds signed in one transaction.

template <typename Built>  // BuildResult or BuildView.
SignedKernel KernelOf(const Built& built, const std::string& release) {
  return {release, built.image().sha256(), built.initramfs().sha256(), built.modules().sha256()};
}
SignedKernel KernelOf(const v1::BuildResult& built) {
  return KernelOf(built, built.expected().release());
}

// The name of what is signed in kernel_signatures.
absl::StatusOr<std::string> KernelDigest(const SignedKernel& kernel) {
  ASSIGN_OR_RETURN(const std::string text, SignedText(kernel));
  return Sha256Hex(text);
}

// False: it was there.
bool Insert(Transaction& tx, const std::string& kernel, const v1::KernelSignature& signature,
            const std::string& sender) {
  const pqxx::result inserted = tx.exec_params(
      "INSERT INTO kernel_signatures (kernel, key, signature, sender) VALUES ($1, $2, $3, $4) "
      "ON CONFLICT DO NOTHING",
      kernel, signature.key(), Bytes(signature.signature()), Text(sender));
  return inserted.affected_rows() > 0;
}

absl::StatusOr<v1::BuildResult> ReadBuilt(Transaction& tx, const std::string& build_id) {
  RETURN_IF_ERROR(CheckUuid("build", build_id));
  const pqxx::result row =
      tx.exec_params("SELECT state, result FROM builds WHERE id = $1", build_id);
  if (row.empty()) return absl::NotFoundError(absl::StrCat("build ", build_id, ": no such build"));
  const auto state = row[0][0].as<std::string>();
  if (state != "built") {
    return absl::FailedPreconditionError(
        absl::StrCat("build ", build_id, ": is ", state, "; one that is built is wanted"));
  }
  v1::BuildResult built;
  RETURN_IF_ERROR(ReadProto(row[0][1], built));
  return built;
}

absl::Status CheckRoom(Transaction& tx, const std::string& kernel, const std::string& key) {
  const int others =
      tx.exec_params1("SELECT count(*) FROM kernel_signatures WHERE kernel = $1 AND key <> $2",
                      kernel, key)[0]
          .as<int>();
  if (others < kMostSignatures) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat("signed by ", others, " keys; at most ", kMostSignatures, " are wanted"));
}

}  // namespace

absl::Status AddSignatures(Transaction& tx, const v1::BuildResult& built, v1::BootOrder& order) {
  const absl::StatusOr<std::string> kernel = KernelDigest(KernelOf(built));
  if (!kernel.ok()) return absl::OkStatus();  // Nobody can have signed it.
  const pqxx::result rows = tx.exec_params(
      "SELECT key, signature FROM kernel_signatures WHERE kernel = $1 ORDER BY key", *kernel);
  for (const pqxx::row& row : rows) {
    v1::KernelSignature& signature = *order.add_signatures();
    signature.set_key(row[0].as<std::string>());
    signature.set_signature(ReadBytes(row[1]));
  }
  return absl::OkStatus();
}

void FillSigners(Transaction& tx, std::vector<v1::BuildView>& views) {
  std::multimap<std::string, v1::BuildView*> signable;
  std::vector<std::string> kernels;
  for (v1::BuildView& view : views) {
    if (view.status() != "built") continue;
    const absl::StatusOr<std::string> kernel = KernelDigest(KernelOf(view, view.release()));
    if (!kernel.ok()) continue;
    signable.emplace(*kernel, &view);
    kernels.push_back(*kernel);
  }
  const pqxx::result rows = tx.exec_params(
      "SELECT kernel, key FROM kernel_signatures WHERE kernel = ANY ($1::text[]) ORDER BY key",
      TextArray(kernels));
  for (const pqxx::row& row : rows) {
    const auto [first, last] = signable.equal_range(row[0].as<std::string>());
    for (auto it = first; it != last; ++it) it->second->add_signed_by(row[1].as<std::string>());
  }
}

absl::StatusOr<bool> SignAsFarm(Transaction& tx, const v1::BuildResult& built,
                                const FarmSigner& signer) {
  const SignedKernel kernel = KernelOf(built);
  const absl::StatusOr<std::string> digest = KernelDigest(kernel);
  if (!digest.ok()) return false;
  ASSIGN_OR_RETURN(const v1::KernelSignature signature, signer(kernel));
  return Insert(tx, *digest, signature, kFarm);
}

absl::Status AddSignature(Database& database, const std::string& build_id,
                          const v1::KernelSignature& signature, const std::string& sender) {
  return Write(database, [&](Transaction& tx) -> absl::Status {
    ASSIGN_OR_RETURN(const v1::BuildResult built, ReadBuilt(tx, build_id));
    const SignedKernel kernel = KernelOf(built);
    const std::string what = absl::StrCat("build ", build_id);
    RETURN_IF_ERROR(Annotate(Verify(signature.key(), signature.signature(), kernel), what));
    ASSIGN_OR_RETURN(const std::string digest, KernelDigest(kernel));
    RETURN_IF_ERROR(Annotate(CheckRoom(tx, digest, signature.key()), what));
    Insert(tx, digest, signature, sender);
    return absl::OkStatus();
  });
}

absl::StatusOr<int> SignBuilds(Database& database, const FarmSigner& signer) {
  int all = 0;
  std::string last = "00000000-0000-0000-0000-000000000000";
  for (int found = kPage; found == kPage;) {
    int signed_now = 0;
    std::string reached;
    RETURN_IF_ERROR(Write(database, [&](Transaction& tx) -> absl::Status {
      signed_now = 0;
      reached = last;
      const pqxx::result rows = tx.exec_params(
          "SELECT id, result FROM builds WHERE state = 'built' AND id > $1 ORDER BY id LIMIT $2",
          last, kPage);
      for (const pqxx::row& row : rows) {
        v1::BuildResult built;
        RETURN_IF_ERROR(ReadProto(row[1], built));
        ASSIGN_OR_RETURN(const bool added, SignAsFarm(tx, built, signer));
        signed_now += added ? 1 : 0;
        reached = row[0].as<std::string>();
      }
      found = static_cast<int>(rows.size());
      return absl::OkStatus();
    }));
    last = reached;
    all += signed_now;
  }
  return all;
}

}  // namespace shakedown::store
