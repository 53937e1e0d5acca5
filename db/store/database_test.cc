// Pool, listener, migrations: what happens when the server goes, and which schema is accepted.
#include "db/store/database.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include "absl/time/clock.h"
#include "db/store/kernels.h"
#include "db/store/listener.h"
#include "db/store/migrate.h"
#include "db/store/pool.h"
#include "db/store/store_testing.h"
#include "db/store/tokens.h"
#include "proto/wire/clock.h"

namespace shakedown::store {
namespace {

using DatabaseTest = StoreTest;

v1::Kernel Named(const std::string& name) {
  v1::Kernel kernel;
  kernel.set_name(name);
  return kernel;
}

TEST_F(DatabaseTest, AServerThatIsAwayIsUnavailableAndLaterWorksAgain) {
  ASSERT_EQ(AddKernel(db(), Named("before"), "ann"), absl::OkStatus());
  Clock& clock = SystemClock();
  for (bool clean : {true, false}) {
    ASSERT_EQ(postgres_->StopServer(clean), absl::OkStatus());
    const absl::Duration start = clock.Elapsed();
    EXPECT_THAT(GetKernel(db(), "before").status(), IsCode(absl::StatusCode::kUnavailable));
    EXPECT_THAT(AddKernel(db(), Named("during"), "ann"), IsCode(absl::StatusCode::kUnavailable));
    EXPECT_THAT(db().Ping(), IsCode(absl::StatusCode::kUnavailable));
    EXPECT_LT(clock.Elapsed() - start, absl::Seconds(10));
    ASSERT_EQ(postgres_->StartServer(), absl::OkStatus());
    EXPECT_EQ(GetKernel(db(), "before").status(), absl::OkStatus());
    EXPECT_EQ(AddKernel(db(), Named(clean ? "after" : "later"), "ann"), absl::OkStatus());
  }
  EXPECT_EQ(Sql("SELECT count(*) FROM kernels"), "3");
}

TEST_F(DatabaseTest, ARestartBetweenCallsIsNotSeen) {
  ASSERT_EQ(AddKernel(db(), Named("one"), "ann"), absl::OkStatus());
  ASSERT_EQ(postgres_->StopServer(), absl::OkStatus());
  ASSERT_EQ(postgres_->StartServer(), absl::OkStatus());
  EXPECT_EQ(AddKernel(db(), Named("two"), "ann"), absl::OkStatus());
}

TEST_F(DatabaseTest, AConnectionKilledInMidTransactionIsUnavailableForWritesAndAgainForReads) {
  int calls = 0;
  const auto body = [&](Transaction& tx) {
    if (++calls == 1) tx.exec("SELECT pg_terminate_backend(pg_backend_pid())");
    tx.exec("SELECT 1");
    return absl::OkStatus();
  };
  EXPECT_THAT(Write(db(), body), IsCode(absl::StatusCode::kUnavailable));
  EXPECT_EQ(calls, 1);
  calls = 0;
  EXPECT_EQ(Read(db(), body), absl::OkStatus());
  EXPECT_EQ(calls, 2);
}

TEST_F(DatabaseTest, AnErrorRollsBackAndTheConnectionIsUsedAgain) {
  EXPECT_THAT(Write(db(),
                    [&](Transaction& tx) {
                      tx.exec("CREATE TABLE half (x int)");
                      return absl::OutOfRangeError("no");
                    }),
              IsCode(absl::StatusCode::kOutOfRange));
  EXPECT_EQ(Sql("SELECT to_regclass('half') IS NULL"), "t");
  EXPECT_THAT(Write(db(),
                    [&](Transaction& tx) {
                      tx.exec("SELECT nonsense");
                      return absl::OkStatus();
                    }),
              IsError(absl::StatusCode::kInternal, "SELECT nonsense"));
  EXPECT_EQ(Sql("SELECT 1"), "1");
}

TEST_F(DatabaseTest, ReadsCanNotWrite) {
  EXPECT_FALSE(Read(db(), [&](Transaction& tx) {
                 tx.exec("CREATE TABLE t (x int)");
                 return absl::OkStatus();
               }).ok());
}

TEST_F(DatabaseTest, MoreCallersThanConnectionsWaitTheirTurn) {
  DatabaseOptions options;
  options.conninfo = conninfo_;
  options.connections = 2;
  auto small = Database::Open(options);
  ASSERT_TRUE(small.ok()) << small.status();
  std::atomic<int> good = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 20; ++k) good += (*small)->Ping().ok() ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 320);
}

TEST_F(DatabaseTest, BadConninfoIsNamedWithoutItsSecrets) {
  DatabaseOptions options;
  options.conninfo = "password=hunter2 nonsense";
  const absl::Status status = Database::Open(options).status();
  EXPECT_THAT(status, IsCode(absl::StatusCode::kInvalidArgument));
  EXPECT_EQ(std::string(status.message()).find("hunter2"), std::string::npos);
}

