#include "db/store/kernels.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "db/store/sql.h"
#include "proto/wire/digest.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::store {
namespace {

constexpr size_t kNearest = 5;

size_t CommonPrefix(const std::string& a, const std::string& b) {
  const auto end = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return static_cast<size_t>(end.first - a.begin());
}

// "; near: …" with the names that begin most like it.
std::string Nearest(Transaction& tx, const std::string& name) {
  std::vector<std::string> names;
  for (const pqxx::row& row : tx.exec("SELECT name FROM kernels ORDER BY name")) {
    names.push_back(row[0].as<std::string>());
  }
  std::stable_sort(names.begin(), names.end(), [&](const std::string& a, const std::string& b) {
    return CommonPrefix(a, name) > CommonPrefix(b, name);
  });
  if (names.size() > kNearest) names.resize(kNearest);
  return names.empty() ? "; the catalog is empty"
                       : absl::StrCat("; near: ", absl::StrJoin(names, ", "));
}

absl::Status NoSuchKernel(Transaction& tx, const std::string& name) {
  return absl::NotFoundError(absl::StrCat("kernel ", name, ": no such kernel", Nearest(tx, name)));
}

absl::Status PutBuiltIn(Transaction& tx, const v1::Kernel& kernel) {
  RETURN_IF_ERROR(CheckName("kernel", kernel.name()));
  const std::string spec = Canonical(kernel);
  const pqxx::result put = tx.exec_params(
      "INSERT INTO kernels (name, spec, sha256) VALUES ($1, $2, $3) "
      "ON CONFLICT (name) DO UPDATE SET spec = excluded.spec, sha256 = excluded.sha256, added_at = "
      "CASE WHEN kernels.sha256 = excluded.sha256 THEN kernels.added_at ELSE now() END "
      "WHERE kernels.submitter IS NULL",
      kernel.name(), Bytes(spec), Sha256Hex(spec));
  if (put.affected_rows() == 1) return absl::OkStatus();
  return absl::AlreadyExistsError(
      absl::StrCat("kernel ", kernel.name(),
                   ": a person's entry has the name of a catalog file; rename the file"));
}

}  // namespace

absl::Status PutCatalog(Database& database, const std::vector<v1::Kernel>& kernels) {
  std::vector<std::string> names;
  for (const v1::Kernel& kernel : kernels) names.push_back(kernel.name());
  return Write(database, [&](Transaction& tx) -> absl::Status {
    for (const v1::Kernel& kernel : kernels) RETURN_IF_ERROR(PutBuiltIn(tx, kernel));
    tx.exec_params("DELETE FROM kernels WHERE submitter IS NULL AND name <> ALL ($1::text[])",
                   TextArray(names));
    return absl::OkStatus();
  });
}

absl::Status AddKernel(Database& database, const v1::Kernel& kernel, const std::string& submitter) {
  RETURN_IF_ERROR(CheckName("kernel", kernel.name()));
  const std::string spec = Canonical(kernel);
  const std::string digest = Sha256Hex(spec);
  return Write(database, [&](Transaction& tx) -> absl::Status {
    tx.exec_params(
        "INSERT INTO kernels (name, spec, sha256, submitter) VALUES ($1, $2, $3, $4) "
        "ON CONFLICT (name) DO NOTHING",
        kernel.name(), Bytes(spec), digest, Text(submitter));
    const pqxx::row row = tx.exec_params1(
        "SELECT sha256, coalesce('user ' || submitter, 'the catalog') FROM kernels WHERE name = $1",
        kernel.name());
    if (row[0].as<std::string>() == digest) return absl::OkStatus();
    return absl::AlreadyExistsError(
        absl::StrCat("kernel ", kernel.name(), ": the name is taken by another kernel of ",
                     row[1].as<std::string>(), "; choose another name"));
  });
}

absl::StatusOr<v1::Kernel> GetKernel(Database& database, const std::string& name) {
  RETURN_IF_ERROR(CheckName("kernel", name));
  v1::Kernel kernel;
  RETURN_IF_ERROR(Read(database, [&](Transaction& tx) -> absl::Status {
    const pqxx::result found = tx.exec_params("SELECT spec FROM kernels WHERE name = $1", name);
    if (!found.empty()) return ReadProto(found[0][0], kernel);
    return NoSuchKernel(tx, name);
  }));
  return kernel;
}

absl::Status RemoveKernel(Database& database, const std::string& name) {
  RETURN_IF_ERROR(CheckName("kernel", name));
  return Write(database, [&](Transaction& tx) -> absl::Status {
    const pqxx::result found =
        tx.exec_params("SELECT submitter IS NULL FROM kernels WHERE name = $1 FOR UPDATE", name);
    if (found.empty()) return NoSuchKernel(tx, name);
    if (found[0][0].as<bool>()) {
      return absl::FailedPreconditionError(
          absl::StrCat("kernel ", name,
                       ": the catalog's files bring it along; only what people added is "
                       "removed"));
    }
    const pqxx::result used = tx.exec_params(
        "SELECT min(v.job) FROM variants v JOIN jobs j ON j.id = v.job "
        "WHERE v.kernel = $1 AND j.state = 'active' HAVING count(*) > 0",
        name);
    if (!used.empty()) {
      return absl::FailedPreconditionError(
          absl::StrCat("kernel ", name, ": job ", used[0][0].as<int64_t>(),
                       " uses it and is active; cancel it or wait for its end"));
    }
    tx.exec_params("DELETE FROM kernels WHERE name = $1", name);
    return absl::OkStatus();
  });
}

absl::StatusOr<std::vector<v1::Kernel>> ListKernels(Database& database) {
  std::vector<v1::Kernel> kernels;
  RETURN_IF_ERROR(Read(database, [&](Transaction& tx) -> absl::Status {
    kernels.clear();
    for (const pqxx::row& row : tx.exec("SELECT spec FROM kernels ORDER BY name")) {
      RETURN_IF_ERROR(ReadProto(row[0], kernels.emplace_back()));
    }
    return absl::OkStatus();
  }));
  return kernels;
}

}  // namespace shakedown::store
