// Over real sockets of this host.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <thread>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "controller/notify/sender.h"

namespace shakedown::notify {
namespace {

using ::testing::HasSubstr;

// Takes one connection and talks on it as `talk` does, in a thread of its own.
class OneCall {
 public:
  explicit OneCall(std::function<void(int)> talk) : listener_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    EXPECT_EQ(listen(listener_, 1), 0);
    socklen_t length = sizeof(address);
    EXPECT_EQ(getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length), 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this, talk = std::move(talk)] {
      const int call = accept(listener_, nullptr, nullptr);
      if (call < 0) return;
      talk(call);
      close(call);
    });
  }
  ~OneCall() { Join(); }
  void Join() {
    if (!thread_.joinable()) return;
    shutdown(listener_, SHUT_RDWR);
    thread_.join();
    close(listener_);
  }
  int port() const { return port_; }

 private:
  const int listener_;
  int port_ = 0;
  std::thread thread_;
};

void Say(int call, const std::string& text) {
  EXPECT_EQ(send(call, text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
}
// Up to and with `end`.
std::string Hear(int call, const std::string& end) {
  std::string text;
  char c;
  while (!absl::EndsWith(text, end) && recv(call, &c, 1, 0) == 1) text += c;
  return text;
}

std::unique_ptr<Sender> Local() {
  return MakeCurlSender({.allow_private = true, .limit = absl::Seconds(5)});
}

struct Answered {
  absl::Status status;
  std::string head;
  std::string body;
};
Answered PostTo(const std::string& answer) {
  Answered got;
  OneCall server([&](int call) {
    got.head = Hear(call, "\r\n\r\n");
    got.body = Hear(call, "}");
    Say(call, answer);
  });
  got.status = Local()->SendPost({.url = absl::StrCat("http://127.0.0.1:", server.port(), "/hook"),
                                  .headers = {{"X-Shakedown-Signature", "v1=00"}},
                                  .body = "{\"a\": 1}"});
  server.Join();
  return got;
}

TEST(SendPostTest, SendsTheBodyAndItsHeaders) {
  const Answered got = PostTo("HTTP/1.1 204 No Content\r\n\r\n");
  EXPECT_TRUE(got.status.ok()) << got.status;
  EXPECT_THAT(got.head, HasSubstr("POST /hook HTTP/1.1\r\n"));
  EXPECT_THAT(got.head, HasSubstr("X-Shakedown-Signature: v1=00\r\n"));
  EXPECT_THAT(got.head, HasSubstr("Content-Type: application/json\r\n"));
  EXPECT_EQ(got.body, "{\"a\": 1}");
}

TEST(SendPostTest, FollowsNoRedirect) {
  const Answered got =
      PostTo("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n");
  EXPECT_EQ(got.status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(got.status.message()), HasSubstr("302: redirects are not followed"));
}

TEST(SendPostTest, TellsForGoodFromLater) {
  EXPECT_TRUE(
      absl::IsFailedPrecondition(PostTo("HTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n").status));
  EXPECT_TRUE(absl::IsUnavailable(PostTo("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n").status));
  EXPECT_TRUE(
      absl::IsUnavailable(PostTo("HTTP/1.1 429 Slower\r\nContent-Length: 0\r\n\r\n").status));
  EXPECT_TRUE(absl::IsUnavailable(Local()->SendPost({.url = "http://127.0.0.1:1/", .body = "{}"})));
}

TEST(SendPostTest, ReadsNoEndlessAnswer) {
  OneCall server([](int call) {
    Hear(call, "}");
    Say(call, "HTTP/1.1 200 OK\r\n\r\n");
    const std::string piece(1 << 16, 'x');
    while (send(call, piece.data(), piece.size(), MSG_NOSIGNAL) > 0) {
    }
  });
  const absl::Status status = Local()->SendPost(
      {.url = absl::StrCat("http://127.0.0.1:", server.port(), "/"), .body = "{}"});
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
}

TEST(SendPostTest, WaitsNoLongerThanItsLimit) {
  OneCall server([](int call) { Hear(call, "never"); });
  const auto sender = MakeCurlSender({.allow_private = true, .limit = absl::Milliseconds(200)});
  const absl::Status status = sender->SendPost(
      {.url = absl::StrCat("http://127.0.0.1:", server.port(), "/"), .body = "{}"});
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
}

TEST(SendPostTest, CallsNoPrivateAddressWithoutLeave) {
  bool called = false;
  OneCall server([&](int) { called = true; });
  const auto sender = MakeCurlSender({});
  for (const char* host : {"127.0.0.1", "localhost", "[::1]"}) {
    const absl::Status status = sender->SendPost(
        {.url = absl::StrCat("http://", host, ":", server.port(), "/"), .body = "{}"});
    EXPECT_TRUE(absl::IsFailedPrecondition(status)) << host << ": " << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("the operator does not allow these"));
  }
  // By a name of https, and by an address in other clothes.
  for (const char* url : {"https://localhost:1/", "https://[::ffff:127.0.0.1]:1/",
                          "https://2130706433:1/", "https://0x7f.1:1/"}) {
    const absl::Status status = sender->SendPost({.url = url, .body = "{}"});
    EXPECT_TRUE(absl::IsFailedPrecondition(status)) << url << ": " << status;
  }
  server.Join();
  EXPECT_FALSE(called);
}

TEST(SendPostTest, ChecksTheUrlItself) {
  EXPECT_TRUE(
      absl::IsInvalidArgument(Local()->SendPost({.url = "file:///etc/passwd", .body = "{}"})));
}

Mail Sample() {
  return {.from = "farm@example.org",
          .to = "ada@example.org",
          .subject = "done",
          .body = "text",
          .message_id = "0b8f7f0e-0000-4000-8000-000000000000",
          .date = absl::UnixEpoch()};
}

TEST(SendMailTest, SpeaksSmtp) {
  std::string talk, message;
  OneCall server([&](int call) {
    Say(call, "220 relay ESMTP\r\n");
    talk += Hear(call, "\r\n");
    Say(call, "250 relay\r\n");
    talk += Hear(call, "\r\n");  // MAIL
    Say(call, "250 ok\r\n");
    talk += Hear(call, "\r\n");  // RCPT
    Say(call, "250 ok\r\n");
    talk += Hear(call, "\r\n");  // DATA
    Say(call, "354 go on\r\n");
    message = Hear(call, "\r\n.\r\n");
    Say(call, "250 taken\r\n");
    Hear(call, "\r\n");
    Say(call, "221 bye\r\n");
  });
  const auto sender = MakeCurlSender({.smtp = absl::StrCat("127.0.0.1:", server.port()),
                                      .mail_from = "farm@example.org",
                                      .limit = absl::Seconds(5)});
  const absl::Status status = sender->SendMail(Sample());
  server.Join();
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_THAT(talk, HasSubstr("MAIL FROM:<farm@example.org>"));
  EXPECT_THAT(talk, HasSubstr("RCPT TO:<ada@example.org>\r\n"));
  EXPECT_THAT(message, HasSubstr("To: ada@example.org\r\n"));
  EXPECT_THAT(message, HasSubstr("\r\n\r\ndGV4dA==\r\n.\r\n"));
}

TEST(SendMailTest, ARefusalIsForGood) {
  OneCall server([](int call) {
    Say(call, "220 relay\r\n");
    Hear(call, "\r\n");
    Say(call, "250 relay\r\n");
    Hear(call, "\r\n");
    Say(call, "250 ok\r\n");
    Hear(call, "\r\n");
    Say(call, "550 no such user\r\n");
    Hear(call, "\r\n");
  });
  const auto sender = MakeCurlSender({.smtp = absl::StrCat("127.0.0.1:", server.port()),
                                      .mail_from = "farm@example.org",
                                      .limit = absl::Seconds(5)});
  const absl::Status status = sender->SendMail(Sample());
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
}

TEST(SendMailTest, WantsARelayAndAnAddress) {
  EXPECT_TRUE(absl::IsFailedPrecondition(MakeCurlSender({})->SendMail(Sample())));
  Mail mail = Sample();
  mail.to = "ada@example.org>\r\nRCPT TO:<eve@example.org";
  const auto sender = MakeCurlSender({.smtp = "127.0.0.1:1", .mail_from = "farm@example.org"});
  EXPECT_TRUE(absl::IsInvalidArgument(sender->SendMail(mail)));
}

}  // namespace
}  // namespace shakedown::notify
