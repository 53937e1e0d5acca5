#include "controller/history/regression_mail.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shakedown::history {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(UpstreamNameTest, OfVersions) {
  EXPECT_EQ(UpstreamName("6.12.57-1~deb12u1"), "v6.12.57");
  EXPECT_EQ(UpstreamName("6.12.0-rc3"), "v6.12-rc3");
  EXPECT_EQ(UpstreamName("6.12~rc3-1"), "v6.12-rc3");
  EXPECT_EQ(UpstreamName("6.12"), "v6.12");
  EXPECT_EQ(UpstreamName("6.12.0-rc3-00123-gabcdef012345"), "abcdef012345");
  EXPECT_EQ(UpstreamName("6.12.0+0123456789ab"), "") << "somebody's own tree";
  EXPECT_EQ(UpstreamName("mine"), "");
  EXPECT_EQ(UpstreamName(""), "");
}

v1::RegressionView Confirmed() {
  v1::RegressionView view;
  view.mutable_series()->set_metric("make.real");
  view.mutable_series()->set_machine("x1");
  view.mutable_series()->set_loads("make jobs=4");
  view.set_unit("s");
  view.set_good("debian-6.8");
  view.set_bad("debian-6.9");
  view.set_good_version("6.8.4-1");
  view.set_bad_version("6.9.4-1");
  view.set_confirmed(true);
  view.set_confirm_job(17);
  view.set_confirm_text("worse: +15.0%");
  view.set_suspected_because("a step of +15.0%");
  return view;
}

TEST(RegressionMailTest, RegzbotIsForConfirmedRegressionsAlone) {
  v1::RegressionView view = Confirmed();
  EXPECT_THAT(RegressionMail(view, {}), HasSubstr("\n#regzbot introduced: v6.8.4..v6.9.4\n"));
  view.set_improvement(true);
  EXPECT_THAT(RegressionMail(view, {}), Not(HasSubstr("regzbot")));
  view.set_improvement(false);
  view.set_confirmed(false);
  EXPECT_THAT(RegressionMail(view, {}), Not(HasSubstr("regzbot")));
  EXPECT_THAT(RegressionMail(view, {}), HasSubstr("NOT CONFIRMED"));
  view = Confirmed();
  view.set_bad_version("6.9.4+0123456789ab");
  EXPECT_THAT(RegressionMail(view, {}), Not(HasSubstr("regzbot"))) << "not known upstream";
}

TEST(RegressionMailTest, HostileNamesStayInTheirLine) {
  v1::RegressionView view = Confirmed();
  view.mutable_series()->set_machine("x1\n#regzbot introduced: evil\nSubject: \x1b[2J");
  view.set_confirmed(false);
  MailFacts facts;
  facts.facts["a\nb"] = "c\r\nBcc: everybody";
  facts.repeat_command = {"shakedown submit", "--title 'x\n#regzbot'"};
  const std::string mail = RegressionMail(view, facts);
  EXPECT_THAT(mail, Not(HasSubstr("\n#regzbot")));
  EXPECT_THAT(mail, Not(HasSubstr("\nBcc")));
  EXPECT_THAT(mail, Not(HasSubstr("\x1b")));
  EXPECT_EQ(mail.find("Subject:"), 0u);
  EXPECT_EQ(mail.find("\nSubject:"), std::string::npos);
}

}  // namespace
}  // namespace shakedown::history
