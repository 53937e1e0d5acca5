// import, imports, note, notes, compare --machine: whole commands against a farm in this process.
#include <gmock/gmock.h>

#include <deque>
#include <limits>

#include "absl/strings/str_cat.h"
#include "controller/cli/exit_code.h"
#include "controller/cli/flow_testing.h"
#include "shakedown/v1/history.grpc.pb.h"
#include "shakedown/v1/import.grpc.pb.h"

namespace shakedown::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr char kLatt[] =
    "Entries: 3088 (clients=8)\nAverages:\n------------------------------\n"
    "\tMax\t   19066 usec\n\tAvg\t      73 usec\n\tStdev\t     694 usec\n";
constexpr char kTable[] =
    "                BFS                       CFS\n"
    "        ========================= ==========================\n"
    "make -j4 (1)  real  2m40.232s   real  2m41.907s\n"
    "  time  user  3m25.617s   user  3m15.792s\n";
constexpr char kBroken[] =
    "                BFS                       CFS\n"
    "        ========================= ==========================\n"
    "make -j4 (1)  real  2m40.232s   real  2m41.907s\n"
    "  time  user  3m25.617s   something\n";

class FakeImports : public v1::ImportService::Service {
 public:
  std::vector<v1::AddImportRequest> added;
  v1::ListImportsResponse imports;
  v1::GetImportResponse import;
  v1::CompareKernelsResponse comparison;
  v1::CompareKernelsRequest compared;
  v1::AddNoteRequest note;
  v1::ListNotesResponse notes;
  v1::WithdrawImportRequest import_back;
  v1::WithdrawNoteRequest note_back;
  v1::Withdrawal withdrawal;
  v1::ListImportsRequest imports_asked;
  v1::ListNotesRequest notes_asked;
  grpc::Status status;

 private:
  grpc::Status AddImport(grpc::ServerContext*, const v1::AddImportRequest* request,
                         v1::AddImportResponse* response) override {
    added.push_back(*request);
    response->set_import(16 + static_cast<int64_t>(added.size()));
    response->set_values(4);
    return status;
  }
  grpc::Status ListImports(grpc::ServerContext*, const v1::ListImportsRequest* request,
                           v1::ListImportsResponse* response) override {
    imports_asked = *request;
    *response = imports;
    return status;
  }
  grpc::Status GetImport(grpc::ServerContext*, const v1::GetImportRequest*,
                         v1::GetImportResponse* response) override {
    *response = import;
    return status;
  }
  grpc::Status CompareKernels(grpc::ServerContext*, const v1::CompareKernelsRequest* request,
                              v1::CompareKernelsResponse* response) override {
    compared = *request;
    *response = comparison;
    return status;
  }
  grpc::Status AddNote(grpc::ServerContext*, const v1::AddNoteRequest* request,
                       v1::AddNoteResponse* response) override {
    note = *request;
    response->mutable_note()->set_note(3);
    response->mutable_note()->set_subject(request->subject());
    return status;
  }
  grpc::Status ListNotes(grpc::ServerContext*, const v1::ListNotesRequest* request,
                         v1::ListNotesResponse* response) override {
    notes_asked = *request;
    *response = notes;
    return status;
  }
  grpc::Status WithdrawImport(grpc::ServerContext*, const v1::WithdrawImportRequest* request,
                              v1::ImportView* response) override {
    import_back = *request;
    response->set_import(request->import());
    *response->mutable_withdrawn() = withdrawal;
    return status;
  }
  grpc::Status WithdrawNote(grpc::ServerContext*, const v1::WithdrawNoteRequest* request,
                            v1::NoteView* response) override {
    note_back = *request;
    response->set_note(request->note());
    *response->mutable_withdrawn() = withdrawal;
    return status;
  }
};

class FakeSeries : public v1::HistoryService::Service {
 public:
  v1::ListSeriesRequest asked;

 private:
  grpc::Status ListSeries(grpc::ServerContext*, const v1::ListSeriesRequest* request,
                          v1::ListSeriesResponse* response) override {
    asked = *request;
    response->add_series()->mutable_key()->set_metric("interbench.video.burn.latency.avg");
    return grpc::Status::OK;
  }
};

class ImportFlowTest : public FlowTest {
 protected:
  ImportFlowTest() {
    more_services_.push_back(&farm_);
    more_services_.push_back(&series_);
  }

