// Texts of other tools over gRPC: read by the controller, refused with lines, found again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "controller/import/plain.h"
#include "controller/import/rows.h"
#include "controller/service/test_farm.h"
#include "shakedown/v1/import.grpc.pb.h"

namespace shakedown::service {
namespace {

using testing::HasSubstr;
using Stub = v1::ImportService::Stub;

constexpr char kLatt[] =
    "Entries: 3088 (clients=8)\nAverages:\n------------------------------\n"
    "\tMax\t   19066 usec\n\tAvg\t      73 usec\n\tStdev\t     694 usec\n";
constexpr char kTable[] =
    "                BFS                       CFS\n"
    "        ========================= ==========================\n"
    "make -j4 (1)  real  2m40.232s   real  2m41.907s\n"
    "  time  user  3m25.617s   user  3m15.792s\n";

class ImportServiceTest : public testing::Test {
 protected:
  ImportServiceTest()
      : stub_(v1::ImportService::NewStub(
            grpc::CreateChannel(farm_.address(), grpc::InsecureChannelCredentials()))) {}

  template <typename Request, typename Response>
  absl::StatusOr<Response> Call(grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&,
                                                             Response*),
                                const Request& request) {
    grpc::ClientContext context;
    TestFarm::Prepare(context, farm_.user_token());
    Response response;
    const absl::Status status =
        TestFarm::FromGrpc((stub_.get()->*method)(&context, request, &response));
    if (!status.ok()) return status;
    return response;
  }
  static v1::AddImportRequest Text(const std::string& raw, const std::string& kernel = "6.12") {
    v1::AddImportRequest request;
    request.set_file("mail.txt");
    request.set_raw(raw);
    request.set_kernel(kernel);
    request.set_machine("x1");
    return request;
  }
  absl::StatusOr<v1::AddImportResponse> Add(const v1::AddImportRequest& request) {
    return Call(&Stub::AddImport, request);
  }
  void ExpectRefused(const v1::AddImportRequest& request, const std::string& why) {
    const auto added = Add(request);
    EXPECT_EQ(added.status().code(), absl::StatusCode::kInvalidArgument) << why;
    EXPECT_THAT(std::string(added.status().message()), HasSubstr(why));
  }
  v1::GetImportResponse Get(int64_t import) {
    v1::GetImportRequest request;
    request.set_import(import);
    const auto got = Call(&Stub::GetImport, request);
    EXPECT_TRUE(got.ok()) << got.status();
    return got.value_or(v1::GetImportResponse());
  }

