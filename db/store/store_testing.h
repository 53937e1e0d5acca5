// What the store's tests share: a real PostgreSQL, a database for each test, and a farm's parts
// made short.
#ifndef SHAKEDOWN_DB_STORE_STORE_TESTING_H_
#define SHAKEDOWN_DB_STORE_STORE_TESTING_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "db/embedded/ephemeral_postgres.h"
#include "db/store/database.h"
#include "db/store/jobs.h"
#include "db/store/leases.h"
#include "shakedown/v1/agent.pb.h"
#include "shakedown/v1/build.pb.h"

namespace shakedown::store {

MATCHER_P(IsCode, code, "") {
  *result_listener << arg;
  return arg.code() == code;
}
MATCHER_P2(IsError, code, text, "") {
  *result_listener << arg;
  return arg.code() == code && std::string(arg.message()).find(text) != std::string::npos;
}

class StoreTest : public testing::Test {
 protected:
  static void SetUpTestSuite();
  void SetUp() override;

  Database& db() { return *database_; }
  // Another database, as it was before the migration of that name.
  std::unique_ptr<Database> DatabaseBefore(const std::string& migration);
  // The first column of the first row, or "" without one.
  std::string Sql(const std::string& sql);

  // A job over kernels "k-<name>" with one make load and `blocks` blocks, each in the order of
  // `kernels`.
  Submission Job(const std::vector<std::string>& kernels, int blocks = 1);
  int64_t Store(const Submission& submission);
  int64_t Submit(const std::vector<std::string>& kernels, int blocks = 1) {
    return Store(Job(kernels, blocks));
  }

  // An agent's idle word. Machines have the tags "vm" and "tcg".
  static v1::SyncRequest Agent(const std::string& name, const std::vector<std::string>& machines,
                               int slots = 1, uint64_t incarnation = 1);
  // The idle word of a laptop that is an agent of its own.
  static v1::SyncRequest Laptop(const std::string& machine, uint64_t incarnation = 1);
  // As it is shown; empty when there is none.
  v1::MachineView Machine(const std::string& name);
  // All agents, or one, were last heard so long before.
  void SilentFor(int seconds, const std::string& agent = "");
  // By the scheduler's rules, as are the leases.
  absl::StatusOr<v1::SyncResponse> TrySync(const v1::SyncRequest& request);
  absl::StatusOr<BootLease> LeaseBoot(const std::string& agent, const std::string& machine);
  absl::StatusOr<BuildLease> LeaseBuild(const std::string& agent);
  // Sync that must succeed.
  v1::SyncResponse Sync(const v1::SyncRequest& request);

  // A result whose artefacts are in the index.
  v1::BuildResult Built(const v1::BuildOrder& order);
  static v1::BuildResult BuildEnded(const v1::BuildOrder& order, v1::BuildResult::Status status,
                                    const std::string& error);
  static v1::BootResult Measured(const v1::BootOrder& order, double value = 10);
  static v1::BootResult Ended(const v1::BootOrder& order, v1::Outcome outcome,
                              const std::string& reason);

  // Runs the builds that agent "builder" gets until there is no more.
  void BuildAll();
  // Finishes every job that is due.
  void FinishDue();
  // "17.1A measured, 17.1B queued".
  std::string Boots(int64_t job);

  static embedded::EphemeralPostgres* postgres_;
  std::string conninfo_;
  std::unique_ptr<Database> database_;
};

}  // namespace shakedown::store

#endif  // SHAKEDOWN_DB_STORE_STORE_TESTING_H_
