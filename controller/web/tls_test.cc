// The HTTP side over TLS, with a certificate made for the test.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>

#include "controller/web/http_server.h"
#include "controller/web/http_testing.h"

namespace shakedown::web {
namespace {

using ::testing::HasSubstr;

struct Pair {
  std::string certificate, key;
};

std::string Text(BIO* bio) {
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(bio, &bytes);
  std::string text(bytes, static_cast<size_t>(size));
  BIO_free(bio);
  return text;
}

Pair SelfSigned() {
  EVP_PKEY* key = EVP_EC_gen("P-256");
  X509* certificate = X509_new();
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate), 0);
  X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
  X509_set_pubkey(certificate, key);
  X509_NAME* name = X509_get_subject_name(certificate);
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>("farm.test"), -1, -1, 0);
  X509_set_issuer_name(certificate, name);
  X509_sign(certificate, key, EVP_sha256());
  BIO* pem = BIO_new(BIO_s_mem());
  BIO* key_pem = BIO_new(BIO_s_mem());
  PEM_write_bio_X509(pem, certificate);
  PEM_write_bio_PrivateKey(key_pem, key, nullptr, nullptr, 0, nullptr, nullptr);
  X509_free(certificate);
  EVP_PKEY_free(key);
  return {Text(pem), Text(key_pem)};
}

std::string AskOverTls(int port, const std::string& request) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  timeval limit{20, 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  SSL_CTX* context = SSL_CTX_new(TLS_client_method());
  SSL* ssl = SSL_new(context);
  SSL_set_fd(ssl, fd);
  std::string answer;
  if (SSL_connect(ssl) == 1 &&
      SSL_write(ssl, request.data(), static_cast<int>(request.size())) > 0) {
    char piece[4096];
    for (int got; (got = SSL_read(ssl, piece, sizeof piece)) > 0;) {
      answer.append(piece, static_cast<size_t>(got));
    }
  }
  SSL_free(ssl);
  SSL_CTX_free(context);
  close(fd);
  return answer;
}

TEST(TlsTest, RequestsGoOverTls) {
  const Pair pair = SelfSigned();
  HttpCounters counters;
  const auto server = HttpServer::Start(
      {.listen = "127.0.0.1:0", .tls_certificate = pair.certificate, .tls_key = pair.key},
      [](const HttpRequest& request) {
        HttpResponse response;
        response.content_type = "text/plain";
        response.body = request.path + std::string(100000, 'x');
        return response;
      },
      counters);
  ASSERT_TRUE(server.ok()) << server.status();
  const std::string answer =
      AskOverTls((*server)->port(), Request("GET", "/page", {{"Connection", "close"}}));
  EXPECT_THAT(answer, HasSubstr("HTTP/1.1 200"));
  EXPECT_THAT(answer, HasSubstr("Strict-Transport-Security"));
  EXPECT_THAT(answer, HasSubstr("/pagexxx"));
  EXPECT_GT(answer.size(), 100000u);
  // Not TLS: no answer, and the next one is served.
  EXPECT_EQ(Ask((*server)->port(), Request("GET", "/", {})).status, 0);
  EXPECT_THAT(AskOverTls((*server)->port(), Request("GET", "/", {{"Connection", "close"}})),
              HasSubstr("200"));
  (*server)->Stop(absl::Seconds(2));
}

TEST(TlsTest, AKeyOfAnotherCertificateIsRefused) {
  const Pair one = SelfSigned(), other = SelfSigned();
  EXPECT_TRUE(MakeTlsContext(one.certificate, one.key).ok());
  EXPECT_TRUE(absl::IsInvalidArgument(MakeTlsContext(one.certificate, other.key).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(MakeTlsContext(one.certificate, "").status()));
  EXPECT_TRUE(absl::IsInvalidArgument(MakeTlsContext("", one.key).status()));
}

}  // namespace
}  // namespace shakedown::web
