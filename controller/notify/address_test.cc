#include "controller/notify/address.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>

#include <string>

#include "controller/notify/signature.h"

namespace shakedown::notify {
namespace {

TEST(CheckWebhookTest, TakesHttpsAndLoopback) {
  for (const char* url :
       {"https://example.org/hook?x=1", "https://example.org:8443", "https://[2001:db8::1]/x",
        "http://127.0.0.1:8080/x", "http://localhost/", "http://[::1]:9/"}) {
    EXPECT_TRUE(CheckWebhook(url).ok()) << url;
  }
}

TEST(CheckWebhookTest, RefusesTheRest) {
  for (const char* url :
       {"", "http://example.org/", "ftp://example.org/", "https://", "https:///x",
        "https://user@example.org/", "https://example.org:0/", "https://example.org:x/",
        "https://exa mple.org/", "https://example.org/\r\nX: y", "https://example.org/#f",
        "file:///etc/passwd", "http://127.0.0.1.example.org/", "http://localhost.example.org/",
        "http://2130706433/", "HTTPS://example.org/", "https://example.org\\@127.0.0.1/"}) {
    EXPECT_FALSE(CheckWebhook(url).ok()) << url;
  }
  EXPECT_FALSE(CheckWebhook("https://example.org/" + std::string(2000, 'a')).ok());
}

TEST(CheckEmailTest, TakesAddressesAlone) {
  EXPECT_TRUE(CheckEmail("ada.lovelace+farm@example.org").ok());
  for (const char* address :
       {"", "ada", "@example.org", "ada@", "a@b@c", "ada@example.org\r\nBcc: eve@example.org",
        "<ada@example.org>", "ada@example.org,eve@example.org", "\"a b\"@example.org",
        "-oQ/tmp@example.org", "ada@exa mple.org"}) {
    EXPECT_FALSE(CheckEmail(address).ok()) << address;
  }
}

TEST(CheckRelayTest, WantsHostAndPort) {
  for (const char* relay : {"mail.example.org:25", "127.0.0.1:2525", "[::1]:25"}) {
    EXPECT_TRUE(CheckRelay(relay).ok()) << relay;
  }
  for (const char* relay :
       {"", "mail", "mail:", ":25", "mail:0", "a b:25", "mail:25/x", "u@h:25"}) {
    EXPECT_FALSE(CheckRelay(relay).ok()) << relay;
  }
}

bool Public4(const char* text) {
  in_addr address;
  EXPECT_EQ(inet_pton(AF_INET, text, &address), 1) << text;
  return IsPublic(address);
}
bool Public6(const char* text) {
  in6_addr address;
  EXPECT_EQ(inet_pton(AF_INET6, text, &address), 1) << text;
  return IsPublic(address);
}

TEST(IsPublicTest, KnowsTheWorld) {
  for (const char* ip : {"8.8.8.8", "172.15.0.1", "172.32.0.1", "193.0.0.1", "100.63.0.1"}) {
    EXPECT_TRUE(Public4(ip)) << ip;
  }
  for (const char* ip :
       {"127.0.0.1", "10.1.2.3", "192.168.1.1", "172.16.0.1", "172.31.255.255", "169.254.169.254",
        "0.0.0.0", "224.0.0.1", "255.255.255.255", "100.64.0.1", "198.19.0.1"}) {
    EXPECT_FALSE(Public4(ip)) << ip;
  }
  for (const char* ip : {"2606:4700::1111", "2a00:1450::1", "64:ff9b::808:808"}) {
    EXPECT_TRUE(Public6(ip)) << ip;
  }
  for (const char* ip :
       {"::1", "::", "fe80::1", "fd00::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1",
        "64:ff9b::7f00:1", "2002:7f00:1::", "2001:db8::1", "2001::1", "::127.0.0.1", "3fff::1"}) {
    EXPECT_FALSE(Public6(ip)) << ip;
  }
}

// RFC 4231's way of computing, checked with `printf '1700000000.{}' | openssl dgst -sha256 -hmac
// key`.
TEST(SignTest, IsAnHmacOverTimeAndBody) {
  EXPECT_EQ(Sign("key", 1700000000, "{}"),
            "v1=9d713ed406bb7076d4123f0dc2c39d2df5c654ed4b0cd56b52c8b4c940bd63ae");
  EXPECT_NE(Sign("key", 1700000001, "{}"), Sign("key", 1700000000, "{}"));
  EXPECT_NE(Sign("kez", 1700000000, "{}"), Sign("key", 1700000000, "{}"));
}

}  // namespace
}  // namespace shakedown::notify
