#include "controller/web/request_head.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"

namespace shakedown::web {
namespace {

TEST(RequestHeadTest, GoodHeadsStay) {
  const std::string head =
      "POST /a?b=c HTTP/1.1\r\nHost: x\r\nX-Empty:\r\nA: \xc3\xa9\r\nAccept: a\r\nAccept: "
      "b\r\n\r\n";
  EXPECT_EQ(CleanHead(head).value_or("?"), head);
  EXPECT_TRUE(CleanHead("GET / HTTP/1.0\r\n\r\n").ok());
}

TEST(RequestHeadTest, RangesAreLeftOut) {
  EXPECT_EQ(CleanHead("GET / HTTP/1.1\r\nRANGE: bytes=0-1,0-1\r\nif-range: x\r\nHost: x\r\n\r\n")
                .value_or("?"),
            "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
}

TEST(RequestHeadTest, WhatCouldBeReadInTwoWaysIsRefused) {
  const std::string get = "GET / HTTP/1.1\r\n";
  std::string many = get;
  for (size_t i = 0; i <= kMaxFields; ++i) many += "A: b\r\n";
  for (const std::string& head :
       {std::string(),
        std::string("\r\n\r\n"),
        std::string("GET /\r\n\r\n"),
        std::string("GET / HTTP/2.0\r\n\r\n"),
        std::string("GET  / HTTP/1.1\r\n\r\n"),
        std::string("GET http://x/ HTTP/1.1\r\n\r\n"),
        std::string("CONNECT x:1 HTTP/1.1\r\n\r\n"),
        std::string("G\xc3\xa9T / HTTP/1.1\r\n\r\n"),
        std::string("GET / HTTP/1.1\n\n"),
        absl::StrCat("GET /", std::string(kMaxTarget, 'x'), " HTTP/1.1\r\n\r\n"),
        get + "no colon\r\n\r\n",
        get + ": no name\r\n\r\n",
        get + "A : blank\r\n\r\n",
        get + "A: b\r\n folded\r\n\r\n",
        get + "A: b\rc\r\n\r\n",
        get + "A: b\nC: d\r\n\r\n",
        get + std::string("A: \0\r\n\r\n", 9),
        get + "A: \x1b[2J\r\n\r\n",
        get + "Host: a\r\nhost: b\r\n\r\n",
        get + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n",
        get + "Authorization: a\r\nauthorization: b\r\n\r\n",
        get + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        many + "\r\n"}) {
    EXPECT_EQ(CleanHead(head).status().code(), absl::StatusCode::kInvalidArgument) << head;
  }
}

}  // namespace
}  // namespace shakedown::web
