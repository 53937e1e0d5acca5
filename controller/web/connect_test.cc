#include "controller/web/connect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shakedown::web {
namespace {

TEST(ConnectTest, EveryCodeHasItsWordAndStatus) {
  // connectrpc.com/docs/protocol#error-codes.
  EXPECT_STREQ(ConnectCode(absl::StatusCode::kCancelled), "canceled");
  EXPECT_EQ(HttpStatus(absl::StatusCode::kCancelled), 499);
  EXPECT_STREQ(ConnectCode(absl::StatusCode::kFailedPrecondition), "failed_precondition");
  EXPECT_EQ(HttpStatus(absl::StatusCode::kFailedPrecondition), 400);
  EXPECT_EQ(HttpStatus(absl::StatusCode::kResourceExhausted), 429);
  EXPECT_EQ(HttpStatus(absl::StatusCode::kUnimplemented), 501);
  EXPECT_EQ(HttpStatus(absl::StatusCode::kUnavailable), 503);
  EXPECT_EQ(HttpStatus(absl::StatusCode::kUnauthenticated), 401);
  EXPECT_STREQ(ConnectCode(static_cast<absl::StatusCode>(99)), "unknown");
}

TEST(ConnectTest, AHostileMessageIsOneJsonString) {
  EXPECT_EQ(ConnectError(absl::NotFoundError("job \"1\\\"\n\x1b[2J\xff\xe2\x80\xae</script>")),
            "{\"code\":\"not_found\",\"message\":\"job \\\"1\\\\\\\" \xef\xbf\xbd</script>\"}");
}

TEST(ConnectTest, EnvelopesHoldWhatWasPutIn) {
  const std::string json(300, 'x');
  EXPECT_EQ(Envelope(json).substr(0, 5), std::string("\0\0\0\1\x2c", 5));
  EXPECT_EQ(OpenEnvelope(Envelope(json)).value_or("?"), json);
  EXPECT_EQ(OpenEnvelope(Envelope("")).value_or("?"), "");
  EXPECT_EQ(EndEnvelope(absl::OkStatus()), std::string("\2\0\0\0\2{}", 7));
  EXPECT_EQ(EndEnvelope(absl::AbortedError("a")).substr(5),
            "{\"error\":{\"code\":\"aborted\",\"message\":\"a\"}}");
}

TEST(ConnectTest, OnlyOneWholePlainMessageIsTaken) {
  for (const std::string& body : {std::string(), std::string("{}"), std::string("\0\0\0\0", 4),
                                  std::string("\1\0\0\0\2{}", 7),  // Compressed.
                                  std::string("\2\0\0\0\2{}", 7),  // The end.
                                  std::string("\0\0\0\0\3{}", 7),  // Cut.
                                  std::string("\0\0\0\0\1{}", 7),  // More than one.
                                  std::string("\0\xff\xff\xff\xff{}", 7)}) {
    EXPECT_EQ(OpenEnvelope(body).status().code(), absl::StatusCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace shakedown::web