TEST_F(DatabaseTest, ListenerHearsOtherConnectionsAndComesBackAfterARestart) {
  DatabaseOptions options;
  options.conninfo = conninfo_;
  Listener listener(options);
  Clock& clock = SystemClock();
  const auto changes = [&](uint64_t seen, auto&& change) {
    change();
    const absl::Duration start = clock.Elapsed();
    while (listener.Wait(seen, absl::Seconds(1)) == seen) {
      if (clock.Elapsed() - start > absl::Seconds(20)) return false;
    }
    return true;
  };
  EXPECT_TRUE(changes(0, [] {}));  // It listens now.
  uint64_t seen = listener.counter();
  EXPECT_TRUE(changes(seen, [&] { Submit({"a", "b"}); }));
  seen = listener.counter();
  EXPECT_TRUE(changes(seen, [&] {
    ASSERT_TRUE(postgres_->StopServer().ok());
    ASSERT_TRUE(postgres_->StartServer().ok());
  }));
  seen = listener.counter();
  EXPECT_TRUE(changes(seen, [&] { Submit({"a", "c"}); }));
  std::thread stopper([&] { listener.Stop(); });
  listener.Wait(listener.counter(), absl::InfiniteDuration());
  stopper.join();
}

TEST_F(DatabaseTest, MigratingAgainDoesNothingAndManyAtOnceAreFine) {
  EXPECT_EQ(*Migrate(db()), 0);
  auto conninfo = postgres_->NewDatabase();
  DatabaseOptions options;
  options.conninfo = *conninfo;
  auto fresh = Database::Open(options);
  std::atomic<int> applied = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] { applied += Migrate(**fresh).value_or(-100); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(applied, static_cast<int>(BuiltInMigrations().size()));
}

// What was there before laptops is as it was, and its kernels are known not to have their modules.
TEST_F(DatabaseTest, AFilledDatabaseLearnsOfLaptops) {
  const std::unique_ptr<Database> old = DatabaseBefore("0008_laptops.sql");
  const auto sql = [&](const std::string& statement) {
    std::string value;
    EXPECT_EQ(Write(*old,
                    [&](Transaction& tx) {
                      const pqxx::result rows = tx.exec(statement);
                      value = rows.empty() ? "" : rows[0][0].as<std::string>("NULL");
                      return absl::OkStatus();
                    }),
              absl::OkStatus())
        << statement;
    return value;
  };
  sql("INSERT INTO agents (name, version, boot_id, incarnation) VALUES ('h', '1', 'b', 1)");
  sql("INSERT INTO builds (id, request_key, kernel, resolved, floating, limit_s, state) VALUES "
      "('10000000-0000-4000-8000-000000000000', repeat('a', 64), 'k', '', false, 1, 'queued')");
  sql("INSERT INTO jobs (request_id, submitter, spec, plan, machine_names, machine_tags, "
      "max_attempts, boot_limit_s, run_limit_s, loads, loads_sha256) VALUES "
      "(gen_random_uuid(), 'ann', '', '', '{}', '{}', 3, 60, 60, 1, '')");
  sql("INSERT INTO variants SELECT id, 0, 'k', '10000000-0000-4000-8000-000000000000' FROM jobs");
  sql("INSERT INTO machines (name, agent, tags, facts) VALUES ('vm1', 'h', '{}', '{}')");
  sql("INSERT INTO blocks (job, block, machine) SELECT id, 1, 'vm1' FROM jobs");
  sql("INSERT INTO boots (attempt_id, job, block, variant, attempt, position, state, epoch, "
      "machine, "
      "agent, leased_at) SELECT gen_random_uuid(), id, 1, 0, 1, 0, 'running', 1, 'vm1', 'h', now() "
      "FROM jobs");
  sql("UPDATE machines SET epoch = 1, attempt_id = (SELECT attempt_id FROM boots)");
  sql("INSERT INTO machine_pulse (machine, phase, progress, problem) VALUES ('vm1', 'x', 0, '')");

  const absl::StatusOr<int> applied = Migrate(*old);
  ASSERT_TRUE(applied.ok()) << applied.status();
  EXPECT_EQ(*applied, static_cast<int>(BuiltInMigrations().size()) - 7);
  EXPECT_EQ(sql("SELECT recipe || ' ' || (modules IS NULL) FROM builds"), "1 true");
  EXPECT_EQ(
      sql("SELECT takes_blocks || ' ' || (held_by IS NULL) || ' ' || (attempt_id IS NOT NULL) "
          "FROM machines"),
      "false true true");
  EXPECT_EQ(sql("SELECT dark_until IS NULL AND hands = '' FROM machine_pulse"), "t");
}

