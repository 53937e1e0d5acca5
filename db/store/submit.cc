// SubmitJob: one transaction from a plan to rows.
#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "db/store/job_blocks.h"
#include "db/store/jobs.h"
#include "db/store/loads_key.h"
#include "db/store/shareable.h"
#include "db/store/sql.h"
#include "proto/wire/digest.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::store {
namespace {

constexpr int kMostVariants = 26, kMostBlocks = 1000;
constexpr uint64_t kMostBudget = 366 * 86400;
constexpr uint32_t kDefaultAttempts = 3, kMostAttempts = 10;

absl::Status Bad(absl::string_view what, absl::string_view want) {
  return absl::InvalidArgumentError(absl::StrCat("job: ", what, "; ", want));
}

absl::Status CheckPlan(const v1::Plan& plan, int variants) {
  if (plan.blocks_size() < 1 || plan.blocks_size() > kMostBlocks) {
    return Bad(absl::StrCat(plan.blocks_size(), " blocks"), "1 to 1000 are wanted");
  }
  return CheckBlocks(plan.blocks(), 1, variants);
}

absl::Status CheckVariants(const Submission& s) {
  const int count = s.spec.variants_size();
  if (count < 1 || count > kMostVariants || static_cast<int>(s.variants.size()) != count) {
    return Bad(absl::StrCat(count, " variants with ", s.variants.size(), " kernels"),
               "as many, 2 to 26, are wanted");
  }
  for (int i = 0; i < count; ++i) {
    const VariantKernel& variant = s.variants[i];
    RETURN_IF_ERROR(CheckName("kernel", variant.kernel.kernel().name()));
    if (!IsSha256Hex(variant.request_key)) {
      return Bad(absl::StrCat("request key ", Quoted(variant.request_key)),
                 "64 lower-case hex digits are wanted");
    }
    if (variant.build_limit_s == 0) return Bad("build limit 0 s", "more is wanted");
  }
  return absl::OkStatus();
}

absl::Status Check(const Submission& s) {
  RETURN_IF_ERROR(CheckUuid("request_id", s.request_id));
  RETURN_IF_ERROR(CheckVariants(s));
  RETURN_IF_ERROR(CheckPlan(s.plan, s.spec.variants_size()));
  if (s.spec.loads_size() < 1) return Bad("no load", "1 to 32 are wanted");
  if (s.spec.max_attempts() > kMostAttempts) {
    return Bad(absl::StrCat("max_attempts ", s.spec.max_attempts()), "1 to 10 is wanted");
  }
  if (s.spec.budget_s() > kMostBudget) {
    return Bad(absl::StrCat("budget of ", s.spec.budget_s(), " s"), "at most a year is wanted");
  }
  if (s.boot_limit_s == 0 || s.run_limit_s == 0) return Bad("a limit of 0 s", "more is wanted");
  return absl::OkStatus();
}

// The same request may mean another source tomorrow.
bool Floating(const v1::Kernel& kernel) {
  if (kernel.has_debian_source()) return kernel.debian_source().version().empty();
  if (kernel.has_debian_image()) return kernel.debian_image().version().empty();
  return kernel.has_local_tree();
}

// The build of a request key to share, locked against ending before we have linked to it; empty:
// none.
std::string ShareBuild(Transaction& tx, const std::string& request_key) {
  const pqxx::result row =
      tx.exec_params("SELECT b.id FROM builds b WHERE b.request_key = $1 AND " SHAKEDOWN_SHAREABLE
                     " ORDER BY b.state = 'built', b.created_at DESC LIMIT 1 FOR SHARE",
                     request_key);
  return row.empty() ? "" : row[0][0].as<std::string>();
}

// A new build, or empty when another submit has just made one.
std::string InsertBuild(Transaction& tx, const VariantKernel& variant) {
  const pqxx::result row = tx.exec_params(
      "INSERT INTO builds (id, request_key, kernel, resolved, floating, limit_s, state, recipe) "
      "VALUES (gen_random_uuid(), $1, $2, $3, $4, $5, 'queued', $6) "
      "ON CONFLICT (request_key) WHERE state IN ('queued', 'running') DO NOTHING RETURNING id",
      variant.request_key, variant.kernel.kernel().name(), Bytes(Canonical(variant.kernel)),
      Floating(variant.kernel.kernel()), static_cast<int64_t>(variant.build_limit_s),
      static_cast<int64_t>(variant.kernel.recipe_version()));
  return row.empty() ? "" : row[0][0].as<std::string>();
}

absl::StatusOr<std::string> FindOrMakeBuild(Transaction& tx, const VariantKernel& variant) {
  for (int i = 0; i < 10; ++i) {
    std::string id = ShareBuild(tx, variant.request_key);
    if (id.empty()) id = InsertBuild(tx, variant);
    if (!id.empty()) return id;
  }
  return absl::AbortedError(absl::StrCat("build ", variant.request_key,
                                         ": others made and ended it ten times meanwhile"));
}

absl::Status InsertVariants(Transaction& tx, int64_t job, const Submission& s) {
  // In the order of the keys, so that two submits lock the same builds in the same order.
  std::map<std::string, std::string> builds;
  for (const VariantKernel& variant : s.variants) builds[variant.request_key];
  for (auto& [key, id] : builds) {
    const auto variant = std::find_if(s.variants.begin(), s.variants.end(),
                                      [&](const VariantKernel& v) { return v.request_key == key; });
    ASSIGN_OR_RETURN(id, FindOrMakeBuild(tx, *variant));
  }
  for (size_t i = 0; i < s.variants.size(); ++i) {
    tx.exec_params("INSERT INTO variants (job, variant, kernel, build) VALUES ($1, $2, $3, $4)",
                   job, static_cast<int>(i), s.variants[i].kernel.kernel().name(),
                   builds[s.variants[i].request_key]);
  }
  return absl::OkStatus();
}

bool HasControl(const v1::JobSpec& spec) {
  return std::any_of(spec.variants().begin(), spec.variants().end(),
                     [](const v1::Variant& variant) { return variant.control(); });
}

// The job's number; 0 when the request has one already.
int64_t InsertJob(Transaction& tx, const Submission& s) {
  const uint32_t attempts = s.spec.max_attempts() == 0 ? kDefaultAttempts : s.spec.max_attempts();
  const pqxx::result row = tx.exec_params(
      "INSERT INTO jobs (request_id, submitter, spec, plan, machine_names, machine_tags, "
      "max_attempts, "
      "boot_limit_s, run_limit_s, loads, loads_sha256, budget_s, block_s, control) "
      "VALUES ($1, $2, $3, $4, $5::text[], $6::text[], $7, $8, $9, $10, $11, $12, $13, $14) "
      "ON CONFLICT (request_id) DO NOTHING RETURNING id",
      s.request_id, Text(s.submitter), Bytes(Canonical(s.spec)), Bytes(Canonical(s.plan)),
      TextArray(s.spec.machines().names()), TextArray(s.spec.machines().tags()),
      static_cast<int64_t>(attempts), static_cast<int64_t>(s.boot_limit_s),
      static_cast<int64_t>(s.run_limit_s), s.spec.loads_size(), LoadsKey(s.spec.loads()),
      static_cast<int64_t>(s.spec.budget_s()), std::max(s.block_s, 0.0),
      HasControl(s.spec) ? "open" : "none");
  return row.empty() ? 0 : row[0][0].as<int64_t>();
}

}  // namespace