  TestFarm farm_;
  std::unique_ptr<Stub> stub_;
};

TEST_F(ImportServiceTest, TheControllerReadsTheTextAndKeepsItsBytes) {
  const std::string raw = absl::StrCat(kLatt, std::string("\0\xFF\r\n", 4));
  const auto added = Add(Text(raw));
  ASSERT_TRUE(added.ok()) << added.status();
  EXPECT_FALSE(added->existed());
  EXPECT_EQ(added->values(), 4u);
  const v1::GetImportResponse got = Get(added->import());
  EXPECT_EQ(got.raw(), raw);
  EXPECT_EQ(got.import().format(), "latt");
  EXPECT_EQ(got.import().submitter(), "ada");
  ASSERT_EQ(got.values_size(), 4);
  EXPECT_EQ(got.values(0).metric(), "latt.entries");
  EXPECT_EQ(got.values(1).value(), 19066);
  EXPECT_EQ(got.values(1).unit(), "us");
  EXPECT_EQ(got.values(1).kernel(), "6.12");
  EXPECT_EQ(got.values(1).detail(), "clients 8");
  EXPECT_TRUE(Add(Text(raw))->existed());
}

TEST_F(ImportServiceTest, WhatIsNotSaidOrNotReadIsRefused) {
  ExpectRefused(Text("hello\n"), "no results in it: line 1");
  ExpectRefused(Text("CPU use was 15% and 30%\n15%\n"), "no results in it: line");
  ExpectRefused(Text(""), "0 bytes, want 1 to 16777216");
  ExpectRefused(Text(kLatt, ""), "want the kernel that these numbers are of");
  ExpectRefused(Text(kLatt, "Linux 6"), "kernel");
  v1::AddImportRequest request = Text(kLatt);
  request.set_machine("");
  ExpectRefused(request, "want the machine");
  request.set_machine("no name!");
  ExpectRefused(request, "machine");
  request = Text(kLatt);
  (*request.mutable_variants())["CFS"] = "6.12";
  ExpectRefused(request, "no column or kernel \"CFS\"");
}

TEST_F(ImportServiceTest, LinesThatCannotBeReadAreNamedAndTakenOnRequestAlone) {
  const std::string broken = absl::StrCat(kTable, "  broken  sys  1m1.0s   something\n");
  v1::AddImportRequest request = Text(broken, "");
  (*request.mutable_variants())["BFS"] = "2.6.30.5-bfs-209";
  (*request.mutable_variants())["CFS"] = "2.6.31-rc9";
  ExpectRefused(request, "not all of it can be read: line 5");
  request.set_partly(true);
  const auto added = Add(request);
  ASSERT_TRUE(added.ok()) << added.status();
  EXPECT_EQ(Get(added->import()).import().refused(), 1u);
}

TEST_F(ImportServiceTest, EachColumnWantsItsKernel) {
  ExpectRefused(Text(kTable),
                "the text is of 2 systems, \"BFS\", \"CFS\": want a kernel for \"BFS\"");
  v1::AddImportRequest request = Text(kTable, "");
  (*request.mutable_variants())["BFS"] = "6.1-bfs  rr_interval=6";
  ExpectRefused(request, "want a kernel for \"CFS\"");
  (*request.mutable_variants())["CFS"] = "6.1";
  const auto added = Add(request);
  ASSERT_TRUE(added.ok()) << added.status();
  const v1::GetImportResponse got = Get(added->import());
  EXPECT_EQ(got.import().kernel(), "");
  EXPECT_EQ(got.import().variants().at("BFS"), "6.1-bfs rr_interval=6");
  EXPECT_EQ(got.values(0).kernel(), "6.1-bfs rr_interval=6");
  EXPECT_EQ(got.values(1).kernel(), "6.1");
}

// What an export of the farm's holds, imported and exported again.
TEST_F(ImportServiceTest, ExportImportExportGivesTheSame) {
  v1::AddImportRequest request = Text(kTable, "");
  (*request.mutable_variants())["BFS"] = "6.1-bfs rr_interval=6";
  (*request.mutable_variants())["CFS"] = "6.1";
  const auto exported = [&](int64_t import) {
    const v1::GetImportResponse got = Get(import);
    std::vector<importer::Row> rows;
    for (const v1::ImportedValue& value : got.values()) {
      rows.push_back({.variant = value.kernel(),
                      .metric = value.metric(),
                      .detail = value.detail(),
                      .value = value.value(),
                      .unit = value.unit(),
                      .unit_said = value.unit_said(),
                      .direction = importer::Direction::kLower,
                      .run = static_cast<int>(value.run()),
                      .iteration = static_cast<int>(value.iteration())});
    }
    return importer::PrintPlain({.machine = got.import().machine()}, rows);
  };
  const std::string first = exported(Add(request)->import());
  v1::AddImportRequest again;
  again.set_file("export.csv");
  again.set_raw(first);  // It says kernels and machine itself.
  const auto added = Add(again);
  ASSERT_TRUE(added.ok()) << added.status();
  EXPECT_EQ(exported(added->import()), first);
}

TEST_F(ImportServiceTest, NotesHaveTheCallersName) {
  v1::AddNoteRequest request;
  request.set_subject("kernel:alpha");
  request.set_kind("freeze");
  request.set_text("it froze");
  const auto added = Call(&Stub::AddNote, request);
  ASSERT_TRUE(added.ok()) << added.status();
  EXPECT_EQ(added->note().author(), "ada");
  EXPECT_EQ(Call(&Stub::ListNotes, v1::ListNotesRequest())->notes_size(), 1);
  request.set_subject("kernel:none");
  EXPECT_EQ(Call(&Stub::AddNote, request).status().code(), absl::StatusCode::kNotFound);
}

TEST_F(ImportServiceTest, NotesOnAJobAndItsKernelsAreInItsReport) {
  const absl::StatusOr<int64_t> job = farm_.Submit(SmallJob(1));
  ASSERT_TRUE(job.ok()) << job.status();
  v1::AddNoteRequest note;
  note.set_kind("audio");
  for (const std::string& subject :
       {absl::StrCat(*job, ".1B"), std::string("kernel:alpha"), std::string("kernel:ancient")}) {
    note.set_subject(subject);
    note.set_text(absl::StrCat("heard of ", subject));
    ASSERT_TRUE(Call(&Stub::AddNote, note).ok()) << subject;
  }
  v1::GetReportRequest request;
  request.set_job(*job);
  const auto report = farm_.Call(&v1::FarmService::Stub::GetReport, request);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_THAT(report->text(), HasSubstr("1.1B audio (ada): heard of 1.1B"));
  EXPECT_THAT(report->text(), HasSubstr("heard of kernel:alpha"));
  EXPECT_THAT(report->text(), testing::Not(HasSubstr("heard of kernel:ancient")));
}

TEST_F(ImportServiceTest, WhatIsWithdrawnHasTheCallersNameAndCanBeImportedAgain) {
  const int64_t import = Add(Text(kLatt))->import();
  v1::WithdrawImportRequest request;
  request.set_import(import);
  EXPECT_EQ(Call(&Stub::WithdrawImport, request).status().code(),
            absl::StatusCode::kInvalidArgument);
  request.set_why("of 6.1");
  const auto view = Call(&Stub::WithdrawImport, request);
  ASSERT_TRUE(view.ok()) << view.status();
  EXPECT_EQ(view->withdrawn().by(), "ada");
  EXPECT_EQ(Get(import).raw(), kLatt);
  EXPECT_EQ(Get(import).import().withdrawn().why(), "of 6.1");
  v1::ListImportsRequest of_x1;
  of_x1.set_machine("x1");
  EXPECT_EQ(Call(&Stub::ListImports, of_x1)->imports_size(), 0);
  v1::CompareKernelsRequest compare;
  compare.add_kernels("6.12");
  compare.add_kernels("6.1");
  compare.set_machine("x1");
  EXPECT_EQ(Call(&Stub::CompareKernels, compare).status().code(), absl::StatusCode::kNotFound);
  EXPECT_FALSE(Add(Text(kLatt))->existed());
  request.set_import(0);
  EXPECT_EQ(Call(&Stub::WithdrawImport, request).status().code(),
            absl::StatusCode::kInvalidArgument);

  v1::AddNoteRequest note;
  note.set_subject("kernel:alpha");
  note.set_kind("freeze");
  note.set_text("it froze");
  v1::WithdrawNoteRequest back;
  back.set_note(Call(&Stub::AddNote, note)->note().note());
  back.set_why("another one");
  EXPECT_EQ(Call(&Stub::WithdrawNote, back)->withdrawn().by(), "ada");
  EXPECT_EQ(Call(&Stub::ListNotes, v1::ListNotesRequest())->notes_size(), 0);
}

TEST_F(ImportServiceTest, WithoutATokenThereIsNothing) {
  grpc::ClientContext context;
  v1::ListImportsResponse response;
  EXPECT_EQ(stub_->ListImports(&context, {}, &response).error_code(),
            grpc::StatusCode::UNAUTHENTICATED);
}

}  // namespace
}  // namespace shakedown::service