  std::string File(const std::string& name, const std::string& content) {
    const std::string path = absl::StrCat(folder_, "/", name);
    EXPECT_TRUE(WriteFileAtomically(path, content).ok());
    return path;
  }
  // A person at a terminal.
  void Type(std::vector<std::string> lines) {
    auto typed = std::make_shared<std::deque<std::string>>(lines.begin(), lines.end());
    setup_.read_line = [typed]() -> std::optional<std::string> {
      if (typed->empty()) return std::nullopt;
      std::string line = typed->front();
      typed->pop_front();
      return line;
    };
  }

  FakeImports farm_;
  FakeSeries series_;
};

TEST_F(ImportFlowTest, StoresWhatIsSaid) {
  const Result result = RunCommand(
      {"import", File("a.log", kLatt), "--kernel", "2.6.35 rr_interval=6", "--machine", "p4-ht",
       "--source", "https://example.org", "--measured", "2010-08-08", "--fact", "memory=1 GB"});
  EXPECT_EQ(result.code, kOk) << result.err;
  EXPECT_THAT(result.out, HasSubstr("latt.wakeup.max: 1 value, 19066 us"));
  EXPECT_THAT(result.out, HasSubstr("import 17: stored, 4 values"));
  ASSERT_EQ(farm_.added.size(), 1u);
  EXPECT_EQ(farm_.added[0].raw(), kLatt);
  EXPECT_EQ(farm_.added[0].file(), "a.log");
  EXPECT_EQ(farm_.added[0].kernel(), "2.6.35 rr_interval=6");
  EXPECT_EQ(farm_.added[0].machine(), "p4-ht");
  EXPECT_EQ(farm_.added[0].facts().at("memory"), "1 GB");
  EXPECT_EQ(farm_.added[0].measured().seconds(), 1281225600);
  EXPECT_FALSE(farm_.added[0].partly());
}

TEST_F(ImportFlowTest, WithoutATerminalWhatIsUnclearIsRefused) {
  const std::string latt = File("a.log", kLatt);
  const std::string table = File("b.txt", kTable);
  Result result = RunCommand({"import", latt, "--machine", "p4-ht"});
  EXPECT_EQ(result.code, kUsage);
  EXPECT_THAT(result.err, HasSubstr("the kernel is not said: want --kernel KERNEL"));
  result = RunCommand({"import", latt, "--kernel", "2.6.35"});
  EXPECT_EQ(result.code, kUsage);
  EXPECT_THAT(result.err, HasSubstr("the machine is not said"));
  result = RunCommand({"import", table, "--machine", "x1", "--as", "BFS=2.6.30"});
  EXPECT_EQ(result.code, kUsage);
  EXPECT_THAT(result.err, HasSubstr("want --as CFS=KERNEL"));
  result = RunCommand({"import", table, "--machine", "x1", "--kernel", "2.6.30"});
  EXPECT_EQ(result.code, kUsage);
  EXPECT_THAT(result.err, HasSubstr("is of 2 systems, BFS, CFS"));
  result = RunCommand({"import", table, "--machine", "x1", "--as", "EEVDF=2.6.30"});
  EXPECT_THAT(result.err, HasSubstr("want COLUMN=KERNEL with one of BFS, CFS"));
  result = RunCommand({"import", latt, "--machine", "x1", "--as", "BFS=2.6.30"});
  EXPECT_EQ(result.code, kUsage);
  EXPECT_THAT(result.err, HasSubstr("names no column and no kernel; want --kernel KERNEL"));
  result = RunCommand({"import", File("c.txt", "hello\n"), "--machine", "x1", "--kernel", "k"});
  EXPECT_EQ(result.code, kOther);
  EXPECT_THAT(result.out, HasSubstr("line 1 refused"));
  EXPECT_EQ(RunCommand({"import", folder_ + "/none"}).code, kNoInput);
  EXPECT_TRUE(farm_.added.empty());
}

