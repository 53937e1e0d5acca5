#include "agent/runner/telemetry/proc_text.h"

#include <string>

#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"

namespace shakedown::runner {
namespace {

const char kStat[] =
    "cpu  100 2 30 400 5 6 7 8 0 0\n"
    "cpu0 50 1 15 200 2 3 3 4 0 0\n"
    "intr 12345 1 2 3\nctxt 678\nbtime 1\nprocesses 9\nprocs_running 3\nprocs_blocked 1\n";

TEST(ParseProcStatTest, EveryField) {
  const CpuCounters c = ParseProcStat(kStat).value();
  EXPECT_EQ(c.user, 100u);
  EXPECT_EQ(c.nice, 2u);
  EXPECT_EQ(c.steal, 8u);
  EXPECT_EQ(c.Total(), 558u);
  EXPECT_EQ(c.interrupts, 12345u);
  EXPECT_EQ(c.context_switches, 678u);
  EXPECT_EQ(c.running, 3u);
  EXPECT_EQ(c.blocked, 1u);
}

TEST(ParseProcStatTest, MissingIsAnErrorThatNamesIt) {
  for (const std::string name : {"ctxt", "intr", "procs_running", "procs_blocked"}) {
    const std::string text = absl::StrReplaceAll(kStat, {{name + " ", "gone "}});
    const absl::Status status = ParseProcStat(text).status();
    EXPECT_FALSE(status.ok());
    EXPECT_NE(status.message().find(name), absl::string_view::npos) << status;
  }
  EXPECT_FALSE(ParseProcStat("").ok());
  EXPECT_FALSE(ParseProcStat("cpu 1 2 3\n").ok());
  EXPECT_FALSE(ParseProcStat(absl::StrReplaceAll(kStat, {{" 400 ", " -4 "}})).ok());
}

TEST(IdlePercentTest, ShareOfTheDifference) {
  CpuCounters before = ParseProcStat(kStat).value();
  CpuCounters after = before;
  EXPECT_FALSE(IdlePercent(before, after).ok());
  after.user += 75;
  after.idle += 20;
  after.iowait += 5;
  EXPECT_DOUBLE_EQ(IdlePercent(before, after).value(), 25);
}

TEST(FieldOfTest, FirstLineWithTheKey) {
  EXPECT_EQ(FieldOf("processor\t: 0\nmodel name\t: QEMU CPU\nmodel name\t: other\n", "model name"),
            "QEMU CPU");
  EXPECT_EQ(FieldOf("MemTotalX: 3 kB\nMemTotal:       12 kB\n", "MemTotal"), "12 kB");
  EXPECT_EQ(FieldOf("", "model name"), "");
}

TEST(MeminfoKibTest, MissingIsAnErrorNotZero) {
  const char* text = "MemTotal:        1000 kB\nSwapTotal:          0 kB\nBad:   x kB\n";
  EXPECT_EQ(MeminfoKib(text, "MemTotal").value(), 1000u);
  EXPECT_EQ(MeminfoKib(text, "SwapTotal").value(), 0u);
  EXPECT_FALSE(MeminfoKib(text, "MemFree").ok());
  EXPECT_FALSE(MeminfoKib(text, "Bad").ok());
}

TEST(VmstatCounterTest, WholeNamesOnly) {
  const char* text = "pgpgin 5\npgpgout_x 7\npgpgout 6\n";
  EXPECT_EQ(VmstatCounter(text, "pgpgout").value(), 6u);
  EXPECT_FALSE(VmstatCounter(text, "pswpin").ok());
}

TEST(ParsePressureTest, SomeLine) {
  const Pressure p =
      ParsePressure("some avg10=1.25 avg60=0.10 avg300=0.00 total=123\nfull avg10=9.00 total=9\n")
          .value();
  EXPECT_DOUBLE_EQ(p.avg10, 1.25);
  EXPECT_EQ(p.total_us, 123u);
  EXPECT_FALSE(ParsePressure("full avg10=0.00 total=1\n").ok());
  EXPECT_FALSE(ParsePressure("some avg10=0.00\n").ok());
  EXPECT_FALSE(ParsePressure("").ok());
}

struct SchedstatCase {
  std::string name;
  std::string text;
  absl::StatusCode code;
  int64_t ns;
};
class TotalRunDelayTest : public testing::TestWithParam<SchedstatCase> {};
TEST_P(TotalRunDelayTest, Table) {
  const absl::StatusOr<absl::Duration> delay = TotalRunDelay(GetParam().text);
  EXPECT_EQ(delay.status().code(), GetParam().code) << delay.status();
  if (delay.ok()) {
    EXPECT_EQ(*delay, absl::Nanoseconds(GetParam().ns));
  }
}
constexpr auto kOk = absl::StatusCode::kOk;
constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
INSTANTIATE_TEST_SUITE_P(
    , TotalRunDelayTest,
    testing::Values(
        SchedstatCase{"TwoCpus",
                      "version 15\ntimestamp 42\ncpu0 0 0 1 2 3 4 500 60 7\n"
                      "domain0 3 0 0\ncpu1 0 0 1 2 3 4 500 40 7\n",
                      kOk, 100},
        SchedstatCase{"Version17", "version 17\ncpu0 0 0 1 2 3 4 500 60 7\ndomain0 MC 3 1 2\n", kOk,
                      60},
        SchedstatCase{"Version18", "version 18\ncpu0 0 0 1 2 3 4 500 60 7\n",
                      absl::StatusCode::kUnimplemented, 0},
        SchedstatCase{"NoVersion", "cpu0 0 0 1 2 3 4 500 60 7\n", kInvalid, 0},
        SchedstatCase{"Short", "version 15\ncpu0 0 0 1 2\n", kInvalid, 0},
        SchedstatCase{"NotANumber", "version 15\ncpu0 0 0 1 2 3 4 500 x 7\n", kInvalid, 0},
        SchedstatCase{"NoCpu", "version 15\n", kInvalid, 0},
        SchedstatCase{"Empty", "", kInvalid, 0}),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace shakedown::runner
