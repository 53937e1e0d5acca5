// The way out of the farm.
#ifndef SHAKEDOWN_CONTROLLER_NOTIFY_SENDER_H_
#define SHAKEDOWN_CONTROLLER_NOTIFY_SENDER_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "controller/notify/mail.h"

namespace shakedown::notify {

struct Post {
  std::string url;
  std::vector<std::pair<std::string, std::string>> headers;  // Without line ends.
  std::string body;
};

// Thread-safe; each call blocks for at most the limit.
class Sender {
 public:
  virtual ~Sender() = default;
  // OK: answered with 2xx. FailedPrecondition: an address that must not be called, or an answer
  // that will not change by itself (a redirect, 4xx). Unavailable: anything that may be better
  // later.
  virtual absl::Status SendPost(const Post& post) = 0;
  // FailedPrecondition also when no relay is known.
  virtual absl::Status SendMail(const Mail& mail) = 0;
  // Empty: no mail is sent.
  virtual const std::string& mail_from() const = 0;
};

struct SenderOptions {
  bool allow_private = false;  // Webhooks to loopback, private and link-local addresses.
  std::string smtp;            // "relay.example.org:25"; empty: no mail.
  std::string mail_from;
  absl::Duration limit = absl::Seconds(15);
};

// By libcurl: the address that a name turned out to have is judged when the socket is opened, so a
// name can not lead elsewhere than it was judged; no redirects, no proxy of the environment, https
// verified by the host's certificates, at most 64 KiB of an answer. Mail goes to the operator's
// relay, over TLS when that offers it.
std::unique_ptr<Sender> MakeCurlSender(SenderOptions options);

}  // namespace shakedown::notify

#endif  // SHAKEDOWN_CONTROLLER_NOTIFY_SENDER_H_
