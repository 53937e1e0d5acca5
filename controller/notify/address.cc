#include "controller/notify/address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "proto/wire/ids.h"

namespace shakedown::notify {
namespace {

constexpr size_t kMostUrl = 2000;
constexpr size_t kMostEmail = 254;  // RFC 5321.

struct Network {
  uint32_t address;
  int bits;
};
constexpr uint32_t Ip(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
  return a << 24 | b << 16 | c << 8 | d;
}
constexpr Network kNotPublic[] = {
    {Ip(0, 0, 0, 0), 8},      {Ip(10, 0, 0, 0), 8},     {Ip(100, 64, 0, 0), 10},
    {Ip(127, 0, 0, 0), 8},    {Ip(169, 254, 0, 0), 16}, {Ip(172, 16, 0, 0), 12},
    {Ip(192, 0, 0, 0), 24},   {Ip(192, 0, 2, 0), 24},   {Ip(192, 88, 99, 0), 24},
    {Ip(192, 168, 0, 0), 16}, {Ip(198, 18, 0, 0), 15},  {Ip(198, 51, 100, 0), 24},
    {Ip(203, 0, 113, 0), 24}, {Ip(224, 0, 0, 0), 3},
};

bool IsPublicV4(uint32_t address) {
  return std::none_of(std::begin(kNotPublic), std::end(kNotPublic), [&](const Network& network) {
    return (address ^ network.address) >> (32 - network.bits) == 0;
  });
}

uint32_t Read32(const uint8_t* bytes) { return Ip(bytes[0], bytes[1], bytes[2], bytes[3]); }

absl::Status Wrong(absl::string_view what, absl::string_view value, absl::string_view want) {
  return absl::InvalidArgumentError(absl::StrCat(what, " ", Quoted(value), ": want ", want));
}

bool IsLoopbackName(absl::string_view host) {
  if (host == "localhost" || host == "[::1]") return true;
  in_addr address;
  const std::string text(host);
  return inet_pton(AF_INET, text.c_str(), &address) == 1 && ntohl(address.s_addr) >> 24 == 127;
}

bool AllOf(absl::string_view text, absl::string_view more) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || absl::StrContains(more, c);
  });
}

struct Place {
  absl::string_view host;
  int port = 0;  // 0: none was said.
};
std::optional<Place> SplitPort(absl::string_view authority) {
  Place place{authority};
  const size_t colon = authority.rfind(':');
  if (colon == absl::string_view::npos || absl::EndsWith(authority, "]")) return place;
  place.host = authority.substr(0, colon);
  const absl::string_view digits = authority.substr(colon + 1);
  const bool plain = std::all_of(digits.begin(), digits.end(), absl::ascii_isdigit);
  if (!plain || !absl::SimpleAtoi(digits, &place.port) || place.port < 1 || place.port > 65535) {
    return std::nullopt;
  }
  return place;
}

// A name, an IPv4 address, or an IPv6 one in brackets.
bool IsHost(absl::string_view host) {
  if (!absl::StartsWith(host, "[")) return AllOf(host, ".-");
  return absl::EndsWith(host, "]") && AllOf(host.substr(1, host.size() - 2), ":.");
}

}  // namespace

absl::Status CheckRelay(absl::string_view relay) {
  if (const auto place = SplitPort(relay); place && IsHost(place->host) && place->port > 0) {
    return absl::OkStatus();
  }
  return Wrong("relay", relay, "HOST:PORT");
}

absl::Status CheckWebhook(absl::string_view url) {
  constexpr char kWant[] = "https://HOST/PATH, or http:// to a loopback address";
  const bool printable = std::all_of(url.begin(), url.end(), [](char c) {
    return c > ' ' && c < 127 && c != '"' && c != '<' && c != '>' && c != '\\' && c != '#';
  });
  absl::string_view rest = url;
  const bool https = absl::ConsumePrefix(&rest, "https://");
  if (!printable || url.size() > kMostUrl || (!https && !absl::ConsumePrefix(&rest, "http://"))) {
    return Wrong("webhook", url, kWant);
  }
  const absl::string_view authority = rest.substr(0, rest.find_first_of("/?"));
  const auto place = SplitPort(authority);
  if (!place || !IsHost(place->host) || (!https && !IsLoopbackName(place->host))) {
    return Wrong("webhook", url, kWant);
  }
  return absl::OkStatus();
}

absl::Status CheckEmail(absl::string_view address) {
  const size_t at = address.find('@');
  const bool parts = at != absl::string_view::npos && at <= 64 &&
                     AllOf(address.substr(0, at), "._%+-") && AllOf(address.substr(at + 1), ".-") &&
                     address[0] != '-';
  if (parts && address.size() <= kMostEmail) return absl::OkStatus();
  return Wrong("email", address, "NAME@DOMAIN of letters, digits and ._%+-");
}

bool IsPublic(const in_addr& address) { return IsPublicV4(ntohl(address.s_addr)); }

bool IsPublic(const in6_addr& address) {
  const uint8_t* b = address.s6_addr;
  const bool zeros = std::all_of(b, b + 10, [](uint8_t x) { return x == 0; });
  // Mapped (::ffff:0:0/96), translated (64:ff9b::/96) and 6to4 (2002::/16) ones hold an IPv4
  // address.
  if (zeros && b[10] == 0xff && b[11] == 0xff) return IsPublicV4(Read32(b + 12));
  constexpr uint8_t kTranslated[12] = {0x00, 0x64, 0xff, 0x9b};
  if (std::memcmp(b, kTranslated, 12) == 0) return IsPublicV4(Read32(b + 12));
  if (b[0] == 0x20 && b[1] == 0x02) return IsPublicV4(Read32(b + 2));
  // Of what is left only global unicast, 2000::/3, without Teredo and documentation.
  if (b[0] >> 5 != 1) return false;
  if (b[0] == 0x20 && b[1] == 0x01 && (b[2] < 0x02 || (b[2] == 0x0d && b[3] == 0xb8))) return false;
  return !(b[0] == 0x3f && b[1] == 0xff && b[2] >> 4 == 0);
}

}  // namespace shakedown::notify