TEST_F(DatabaseTest, ChangedNewerAndBrokenMigrationsAreNamed) {
  std::vector<Migration> migrations = BuiltInMigrations();
  migrations[0].sql += "\n-- a small change";
  EXPECT_THAT(Migrate(db(), migrations).status(),
              IsError(absl::StatusCode::kFailedPrecondition, "0001_farm.sql: was changed"));

  migrations = BuiltInMigrations();
  const int next = static_cast<int>(migrations.size()) + 1;
  migrations.push_back({next, "9999_broken.sql", "CREATE TABLE half (x int); SELECT nonsense"});
  EXPECT_FALSE(Migrate(db(), migrations).ok());
  EXPECT_EQ(Sql("SELECT to_regclass('half') IS NULL"), "t");
  migrations.back() = {next, "9999_more.sql", "CREATE TABLE more (x int)"};
  EXPECT_EQ(*Migrate(db(), migrations), 1);
  EXPECT_THAT(Migrate(db()).status(),
              IsError(absl::StatusCode::kFailedPrecondition, "has migration 9999_more.sql"));
}

TEST_F(DatabaseTest, TokensAreKnownByTheirDigestOnly) {
  auto user = CreateToken(db(), Role::kUser, "ann");
  auto agent = CreateToken(db(), Role::kAgent, "host1");
  ASSERT_TRUE(user.ok() && agent.ok());
  EXPECT_EQ(CheckToken(db(), *user)->name, "ann");
  EXPECT_EQ(CheckToken(db(), *user)->role, Role::kUser);
  EXPECT_EQ(CheckToken(db(), *agent)->role, Role::kAgent);
  EXPECT_THAT(CheckToken(db(), "").status(), IsCode(absl::StatusCode::kUnauthenticated));
  EXPECT_THAT(CheckToken(db(), *user + "x").status(), IsCode(absl::StatusCode::kUnauthenticated));
  EXPECT_EQ(Sql("SELECT count(*) FROM tokens WHERE encode(sha256, 'escape') LIKE '%sd_%'"), "0");

  const std::string outside(40, 'q');
  EXPECT_EQ(AddToken(db(), Role::kUser, "bob", outside), absl::OkStatus());
  EXPECT_EQ(AddToken(db(), Role::kUser, "bob", outside), absl::OkStatus());
  EXPECT_THAT(AddToken(db(), Role::kUser, "ann", outside),
              IsCode(absl::StatusCode::kAlreadyExists));
  EXPECT_THAT(AddToken(db(), Role::kUser, "bob", "short"),
              IsCode(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(CreateToken(db(), Role::kUser, "Robert'); --").status(),
              IsCode(absl::StatusCode::kInvalidArgument));
  EXPECT_EQ(RevokeTokens(db(), Role::kUser, "bob"), absl::OkStatus());
  EXPECT_THAT(CheckToken(db(), outside).status(), IsCode(absl::StatusCode::kUnauthenticated));
  EXPECT_THAT(RevokeTokens(db(), Role::kUser, "bob"), IsCode(absl::StatusCode::kNotFound));
}

TEST_F(DatabaseTest, TheCatalogIsReplacedAndPeoplesKernelsStay) {
  v1::Kernel changed = Named("b");
  changed.set_note("with a\0 byte and \xF0\x9F\x90\xA7");
  ASSERT_EQ(PutCatalog(db(), {Named("a"), Named("b"), Named("6.12-hz1000")}), absl::OkStatus());
  ASSERT_EQ(AddKernel(db(), Named("mine"), "ann"), absl::OkStatus());
  ASSERT_EQ(PutCatalog(db(), {changed, Named("6.12-hz1000")}), absl::OkStatus());
  auto kernels = ListKernels(db());
  ASSERT_TRUE(kernels.ok());
  std::vector<std::string> names;
  for (const v1::Kernel& kernel : *kernels) names.push_back(kernel.name());
  EXPECT_THAT(names, testing::ElementsAre("6.12-hz1000", "b", "mine"));
  EXPECT_EQ(GetKernel(db(), "b")->note(), changed.note());
  EXPECT_THAT(GetKernel(db(), "6.12-hz100").status(),
              IsError(absl::StatusCode::kNotFound, "no such kernel; near: 6.12-hz1000"));

  EXPECT_EQ(AddKernel(db(), Named("mine"), "bob"), absl::OkStatus());
  v1::Kernel other = Named("mine");
  other.set_description("other");
  EXPECT_THAT(AddKernel(db(), other, "bob"),
              IsError(absl::StatusCode::kAlreadyExists, "another kernel of user ann"));
  EXPECT_THAT(PutCatalog(db(), {Named("mine")}), IsCode(absl::StatusCode::kAlreadyExists));
  EXPECT_THAT(AddKernel(db(), Named("../etc"), "bob"), IsCode(absl::StatusCode::kInvalidArgument));
  EXPECT_EQ(GetKernel(db(), "b")->note(),
            changed.note());  // The failed PutCatalog changed nothing.
}

}  // namespace
}  // namespace shakedown::store
