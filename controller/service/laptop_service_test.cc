// Laptops, held machines, power and signatures, over gRPC and a real database.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "controller/service/kernel_key.h"
#include "controller/service/test_farm.h"
#include "db/store/signatures.h"
#include "proto/wire/digest.h"
#include "proto/wire/key_file.h"

namespace shakedown::service {
namespace {

using fakes::ScriptedAgent;
using ::testing::HasSubstr;
using Stub = v1::FarmService::Stub;

absl::StatusOr<v1::SetMachineResponse> Set(TestFarm& farm, const std::string& machine,
                                           v1::SetMachineRequest::Wish wish,
                                           const std::string& reason = "") {
  v1::SetMachineRequest request;
  request.set_name(machine);
  request.set_wish(wish);
  request.set_reason(reason);
  return farm.Call(&Stub::SetMachine, request);
}

// A result of beta is `factor` times one of alpha.
ScriptedAgent::BootScript Slower(double factor, const char* accelerator) {
  return [=](const v1::BootOrder& order) {
    const double noise = 1 + 0.0001 * static_cast<double>(order.name().size() + order.epoch() % 5);
    v1::BootResult result =
        ScriptedAgent::Measured(order, noise * 20 * (order.kernel() == "beta" ? factor : 1));
    auto& facts = *result.mutable_fingerprint()->mutable_facts();
    facts.erase("vm.accelerator");
    if (*accelerator != '\0') facts["vm.accelerator"] = accelerator;
    return result;
  };
}

TEST(LaptopServiceTest, ALaptopAndAVmInOneJobAreJudgedApart) {
  TestFarm farm;
  const int64_t job = farm.Submit(SmallJob(12)).value();
  ScriptedAgent host = farm.Agent("host1", {"vm1"});
  ScriptedAgent laptop = farm.Laptop("x1");
  host.on_boot = Slower(0.5, "kvm");
  laptop.on_boot = Slower(2, "");
  ASSERT_TRUE(host.Step().ok());  // The builds.
  for (int round = 0; round < 500 && !farm.Ended(job); ++round) {
    // A block each in turn: two boots of the VM, one whole block of the laptop.
    for (int i = 0; i < 2; ++i) ASSERT_TRUE(host.Step().ok());
    ASSERT_TRUE(laptop.Step().ok());
  }
  ASSERT_TRUE(farm.Ended(job));
  std::map<std::string, std::set<uint32_t>> blocks;
  const v1::JobView view = farm.Job(job);
  for (const v1::BootView& boot : view.boots()) {
    EXPECT_EQ(boot.outcome(), v1::OUTCOME_MEASURED) << boot.name();
    blocks[boot.machine()].insert(boot.block());
  }
  EXPECT_GE(blocks["vm1"].size(), 5u);
  EXPECT_GE(blocks["x1"].size(), 5u);
  EXPECT_EQ(blocks["vm1"].size() + blocks["x1"].size(), 12u);

  v1::GetReportRequest ask;
  ask.set_job(job);
  const auto report = farm.Call(&Stub::GetReport, ask);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->conclusion(), "inconclusive");
  EXPECT_THAT(report->text(), HasSubstr("never pooled"));
  EXPECT_THAT(report->text(), HasSubstr("vm1"));
  EXPECT_THAT(report->text(), HasSubstr("x1"));
}

TEST(LaptopServiceTest, HoldReachesTheMachineAndItsView) {
  TestFarm farm;
  const int64_t job = farm.Submit(SmallJob(1)).value();
  ScriptedAgent agent = farm.Agent("host1", {"vm1"});
  for (int build = 0; build < 2; ++build) ASSERT_TRUE(agent.Step().ok());
  const auto held = Set(farm, "vm1", v1::SetMachineRequest::WISH_HOLD, "new RAM");
  ASSERT_TRUE(held.ok()) << held.status();
  EXPECT_EQ(held->machine().state(), "held");
  EXPECT_EQ(held->machine().held_by(), "ada");
  EXPECT_EQ(held->machine().held_reason(), "new RAM");
  EXPECT_FALSE(agent.Step().value());
  ASSERT_TRUE(Set(farm, "vm1", v1::SetMachineRequest::WISH_RELEASE).ok());
  ASSERT_TRUE(agent.Run([&] { return farm.Ended(job); }).ok());
  EXPECT_TRUE(
      absl::IsInvalidArgument(Set(farm, "vm1", v1::SetMachineRequest::WISH_UNSPECIFIED).status()));
  EXPECT_TRUE(absl::IsNotFound(Set(farm, "vm9", v1::SetMachineRequest::WISH_HOLD).status()));
}

TEST(LaptopServiceTest, APowerOrderWakesTheAgentThatCan) {
  TestFarm farm;
  ScriptedAgent laptop = farm.Laptop("x1");
  ASSERT_TRUE(laptop.Sync().ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(
      Set(farm, "x1", v1::SetMachineRequest::WISH_POWER_CYCLE).status()));
  ScriptedAgent host({.server = farm.address(),
                      .token = farm.Token(store::Role::kAgent, "host1"),
                      .name = "host1",
                      .machines = {"vm1"},
                      .build_slots = 0,
                      .powers = {"x1"}});
  ASSERT_TRUE(host.Sync().ok());
  const auto ordered = Set(farm, "x1", v1::SetMachineRequest::WISH_POWER_CYCLE, "stuck");
  ASSERT_TRUE(ordered.ok()) << ordered.status();
  EXPECT_TRUE(ordered->machine().power());
  const auto told = host.Sync(20000);
  ASSERT_TRUE(told.ok()) << told.status();
  ASSERT_EQ(told->power_orders_size(), 1);
  EXPECT_EQ(told->power_orders(0).machine(), "x1");
}

TEST(LaptopServiceTest, SignaturesGoFromPeopleAndTheFarmToTheOrder) {
  TestFarm farm;
  farm.Submit(SmallJob(1)).value();
  ScriptedAgent agent = farm.Agent("host1", {});
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(agent.Step().ok());
  const auto builds = farm.Call(&Stub::ListBuilds, v1::ListBuildsRequest());
  ASSERT_EQ(builds->builds_size(), 2);

  const SigningKey ann = *NewSigningKey();
  v1::SignBuildRequest request;
  request.set_build_id(builds->builds(0).build_id());
  request.mutable_signature()->set_key(ann.public_key);
  const v1::BuildView& build = builds->builds(0);
  const SignedKernel kernel{build.release(), build.image().sha256(), build.initramfs().sha256(),
                            build.modules().sha256()};
  request.mutable_signature()->set_signature(*Sign(ann, {"other", Sha256Hex("x"), "", ""}));
  EXPECT_TRUE(absl::IsPermissionDenied(farm.Call(&Stub::SignBuild, request).status()));
  request.mutable_signature()->set_signature(*Sign(ann, kernel));
  ASSERT_TRUE(farm.Call(&Stub::SignBuild, request).ok());

  const std::string file = farm.artefact_folder() + "/../farm.key";
  ASSERT_EQ(WriteSigningKey(file, *NewSigningKey()), absl::OkStatus());
  const auto signer = ReadKernelKey(file);
  ASSERT_TRUE(signer.ok()) << signer.status();
  ASSERT_EQ(SignWhatIsThere(farm.database(), *signer), absl::OkStatus());
  const auto signed_builds = farm.Call(&Stub::ListBuilds, v1::ListBuildsRequest());
  EXPECT_EQ(signed_builds->builds(0).signed_by_size(), 2);
  EXPECT_EQ(signed_builds->builds(1).signed_by_size(), 1);
  std::filesystem::permissions(file, std::filesystem::perms::group_read,
                               std::filesystem::perm_options::add);
  EXPECT_TRUE(absl::IsPermissionDenied(ReadKernelKey(file).status()));
  EXPECT_FALSE(ReadKernelKey("")->operator bool());

  ScriptedAgent laptop = farm.Laptop("x1");
  const auto orders = laptop.Sync();
  ASSERT_TRUE(orders.ok()) << orders.status();
  ASSERT_EQ(orders->boots_size(), 2);
  EXPECT_EQ(orders->boots(0).signatures_size() + orders->boots(1).signatures_size(), 3);
}

}  // namespace
}  // namespace shakedown::service
