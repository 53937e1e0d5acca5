#include "agent/runner/telemetry/sampler.h"

#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace shakedown::runner {
namespace {

class FakeProc {
 public:
  void Stat(int user, int idle, int switches, int running) {
    files["/proc/stat"] =
        absl::StrCat("cpu ", user, " 0 0 ", idle, " 0 0 0 0 0 0\nintr 0 0\nctxt ", switches,
                     "\nprocs_running ", running, "\nprocs_blocked 0\n");
  }
  Sampler::Reader Reader() {
    return [this](const std::string& path) -> absl::StatusOr<std::string> {
      if (files.count(path) == 0) return absl::NotFoundError(path);
      return files[path];
    };
  }
  std::map<std::string, std::string> files;
};

std::map<std::string, std::vector<double>> ByName(Sampler& sampler) {
  std::map<std::string, std::vector<double>> values;
  for (const v1::Series& series : sampler.Take()) {
    values[series.name()] = {series.values().begin(), series.values().end()};
  }
  return values;
}

TEST(SamplerTest, RatesGaugesAndShares) {
  FakeProc proc;
  Sampler sampler(proc.Reader());
  proc.Stat(0, 0, 1000, 1);
  sampler.Sample(absl::Seconds(100));
  proc.Stat(150, 50, 3000, 4);
  sampler.Sample(absl::Seconds(101));
  auto values = ByName(sampler);
  EXPECT_EQ(values["vmstat.cs"], std::vector<double>({2000}));
  EXPECT_EQ(values["vmstat.us"], std::vector<double>({75}));
  EXPECT_EQ(values["vmstat.id"], std::vector<double>({25}));
  EXPECT_EQ(values["vmstat.r"], std::vector<double>({4}));
  EXPECT_EQ(values.count("psi.cpu.some.avg10"), 0u);
  EXPECT_EQ(values.count("vmstat.free"), 0u);
}

TEST(SamplerTest, LateSampleFillsTheGapWithItsMean) {
  FakeProc proc;
  Sampler sampler(proc.Reader());
  proc.Stat(0, 0, 0, 1);
  sampler.Sample(absl::ZeroDuration());
  proc.Stat(100, 0, 3000, 1);
  sampler.Sample(absl::Seconds(3));
  EXPECT_EQ(ByName(sampler)["vmstat.cs"], std::vector<double>({1000, 1000, 1000}));
}

TEST(SamplerTest, EarlySampleIsLeftToTheNext) {
  FakeProc proc;
  Sampler sampler(proc.Reader());
  proc.Stat(0, 0, 0, 1);
  sampler.Sample(absl::ZeroDuration());
  proc.Stat(10, 0, 50, 1);
  sampler.Sample(absl::Milliseconds(100));
  proc.Stat(100, 0, 500, 1);
  sampler.Sample(absl::Seconds(1));
  EXPECT_EQ(ByName(sampler)["vmstat.cs"], std::vector<double>({500}));
}

TEST(SamplerTest, LostSourceIsLeftOutAndSaid) {
  FakeProc proc;
  Sampler sampler(proc.Reader());
  proc.Stat(0, 0, 0, 1);
  proc.files["/proc/pressure/cpu"] = "some avg10=0.00 avg60=0.00 avg300=0.00 total=0\n";
  sampler.Sample(absl::ZeroDuration());
  proc.Stat(100, 0, 500, 1);
  proc.files.erase("/proc/pressure/cpu");
  sampler.Sample(absl::Seconds(1));
  ASSERT_EQ(sampler.warnings().size(), 2u);
  EXPECT_NE(sampler.warnings()[0].find("psi.cpu.some"), std::string::npos);
  auto values = ByName(sampler);
  EXPECT_EQ(values.count("psi.cpu.some.avg10"), 0u);
  EXPECT_EQ(values.count("vmstat.cs"), 1u);
}

TEST(SamplerTest, EveryColumnOfVmstatAndEveryCpu) {
  FakeProc proc;
  const auto stat = [&](int busy, int idle) {
    proc.files["/proc/stat"] =
        absl::StrCat("cpu  ", 2 * busy, " 0 0 ", 2 * idle, " 0 0 0 0 ", busy, " 0\n", "cpu0 ", busy,
                     " 0 0 0 0 0 0 0 0 0\ncpu3 0 0 0 ", busy + idle,
                     " 0 0 0 0 0 0\nintr 5 1\nctxt 7\nprocs_running 2\nprocs_blocked 1\n");
  };
  stat(100, 100);
  proc.files["/proc/meminfo"] =
      "MemFree: 10 kB\nBuffers: 20 kB\nCached: 30 kB\nSwapTotal: 100 kB\nSwapFree: 60 kB\n"
      "SReclaimable: 5 kB\n";
  proc.files["/proc/vmstat"] = "pgpgin 1\npgpgout 2\npswpin 0\npswpout 0\n";
  proc.files["/proc/pressure/cpu"] =
      "some avg10=1.00 avg60=0.00 avg300=0.00 total=0\n"
      "full avg10=2.50 avg60=0.00 avg300=0.00 total=0\n";
  const std::string cpu0 = "/sys/devices/system/cpu/cpu0";
  proc.files[cpu0 + "/cpufreq/scaling_cur_freq"] = "1800000\n";
  proc.files[cpu0 + "/thermal_throttle/core_throttle_count"] = "4\n";
  proc.files["/sys/devices/system/cpu/cpu3/thermal_throttle/core_throttle_count"] = "1\n";
  proc.files["/sys/class/thermal/thermal_zone2/temp"] = "45500\n";
  Sampler sampler(proc.Reader());
  sampler.Sample(absl::ZeroDuration());
  EXPECT_EQ(sampler.throttled(), 5u);
  stat(150, 150);
  proc.files[cpu0 + "/thermal_throttle/core_throttle_count"] = "6\n";
  sampler.Sample(absl::Seconds(1));
  EXPECT_EQ(sampler.throttled(), 7u);
  std::map<std::string, double> last;
  for (auto& [name, values] : ByName(sampler)) last[name] = values.at(0);
  for (const char* column : {"r", "b", "swpd", "free", "buff", "cache", "si", "so", "bi", "bo",
                             "in", "cs", "us", "sy", "id", "wa", "st", "gu"}) {
    EXPECT_EQ(last.count(absl::StrCat("vmstat.", column)), 1u) << column;
  }
  EXPECT_EQ(last["vmstat.swpd"], 40);
  EXPECT_EQ(last["vmstat.cache"], 35);
  EXPECT_EQ(last["vmstat.us"], 25);  // Guests' time is taken out.
  EXPECT_EQ(last["vmstat.gu"], 25);
  EXPECT_EQ(last["cpu0.use"], 100);
  EXPECT_EQ(last["cpu3.use"], 0);
  EXPECT_EQ(last["cpu0.freq"], 1800);
  EXPECT_EQ(last["thermal.zone2"], 45.5);
  EXPECT_EQ(last["throttle.core"], 2);
  EXPECT_EQ(last["psi.cpu.full.avg10"], 2.5);
  for (const char* absent :
       {"cpu3.freq", "throttle.package", "psi.io.some.avg10", "thermal.zone0"}) {
    EXPECT_EQ(last.count(absent), 0u) << absent;
  }
}

TEST(SamplerTest, ALongRunIsFoldedIntoMeans) {
  FakeProc proc;
  Sampler sampler(proc.Reader());
  const int seconds = Sampler::kMostSteps + 6;
  for (int i = 0; i <= seconds; ++i) {
    proc.Stat(10 * i, 0, 1000 * i, i % 2);
    sampler.Sample(absl::Seconds(i));
  }
  for (const v1::Series& series : sampler.Take()) {
    EXPECT_EQ(series.step_ms(), 2000u) << series.name();
    EXPECT_EQ(series.values_size(), seconds / 2) << series.name();
    if (series.name() == "vmstat.cs") {
      EXPECT_EQ(series.values(seconds / 2 - 1), 1000);
    }
    if (series.name() == "vmstat.r") {
      EXPECT_EQ(series.values(0), 0.5);
    }
    if (series.name() == "vmstat.r") {
      EXPECT_EQ(series.values(seconds / 2 - 1), 0.5);
    }
  }
}

TEST(SamplerTest, ThisMachine) {
  Sampler sampler;
  sampler.Sample(absl::ZeroDuration());
  sampler.Sample(absl::Seconds(1));
  EXPECT_GT(ByName(sampler)["vmstat.free"].at(0), 0);
}

}  // namespace
}  // namespace shakedown::runner
