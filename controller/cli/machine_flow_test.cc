// machines hold, …; builds sign; keys new: from the command line to the farm.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include "controller/cli/exit_code.h"
#include "controller/cli/flow_testing.h"
#include "proto/wire/digest.h"
#include "proto/wire/kernel_signature.h"

namespace shakedown::cli {
namespace {

using testing::HasSubstr;
using testing::Not;
using Wish = v1::SetMachineRequest;

class MachineFlowTest : public FlowTest {
 protected:
  v1::BuildView& AddBuild(const std::string& id, const std::string& kernel,
                          const std::string& status) {
    v1::BuildView& build = *service_.builds.add_builds();
    build.set_build_id(id);
    build.set_kernel(kernel);
    build.set_state(v1::WORK_STATE_ENDED);
    build.set_status(status);
    build.set_release("6.12-" + id.substr(0, 2));
    build.mutable_image()->set_sha256(Sha256Hex("image" + id));
    build.mutable_modules()->set_sha256(Sha256Hex("modules" + id));
    return build;
  }
};

TEST_F(MachineFlowTest, WishesReachTheFarm) {
  std::vector<v1::SetMachineRequest> seen;
  service_.set_machine = [&](const v1::SetMachineRequest& request, v1::SetMachineResponse* answer) {
    seen.push_back(request);
    answer->mutable_machine()->set_name(request.name());
    answer->mutable_machine()->set_state("needs_hands");
    answer->mutable_machine()->set_detail("press \x1b[31mthe button");
    return grpc::Status::OK;
  };
  const Result held = RunCommand({"machines", "hold", "x1", "--reason", "on the road"});
  EXPECT_EQ(held.code, kOk) << held.err;
  EXPECT_EQ(held.out, "Machine x1: needs hands; press the button\n");
  EXPECT_EQ(RunCommand({"machines", "release", "x1"}).code, kOk);
  EXPECT_EQ(RunCommand({"machines", "drain", "x1"}).code, kOk);
  EXPECT_EQ(RunCommand({"machines", "power", "x1", "--reason", "stuck"}).code, kOk);
  ASSERT_EQ(seen.size(), 4u);
  EXPECT_EQ(seen[0].wish(), Wish::WISH_HOLD);
  EXPECT_EQ(seen[0].reason(), "on the road");
  EXPECT_EQ(seen[1].wish(), Wish::WISH_RELEASE);
  EXPECT_EQ(seen[2].wish(), Wish::WISH_DRAIN);
  EXPECT_EQ(seen[3].wish(), Wish::WISH_POWER_CYCLE);
  EXPECT_EQ(seen[3].reason(), "stuck");
  EXPECT_EQ(RunCommand({"machines", "hold"}).code, kUsage);
  EXPECT_EQ(RunCommand({"machines", "hold", "../x"}).code, kUsage);
  EXPECT_EQ(seen.size(), 4u);
}

TEST_F(MachineFlowTest, TheListIsStillThere) {
  v1::MachineView& machine = *service_.machines.add_machines();
  machine.set_name("x1");
  machine.set_state("needs_hands");
  const Result list = RunCommand({"machines"});
  EXPECT_EQ(list.code, kOk) << list.err;
  EXPECT_THAT(list.out, HasSubstr("needs hands"));
  EXPECT_THAT(RunCommand({"machines", "--json"}).out, HasSubstr("\"needs_hands\""));
  AddBuild("3f2a91bc-0000-4000-8000-000000000000", "debian-6.12", "built");
  EXPECT_THAT(RunCommand({"builds", "--limit", "5"}).out, HasSubstr("3f2a91bc"));
}

TEST_F(MachineFlowTest, KeysAreMadeOnceAndNeverShown) {
  const std::string path = folder_ + "/kernel.key";
  const Result made = RunCommand({"keys", "new", "--out", path});
  ASSERT_EQ(made.code, kOk) << made.err;
  const std::string secret = ReadFile(path)->substr(0, 64);
  EXPECT_EQ(made.out, KeyFromSecret(secret)->public_key + "\n");
  EXPECT_THAT(made.out + made.err, Not(HasSubstr(secret)));
  struct stat info;
  ASSERT_EQ(stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  EXPECT_NE(RunCommand({"keys", "new", "--out", path}).code, kOk);
  EXPECT_EQ(ReadFile(path)->substr(0, 64), secret);
}

TEST_F(MachineFlowTest, SignsTheNewestOfAKernelOrTheBuildNamed) {
  const std::string path = folder_ + "/kernel.key";
  ASSERT_EQ(RunCommand({"keys", "new", "--out", path}).code, kOk);
  const std::string key = KeyFromSecret(ReadFile(path)->substr(0, 64))->public_key;
  AddBuild("99999999-0000-4000-8000-000000000000", "mine", "failed");
  AddBuild("3f2a91bc-0000-4000-8000-000000000000", "mine", "built");
  AddBuild("11111111-0000-4000-8000-000000000000", "mine", "built");
  std::vector<v1::SignBuildRequest> seen;
  service_.sign_build = [&](const v1::SignBuildRequest& request) {
    seen.push_back(request);
    return grpc::Status::OK;
  };
  const Result newest = RunCommand({"builds", "sign", "mine", "--key", path});
  EXPECT_EQ(newest.code, kOk) << newest.err;
  EXPECT_EQ(
      newest.out,
      "Build 3f2a91bc-0000-4000-8000-000000000000 of mine (6.12-3f) is signed by " + key + "\n");
  EXPECT_EQ(RunCommand({"builds", "sign", "11111111", "--key", path}).code, kOk);
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[1].build_id(), "11111111-0000-4000-8000-000000000000");
  for (const v1::SignBuildRequest& request : seen) {
    const std::string& id = request.build_id();
    EXPECT_EQ(
        Verify(key, request.signature().signature(),
               {"6.12-" + id.substr(0, 2), Sha256Hex("image" + id), "", Sha256Hex("modules" + id)}),
        absl::OkStatus());
  }
  EXPECT_NE(RunCommand({"builds", "sign", "99999999", "--key", path}).code, kOk);
  EXPECT_EQ(RunCommand({"builds", "sign", "other", "--key", path}).code, kUsage);
  ASSERT_EQ(chmod(path.c_str(), 0644), 0);
  EXPECT_THAT(RunCommand({"builds", "sign", "mine", "--key", path}).err, HasSubstr("0600"));
  EXPECT_EQ(seen.size(), 2u);
}

}  // namespace
}  // namespace shakedown::cli
