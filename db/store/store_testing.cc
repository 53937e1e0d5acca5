#include "db/store/store_testing.h"

#include "absl/strings/str_cat.h"
#include "controller/scheduler/pick_work.h"
#include "db/store/agents.h"
#include "db/store/artefacts.h"
#include "db/store/builds.h"
#include "db/store/looks.h"
#include "db/store/machines.h"
#include "db/store/migrate.h"
#include "db/store/pool.h"
#include "db/store/words.h"
#include "proto/wire/digest.h"
#include "proto/wire/ids.h"
#include "tests/fakes/boot_results.h"

namespace shakedown::store {

embedded::EphemeralPostgres* StoreTest::postgres_ = nullptr;

void StoreTest::SetUpTestSuite() {
  static std::unique_ptr<embedded::EphemeralPostgres> server;  // Ends with the program.
  if (server == nullptr) {
    auto started = embedded::EphemeralPostgres::Start();
    ASSERT_TRUE(started.ok()) << started.status();
    server = *std::move(started);
  }
  postgres_ = server.get();
}

void StoreTest::SetUp() {
  absl::StatusOr<std::string> conninfo = postgres_->NewDatabase();
  ASSERT_TRUE(conninfo.ok()) << conninfo.status();
  conninfo_ = *conninfo;
  DatabaseOptions options;
  options.conninfo = conninfo_;
  absl::StatusOr<std::unique_ptr<Database>> opened = Database::Open(options);
  ASSERT_TRUE(opened.ok()) << opened.status();
  database_ = *std::move(opened);
  ASSERT_EQ(Migrate(db()).status(), absl::OkStatus());
}

std::unique_ptr<Database> StoreTest::DatabaseBefore(const std::string& migration) {
  DatabaseOptions options;
  options.conninfo = postgres_->NewDatabase().value();
  std::unique_ptr<Database> old = Database::Open(options).value();
  std::vector<Migration> before;
  for (const Migration& one : BuiltInMigrations()) {
    if (one.name == migration) break;
    before.push_back(one);
  }
  EXPECT_LT(before.size(), BuiltInMigrations().size()) << "no migration " << migration;
  EXPECT_EQ(Migrate(*old, before).status(), absl::OkStatus());
  return old;
}

std::string StoreTest::Sql(const std::string& sql) {
  std::string value;
  const absl::Status status = Write(db(), [&](Transaction& tx) {
    const pqxx::result rows = tx.exec(sql);
    value = rows.empty() || rows.columns() == 0 ? "" : rows[0][0].as<std::string>("NULL");
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
  return value;
}

Submission StoreTest::Job(const std::vector<std::string>& kernels, int blocks) {
  Submission s;
  s.request_id = NewUuid();
  s.submitter = "ann";
  s.spec.set_title("a job");
  for (const std::string& kernel : kernels) {
    s.spec.add_variants()->set_kernel("k-" + kernel);
    VariantKernel& variant = s.variants.emplace_back();
    variant.kernel.mutable_kernel()->set_name("k-" + kernel);
    variant.kernel.set_recipe_version(2);
    variant.request_key = Sha256Hex(kernel);
    variant.build_limit_s = 600;
  }
  s.spec.add_loads()->mutable_make()->set_jobs(2);
  s.spec.set_blocks(blocks);
  for (int b = 1; b <= blocks; ++b) {
    v1::PlannedBlock* block = s.plan.add_blocks();
    block->set_block(b);
    for (size_t v = 0; v < kernels.size(); ++v) block->add_variants(static_cast<uint32_t>(v));
  }
  s.boot_limit_s = 60;
  s.run_limit_s = 240;
  return s;
}

int64_t StoreTest::Store(const Submission& submission) {
  absl::StatusOr<int64_t> job = SubmitJob(db(), submission);
  EXPECT_TRUE(job.ok()) << job.status();
  return job.value_or(0);
}

v1::SyncRequest StoreTest::Agent(const std::string& name, const std::vector<std::string>& machines,
                                 int slots, uint64_t incarnation) {
  v1::SyncRequest request;
  request.set_agent(name);
  request.set_boot_id("host-boot");
  request.set_version("1");
  request.set_incarnation(incarnation);
  for (const std::string& machine : machines) {
    v1::MachineStatus* status = request.add_machines();
    status->set_name(machine);
    status->add_tags("vm");
    status->add_tags("tcg");
    (*status->mutable_facts())["cpu.model"] = "QEMU \"virtual\", {CPU}";
  }
  for (int i = 0; i < slots; ++i) request.add_build_slots();
  return request;
}

v1::SyncRequest StoreTest::Laptop(const std::string& machine, uint64_t incarnation) {
  v1::SyncRequest request = Agent(machine, {machine}, 0, incarnation);
  v1::MachineStatus& status = *request.mutable_machines(0);
  status.clear_tags();
  status.add_tags("laptop");
  status.set_takes_blocks(true);
  return request;
}

v1::MachineView StoreTest::Machine(const std::string& name) {
  absl::StatusOr<v1::MachineView> machine = FindMachine(db(), name);
  EXPECT_TRUE(machine.ok() || absl::IsNotFound(machine.status())) << machine.status();
  return machine.value_or(v1::MachineView());
}

void StoreTest::SilentFor(int seconds, const std::string& agent) {
  const std::string age = std::to_string(seconds) + " * interval '1 s'";
  Sql("UPDATE agent_pulse SET seen_at = now() - " + age + ", quiet_until = quiet_until - " + age +
      (agent.empty() ? "" : " WHERE agent = '" + agent + "'"));
}

absl::StatusOr<v1::SyncResponse> StoreTest::TrySync(const v1::SyncRequest& request) {
  return store::Sync(db(), request, scheduler::Rules());
}

absl::StatusOr<BootLease> StoreTest::LeaseBoot(const std::string& agent,
                                               const std::string& machine) {
  return store::LeaseBoot(db(), agent, machine, scheduler::Rules());
}

absl::StatusOr<BuildLease> StoreTest::LeaseBuild(const std::string& agent) {
  return store::LeaseBuild(db(), agent, scheduler::Rules());
}

v1::SyncResponse StoreTest::Sync(const v1::SyncRequest& request) {
  absl::StatusOr<v1::SyncResponse> response = TrySync(request);
  EXPECT_TRUE(response.ok()) << response.status();
  return response.value_or(v1::SyncResponse());
}

v1::BuildResult StoreTest::Built(const v1::BuildOrder& order) {
  const std::string& kernel = order.kernel().kernel().name();
  v1::BuildResult result;
  result.set_build_id(order.build_id());
  result.set_epoch(order.epoch());
  result.set_status(v1::BuildResult::STATUS_BUILT);
  result.set_build_key(Sha256Hex("key " + kernel));
  result.mutable_image()->set_sha256(Sha256Hex("image " + kernel));
  result.mutable_image()->set_size(4096);
  result.mutable_expected()->set_release("6.12-" + kernel);
  result.set_source_version("linux-source 1");
  result.set_duration_ms(5000);
  EXPECT_EQ(AddArtefact(db(), result.image().sha256(), 4096), absl::OkStatus());
  return result;
}

v1::BuildResult StoreTest::BuildEnded(const v1::BuildOrder& order, v1::BuildResult::Status status,
                                      const std::string& error) {
  v1::BuildResult result;
  result.set_build_id(order.build_id());
  result.set_epoch(order.epoch());
  result.set_status(status);
  result.set_error(error);
  return result;
}

v1::BootResult StoreTest::Measured(const v1::BootOrder& order, double value) {
  v1::BootResult result = Ended(order, v1::OUTCOME_MEASURED, "");
  for (int i = 0; i < order.loads_size(); ++i) {
    v1::LoadRun* run = result.add_load_runs();
    run->set_load(i);
    run->set_duration_ms(1000);
    run->set_output("real 10\n");
    run->add_warnings("no \"RT\" permission, {really}");
    v1::Measurement* m = run->add_measurements();
    m->set_metric("make.real");
    m->set_value(value);
    m->set_unit("s");
    m->set_iteration(1);
  }
  return result;
}

v1::BootResult StoreTest::Ended(const v1::BootOrder& order, v1::Outcome outcome,
                                const std::string& reason) {
  v1::BootResult result = fakes::EndedBoot(order, outcome, reason);
  result.mutable_identity()->set_release(order.expected().release());
  (*result.mutable_fingerprint()->mutable_facts())["vm.accelerator"] = "tcg";
  result.set_boot_ms(2500);
  result.set_console_tail("last words\n");
  return result;
}

void StoreTest::BuildAll() {
  for (;;) {
    const v1::SyncResponse response = Sync(Agent("builder", {}, 4));
    if (response.builds().empty()) return;
    for (const v1::BuildOrder& order : response.builds()) {
      ASSERT_EQ(RecordBuild(db(), "builder", Built(order)), absl::OkStatus());
    }
  }
}

void StoreTest::FinishDue() {
  const absl::StatusOr<std::vector<int64_t>> due = DueJobs(db());
  ASSERT_TRUE(due.ok()) << due.status();
  for (const int64_t job : *due) {
    Decision decision;
    decision.job = job;
    decision.version = JobVersion(db(), job).value();
    decision.finish = true;
    decision.reason = "its blocks are done";
    EXPECT_EQ(Decide(db(), decision).status(), absl::OkStatus());
  }
}

std::string StoreTest::Boots(int64_t job) {
  absl::StatusOr<v1::JobView> view = GetJob(db(), job);
  if (!view.ok()) return view.status().ToString();
  std::string text;
  for (const v1::BootView& boot : view->boots()) {
    const std::string& name = boot.name();
    std::string state = OutcomeWord(boot.outcome());
    if (boot.state() == v1::WORK_STATE_WAITING) state = "waiting";
    if (boot.state() == v1::WORK_STATE_QUEUED) state = "queued";
    if (boot.state() == v1::WORK_STATE_RUNNING) state = "running";
    absl::StrAppend(&text, text.empty() ? "" : ", ", name.substr(name.find('.') + 1), " ", state);
  }
  return text;
}

}  // namespace shakedown::store
