#ifndef SHAKEDOWN_CONTROLLER_NOTIFY_MAIL_H_
#define SHAKEDOWN_CONTROLLER_NOTIFY_MAIL_H_

#include <string>

#include "absl/time/time.h"

namespace shakedown::notify {

struct Mail {
  std::string from;  // An address that CheckEmail takes, as is `to`.
  std::string to;
  std::string subject;     // Any text: becomes one line.
  std::string body;        // Any text.
  std::string message_id;  // UUID: the same message sent again has the same.
  absl::Time date;
};

// The message as it goes over the wire (RFC 5322, CR LF), in 7 bits: subject as an encoded word,
// body in base64, so that no byte of them can end a line or a header.
std::string FormatMail(const Mail& mail);

}  // namespace shakedown::notify

#endif  // SHAKEDOWN_CONTROLLER_NOTIFY_MAIL_H_
