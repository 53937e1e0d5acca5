#include "controller/service/summarise_boots.h"

#include <google/protobuf/map.h>

#include "absl/strings/str_cat.h"
#include "controller/compare/kernel_survival.h"
#include "controller/history/epoch.h"
#include "controller/history/kernel_key.h"
#include "controller/history/load_key.h"
#include "controller/service/no_throw.h"
#include "controller/service/store_call.h"
#include "proto/wire/status.h"

namespace shakedown::service {
namespace {

constexpr int kAtOnce = 50;
constexpr int kRounds = 10;

}  // namespace

store::BootSummary SummaryOf(const store::UnsummarisedBoot& boot) {
  store::BootSummary summary;
  summary.attempt_id = boot.attempt_id;
  if (boot.variant >= static_cast<uint32_t>(boot.spec.variants_size())) return summary;
  const v1::Variant& variant = boot.spec.variants(static_cast<int>(boot.variant));
  summary.kernel = variant.kernel();
  summary.version =
      history::VersionOf({boot.kernel, boot.source_version, boot.release, boot.build_key});
  summary.class_name = history::ClassOf(variant);
  for (history::LoadKey& key : history::LoadKeysOf(boot.spec)) {
    summary.loads.push_back({std::move(key.sha256), std::move(key.text)});
  }
  history::Facts tools;
  for (const auto& [load, version] : boot.tools) tools[absl::StrCat(load)] = version;
  const google::protobuf::Map<std::string, std::string> facts(boot.facts.begin(), boot.facts.end());
  summary.facts = history::EpochFacts(facts, tools);
  summary.epoch = history::EpochKey(summary.facts);
  summary.values = boot.values;
  bool failed = false;
  summary.failed = compare::TellsOfSurvival(boot.outcome, &failed) && failed;
  return summary;
}

absl::StatusOr<int> SummariseBoots(store::Database& database) {
  int done = 0;
  absl::Status first;
  for (int round = 0; round < kRounds; ++round) {
    ASSIGN_OR_RETURN(const std::vector<store::UnsummarisedBoot> boots,
                     FromStore([&] { return store::BootsToSummarise(database, kAtOnce); }));
    int here = 0;
    for (const store::UnsummarisedBoot& boot : boots) {
      const absl::StatusOr<bool> put = NoThrow("summary", [&] {
        const store::BootSummary summary = SummaryOf(boot);
        return FromStore([&] { return store::PutSummary(database, summary); });
      });
      if (put.ok()) {
        here += *put ? 1 : 0;
      } else if (first.ok()) {
        first = Annotate(put.status(), absl::StrCat("summary of attempt ", boot.attempt_id));
      }
    }
    done += here;
    if (here < kAtOnce) break;
  }
  if (!first.ok()) return first;
  return done;
}

}  // namespace shakedown::service