TEST_F(ImportFlowTest, APersonIsAskedAndTheTextIsOnlyAQuestion) {
  Type({"2.6.35 CK1", "", "../x", "p4-ht"});
  const std::string text = absl::StrCat(
      "Using 2043662 loops per ms, running every load for 30 seconds\n"
      "Benchmarking kernel 2.6.35-ck1 at datestamp 201008082239\n\n"
      "--- Benchmarking simulated cpu of Audio in the presence of simulated ---\n"
      "Load Latency +/- SD (ms) Max Latency % Desired CPU % Deadlines Met\n"
      "None 0.0 +/- 0.0 0.0 100 100\n");
  // "2.6.35 CK1" is a kernel with a word behind it; Enter takes what the text says.
  Result result = RunCommand({"import", File("a.log", text)});
  EXPECT_THAT(result.err, HasSubstr("of which kernel?; the text says \"2.6.35-ck1\" [2.6.35-ck1]"));
  Type({"", "../x", "p4-ht"});
  result = RunCommand({"import", File("a.log", text)});
  EXPECT_EQ(result.code, kOk) << result.err;
  EXPECT_THAT(result.err, HasSubstr("machine \"../x\""));
  ASSERT_FALSE(farm_.added.empty());
  EXPECT_EQ(farm_.added.back().variants().at("2.6.35-ck1"), "2.6.35-ck1");
  EXPECT_EQ(farm_.added.back().machine(), "p4-ht");
  Type({});
  EXPECT_EQ(RunCommand({"import", File("a.log", text)}).code, kOther);
}

TEST_F(ImportFlowTest, AnotherKernelInTheTextIsAskedAbout) {
  const std::string text =
      File("a.log",
           "Using 2043662 loops per ms, running every load for 30 seconds\n"
           "Benchmarking kernel 2.6.35-ck1 at datestamp 201008082239\n\n"
           "--- Benchmarking simulated cpu of Audio in the presence of "
           "simulated ---\n"
           "Load Latency +/- SD (ms) Max Latency % Desired CPU % Deadlines Met\n"
           "None 0.0 +/- 0.0 0.0 100 100\n");
  const auto import = [&](const std::string& kernel) {
    return RunCommand({"import", text, "--machine", "p4-ht", "--kernel", kernel});
  };
  EXPECT_THAT(import("2.6.35-ck1 rr_interval=6").err, Not(HasSubstr("names")));
  Type({"n"});
  Result result = import("2.6.35");
  EXPECT_EQ(result.code, kOk) << "a part of what the text names";
  result = import("2.6.36");
  EXPECT_EQ(result.code, kOther);
  EXPECT_THAT(result.err, HasSubstr("names \"2.6.35-ck1\", not \"2.6.36\". Store it as"));
  EXPECT_EQ(farm_.added.size(), 2u);
  Type({"y"});
  EXPECT_EQ(import("2.6.36").code, kOk);
  // Nobody to ask: it was said, and is remarked.
  setup_.read_line = nullptr;
  result = import("2.6.36");
  EXPECT_EQ(result.code, kOk);
  EXPECT_THAT(result.err, HasSubstr("note: "));
  EXPECT_THAT(result.err, HasSubstr("the text names \"2.6.35-ck1\", not \"2.6.36\""));
}

TEST_F(ImportFlowTest, TheMachineIsOfferedAgainForTheNextFile) {
  Type({"k1", "x1", "k2", ""});
  EXPECT_EQ(RunCommand({"import", File("a", kLatt), File("b", kLatt)}).code, kOk);
  ASSERT_EQ(farm_.added.size(), 2u);
  EXPECT_EQ(farm_.added[1].kernel(), "k2");
  EXPECT_EQ(farm_.added[1].machine(), "x1");
}

TEST_F(ImportFlowTest, LinesThatCannotBeReadWantAWord) {
  const std::vector<std::string> command = {"import", File("a", kBroken), "--machine", "x1",
                                            "--as",   "BFS=k1",           "--as",      "CFS=k2"};
  Result result = RunCommand(command);
  EXPECT_EQ(result.code, kOther);
  EXPECT_THAT(result.out, HasSubstr("line 4 refused"));
  EXPECT_THAT(result.err, HasSubstr("--yes stores the rest"));
  Type({"n"});
  EXPECT_EQ(RunCommand(command).code, kOther);
  EXPECT_TRUE(farm_.added.empty());
  Type({"y"});
  EXPECT_EQ(RunCommand(command).code, kOk);
  std::vector<std::string> yes = command;
  yes.push_back("--yes");
  setup_.read_line = nullptr;
  EXPECT_EQ(RunCommand(yes).code, kOk);
  ASSERT_EQ(farm_.added.size(), 2u);
  EXPECT_TRUE(farm_.added[0].partly());
}

