#include "proto/wire/kernel_signature.h"

#include <gtest/gtest.h>

namespace shakedown {
namespace {

SignedKernel Kernel() {
  return {.release = "6.12.9",
          .image = std::string(64, 'a'),
          .initramfs = "",
          .modules = std::string(64, 'b')};
}

TEST(KernelSignature, SaysWhatIsSigned) {
  EXPECT_EQ(*SignedText(Kernel()), "shakedown kernel 1\nrelease 6.12.9\nimage " +
                                       std::string(64, 'a') + "\ninitramfs -\nmodules " +
                                       std::string(64, 'b') + "\n");
}

TEST(KernelSignature, HoldsForThisKernelAndThisKeyOnly) {
  const SigningKey key = *NewSigningKey();
  const std::string signature = *Sign(key, Kernel());
  EXPECT_TRUE(Verify(key.public_key, signature, Kernel()).ok());
  SignedKernel other = Kernel();
  other.modules = "";
  EXPECT_EQ(Verify(key.public_key, signature, other).code(), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(Verify(NewSigningKey()->public_key, signature, Kernel()).code(),
            absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(Verify(key.public_key, signature.substr(1), Kernel()).code(),
            absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(Verify("short", signature, Kernel()).code(), absl::StatusCode::kInvalidArgument);
}

// RFC 8032, 7.1, test 1.
TEST(KernelSignature, KnowsThePublicKeyOfASecret) {
  EXPECT_EQ(
      KeyFromSecret("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")->public_key,
      "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a");
}

TEST(KernelSignature, NeverRepeatsASecretInAnError) {
  const absl::Status status = KeyFromSecret("hunter2").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message().find("hunter2"), std::string::npos);
}

TEST(KernelSignature, RefusesTextThatCouldBeReadTwoWays) {
  SignedKernel kernel = Kernel();
  kernel.release = "6.12\nimage x";
  EXPECT_EQ(SignedText(kernel).status().code(), absl::StatusCode::kInvalidArgument);
  kernel = Kernel();
  kernel.image = "-";
  EXPECT_EQ(SignedText(kernel).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace shakedown
