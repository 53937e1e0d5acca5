#include "controller/notify/mail.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "proto/wire/sanitise.h"

namespace shakedown::notify {
namespace {

// An encoded word has at most 75 characters (RFC 2047): this many bytes of text give 72.
constexpr size_t kWordBytes = 42;
constexpr size_t kMostSubject = 200;
constexpr size_t kLine = 76;

// Words are cut between characters, never inside one.
std::string EncodedWords(const std::string& text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    while (end < text.size()) {
      char32_t c;
      const size_t length = DecodeUtf8(absl::string_view(text).substr(end), &c);
      if (length == 0 || end + length - at > kWordBytes) break;
      end += length;
    }
    if (end == at) break;
    absl::StrAppend(&out, out.empty() ? "" : "\r\n ", "=?UTF-8?B?",
                    absl::Base64Escape(text.substr(at, end - at)), "?=");
    at = end;
  }
  return out;
}

}  // namespace

std::string FormatMail(const Mail& mail) {
  const std::string domain = mail.from.substr(mail.from.find('@') + 1);
  std::string out = absl::StrCat(
      "Date: ", absl::FormatTime("%a, %d %b %Y %H:%M:%S +0000", mail.date, absl::UTCTimeZone()),
      "\r\nFrom: ", mail.from, "\r\nTo: ", mail.to,
      "\r\nSubject: ", EncodedWords(PrintableLine(mail.subject, kMostSubject)), "\r\nMessage-ID: <",
      mail.message_id, "@", domain,
      ">\r\nAuto-Submitted: auto-generated\r\nMIME-Version: 1.0\r\n"
      "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n");
  const std::string encoded = absl::Base64Escape(ToUtf8(mail.body));
  for (size_t at = 0; at < encoded.size(); at += kLine) {
    absl::StrAppend(&out, encoded.substr(at, kLine), "\r\n");
  }
  return out;
}

}  // namespace shakedown::notify
