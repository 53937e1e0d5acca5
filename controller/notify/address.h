// Where a notification may go.
#ifndef SHAKEDOWN_CONTROLLER_NOTIFY_ADDRESS_H_
#define SHAKEDOWN_CONTROLLER_NOTIFY_ADDRESS_H_

#include <netinet/in.h>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace shakedown::notify {

// OK for https://HOST[:PORT][/PATH], and for http:// when the host is a loopback address in figures
// or "localhost": at most 2,000 bytes of printable ASCII, no user, no fragment.  InvalidArgument.
absl::Status CheckWebhook(absl::string_view url);

// OK for NAME@DOMAIN of letters, digits and "._%+-": nothing that a header or a mail server's
// command could take for more than an address.  InvalidArgument.
absl::Status CheckEmail(absl::string_view address);

// OK for HOST:PORT, the operator's mail relay.  InvalidArgument.
absl::Status CheckRelay(absl::string_view relay);

// Whether packets to it leave for the world at large: not for this host, a private network, a link,
// a group, or one of the blocks set aside for documentation and the like (IANA's special-purpose
// registries). An IPv4 address inside an IPv6 one is judged as itself.
bool IsPublic(const in_addr& address);
bool IsPublic(const in6_addr& address);

}  // namespace shakedown::notify

#endif  // SHAKEDOWN_CONTROLLER_NOTIFY_ADDRESS_H_
