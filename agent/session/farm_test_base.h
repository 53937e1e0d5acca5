// For tests of this folder that want a farm, a journal and a cache.
#ifndef SHAKEDOWN_AGENT_SESSION_FARM_TEST_BASE_H_
#define SHAKEDOWN_AGENT_SESSION_FARM_TEST_BASE_H_

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "agent/session/artefact_cache.h"
#include "agent/session/farm_client.h"
#include "agent/session/journal.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/wire/clock.h"
#include "proto/wire/digest.h"
#include "proto/wire/ids.h"
#include "tests/fakes/scripted_farm.h"

namespace shakedown::agent {

class FarmTestBase : public testing::Test {
 protected:
  FarmTestBase() : folder_(absl::StrCat(testing::TempDir(), "/session-", NewUuid())) {
    std::filesystem::create_directories(folder_);
    farm_ = fakes::MakeScriptedFarm(folder_ + "/farm", "secret");
    client_ = NewClient();
  }
  ~FarmTestBase() override {
    client_->Close();
    farm_.reset();
    std::filesystem::remove_all(folder_);
  }

  std::unique_ptr<FarmClient> NewClient(const std::string& token = "secret") {
    absl::StatusOr<std::unique_ptr<FarmClient>> client =
        MakeFarmClient({.server = farm_->address(), .token = token, .tls_ca = ""});
    EXPECT_TRUE(client.ok()) << client.status();
    return *std::move(client);
  }

  std::unique_ptr<Journal> OpenTestJournal(const std::string& boot_id = "boot-1") {
    absl::StatusOr<std::unique_ptr<Journal>> journal =
        OpenJournal(folder_ + "/journal", boot_id, clock_);
    EXPECT_TRUE(journal.ok()) << journal.status();
    return *std::move(journal);
  }

  std::unique_ptr<ArtefactCache> OpenCache(uint64_t limit = 1 << 20) {
    absl::StatusOr<std::unique_ptr<ArtefactCache>> cache =
        MakeArtefactCache({.folder = folder_ + "/artefacts", .limit = limit}, *client_);
    EXPECT_TRUE(cache.ok()) << cache.status();
    return *std::move(cache);
  }

  // Puts content on the farm.
  v1::Artefact OnFarm(const std::string& content) {
    v1::Artefact artefact = ArtefactOf(content);
    farm_->With([&](fakes::FarmBook& book) { book.artefacts[artefact.sha256()] = content; });
    return artefact;
  }

  static v1::Artefact ArtefactOf(const std::string& content) {
    v1::Artefact artefact;
    artefact.set_sha256(Sha256Hex(content));
    artefact.set_size(content.size());
    return artefact;
  }

  template <typename Getter>
  auto Ask(Getter getter) {
    decltype(getter(std::declval<const fakes::FarmBook&>())) value{};
    farm_->With([&](fakes::FarmBook& book) { value = getter(book); });
    return value;
  }

  FakeClock clock_;
  const std::string folder_;
  std::unique_ptr<fakes::ScriptedFarm> farm_;
  std::unique_ptr<FarmClient> client_;
};

}  // namespace shakedown::agent

#endif  // SHAKEDOWN_AGENT_SESSION_FARM_TEST_BASE_H_
