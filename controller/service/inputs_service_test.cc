// People bring archives that loads read, and jobs that name them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "controller/service/pin_inputs.h"
#include "controller/service/test_farm.h"
#include "proto/wire/digest.h"
#include "proto/wire/files.h"
#include "tests/fakes/tar_archives.h"

namespace shakedown::service {
namespace {

using fakes::ScriptedAgent;
using ::testing::HasSubstr;
using Stub = v1::FarmService::Stub;

std::string Tar(const std::vector<fakes::TarItem>& items) {
  const std::string path = testing::TempDir() + "/inputs-service-test.tar";
  fakes::WriteTar(path, items);
  const absl::StatusOr<std::string> bytes = ReadFile(path);
  std::filesystem::remove(path);
  return bytes.value_or("");
}

absl::StatusOr<v1::InputView> Bring(TestFarm& farm, const std::string& name, std::string bytes,
                                    bool to_the_end = true) {
  grpc::ClientContext context;
  TestFarm::Prepare(context, farm.user_token());
  v1::AddInputResponse response;
  const auto stream = farm.stub().AddInput(&context, &response);
  v1::AddInputRequest message;
  message.set_name(name);
  for (bool more = true; more; bytes.erase(0, 5000)) {
    message.set_data(bytes.substr(0, 5000));
    more = bytes.size() > 5000 && stream->Write(message);
    if (!more) stream->Write(message);
    message.clear_name();
  }
  message.clear_data();
  if (to_the_end) stream->Write(message);
  stream->WritesDone();
  const absl::Status status = TestFarm::FromGrpc(stream->Finish());
  if (!status.ok()) return status;
  return response.input();
}

int FilesIn(const std::string& folder) {
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    files += entry.is_regular_file() ? 1 : 0;
  }
  return files;
}

v1::JobSpec JobOn(const std::string& tree) {
  v1::JobSpec spec = SmallJob(1);
  spec.mutable_loads(0)->mutable_make()->set_tree(tree);
  return spec;
}

TEST(InputsServiceTest, AnArchiveComesToTheAgentThatNeedsIt) {
  TestFarm farm;
  const std::string tar = Tar({{'0', "linux-6.12/Makefile", "all:\n"}});
  const absl::StatusOr<v1::InputView> input = Bring(farm, "linux-6.12", tar);
  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_EQ(input->sha256(), Sha256Hex(tar));
  EXPECT_EQ(input->size(), tar.size());
  EXPECT_EQ(input->submitter(), "ada");
  EXPECT_EQ(farm.Call(&Stub::ListInputs, {})->inputs_size(), 1);

  const absl::StatusOr<int64_t> job = farm.Submit(JobOn("linux-6.12"));
  ASSERT_TRUE(job.ok()) << job.status();
  EXPECT_EQ(farm.Job(*job).spec().loads(0).make().tree_sha256(), Sha256Hex(tar));
  ScriptedAgent agent = farm.Agent("host1", {"vm1"});
  int boots = 0;
  agent.on_boot = [&](const v1::BootOrder& order) {
    ++boots;
    EXPECT_EQ(order.inputs_size(), 1);
    EXPECT_EQ(order.inputs(0).name(), "linux-6.12");
    EXPECT_EQ(agent.Get(order.inputs(0).archive().sha256()).value_or("?"), tar);
    return ScriptedAgent::Measured(order);
  };
  ASSERT_TRUE(agent.Run([&] { return farm.Ended(*job); }).ok());
  EXPECT_EQ(boots, 2);
}

TEST(InputsServiceTest, ANameIsNeverGivenToOtherContent) {
  TestFarm farm;
  const std::string tar = Tar({{'0', "a", "1"}}), other = Tar({{'0', "a", "2"}});
  ASSERT_TRUE(Bring(farm, "tree", tar).ok());
  EXPECT_TRUE(Bring(farm, "tree", tar).ok());
  const absl::Status refused = Bring(farm, "tree", other).status();
  EXPECT_TRUE(absl::IsAlreadyExists(refused)) << refused;
  EXPECT_THAT(std::string(refused.message()), HasSubstr("choose another, such as tree-2"));
}

TEST(InputsServiceTest, WhatIsNoTreeIsRefusedAndLeavesNothing) {
  TestFarm farm;
  const int before = FilesIn(farm.artefact_folder());
  const auto refusal = [&](const std::string& name, const std::string& bytes) {
    const absl::Status status = Bring(farm, name, bytes).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    return std::string(status.message());
  };
  EXPECT_THAT(refusal("evil", Tar({{'0', "../x", "1"}})), HasSubstr("input evil: entry \"../x\""));
  EXPECT_THAT(refusal("evil", Tar({{'3', "null", ""}})), HasSubstr("a device"));
  EXPECT_THAT(refusal("text", "hello, world"), HasSubstr("no tar archive"));
  EXPECT_THAT(refusal("none", ""), HasSubstr("input none: no tar archive"));
  EXPECT_THAT(refusal("../x", Tar({{'0', "a", "1"}})), HasSubstr("input \"../x\""));
  EXPECT_EQ(FilesIn(farm.artefact_folder()), before);
  EXPECT_EQ(farm.Call(&Stub::ListInputs, {})->inputs_size(), 0);
}

TEST(InputsServiceTest, AStreamThatBreaksOffIsNoArchive) {
  TestFarm farm;
  const absl::Status status = Bring(farm, "half", Tar({{'0', "a", "1"}}), false).status();
  EXPECT_THAT(std::string(status.message()), HasSubstr("the archive broke off"));
  EXPECT_EQ(farm.Call(&Stub::ListInputs, {})->inputs_size(), 0);
}

TEST(InputsServiceTest, AJobThatNamesAnUnknownTreeIsRefused) {
  TestFarm farm;
  EXPECT_THAT(std::string(farm.Submit(JobOn("linux")).status().message()),
              HasSubstr("load 1: tree \"linux\": no such input, there is none yet"));
  ASSERT_TRUE(Bring(farm, "linux-6.12", Tar({{'0', "a", "1"}})).ok());
  EXPECT_THAT(std::string(farm.Submit(JobOn("linux")).status().message()),
              HasSubstr("no such input, there are linux-6.12"));
}

TEST(InputsServiceTest, ALostArchiveIsSaidAndCanBeBroughtAgain) {
  TestFarm farm;
  const std::string tar = Tar({{'0', "a", "1"}});
  ASSERT_TRUE(Bring(farm, "tree", tar).ok());
  std::filesystem::remove(farm.artefact_folder() + "/" + Sha256Hex(tar).substr(0, 2) + "/" +
                          Sha256Hex(tar));
  const absl::Status lost = farm.Submit(JobOn("tree")).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(lost)) << lost;
  EXPECT_THAT(std::string(lost.message()), HasSubstr("shakedown inputs add tree FILE"));
  ASSERT_TRUE(Bring(farm, "tree", tar).ok());
  EXPECT_TRUE(farm.Submit(JobOn("tree")).ok());
}

