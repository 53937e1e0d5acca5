// Signatures of builds: verified, kept by what was signed, sent with orders.
#include "db/store/signatures.h"

#include "absl/strings/str_cat.h"
#include "db/store/agents.h"
#include "db/store/artefacts.h"
#include "db/store/boots.h"
#include "db/store/builds.h"
#include "db/store/store_testing.h"
#include "proto/wire/digest.h"

namespace shakedown::store {
namespace {

using testing::ElementsAre;

class SignaturesTest : public StoreTest {
 protected:
  v1::BuildOrder Order() { return Sync(Agent("builder", {}, 1)).builds(0); }
  // With an initramfs and modules.
  v1::BuildResult Full(const v1::BuildOrder& order) {
    v1::BuildResult result = Built(order);
    for (v1::Artefact* artefact : {result.mutable_initramfs(), result.mutable_modules()}) {
      artefact->set_sha256(Sha256Hex(artefact == result.mutable_modules() ? "modules" : "cpio"));
      artefact->set_size(77);
      EXPECT_EQ(AddArtefact(db(), artefact->sha256(), 77), absl::OkStatus());
    }
    return result;
  }
  static SignedKernel KernelOf(const v1::BuildResult& result) {
    return {result.expected().release(), result.image().sha256(), result.initramfs().sha256(),
            result.modules().sha256()};
  }
  static v1::KernelSignature SignatureOf(const SigningKey& key, const SignedKernel& kernel) {
    v1::KernelSignature signature;
    signature.set_key(key.public_key);
    signature.set_signature(*Sign(key, kernel));
    return signature;
  }
  static FarmSigner Signer(const SigningKey& key) {
    return [key](const SignedKernel& kernel) -> absl::StatusOr<v1::KernelSignature> {
      return SignatureOf(key, kernel);
    };
  }
  std::vector<std::string> Signers() {
    const auto builds = ListBuilds(db(), 10);
    EXPECT_TRUE(builds.ok()) << builds.status();
    return {builds->at(0).signed_by().begin(), builds->at(0).signed_by().end()};
  }
  const SigningKey ann_ = *KeyFromSecret(std::string(64, '1'));
  const SigningKey bob_ = *KeyFromSecret(std::string(64, '2'));
};

TEST_F(SignaturesTest, VerifiedKeptAndSentWithOrders) {
  Submit({"a"});
  const v1::BuildOrder order = Order();
  const v1::BuildResult built = Full(order);
  const v1::KernelSignature by_ann = SignatureOf(ann_, KernelOf(built));
  EXPECT_THAT(AddSignature(db(), order.build_id(), by_ann, "ann"),
              IsError(absl::StatusCode::kFailedPrecondition, "is running"));
  ASSERT_EQ(RecordBuild(db(), "builder", built), absl::OkStatus());
  EXPECT_TRUE(Signers().empty());
  ASSERT_EQ(AddSignature(db(), order.build_id(), by_ann, "ann"), absl::OkStatus());
  ASSERT_EQ(AddSignature(db(), order.build_id(), by_ann, "ann"), absl::OkStatus());
  const v1::KernelSignature by_bob = SignatureOf(bob_, KernelOf(built));
  ASSERT_EQ(AddSignature(db(), order.build_id(), by_bob, "bob"), absl::OkStatus());
  EXPECT_THAT(Signers(), testing::UnorderedElementsAre(ann_.public_key, bob_.public_key));

  const v1::BootOrder boot = Sync(Laptop("x1")).boots(0);
  EXPECT_EQ(boot.modules().sha256(), built.modules().sha256());
  ASSERT_EQ(boot.signatures_size(), 2);
  for (const v1::KernelSignature& signature : boot.signatures()) {
    EXPECT_EQ(Verify(signature.key(), signature.signature(), KernelOf(built)), absl::OkStatus());
  }
}

TEST_F(SignaturesTest, WrongKeysAndOtherFilesAreRefused) {
  Submit({"a"});
  const v1::BuildOrder order = Order();
  const v1::BuildResult built = Full(order);
  ASSERT_EQ(RecordBuild(db(), "builder", built), absl::OkStatus());
  const auto add = [&](const v1::KernelSignature& signature) {
    return AddSignature(db(), order.build_id(), signature, "ann");
  };
  const SignedKernel whole = KernelOf(built);
  v1::KernelSignature wrong = SignatureOf(ann_, whole);
  wrong.set_key(bob_.public_key);
  EXPECT_THAT(add(wrong), IsCode(absl::StatusCode::kPermissionDenied));
  for (std::string SignedKernel::*field :
       {&SignedKernel::image, &SignedKernel::initramfs, &SignedKernel::modules}) {
    SignedKernel other = whole;
    other.*field = Sha256Hex("other");
    EXPECT_THAT(add(SignatureOf(ann_, other)), IsCode(absl::StatusCode::kPermissionDenied));
  }
  SignedKernel renamed = whole;
  renamed.release = "6.12-other";
  EXPECT_THAT(add(SignatureOf(ann_, renamed)), IsCode(absl::StatusCode::kPermissionDenied));
  v1::KernelSignature no_key = SignatureOf(ann_, whole);
  no_key.set_key("12");
  EXPECT_THAT(add(no_key), IsCode(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(
      AddSignature(db(), "00000000-0000-4000-8000-000000000000", SignatureOf(ann_, whole), "ann"),
      IsCode(absl::StatusCode::kNotFound));
  EXPECT_EQ(Sql("SELECT count(*) FROM kernel_signatures"), "0");
}

TEST_F(SignaturesTest, SoManyKeysAndNoMore) {
  Submit({"a"});
  const v1::BuildOrder order = Order();
  const v1::BuildResult built = Full(order);
  ASSERT_EQ(RecordBuild(db(), "builder", built), absl::OkStatus());
  for (int i = 0; i < kMostSignatures; ++i) {
    ASSERT_EQ(
        AddSignature(db(), order.build_id(), SignatureOf(*NewSigningKey(), KernelOf(built)), "ann"),
        absl::OkStatus());
  }
  EXPECT_THAT(AddSignature(db(), order.build_id(), SignatureOf(ann_, KernelOf(built)), "ann"),
              IsCode(absl::StatusCode::kResourceExhausted));
}

TEST_F(SignaturesTest, TheFarmSignsWhatItAcceptsAndWhatIsThere) {
  Submit({"a"});
  v1::BuildOrder order = Order();
  const v1::BuildResult first = Full(order);
  ASSERT_EQ(RecordBuild(db(), "builder", first), absl::OkStatus());
  EXPECT_EQ(*SignBuilds(db(), Signer(bob_)), 1);
  EXPECT_EQ(*SignBuilds(db(), Signer(bob_)), 0);
  EXPECT_THAT(Signers(), ElementsAre(bob_.public_key));

  Submit({"b"});
  order = Order();
  ASSERT_EQ(RecordBuild(db(), "builder", Full(order), Signer(ann_)), absl::OkStatus());
  EXPECT_THAT(Signers(), ElementsAre(ann_.public_key));
  EXPECT_EQ(*SignBuilds(db(), Signer(ann_)), 1) << "the first one";
}

TEST_F(SignaturesTest, TheSameFilesMadeAgainAreSigned) {
  Submit({"a"});
  const v1::BuildOrder order = Order();
  const v1::BuildResult built = Full(order);
  ASSERT_EQ(RecordBuild(db(), "builder", built), absl::OkStatus());
  ASSERT_EQ(AddSignature(db(), order.build_id(), SignatureOf(ann_, KernelOf(built)), "ann"),
            absl::OkStatus());
  Sql("DELETE FROM artefacts WHERE sha256 = '" + built.modules().sha256() + "'");
  const int64_t job = Submit({"a"});
  const v1::BuildOrder again = Order();
  EXPECT_NE(again.build_id(), order.build_id());
  ASSERT_EQ(RecordBuild(db(), "builder", Full(again)), absl::OkStatus());
  EXPECT_THAT(GetJob(db(), job)->builds(0).signed_by(), ElementsAre(ann_.public_key));
}

}  // namespace
}  // namespace shakedown::store
