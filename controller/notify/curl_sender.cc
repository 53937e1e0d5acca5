#include <curl/curl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <mutex>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "controller/notify/address.h"
#include "controller/notify/sender.h"
#include "proto/wire/sanitise.h"

namespace shakedown::notify {
namespace {

constexpr size_t kMostAnswer = 64 << 10;

// One transfer. Curl's handles are released by it.
class Transfer {
 public:
  Transfer() : curl_(curl_easy_init()) {}
  ~Transfer() {
    curl_slist_free_all(list_);
    curl_easy_cleanup(curl_);
  }
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  CURL* curl() { return curl_; }
  void Append(const std::string& line) { list_ = curl_slist_append(list_, line.c_str()); }
  curl_slist* list() { return list_; }
  bool refused() const { return refused_; }
  const std::string& answer() const { return answer_; }

  void SetCommon(absl::Duration limit) {
    curl_easy_setopt(curl_, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl_, CURLOPT_PROXY, "");
    curl_easy_setopt(curl_, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(curl_, CURLOPT_TIMEOUT_MS,
                     static_cast<long>(absl::ToInt64Milliseconds(limit)));
    curl_easy_setopt(curl_, CURLOPT_ERRORBUFFER, error_);
    curl_easy_setopt(curl_, CURLOPT_WRITEFUNCTION, &Transfer::Take);
    curl_easy_setopt(curl_, CURLOPT_WRITEDATA, this);
  }

  void RefusePrivate() {
    curl_easy_setopt(curl_, CURLOPT_OPENSOCKETFUNCTION, &Transfer::OpenSocket);
    curl_easy_setopt(curl_, CURLOPT_OPENSOCKETDATA, this);
  }

  void SendBytes(const std::string& bytes) {
    upload_ = bytes;
    curl_easy_setopt(curl_, CURLOPT_READFUNCTION, &Transfer::Give);
    curl_easy_setopt(curl_, CURLOPT_READDATA, this);
    curl_easy_setopt(curl_, CURLOPT_UPLOAD, 1L);
  }

  CURLcode Perform() { return curl_easy_perform(curl_); }
  std::string ErrorText(CURLcode code) const {
    return PrintableLine(error_[0] != '\0' ? error_ : curl_easy_strerror(code), 300);
  }

 private:
  static size_t Take(char* bytes, size_t size, size_t count, void* self) {
    std::string& answer = static_cast<Transfer*>(self)->answer_;
    if (answer.size() + size * count > kMostAnswer) return 0;  // Ends the transfer.
    answer.append(bytes, size * count);
    return size * count;
  }
  static size_t Give(char* bytes, size_t size, size_t count, void* self) {
    auto* transfer = static_cast<Transfer*>(self);
    const size_t given = std::min(size * count, transfer->upload_.size() - transfer->sent_);
    std::memcpy(bytes, transfer->upload_.data() + transfer->sent_, given);
    transfer->sent_ += given;
    return given;
  }
  static bool MayCall(const curl_sockaddr& address) {
    if (address.family == AF_INET) {
      sockaddr_in v4;
      std::memcpy(&v4, &address.addr, sizeof(v4));
      return IsPublic(v4.sin_addr);
    }
    if (address.family != AF_INET6 || address.addrlen < sizeof(sockaddr_in6)) return false;
    // Curl hands over more bytes than the type of `addr` says.
    sockaddr_in6 v6;
    std::memcpy(&v6, reinterpret_cast<const char*>(&address.addr), sizeof(v6));
    return IsPublic(v6.sin6_addr);
  }
  static curl_socket_t OpenSocket(void* self, curlsocktype, curl_sockaddr* address) {
    if (!MayCall(*address)) {
      static_cast<Transfer*>(self)->refused_ = true;
      return CURL_SOCKET_BAD;
    }
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
  }

  CURL* const curl_;
  curl_slist* list_ = nullptr;
  char error_[CURL_ERROR_SIZE] = "";
  std::string answer_;
  std::string upload_;
  size_t sent_ = 0;
  bool refused_ = false;
};

absl::Status OfAnswer(long code) {
  if (code >= 200 && code < 300) return absl::OkStatus();
  if (code >= 300 && code < 400) {
    return absl::FailedPreconditionError(
        absl::StrCat("answered ", code, ": redirects are not followed, give the last address"));
  }
  const std::string text = absl::StrCat("answered ", code, ", want 2xx");
  // 408 and 429 ask for another try.
  const bool for_good = code >= 400 && code < 500 && code != 408 && code != 429;
  return for_good ? absl::FailedPreconditionError(text) : absl::UnavailableError(text);
}

class CurlSender : public Sender {
 public:
  explicit CurlSender(SenderOptions options) : options_(std::move(options)) {
    static std::once_flag once;
    std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
  }

  const std::string& mail_from() const override { return options_.mail_from; }

  absl::Status SendPost(const Post& post) override {
    if (const absl::Status checked = CheckWebhook(post.url); !checked.ok()) return checked;
    Transfer transfer;
    CURL* curl = transfer.curl();
    transfer.SetCommon(options_.limit);
    if (!options_.allow_private) transfer.RefusePrivate();
    curl_easy_setopt(curl, CURLOPT_URL, post.url.c_str());
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "https,http");
    transfer.Append("Content-Type: application/json");
    transfer.Append("Expect:");
    for (const auto& [name, value] : post.headers) {
      transfer.Append(absl::StrCat(name, ": ", value));
    }
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, transfer.list());
    curl_easy_setopt(curl, CURLOPT_USERAGENT, "shakedown");
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE, static_cast<long>(post.body.size()));
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, post.body.c_str());
    const CURLcode code = transfer.Perform();
    if (transfer.refused()) {
      return absl::FailedPreconditionError(
          "its address is private or this host's own: the operator does not allow these");
    }
    if (code != CURLE_OK) return absl::UnavailableError(transfer.ErrorText(code));
    long answer = 0;
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &answer);
    return OfAnswer(answer);
  }

  absl::Status SendMail(const Mail& mail) override {
    if (options_.smtp.empty() || options_.mail_from.empty()) {
      return absl::FailedPreconditionError("this farm sends no mail: no relay is configured");
    }
    if (const absl::Status checked = CheckEmail(mail.to); !checked.ok()) return checked;
    Transfer transfer;
    CURL* curl = transfer.curl();
    transfer.SetCommon(options_.limit);
    curl_easy_setopt(curl, CURLOPT_URL, absl::StrCat("smtp://", options_.smtp).c_str());
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "smtp");
    curl_easy_setopt(curl, CURLOPT_USE_SSL, static_cast<long>(CURLUSESSL_TRY));
    curl_easy_setopt(curl, CURLOPT_MAIL_FROM, absl::StrCat("<", options_.mail_from, ">").c_str());
    transfer.Append(absl::StrCat("<", mail.to, ">"));
    curl_easy_setopt(curl, CURLOPT_MAIL_RCPT, transfer.list());
    transfer.SendBytes(FormatMail(mail));
    const CURLcode code = transfer.Perform();
    if (code == CURLE_OK) return absl::OkStatus();
    long answer = 0;
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &answer);
    const std::string text = transfer.ErrorText(code);
    return answer >= 500 ? absl::FailedPreconditionError(text) : absl::UnavailableError(text);
  }

 private:
  const SenderOptions options_;
};

}  // namespace

std::unique_ptr<Sender> MakeCurlSender(SenderOptions options) {
  return std::make_unique<CurlSender>(std::move(options));
}

}  // namespace shakedown::notify
