// Uploads and downloads of a controller, and files that are damaged on its disk.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "controller/service/test_farm.h"
#include "proto/wire/digest.h"

namespace shakedown::service {
namespace {

using fakes::ScriptedAgent;
using ::testing::HasSubstr;

std::string Path(const TestFarm& farm, const std::string& sha256) {
  return absl::StrCat(farm.artefact_folder(), "/", sha256.substr(0, 2), "/", sha256);
}

int FilesIn(const std::string& folder) {
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    files += entry.is_regular_file() ? 1 : 0;
  }
  return files;
}

TEST(ArtefactServiceTest, ArtefactsComeBackAsTheyWent) {
  TestFarm farm;
  ScriptedAgent agent = farm.Agent("host1", {"vm1"});
  std::string content(1234567, 'k');
  for (size_t i = 0; i < content.size(); ++i) content[i] = static_cast<char>(i * 7919 >> 3);
  for (const std::string& sent : {std::string(), std::string("small"), content}) {
    const absl::StatusOr<v1::Artefact> artefact = agent.Put(sent);
    ASSERT_TRUE(artefact.ok()) << artefact.status();
    EXPECT_EQ(agent.Get(artefact->sha256()).value_or("?"), sent);
    EXPECT_EQ(agent.PutAs(*artefact, sent).value_or(false), true) << "it is there already";
  }
  EXPECT_EQ(agent.Get(Sha256Hex("never put")).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(agent.Get("../../etc/passwd").status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(ArtefactServiceTest, AnUploadThatLiesLeavesNothing) {
  TestFarm farm;
  ScriptedAgent agent = farm.Agent("host1", {"vm1"});
  v1::Artefact announced;
  announced.set_sha256(Sha256Hex("this"));
  announced.set_size(4);
  EXPECT_THAT(std::string(agent.PutAs(announced, "that").status().message()),
              HasSubstr(absl::StrCat("got 4 bytes with digest ", Sha256Hex("that"))));
  EXPECT_EQ(agent.PutAs(announced, "thi").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(agent.PutAs(announced, "this and more").status().code(),
            absl::StatusCode::kInvalidArgument);
  announced.set_sha256("../x");
  EXPECT_EQ(agent.PutAs(announced, "this").status().code(), absl::StatusCode::kInvalidArgument);
  announced.set_sha256(Sha256Hex("this"));
  announced.set_size(uint64_t{1} << 50);
  EXPECT_EQ(agent.PutAs(announced, "this").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(FilesIn(farm.artefact_folder()), 0);
}

TEST(ArtefactServiceTest, ATruncatedArtefactIsSaidAndCanBePutAgain) {
  TestFarm farm;
  ScriptedAgent agent = farm.Agent("host1", {"vm1"});
  const v1::Artefact artefact = agent.Put("a kernel image").value();
  std::filesystem::resize_file(Path(farm, artefact.sha256()), 5);
  const absl::Status status = agent.Get(artefact.sha256()).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(status.message()), HasSubstr("has 5 bytes instead of 14"));
  EXPECT_EQ(agent.Get(artefact.sha256()).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(agent.PutAs(artefact, "a kernel image").value_or(true), false);
  EXPECT_EQ(agent.Get(artefact.sha256()).value_or("?"), "a kernel image");

  std::ofstream(Path(farm, artefact.sha256())) << "A kernel image";
  EXPECT_EQ(agent.Get(artefact.sha256()).status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(agent.PutAs(artefact, "a kernel image").value_or(true), false);

  std::filesystem::remove(Path(farm, artefact.sha256()));
  EXPECT_EQ(agent.Get(artefact.sha256()).status().code(), absl::StatusCode::kDataLoss);
}

TEST(ArtefactServiceTest, ALostImageIsBuiltAgainForTheNextJob) {
  TestFarm farm;
  ScriptedAgent agent = farm.Agent("host1", {"vm1"});
  std::vector<std::string> built;
  agent.on_build = [&](const v1::BuildOrder& order) {
    built.push_back(order.kernel().kernel().name());
    return agent.Built(order);
  };
  const int64_t first = farm.Submit(SmallJob(1)).value();
  ASSERT_TRUE(agent.Run([&] { return farm.Ended(first); }).ok());
  built.clear();
  std::filesystem::resize_file(Path(farm, Sha256Hex("bzImage of beta")), 3);
  const int64_t second = farm.Submit(SmallJob(1)).value();
  agent.on_boot = [&](const v1::BootOrder& order) {
    EXPECT_EQ(agent.Get(order.image().sha256()).value_or("?"),
              absl::StrCat("bzImage of ", order.kernel()));
    return ScriptedAgent::Measured(order);
  };
  ASSERT_TRUE(agent.Run([&] { return farm.Ended(second); }).ok());
  EXPECT_THAT(built, testing::ElementsAre("beta"));
}

}  // namespace
}  // namespace shakedown::service
