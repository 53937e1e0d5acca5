#include "controller/web/session.h"

#include <openssl/evp.h>
#include <openssl/rand.h>

#include <cstdlib>
#include <memory>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "proto/wire/files.h"

namespace shakedown::web {
namespace {

constexpr size_t kNonce = 12;
constexpr size_t kTag = 16;
constexpr size_t kLongest = 1024;  // Of a cookie's value.

struct FreeContext {
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};
using Context = std::unique_ptr<EVP_CIPHER_CTX, FreeContext>;

std::string Random(size_t size) {
  std::string bytes(size, '\0');
  // Without randomness nothing here is safe.
  if (RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(size)) != 1) {
    std::abort();
  }
  return bytes;
}

const unsigned char* In(absl::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}
unsigned char* Out(std::string& bytes) { return reinterpret_cast<unsigned char*>(bytes.data()); }

std::string Seal(const std::string& key, absl::string_view plain) {
  const std::string nonce = Random(kNonce);
  const Context context(EVP_CIPHER_CTX_new());
  std::string sealed(plain.size(), '\0'), tag(kTag, '\0');
  int done = 0;
  if (EVP_EncryptInit_ex(context.get(), EVP_aes_256_gcm(), nullptr, In(key), In(nonce)) != 1 ||
      EVP_EncryptUpdate(context.get(), Out(sealed), &done, In(plain),
                        static_cast<int>(plain.size())) != 1 ||
      EVP_EncryptFinal_ex(context.get(), Out(sealed) + done, &done) != 1 ||
      EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_GET_TAG, kTag, Out(tag)) != 1) {
    std::abort();
  }
  return absl::StrCat(nonce, sealed, tag);
}

// False: not sealed with this key.
bool Unseal(const std::string& key, absl::string_view sealed, std::string& plain) {
  if (sealed.size() < kNonce + kTag) return false;
  const absl::string_view nonce = sealed.substr(0, kNonce);
  std::string tag(sealed.substr(sealed.size() - kTag));
  const absl::string_view middle = sealed.substr(kNonce, sealed.size() - kNonce - kTag);
  const Context context(EVP_CIPHER_CTX_new());
  plain.assign(middle.size(), '\0');
  int done = 0;
  return EVP_DecryptInit_ex(context.get(), EVP_aes_256_gcm(), nullptr, In(key), In(nonce)) == 1 &&
         EVP_DecryptUpdate(context.get(), Out(plain), &done, In(middle),
                           static_cast<int>(middle.size())) == 1 &&
         EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_SET_TAG, kTag, Out(tag)) == 1 &&
         EVP_DecryptFinal_ex(context.get(), Out(plain) + done, &done) == 1;
}

}  // namespace

std::string DrawSessionKey() { return Random(kSessionKeySize); }

absl::StatusOr<std::string> ReadOrMakeSessionKey(const std::string& path) {
  absl::StatusOr<std::string> key = ReadFile(path, 4096);
  if (absl::IsNotFound(key.status())) {
    key = DrawSessionKey();
    const absl::Status written = WriteFileAtomically(path, *key, 0600);
    if (!written.ok()) return written;
  }
  if (!key.ok()) return key;
  if (key->size() != kSessionKeySize) {
    return absl::InvalidArgumentError(
        absl::StrCat("session key ", path, ": ", key->size(), " bytes, want ", kSessionKeySize));
  }
  return key;
}

Sessions::Sessions(std::string key, Clock& clock) : key_(std::move(key)), clock_(clock) {
  if (key_.size() != kSessionKeySize) std::abort();
}

std::string Sessions::Begin(absl::string_view token) {
  const int64_t until = absl::ToUnixSeconds(clock_.Now() + kSessionLength);
  const std::string id = absl::BytesToHexString(Random(16));
  return absl::WebSafeBase64Escape(Seal(key_, absl::StrCat(until, " ", id, " ", token)));
}

absl::StatusOr<Sessions::Session> Sessions::Open(absl::string_view value) {
  const absl::Status none = absl::UnauthenticatedError("no such session, sign in again");
  std::string sealed, plain;
  if (value.size() > kLongest || !absl::WebSafeBase64Unescape(value, &sealed) ||
      !Unseal(key_, sealed, plain)) {
    return none;
  }
  const std::vector<std::string> parts = absl::StrSplit(plain, absl::MaxSplits(' ', 2));
  int64_t until = 0;
  if (parts.size() != 3 || !absl::SimpleAtoi(parts[0], &until)) return none;
  return Session{parts[1], absl::FromUnixSeconds(until), parts[2]};
}

absl::StatusOr<std::string> Sessions::Find(absl::string_view value) {
  absl::StatusOr<Session> session = Open(value);
  if (!session.ok()) return session.status();
  const std::lock_guard<std::mutex> lock(mutex_);
  if (clock_.Now() >= session->until || ended_.count(session->id) > 0) {
    return absl::UnauthenticatedError("the session has ended, sign in again");
  }
  return session->token;
}

void Sessions::End(absl::string_view value) {
  const absl::StatusOr<Session> session = Open(value);
  if (!session.ok()) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  const absl::Time now = clock_.Now();
  for (auto entry = ended_.begin(); entry != ended_.end();) {
    entry = entry->second <= now ? ended_.erase(entry) : std::next(entry);
  }
  if (session->until > now) ended_[session->id] = session->until;
}

}  // namespace shakedown::web
