#include "controller/notify/signature.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace shakedown::notify {

std::string Sign(absl::string_view secret, int64_t seconds, absl::string_view body) {
  const std::string signed_text = absl::StrCat(seconds, ".", body);
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int length = 0;
  HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
       reinterpret_cast<const unsigned char*>(signed_text.data()), signed_text.size(), digest,
       &length);
  return absl::StrCat(
      "v1=", absl::BytesToHexString(absl::string_view(reinterpret_cast<char*>(digest), length)));
}

}  // namespace shakedown::notify