TEST_F(ImportFlowTest, ADryRunNeedsNoFarm) {
  Stop();
  const Result result = RunCommand({"import", File("a", kLatt), "--dry-run", "--json"});
  EXPECT_EQ(result.code, kOk);
  EXPECT_THAT(result.out, HasSubstr("\"latt.wakeup.max\",\"value\":19066"));
}

TEST_F(ImportFlowTest, JsonTellsOfEachFile) {
  const Result result = RunCommand({"import", File("a", kLatt), File("c", "hello\n"), "--kernel",
                                    "k", "--machine", "x1", "--json"});
  EXPECT_EQ(result.code, kOther);
  EXPECT_THAT(result.out, HasSubstr("\"import\": 17"));
  EXPECT_THAT(result.out, HasSubstr("\"error\": "));
}

TEST_F(ImportFlowTest, TheRawTextComesOutByteForByte) {
  const std::string raw("a\0\xFF\x1b[2J\r\n", 10);
  farm_.import.set_raw(raw);
  EXPECT_EQ(RunCommand({"imports", "17", "--raw"}).out, raw);
  EXPECT_EQ(RunCommand({"imports", "--raw"}).code, kUsage);
  v1::ImportedValue* value = farm_.import.add_values();
  value->set_kernel("k1");
  value->set_metric("m\x1b[2J");
  value->set_value(0.1);
  value->set_run(1);
  value->set_iteration(1);
  value->set_starred(true);
  const std::string shown = RunCommand({"imports", "17"}).out;
  EXPECT_THAT(shown, HasSubstr("0.1*"));
  EXPECT_THAT(shown, Not(HasSubstr("\x1b")));
  EXPECT_THAT(RunCommand({"imports", "17", "--csv"}).out, HasSubstr("# shakedown results 1\n"));
}

TEST_F(ImportFlowTest, ComparesKernelsAndSaysWhatIsWrongWithThat) {
  v1::CompareKernelsResponse& answer = farm_.comparison;
  answer.add_kernels("2.6.35");
  answer.add_kernels("2.6.35-ck1");
  auto& row = *answer.add_rows();
  row.set_metric("interbench.video.compile.deadlines_met");
  row.set_unit("%");
  row.set_origin("imports");
  for (const double value : {49.2, 87.5}) {
    auto& cell = *row.add_cells();
    cell.set_n(1);
    cell.set_median(value);
    cell.set_starred(value > 50);
  }
  row.add_change(0.7785);
  row.add_verdict("insufficient");
  answer.add_warnings("too few runs\x1b[2J");
  v1::NoteView& note = *answer.add_notes();
  note.set_subject("kernel:2.6.35");
  note.set_kind("video");
  note.set_author("ada");
  note.set_text("skips\nmuch\x1b[2J");
  const Result result = RunCommand(
      {"compare", "2.6.35", "2.6.35-ck1", "--machine", "p4-ht", "--metric", "interbench.video"});
  EXPECT_EQ(result.code, kOk) << result.err;
  EXPECT_EQ(farm_.compared.metric(), "interbench.video");
  EXPECT_EQ(farm_.compared.kernels_size(), 2);
  EXPECT_THAT(result.out, HasSubstr("87.5* (1)"));
  EXPECT_THAT(result.out, HasSubstr("+77.8%"));
  EXPECT_THAT(result.out, HasSubstr("insufficient"));
  EXPECT_THAT(result.out, HasSubstr("Note: too few runs"));
  EXPECT_THAT(result.out, HasSubstr("kernel:2.6.35 video (ada): skips much"));
  EXPECT_THAT(result.out, Not(HasSubstr("\x1b")));
  row.set_change(0, std::numeric_limits<double>::quiet_NaN());
  EXPECT_THAT(RunCommand({"compare", "2.6.35", "2.6.35-ck1", "--machine", "p4-ht", "--json"}).out,
              HasSubstr("\"NaN\""));
  farm_.status = {grpc::StatusCode::NOT_FOUND, "kernel 2.6.99: no numbers on machine p4-ht"};
  EXPECT_EQ(RunCommand({"compare", "2.6.35", "2.6.99", "--machine", "p4-ht"}).code, kUsage);
  EXPECT_THAT(RunCommand({"compare", "2.6.35", "2.6.99", "--machine", "p4-ht", "--metric",
                          "interbench.vidoe"})
                  .err,
              HasSubstr(": did you mean \"interbench.video\"?"));
  EXPECT_EQ(series_.asked.machine(), "p4-ht");
}

