#include "proto/wire/kernel_signature.h"

#include <openssl/evp.h>

#include <algorithm>
#include <memory>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "proto/wire/digest.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"

namespace shakedown {
namespace {

constexpr size_t kKeySize = 32;
constexpr size_t kSignatureSize = 64;
// Of uname -r.
constexpr size_t kMaxRelease = 64;

using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using Context = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;

const unsigned char* Bytes(absl::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

Key Secret(const std::string& hex) {
  const std::string raw = absl::HexStringToBytes(hex);
  return {EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, Bytes(raw), raw.size()),
          EVP_PKEY_free};
}

// 32 bytes and 64 hex digits are what a digest is, too.
absl::Status CheckHex(absl::string_view what, absl::string_view value) {
  if (IsSha256Hex(value)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(what, " ", Quoted(value), ": want 64 lower-case hex digits"));
}

absl::StatusOr<SigningKey> Described(const Key& key, std::string secret) {
  std::string raw(kKeySize, '\0');
  size_t size = raw.size();
  if (key == nullptr || EVP_PKEY_get_raw_public_key(
                            key.get(), reinterpret_cast<unsigned char*>(raw.data()), &size) != 1) {
    return absl::InternalError("signing key: OpenSSL has no Ed25519");
  }
  return SigningKey{.secret = std::move(secret), .public_key = absl::BytesToHexString(raw)};
}

}  // namespace

absl::StatusOr<std::string> SignedText(const SignedKernel& kernel) {
  if (kernel.release.empty() || kernel.release.size() > kMaxRelease ||
      !std::all_of(kernel.release.begin(), kernel.release.end(), absl::ascii_isgraph)) {
    return absl::InvalidArgumentError(absl::StrCat("release ", Quoted(kernel.release),
                                                   ": want 1 to ", kMaxRelease,
                                                   " printable characters without blanks"));
  }
  RETURN_IF_ERROR(CheckHex("image", kernel.image));
  std::string text =
      absl::StrCat("shakedown kernel 1\nrelease ", kernel.release, "\nimage ", kernel.image, "\n");
  for (const auto& [name, digest] :
       {std::pair<const char*, const std::string&>{"initramfs", kernel.initramfs},
        {"modules", kernel.modules}}) {
    if (!digest.empty()) RETURN_IF_ERROR(CheckHex(name, digest));
    absl::StrAppend(&text, name, " ", digest.empty() ? "-" : digest, "\n");
  }
  return text;
}

absl::StatusOr<SigningKey> NewSigningKey() {
  const Key key(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"), EVP_PKEY_free);
  std::string raw(kKeySize, '\0');
  size_t size = raw.size();
  if (key == nullptr || EVP_PKEY_get_raw_private_key(
                            key.get(), reinterpret_cast<unsigned char*>(raw.data()), &size) != 1) {
    return absl::InternalError("signing key: OpenSSL made none");
  }
  return Described(key, absl::BytesToHexString(raw));
}

absl::StatusOr<SigningKey> KeyFromSecret(absl::string_view secret) {
  if (!IsSha256Hex(secret)) {
    return absl::InvalidArgumentError("signing key: want 64 lower-case hex digits");
  }
  return Described(Secret(std::string(secret)), std::string(secret));
}

absl::StatusOr<std::string> Sign(const SigningKey& key, const SignedKernel& kernel) {
  ASSIGN_OR_RETURN(const std::string text, SignedText(kernel));
  const Key secret = Secret(key.secret);
  const Context context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  std::string signature(kSignatureSize, '\0');
  size_t size = signature.size();
  if (secret == nullptr ||
      EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, secret.get()) != 1 ||
      EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size,
                     Bytes(text), text.size()) != 1) {
    return absl::InternalError("signature: OpenSSL made none");
  }
  return signature;
}

absl::Status Verify(absl::string_view public_key, absl::string_view signature,
                    const SignedKernel& kernel) {
  RETURN_IF_ERROR(CheckHex("public key", public_key));
  ASSIGN_OR_RETURN(const std::string text, SignedText(kernel));
  const std::string raw = absl::HexStringToBytes(public_key);
  const Key key(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, Bytes(raw), raw.size()),
                EVP_PKEY_free);
  const Context context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  if (key != nullptr && signature.size() == kSignatureSize &&
      EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key.get()) == 1 &&
      EVP_DigestVerify(context.get(), Bytes(signature), signature.size(), Bytes(text),
                       text.size()) == 1) {
    return absl::OkStatus();
  }
  return absl::PermissionDeniedError(absl::StrCat("signature by ", public_key, " of kernel ",
                                                  Quoted(kernel.release),
                                                  ": does not match its files"));
}

}  // namespace shakedown
