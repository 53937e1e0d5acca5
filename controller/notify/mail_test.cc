#include "controller/notify/mail.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"

namespace shakedown::notify {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Mail Sample() {
  return {.from = "farm@example.org",
          .to = "ada@example.org",
          .subject = "job 17 done",
          .body = "one\ntwo\n",
          .message_id = "0b8f7f0e-0000-4000-8000-000000000000",
          .date = absl::UnixEpoch()};
}

TEST(FormatMailTest, IsAMessage) {
  const std::string text = FormatMail(Sample());
  EXPECT_THAT(text, HasSubstr("Date: Thu, 01 Jan 1970 00:00:00 +0000\r\n"));
  EXPECT_THAT(text, HasSubstr("From: farm@example.org\r\nTo: ada@example.org\r\n"));
  EXPECT_THAT(text, HasSubstr("Subject: =?UTF-8?B?am9iIDE3IGRvbmU=?=\r\n"));
  EXPECT_THAT(text,
              HasSubstr("Message-ID: <0b8f7f0e-0000-4000-8000-000000000000@example.org>\r\n"));
  EXPECT_THAT(text, HasSubstr("\r\n\r\nb25lCnR3bwo=\r\n"));
}

TEST(FormatMailTest, NothingInjectsAHeader) {
  Mail mail = Sample();
  mail.subject = "done\r\nBcc: eve@example.org\r\n\r\nbody";
  mail.body = "\r\n.\r\nMAIL FROM:<eve@example.org>\r\n";
  const std::string text = FormatMail(mail);
  EXPECT_THAT(text, Not(HasSubstr("Bcc")));
  EXPECT_THAT(text, Not(HasSubstr("MAIL FROM")));
  // Every line end is CR LF, lines are short, and there is one empty line: the head's end.
  const std::string no_pairs = absl::StrReplaceAll(text, {{"\r\n", ""}});
  EXPECT_EQ(no_pairs.find_first_of("\r\n"), std::string::npos);
  int empty = 0;
  for (const std::string& line : std::vector<std::string>(absl::StrSplit(text, "\r\n"))) {
    EXPECT_LE(line.size(), 78u);
    empty += line.empty() ? 1 : 0;
  }
  EXPECT_EQ(empty, 2) << "and the one behind the last line end";
}

TEST(FormatMailTest, LongSubjectsAreCutBetweenCharacters) {
  Mail mail = Sample();
  for (int i = 0; i < 30; ++i) mail.subject += "kernel läuft ";
  const std::string text = FormatMail(mail);
  std::string decoded;
  for (const std::string& part : std::vector<std::string>(absl::StrSplit(text, "=?UTF-8?B?"))) {
    std::string word;
    if (part.find("?=") == std::string::npos) continue;
    ASSERT_TRUE(absl::Base64Unescape(part.substr(0, part.find("?=")), &word));
    decoded += word;
  }
  EXPECT_THAT(decoded, HasSubstr("job 17 donekernel läuft kernel läuft"));
  EXPECT_LE(decoded.size(), 203u);
}

}  // namespace
}  // namespace shakedown::notify
