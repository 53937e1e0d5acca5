#include "tests/fakes/rich_result.h"

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "proto/wire/latency_histogram.h"
#include "tests/fakes/scripted_agent.h"

namespace shakedown::fakes {
namespace {

constexpr int kSamples = 90;

class Maker {
 public:
  Maker(double factor, uint64_t seed) : factor_(factor), random_(seed) {}

  // Around `value`, within one part in a hundred.
  double Near(double value) {
    return value * (1 + 0.01 * (static_cast<double>(random_() % 2001) / 1000 - 1));
  }

  void Add(v1::LoadRun* run, const std::string& metric, double value, const std::string& unit) {
    for (uint32_t i = 1; i <= 4; ++i) {
      v1::Measurement* m = run->add_measurements();
      m->set_metric(metric);
      m->set_unit(unit);
      m->set_iteration(i);
      m->set_warmup(i == 1);
      m->set_value(Near(value));
    }
  }

  void AddHistogram(v1::LoadRun* run, const std::string& metric, double typical_us) {
    LatencyHistogram histogram;
    for (int i = 0; i < 4000; ++i) {
      const double tail = std::exp(static_cast<double>(random_() % 4000) / 1000);
      histogram.Add(static_cast<uint64_t>(Near(typical_us * tail)));
    }
    v1::LatencyHistogram* to = run->add_histograms();
    to->set_metric(metric);
    to->set_unit("us");
    to->set_iteration(2);
    for (const LatencyHistogram::Bucket& bucket : histogram.Buckets()) {
      to->add_smallest(bucket.smallest);
      to->add_count(bucket.count);
    }
    to->set_max(histogram.Max());
    to->set_duration_ms(30000);
  }

  void AddSeries(v1::LoadRun* run, const std::string& name, const std::string& unit, double low,
                 double high) {
    v1::Series* series = run->add_series();
    series->set_name(name);
    series->set_unit(unit);
    series->set_step_ms(1000);
    for (int i = 0; i < kSamples; ++i) {
      const double wave = (1 + std::sin(i / 9.0)) / 2;
      series->add_values(i == 40 ? std::numeric_limits<double>::quiet_NaN()
                                 : Near(low + (high - low) * wave));
    }
  }

  void AddTelemetry(v1::LoadRun* run) {
    AddSeries(run, "vmstat.us", "%", 60, 90);
    AddSeries(run, "vmstat.sy", "%", 5, 20);
    AddSeries(run, "vmstat.cs", "1", 900, 9000);
    AddSeries(run, "psi.cpu.some.avg10", "%", 1, 60);
    AddSeries(run, "frequency.mean", "MHz", 1800, 3400);
    AddSeries(run, "temperature.max", "C", 45, 82);
  }

  void AddTop(v1::LoadRun* run) {
    for (uint32_t at = 5000; at <= 15000; at += 5000) {
      v1::TopSnapshot* snapshot = run->add_top();
      snapshot->set_at_ms(at);
      for (const char* name : {"cc1", "<b>as</b>", "latt"}) {
        v1::TopTask* task = snapshot->add_tasks();
        task->set_pid(static_cast<uint32_t>(100 + random_() % 900));
        task->set_command(name);
        task->set_state("R");
        task->set_priority(20);
        task->set_cpu_percent(static_cast<float>(random_() % 100));
      }
    }
  }

  double slow(double value) const { return value * factor_; }

 private:
  const double factor_;
  std::mt19937_64 random_;
};

void Fill(Maker& maker, const v1::Load& load, v1::LoadRun* run) {
  if (load.has_make()) {
    maker.Add(run, "make.real", maker.slow(61.2), "s");
    maker.Add(run, "make.user", 110.4, "s");
    maker.Add(run, "make.sys", maker.slow(9.1), "s");
  } else if (load.has_interbench()) {
    for (const char* task : {"video", "x"}) {
      for (const char* under : {"none", "burn", "compile"}) {
        const std::string name = absl::StrCat("interbench.", task, ".", under);
        maker.Add(run, name + ".latency.avg", maker.slow(2.5), "ms");
        maker.Add(run, name + ".latency.max", maker.slow(30), "ms");
        maker.Add(run, name + ".desired_cpu", 97, "%");
        maker.Add(run, name + ".deadlines_met", 92, "%");
      }
    }
  } else {
    maker.Add(run, "latt.wakeup.avg", maker.slow(480), "us");
    maker.Add(run, "latt.wakeup.max", maker.slow(9100), "us");
    maker.AddHistogram(run, "latt.wakeup", maker.slow(300));
  }
}

}  // namespace

v1::BootResult RichResult(const v1::BootOrder& order, double factor, uint64_t seed) {
  v1::BootResult result = ScriptedAgent::Measured(order, 1);
  result.clear_load_runs();
  Maker maker(factor, seed);
  result.mutable_identity()->set_command_line("console=ttyS0 root=/dev/vda quiet");
  (*result.mutable_fingerprint()->mutable_facts())["cpu.model"] = "An old <i>laptop</i> at 1.8 GHz";
  v1::SetupRecord* step = result.add_setup();
  step->set_step("governor performance");
  step->set_before("schedutil");
  step->set_undo("echo schedutil > scaling_governor");
  step->set_undone(true);
  for (int i = 0; i < order.loads_size(); ++i) {
    v1::LoadRun* run = result.add_load_runs();
    run->set_load(static_cast<uint32_t>(i));
    run->set_duration_ms(61000);
    run->set_output("what the load printed: <script>window.hacked=1</script>\n");
    Fill(maker, order.loads(i), run);
    maker.AddTelemetry(run);
    maker.AddTop(run);
  }
  return result;
}

}  // namespace shakedown::fakes
