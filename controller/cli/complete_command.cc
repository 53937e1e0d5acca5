// complete: what a shell offers, one a line, a tab before a few words about it.
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "controller/cli/commands.h"
#include "controller/cli/contexts.h"
#include "controller/cli/exit_code.h"
#include "proto/wire/sanitise.h"

namespace shakedown::cli {
namespace {

constexpr absl::Duration kPatience = absl::Seconds(2);
constexpr uint32_t kNewest = 50;
constexpr uint32_t kMostSeries = 1000;

void AddJobs(Farm& farm, std::vector<Candidate>* out) {
  v1::ListJobsRequest request;
  request.set_limit(kNewest);
  const absl::StatusOr<v1::ListJobsResponse> jobs = farm.ListJobs(request);
  if (!jobs.ok()) return;
  out->push_back({"@last", "the newest job"});
  for (const v1::JobView& job : jobs->jobs())
    out->push_back({absl::StrCat(job.job()), job.spec().title()});
}

// What a series is of, once for each metric.
void AddMetrics(HistoryClient& history, std::vector<Candidate>* out) {
  v1::ListSeriesRequest request;
  request.set_limit(kMostSeries);
  const auto series = history.ListSeries(request);
  if (!series.ok()) return;
  std::set<std::string> metrics;
  for (const v1::SeriesView& one : series->series()) metrics.insert(one.key().metric());
  for (const std::string& metric : metrics) out->push_back({metric, ""});
}

void AddRegressions(HistoryClient& history, std::vector<Candidate>* out) {
  v1::ListRegressionsRequest request;
  request.set_limit(kNewest);
  const auto list = history.ListRegressions(request);
  if (!list.ok()) return;
  for (const v1::RegressionView& one : list->regressions()) {
    out->push_back({absl::StrCat(one.regression()),
                    absl::StrCat(one.series().metric(), " ", one.good(), "..", one.bad())});
  }
}

void AddBisects(BisectClient& bisects, std::vector<Candidate>* out) {
  v1::ListBisectsRequest request;
  request.set_limit(kNewest);
  const auto list = bisects.ListBisects(request);
  if (!list.ok()) return;
  for (const v1::BisectView& one : list->bisects()) {
    out->push_back(
        {absl::StrCat(one.bisect()), absl::StrCat(one.state(), " ", one.request().metric())});
  }
}

void AddImports(ImportClient& imports, std::vector<Candidate>* out) {
  v1::ListImportsRequest request;
  request.set_limit(kNewest);
  const auto list = imports.ListImports(request);
  if (!list.ok()) return;
  for (const v1::ImportView& one : list->imports())
    out->push_back({absl::StrCat(one.import()), absl::StrCat(one.kernel(), " ", one.file())});
}

void AddKernels(Farm& farm, absl::string_view before, std::vector<Candidate>* out) {
  const auto kernels = farm.ListKernels();
  if (!kernels.ok()) return;
  for (const v1::Kernel& kernel : kernels->kernels())
    out->push_back({absl::StrCat(before, kernel.name()), kernel.description()});
}

void AddMachines(Farm& farm, absl::string_view before, std::vector<Candidate>* out) {
  const auto machines = farm.ListMachines();
  if (!machines.ok()) return;
  for (const v1::MachineView& machine : machines->machines())
    out->push_back({absl::StrCat(before, machine.name()), machine.state()});
}

// Each once, with the machines that have it.
void AddTags(Farm& farm, std::vector<Candidate>* out) {
  const auto machines = farm.ListMachines();
  if (!machines.ok()) return;
  std::map<std::string, std::string> holders;
  for (const v1::MachineView& machine : machines->machines()) {
    for (const std::string& tag : machine.tags()) {
      std::string& names = holders[tag];
      absl::StrAppend(&names, names.empty() ? "" : " ", machine.name());
    }
  }
  for (const auto& [tag, names] : holders) out->push_back({tag, names});
}

void AddLive(const Desk& desk, LiveNames live, std::vector<Candidate>* out) {
  Farm& farm = desk.farm;
  switch (live) {
    case LiveNames::kMetrics:
      return AddMetrics(*desk.history, out);
    case LiveNames::kRegressions:
      return AddRegressions(*desk.history, out);
    case LiveNames::kBisects:
      return AddBisects(*desk.bisects, out);
    case LiveNames::kImports:
      return AddImports(*desk.imports, out);
    case LiveNames::kJobs:
    case LiveNames::kBoots:
      return AddJobs(farm, out);
    case LiveNames::kKernels:
      return AddKernels(farm, "", out);
    case LiveNames::kMachines:
      return AddMachines(farm, "", out);
    case LiveNames::kTags:
      return AddTags(farm, out);
    case LiveNames::kSubjects:
      AddJobs(farm, out);
      AddKernels(farm, "kernel:", out);
      return AddMachines(farm, "machine:", out);
    case LiveNames::kBuilds: {
      v1::ListBuildsRequest request;
      request.set_limit(kNewest);
      const auto builds = farm.ListBuilds(request);
      if (!builds.ok()) return;
      for (const v1::BuildView& build : builds->builds())
        out->push_back({build.build_id(), build.kernel()});
      return;
    }
    default:
      return;
  }
}

void AddContextNames(const Environment& environment, std::vector<Candidate>* out) {
  const absl::StatusOr<v1::CliConfig> config = ReadConfig(ConfigPath(environment));
  if (!config.ok()) return;
  for (const v1::CliConfig::Context& context : config->contexts())
    out->push_back({context.name(), context.server()});
}

}  // namespace

int Complete(const Desk* desk, Screen& screen, const CompleteArgs& args,
             const Environment& environment) {
  Offer offer = OfferForArguments(args.words);
  std::vector<Candidate> live;
  if (offer.live == LiveNames::kContexts) {
    AddContextNames(environment, &live);
  } else if (offer.live != LiveNames::kNone && desk != nullptr) {
    desk->farm.AwaitConnection(kPatience);
    AddLive(*desk, offer.live, &live);
  }
  const std::string begins = args.words.empty() ? "" : args.words.back();
  for (Candidate& candidate : live) {
    if (absl::StartsWith(candidate.text, begins)) offer.candidates.push_back(std::move(candidate));
  }
  for (const Candidate& candidate : offer.candidates) {
    screen.Print(
        absl::StrCat(PrintableLine(candidate.text), "\t", PrintableLine(candidate.help, 80), "\n"));
  }
  if (offer.files) screen.Print(":files\n");
  return kOk;
}

}  // namespace shakedown::cli