absl::StatusOr<int64_t> SubmitJob(Database& database, const Submission& submission) {
  RETURN_IF_ERROR(Check(submission));
  // A request that is stored gets its job without using up a number of the sequence.
  ASSIGN_OR_RETURN(const std::optional<int64_t> known,
                   FindJobByRequest(database, submission.request_id));
  if (known.has_value()) return *known;
  int64_t job = 0;
  const absl::Status stored = Write(database, [&](Transaction& tx) -> absl::Status {
    job = InsertJob(tx, submission);
    if (job == 0) return absl::OkStatus();
    RETURN_IF_ERROR(InsertVariants(tx, job, submission));
    InsertBlocks(tx, job, submission.plan.blocks());
    Notify(tx);
    return absl::OkStatus();
  });
  if (!stored.ok() && !absl::IsUnknown(stored)) return stored;
  if (stored.ok() && job != 0) return job;
  // Another call with the same request was faster, or the answer to COMMIT was lost: look.
  absl::StatusOr<std::optional<int64_t>> found = FindJobByRequest(database, submission.request_id);
  if (found.ok() && found->has_value()) return **found;
  return stored.ok() ? absl::AbortedError("job: its request was stored and vanished") : stored;
}

absl::StatusOr<std::optional<int64_t>> FindJobByRequest(Database& database,
                                                        const std::string& request_id) {
  RETURN_IF_ERROR(CheckUuid("request_id", request_id));
  std::optional<int64_t> job;
  RETURN_IF_ERROR(Read(database, [&](Transaction& tx) {
    job.reset();
    const pqxx::result row =
        tx.exec_params("SELECT id FROM jobs WHERE request_id = $1", request_id);
    if (!row.empty()) job = row[0][0].as<int64_t>();
    return absl::OkStatus();
  }));
  return job;
}

}  // namespace shakedown::store
