#include "controller/history/bisect_simulation.h"

#include <algorithm>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "controller/compare/statistics/drawn_noise.h"

namespace shakedown::history {
namespace {

using Ending = BisectTrial::Ending;
using statistics::DrawnNoise;

class World {
 public:
  World(const BisectProblem& problem, const BisectWorld& world, uint64_t seed)
      : problem_(problem), world_(world), noise_(seed) {
    const size_t n = problem.candidates.size();
    culprit_ = 1 + static_cast<uint32_t>(noise_.Uniform() * static_cast<double>(n - 1)) % (n - 1);
    DrawBuilds(n);
  }

  uint32_t culprit() const { return culprit_; }
  uint32_t builds() const { return static_cast<uint32_t>(built_.size()); }

  void Perform(BisectFacts& facts) {
    BisectTrial& trial = facts.trials.back();
    if (noise_.Uniform() < world_.farm_failures) {
      trial.ending = Ending::kFarmFailed;
      return;
    }
    for (const uint32_t kernel : {trial.base, trial.candidate}) Build(kernel, facts);
    if (broken_.count(trial.base) > 0) {
      trial.ending = Ending::kBaseFailed;
    } else if (broken_.count(trial.candidate) > 0) {
      trial.ending = Ending::kCandidateFailed;
    } else if (trial.ending == Ending::kRunning) {
      Measure(trial);
    }
  }

 private:
  void DrawBuilds(size_t n) {
    const size_t parent = problem_.candidates.ParentOf(culprit_);
    for (uint32_t i = 0; i < n; ++i) {
      const bool end = i == 0 || i + 1 == n;
      const bool kept = i == culprit_ || i == parent;
      if (!end && !kept && noise_.Uniform() < world_.unbuildable) broken_.insert(i);
      const bool same = !end && i != culprit_ && noise_.Uniform() < world_.identical;
      identity_.push_back(same ? identity_[problem_.candidates.ParentOf(i)]
                               : absl::StrCat("build ", i));
    }
    if (world_.lose_culprit && culprit_ + 1 < n) broken_.insert(culprit_);
  }

  void Build(uint32_t kernel, BisectFacts& facts) {
    built_.insert(kernel);
    if (broken_.count(kernel) > 0) return;
    facts.built[kernel] = true;
    facts.identity[kernel] = identity_[kernel];
  }

  void Measure(BisectTrial& trial) {
    const bool bad = problem_.candidates.Holds(trial.candidate, culprit_) !=
                     problem_.candidates.Holds(trial.base, culprit_);
    for (uint32_t block = 0; block < trial.blocks; ++block) {
      trial.differences.push_back((bad ? world_.effect : 0) + world_.sd * Draw());
    }
    trial.boots = 2 * trial.blocks;
    trial.ending = Ending::kMeasured;
  }

  // Either side of a pair may have the spike.
  double Draw() {
    if (world_.noise == BisectWorld::Noise::kT2) return noise_.T2();
    if (world_.noise == BisectWorld::Noise::kNormal) return noise_.Normal();
    return (noise_.Spiky() - noise_.Spiky()) / 1.4142135623730951;
  }

  const BisectProblem& problem_;
  const BisectWorld world_;
  DrawnNoise noise_;
  uint32_t culprit_ = 0;
  std::set<uint32_t> broken_;
  std::set<uint32_t> built_;
  std::vector<std::string> identity_;
};

}  // namespace

BisectOutcome SimulateBisect(const BisectProblem& problem, const BisectWorld& world,
                             uint64_t seed) {
  World real(problem, world, seed);
  BisectFacts facts;
  facts.identity.resize(problem.candidates.size());
  facts.built.resize(problem.candidates.size());
  BisectOutcome outcome;
  outcome.truth = real.culprit();
  for (;;) {
    const BisectNext next = NextInBisect(problem, facts);
    outcome.kind = next.kind;
    outcome.steps = static_cast<uint32_t>(next.steps.size());
    outcome.claims.push_back({next.confidence, next.leader == outcome.truth});
    if (next.kind == BisectNext::Kind::kMeasure) {
      facts.trials.push_back(next.trial);
      real.Perform(facts);
      continue;
    }
    outcome.culprit = next.culprit;
    outcome.confidence = next.confidence;
    outcome.boots = next.boots;
    outcome.builds = real.builds();
    outcome.among_suspects =
        next.suspects.low <= outcome.truth && outcome.truth <= next.suspects.high;
    return outcome;
  }
}

BisectExpectation ExpectBisect(const BisectProblem& problem, const BisectWorld& world,
                               uint64_t first_seed, uint32_t seeds) {
  BisectExpectation sum;
  std::vector<uint32_t> boots;
  for (uint32_t i = 0; i < seeds; ++i) {
    const BisectOutcome outcome = SimulateBisect(problem, world, first_seed + i);
    boots.push_back(outcome.boots);
    sum.mean_boots += outcome.boots;
    sum.mean_builds += outcome.builds;
    if (outcome.kind != BisectNext::Kind::kFound) continue;
    (outcome.culprit == outcome.truth ? sum.found : sum.wrong) += 1;
    sum.mean_confidence += outcome.confidence;
  }
  if (sum.found + sum.wrong > 0) sum.mean_confidence /= sum.found + sum.wrong;
  for (double* value : {&sum.mean_boots, &sum.mean_builds, &sum.found, &sum.wrong}) *value /= seeds;
  std::sort(boots.begin(), boots.end());
  sum.p95_boots = boots[(boots.size() * 95 + 99) / 100 - 1];
  return sum;
}

}  // namespace shakedown::history
