#include "db/store/orders.h"

#include <map>

#include "absl/strings/str_cat.h"
#include "db/store/calibration.h"
#include "db/store/make_loads.h"
#include "db/store/signature_rows.h"
#include "db/store/sql.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown::store {
namespace {

// The kernel's, then the variant's, which win.
void AddTunables(const v1::Kernel& kernel, const v1::Variant& variant, v1::BootOrder& order) {
  for (const v1::Tunable& tunable : kernel.tunables()) *order.add_tunables() = tunable;
  for (const v1::Tunable& tunable : variant.tunables()) {
    bool replaced = false;
    for (v1::Tunable& known : *order.mutable_tunables()) {
      if (known.name() != tunable.name()) continue;
      known.set_value(tunable.value());
      replaced = true;
    }
    if (!replaced) *order.add_tunables() = tunable;
  }
}

// The archives that the loads read, each once, as they were pinned at submit.
absl::Status AddInputs(Transaction& tx, v1::BootOrder& order) {
  std::map<std::string, std::string> pinned;
  for (v1::Load& load : *order.mutable_loads()) {
    for (const v1::MakeLoad* make : MakesOf(load)) {
      if (!make->tree().empty()) pinned[make->tree()] = make->tree_sha256();
    }
  }
  for (const auto& [name, sha256] : pinned) {
    const pqxx::result found = tx.exec_params(
        "SELECT size FROM inputs WHERE name = $1 AND sha256 = $2", Text(name), Text(sha256));
    if (found.empty()) {
      return absl::InternalError(absl::StrCat("boot ", order.name(), ": input ", name,
                                              " of digest ", sha256, " is not in the farm"));
    }
    v1::Input& input = *order.add_inputs();
    input.set_name(name);
    input.mutable_archive()->set_sha256(sha256);
    input.mutable_archive()->set_size(found[0][0].as<uint64_t>());
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<v1::BootOrder> MakeBootOrder(Transaction& tx, const std::string& attempt_id) {
  const pqxx::row row = tx.exec_params1(
      "SELECT o.job, o.block, o.variant, o.attempt, o.machine, o.epoch, j.spec, j.boot_limit_s, "
      "j.run_limit_s, "
      "b.resolved, b.result, b.build_key FROM boots o JOIN jobs j ON j.id = o.job "
      "JOIN variants v ON v.job = o.job AND v.variant = o.variant JOIN builds b ON b.id = v.build "
      "WHERE o.attempt_id = $1",
      attempt_id);
  v1::JobSpec spec;
  v1::ResolvedKernel resolved;
  v1::BuildResult built;
  RETURN_IF_ERROR(ReadProto(row["spec"], spec));
  RETURN_IF_ERROR(ReadProto(row["resolved"], resolved));
  RETURN_IF_ERROR(ReadProto(row["result"], built));
  const auto index = row["variant"].as<uint32_t>();
  const v1::Variant& variant = spec.variants(static_cast<int>(index));
  const v1::Kernel& kernel = resolved.kernel();
  v1::BootOrder order;
  order.set_attempt_id(attempt_id);
  order.set_name(FormatBootName({row["job"].as<int64_t>(), row["block"].as<uint32_t>(), index,
                                 row["attempt"].as<uint32_t>()}));
  order.set_machine(row["machine"].as<std::string>());
  order.set_epoch(row["epoch"].as<int64_t>());
  *order.mutable_image() = built.image();
  if (built.has_initramfs()) *order.mutable_initramfs() = built.initramfs();
  if (built.has_modules()) *order.mutable_modules() = built.modules();
  RETURN_IF_ERROR(AddSignatures(tx, built, order));
  *order.mutable_expected() = built.expected();
  for (const std::string& parameter : kernel.boot_parameters())
    order.add_boot_parameters(parameter);
  for (const std::string& parameter : variant.boot_parameters())
    order.add_boot_parameters(parameter);
  AddTunables(kernel, variant, order);
  *order.mutable_loads() = spec.loads();
  *order.mutable_setup() = spec.setup();
  if (variant.has_sched_ext()) *order.mutable_sched_ext() = variant.sched_ext();
  *order.mutable_background() = spec.background();
  RETURN_IF_ERROR(AddInputs(tx, order));
  order.set_boot_limit_s(row["boot_limit_s"].as<uint32_t>());
  order.set_run_limit_s(row["run_limit_s"].as<uint32_t>());
  order.set_build_key(row["build_key"].as<std::string>());
  order.set_kernel(kernel.name());
  order.set_loops_per_ms(FindCalibration(tx, order.machine()));
  return order;
}

absl::StatusOr<v1::BuildOrder> MakeBuildOrder(Transaction& tx, const std::string& build_id) {
  const pqxx::row row =
      tx.exec_params1("SELECT epoch, resolved, limit_s FROM builds WHERE id = $1", build_id);
  v1::BuildOrder order;
  order.set_build_id(build_id);
  order.set_epoch(row["epoch"].as<int64_t>());
  RETURN_IF_ERROR(ReadProto(row["resolved"], *order.mutable_kernel()));
  order.set_limit_s(row["limit_s"].as<uint32_t>());
  return order;
}

}  // namespace shakedown::store