TEST(InputsServiceTest, APersonsKernelCanBeRemoved) {
  TestFarm farm;
  v1::AddKernelRequest add;
  add.mutable_kernel()->set_name("mine");
  add.set_from("alpha");
  add.add_config_options("HZ_1000=y");
  ASSERT_TRUE(farm.Call(&Stub::AddKernel, add).ok());
  v1::RemoveKernelRequest remove;
  remove.set_name("mine");
  EXPECT_TRUE(farm.Call(&Stub::RemoveKernel, remove).ok());
  EXPECT_TRUE(absl::IsNotFound(farm.Call(&Stub::RemoveKernel, remove).status()));
  remove.set_name("alpha");
  EXPECT_TRUE(absl::IsFailedPrecondition(farm.Call(&Stub::RemoveKernel, remove).status()));
  EXPECT_TRUE(absl::IsUnauthenticated(farm.CallAs("", &Stub::RemoveKernel, remove).status()));
  EXPECT_TRUE(absl::IsUnauthenticated(farm.CallAs("", &Stub::ListInputs, {}).status()));
}

v1::InputView Known(const std::string& name) {
  v1::InputView input;
  input.set_name(name);
  input.set_sha256(Sha256Hex(name));
  return input;
}

TEST(PinInputsTest, EveryTreeOfALoadIsPinned) {
  v1::JobSpec spec;
  spec.add_loads()->mutable_latt()->mutable_make()->set_tree("a");
  spec.add_loads()->mutable_launch()->mutable_beside()->mutable_make()->set_tree("b");
  spec.add_loads()->mutable_make();
  const absl::StatusOr<v1::JobSpec> pinned = PinInputs(spec, {Known("a"), Known("b")});
  ASSERT_TRUE(pinned.ok()) << pinned.status();
  EXPECT_EQ(pinned->loads(0).latt().make().tree_sha256(), Sha256Hex("a"));
  EXPECT_EQ(pinned->loads(1).launch().beside().make().tree_sha256(), Sha256Hex("b"));
  EXPECT_EQ(pinned->loads(2).make().tree_sha256(), "");
  EXPECT_TRUE(PinInputs(*pinned, {Known("a"), Known("b")}).ok());  // As another farm printed it.
}

TEST(PinInputsTest, AnotherDigestIsRefused) {
  v1::JobSpec spec;
  v1::MakeLoad* make = spec.add_loads()->mutable_make();
  make->set_tree_sha256(Sha256Hex("x"));
  EXPECT_THAT(std::string(PinInputs(spec, {Known("a")}).status().message()),
              HasSubstr("tree_sha256 without a tree"));
  make->set_tree("a");
  EXPECT_THAT(std::string(PinInputs(spec, {Known("a")}).status().message()),
              HasSubstr("load 1: tree a: tree_sha256"));
}

TEST(PinInputsTest, AMachineHasRoomForEight) {
  v1::JobSpec spec;
  std::vector<v1::InputView> known;
  for (int i = 0; i < 9; ++i) {
    known.push_back(Known("t" + std::to_string(i)));
    spec.add_loads()->mutable_make()->set_tree(known.back().name());
  }
  EXPECT_THAT(std::string(PinInputs(spec, known).status().message()), HasSubstr("at most 8"));
}

}  // namespace
}  // namespace shakedown::service
