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

TEST(SamplerTest, ThisMachine) {
  Sampler sampler;
  sampler.Sample(absl::ZeroDuration());
  sampler.Sample(absl::Seconds(1));
  EXPECT_GT(ByName(sampler)["vmstat.free"].at(0), 0);
}

}  // namespace
}  // namespace shakedown::runner
