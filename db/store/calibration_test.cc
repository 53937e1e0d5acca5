// One number a machine, for every kernel that boots on it.
#include "db/store/calibration.h"

#include "db/store/boots.h"
#include "db/store/reports.h"
#include "db/store/store_testing.h"

namespace shakedown::store {
namespace {

class CalibrationTest : public StoreTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    Submit({"a", "b"}, 3);
    BuildAll();
  }
  v1::BootOrder Next(const v1::SyncRequest& agent) {
    const v1::SyncResponse work = Sync(agent);
    EXPECT_EQ(work.boots_size(), 1);
    return work.boots_size() == 1 ? work.boots(0) : v1::BootOrder();
  }
  v1::BootOrder Next() { return Next(Agent("host1", {"vm1"})); }
  absl::Status Record(const v1::BootOrder& order, uint64_t loops,
                      v1::Outcome outcome = v1::OUTCOME_MEASURED) {
    v1::BootResult result =
        outcome == v1::OUTCOME_MEASURED ? Measured(order) : Ended(order, outcome, "spoilt");
    result.set_loops_per_ms(loops);
    return RecordBoot(db(), "host1", result);
  }
};

TEST_F(CalibrationTest, TwoBootsOfTwoKernelsUseOneNumber) {
  const v1::BootOrder first = Next();
  EXPECT_EQ(first.loops_per_ms(), 0u);  // Not known: this boot measures.
  ASSERT_EQ(Record(first, 2500000), absl::OkStatus());
  const v1::BootOrder second = Next();
  EXPECT_NE(second.kernel(), first.kernel());
  EXPECT_EQ(second.loops_per_ms(), 2500000u);
  // Said again, to an agent that has lost it, the order is the same.
  EXPECT_EQ(Next().SerializeAsString(), second.SerializeAsString());
  ASSERT_EQ(Record(second, 2900000), absl::OkStatus());  // Too late: the first one stays.
  EXPECT_EQ(Next().loops_per_ms(), 2500000u);
}

TEST_F(CalibrationTest, OtherMachinesAndOtherHardwareAreMeasuredAnew) {
  ASSERT_EQ(Record(Next(), 2500000), absl::OkStatus());
  EXPECT_EQ(Next(Agent("host2", {"vm2"})).loops_per_ms(), 0u);
  v1::SyncRequest changed = Agent("host1", {"vm1"});
  (*changed.mutable_machines(0)->mutable_facts())["vcpus"] = "8";
  const v1::BootOrder order = Next(changed);
  EXPECT_EQ(order.loops_per_ms(), 0u);
}

TEST_F(CalibrationTest, WhatSaysNothingOfTheCpusChangesNothing) {
  ASSERT_EQ(Record(Next(), 2500000), absl::OkStatus());
  v1::SyncRequest changed = Agent("host1", {"vm1"});
  (*changed.mutable_machines(0)->mutable_facts())["image"] = "another";
  EXPECT_EQ(Next(changed).loops_per_ms(), 2500000u);
}

TEST_F(CalibrationTest, FailedBootsAndBootsWithoutOnePinNothing) {
  ASSERT_EQ(Record(Next(), 2500000, v1::OUTCOME_LOAD_FAILED), absl::OkStatus());
  EXPECT_EQ(Sql("SELECT count(*) FROM calibrations"), "0");
  ASSERT_EQ(Record(Next(), 0), absl::OkStatus());
  EXPECT_EQ(Sql("SELECT count(*) FROM calibrations"), "0");
  EXPECT_EQ(Next().loops_per_ms(), 0u);
}

TEST_F(CalibrationTest, AbsurdNumbersAreRefused) {
  const v1::BootOrder order = Next();
  for (const uint64_t loops : {uint64_t{1}, uint64_t{999}, ~uint64_t{0}}) {
    EXPECT_THAT(Record(order, loops), IsError(absl::StatusCode::kInvalidArgument, "loops per ms"));
  }
  EXPECT_EQ(Sql("SELECT count(*) FROM boot_results"), "0");
}

TEST(HardwareDigestTest, OnlyHardwareCounts) {
  const std::map<std::string, std::string> facts = {
      {"accelerator", "kvm"}, {"vcpus", "2"}, {"image", "a"}, {"libvirt", "qemu:///embed"}};
  std::map<std::string, std::string> other = facts;
  other["image"] = "b";
  EXPECT_EQ(HardwareDigest(facts), HardwareDigest(other));
  for (const char* name : {"accelerator", "vcpus", "host_cpu", "pinning", "cpu.model"}) {
    other = facts;
    other[name] = "else";
    EXPECT_NE(HardwareDigest(facts), HardwareDigest(other)) << name;
  }
  EXPECT_NE(HardwareDigest({{"cpu.a", "b5:cpu.c1:d"}}),
            HardwareDigest({{"cpu.a", "b"}, {"cpu.c", "d"}}));
}

}  // namespace
}  // namespace shakedown::store