TEST_F(ImportFlowTest, KernelsWithoutAMachineGetAHint) {
  const Result result = RunCommand({"compare", "2.6.35", "2.6.35-ck1"});
  EXPECT_EQ(result.code, kNoInput);
  EXPECT_THAT(result.err, HasSubstr("say --machine NAME"));
  EXPECT_EQ(RunCommand({"compare", "a", "b", "c"}).code, kUsage);
  EXPECT_EQ(RunCommand({"compare", "a"}).code, kUsage);
}

TEST_F(ImportFlowTest, NotesGoInAndAreShownWithTheJob) {
  Result result = RunCommand({"note", "17.3B", "--kind", "freeze", "mouse froze"});
  EXPECT_EQ(result.code, kOk) << result.err;
  EXPECT_EQ(result.out, "note 3 on 17.3B\n");
  EXPECT_EQ(farm_.note.text(), "mouse froze");
  v1::NoteView& note = *farm_.notes.add_notes();
  note.set_subject("17.3B");
  note.set_kind("freeze");
  note.set_author("ada");
  note.set_text("mouse froze");
  note.set_note(3);
  EXPECT_EQ(RunCommand({"notes"}).out, "3: 17.3B freeze (ada): mouse froze\n");
  service_.job.set_job(17);
  result = RunCommand({"job", "17"});
  EXPECT_THAT(result.out, HasSubstr("What people saw\n17.3B freeze (ada): mouse froze\n"));
}

TEST_F(ImportFlowTest, WhatIsWrongIsWithdrawnWithAReason) {
  farm_.withdrawal.set_by("ada");
  farm_.withdrawal.set_why("of 6.1\x1b[2J");
  Result result = RunCommand({"imports", "withdraw", "17", "--because", "of 6.1"});
  EXPECT_EQ(result.code, kOk) << result.err;
  EXPECT_EQ(farm_.import_back.import(), 17);
  EXPECT_EQ(farm_.import_back.why(), "of 6.1");
  EXPECT_THAT(result.out, HasSubstr("import 17: withdrawn"));
  EXPECT_THAT(result.out, HasSubstr("by ada: of 6.1"));
  EXPECT_THAT(result.out, Not(HasSubstr("\x1b")));
  result = RunCommand({"notes", "withdraw", "3", "--because", "of vm2", "--json"});
  EXPECT_EQ(result.code, kOk) << result.err;
  EXPECT_EQ(farm_.note_back.note(), 3);
  EXPECT_EQ(farm_.note_back.why(), "of vm2");
  EXPECT_THAT(result.out, HasSubstr("\"note\": \"3\""));

  EXPECT_EQ(RunCommand({"imports", "withdraw", "17"}).code, kUsage) << "without a reason";
  EXPECT_EQ(RunCommand({"notes", "withdraw", "--because", "x"}).code, kUsage);
  EXPECT_EQ(RunCommand({"imports", "withdraw", "0", "--because", "x"}).code, kUsage);
  farm_.status = {grpc::StatusCode::FAILED_PRECONDITION, "import 1: came with the program"};
  result = RunCommand({"imports", "withdraw", "1", "--because", "x"});
  EXPECT_NE(result.code, kOk);
  EXPECT_THAT(result.err, HasSubstr("came with the program"));
}

TEST_F(ImportFlowTest, WithdrawnOnesAreListedWhenAskedFor) {
  v1::NoteView& note = *farm_.notes.add_notes();
  note.set_note(3);
  note.set_subject("17");
  note.mutable_withdrawn()->set_by("ben");
  note.mutable_withdrawn()->set_why("of vm2");
  EXPECT_THAT(RunCommand({"notes", "--withdrawn"}).out, HasSubstr("by ben: of vm2\n"));
  EXPECT_TRUE(farm_.notes_asked.withdrawn());
  RunCommand({"imports", "--withdrawn"});
  EXPECT_TRUE(farm_.imports_asked.withdrawn());
  RunCommand({"imports"});
  EXPECT_FALSE(farm_.imports_asked.withdrawn());
  farm_.import.mutable_import()->mutable_withdrawn()->set_why("of 6.1");
  EXPECT_THAT(RunCommand({"imports", "17"}).out, HasSubstr("withdrawn"));
}

}  // namespace
}  // namespace shakedown::cli
