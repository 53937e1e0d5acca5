#include "controller/plan/remarks.h"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include "controller/plan/check_job.h"

namespace shakedown::plan {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> Remarks(const std::string& text) {
  v1::JobSpec spec;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &spec)) << text;
  std::vector<v1::MachineView> machines(3);
  for (const char* name : {"vm1", "vm2", "x1"}) {
    v1::MachineView& machine = machines[name[0] == 'x' ? 0 : name[2] - '0'];
    machine.set_name(name);
    machine.add_tags(name[0] == 'x' ? "laptop" : "vm");
  }
  return RemarksOn(WithDefaults(spec), machines);
}

constexpr char kPlain[] = "variants { kernel: 'a' } variants { kernel: 'b' } loads { make {} } ";

TEST(RemarksTest, NothingOnAPlainJobNorOnItsControl) {
  EXPECT_THAT(Remarks(kPlain), IsEmpty());
  EXPECT_THAT(Remarks(std::string(kPlain) + "control: true loads { make { jobs: 2 } }"), IsEmpty());
}

TEST(RemarksTest, TheSameVariantTwice) {
  EXPECT_THAT(Remarks("variants { kernel: 'a' } variants { kernel: 'b' boot_parameters: 'x=1' } "
                      "variants { kernel: 'b' boot_parameters: 'x=1' } loads { make {} }"),
              ElementsAre(HasSubstr("variants B and C are the same, \"b x=1\"")));
  EXPECT_THAT(Remarks("variants { kernel: 'a' } variants { kernel: 'a' boot_parameters: 'x=1' } "
                      "loads { make {} }"),
              IsEmpty());
}

TEST(RemarksTest, TheSameLoadTwiceAlsoByItsDefaults) {
  EXPECT_THAT(Remarks(std::string(kPlain) + "loads { frames {} } loads { frames { fps: 25 } }"),
              ElementsAre(HasSubstr("loads 2 and 3 are the same")));
}

TEST(RemarksTest, ASetupThatNoGuestCanDo) {
  const std::string governor = std::string(kPlain) + "setup { governor: 'performance' } ";
  EXPECT_THAT(Remarks(governor), ElementsAre(HasSubstr("2 of the 3 machines")));
  EXPECT_THAT(Remarks(governor + "machines { names: 'vm1' }"),
              ElementsAre(HasSubstr("1 of the 1 machine that may take the job is a VM")));
  EXPECT_THAT(Remarks(governor + "machines { tags: 'laptop' }"), IsEmpty());
  EXPECT_THAT(Remarks(std::string(kPlain) + "setup { turbo: false }"), testing::SizeIs(1));
  EXPECT_THAT(Remarks(std::string(kPlain) + "setup { drop_caches: true }"), IsEmpty());
}

}  // namespace
}  // namespace shakedown::plan
