#include "db/store/views.h"

#include "proto/wire/sanitise.h"
#include "proto/wire/status.h"
#include "shakedown/v1/build.pb.h"

namespace shakedown::store {

absl::Status FillBuild(const pqxx::row& row, v1::BuildView& view) {
  const auto state = row["state"].as<std::string>();
  view.set_build_id(row["id"].as<std::string>());
  view.set_kernel(row["kernel"].as<std::string>());
  view.set_request_key(row["request_key"].as<std::string>());
  view.set_build_key(row["build_key"].as<std::string>());
  view.set_state(BuildStateOf(state));
  if (view.state() == v1::WORK_STATE_ENDED) view.set_status(state);
  view.set_error(row["error"].as<std::string>());
  view.set_phase(row["phase"].as<std::string>());
  view.set_progress(row["progress"].as<float>());
  view.set_duration_ms(row["duration_ms"].as<uint64_t>());
  view.set_agent(row["agent"].as<std::string>());
  *view.mutable_created() = ReadTime(row["created"]);
  if (row["result"].is_null()) return absl::OkStatus();
  v1::BuildResult result;
  RETURN_IF_ERROR(ReadProto(row["result"], result));
  view.set_source_version(result.source_version());
  view.set_toolchain(result.toolchain());
  view.set_release(result.expected().release());
  if (result.has_image()) *view.mutable_image() = result.image();
  if (result.has_initramfs()) *view.mutable_initramfs() = result.initramfs();
  if (result.has_modules()) *view.mutable_modules() = result.modules();
  return absl::OkStatus();
}

namespace {

// Its beginning: pstore's records, where the kernel says what happened, come first.
constexpr size_t kShownEvidence = 8 << 10;

std::string Evidence(const pqxx::row& row) {
  v1::BootResult result;
  if (row["result"].is_null() || !ReadProto(row["result"], result).ok()) return "";
  if (result.evidence().empty()) return "";
  return absl::StrCat(result.console_tail().empty() ? "" : "\n", "What the machine left behind:\n",
                      ToUtf8(result.evidence().substr(0, kShownEvidence)));
}

}  // namespace

void FillBoot(int64_t job, const pqxx::row& row, v1::BootView& view) {
  view.set_attempt_id(row["attempt_id"].as<std::string>());
  view.set_block(row["block"].as<uint32_t>());
  view.set_variant(row["variant"].as<uint32_t>());
  view.set_attempt(row["attempt"].as<uint32_t>());
  view.set_name(FormatBootName({job, view.block(), view.variant(), view.attempt()}));
  view.set_state(BootStateOf(row["state"].as<std::string>()));
  view.set_outcome(OutcomeOf(row["outcome"].as<std::string>()));
  view.set_reason(row["reason"].as<std::string>());
  view.set_machine(row["machine"].as<std::string>());
  view.set_phase(row["phase"].as<std::string>());
  if (view.state() == v1::WORK_STATE_RUNNING && row["cancel_requested"].as<bool>()) {
    view.set_phase("cancelling");
  }
  view.set_progress(row["progress"].as<float>());
  view.set_boot_ms(row["boot_ms"].as<uint64_t>());
  if (view.state() == v1::WORK_STATE_ENDED && view.outcome() != v1::OUTCOME_MEASURED) {
    view.set_console_tail(absl::StrCat(row["console_tail"].as<std::string>(), Evidence(row)));
  }
  if (!row["started"].is_null()) *view.mutable_started() = ReadTime(row["started"]);
  if (!row["ended"].is_null()) *view.mutable_ended() = ReadTime(row["ended"]);
}

}  // namespace shakedown::store
