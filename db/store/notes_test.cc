#include "db/store/notes.h"

#include <gmock/gmock.h>

#include "absl/strings/str_cat.h"
#include "db/store/imports.h"
#include "db/store/store_testing.h"

namespace shakedown::store {
namespace {

using testing::ElementsAre;
using testing::Pair;

class NotesTest : public StoreTest {
 protected:
  absl::StatusOr<v1::NoteView> Add(const std::string& subject, const std::string& text = "froze",
                                   const std::string& kind = "freeze") {
    const auto parsed = ParseNoteSubject(subject);
    if (!parsed.ok()) return parsed.status();
    return AddNote(db(), *parsed, kind, text, "ann");
  }
  std::vector<std::string> List(const std::string& subject) {
    v1::ListNotesRequest request;
    request.set_subject(subject);
    const auto listed = ListNotes(db(), request);
    EXPECT_TRUE(listed.ok()) << listed.status();
    std::vector<std::string> texts;
    for (const v1::NoteView& note : listed->notes()) {
      texts.push_back(absl::StrCat(note.subject(), " ", note.text()));
    }
    return texts;
  }
};

TEST_F(NotesTest, AreOnWhatIsThereAlone) {
  Submit({"a", "b"});
  const auto note = Add("1.1B", "the mouse froze");
  ASSERT_TRUE(note.ok()) << note.status();
  EXPECT_EQ(note->subject(), "1.1B");
  EXPECT_EQ(note->kind(), "freeze");
  EXPECT_EQ(note->author(), "ann");
  EXPECT_GT(note->added().seconds(), 1000000000);
  EXPECT_TRUE(Add("1").ok());
  EXPECT_TRUE(Add("1.1A.1").ok());
  const auto none = [&](const std::string& subject, const std::string& why) {
    EXPECT_THAT(Add(subject).status(), IsError(absl::StatusCode::kNotFound, why));
  };
  none("2", "no such job");
  none("1.2A", "no such boot");
  none("1.1C", "no such boot");
  none("1.1A.2", "no such boot");
  none("kernel:gone", "no such kernel");
  none("machine:x1", "no such machine");
  const auto bad = IsCode(absl::StatusCode::kInvalidArgument);
  for (const char* subject : {"", "0", "x", "17.", "17.3", "kernel:", "kernel:../up", "machine:A b",
                              "99999999999999999999"}) {
    EXPECT_THAT(Add(subject).status(), bad) << subject;
  }
  EXPECT_THAT(Add("1", "x", "smell").status(),
              IsError(absl::StatusCode::kInvalidArgument, "want freeze, audio"));
  EXPECT_THAT(Add("1", "").status(), bad);
  EXPECT_THAT(Add("1", std::string(4097, 'x')).status(), bad);
  EXPECT_THAT(Add("1", std::string("a\0b", 3)).status(), bad);
  EXPECT_THAT(Add("1", "\xFF").status(), bad);
}

TEST_F(NotesTest, KernelsAndMachinesOfImportsCount) {
  v1::ImportedValue value;
  value.set_metric("m");
  value.set_run(1);
  value.set_iteration(1);
  value.set_line(1);
  ASSERT_TRUE(AddImport(db(), {.file = "f",
                               .raw = "text",
                               .format = "latt",
                               .machine = "p4-ht",
                               .submitter = "ann",
                               .variants = {{"", "2.6.35-ck1", ""}},
                               .values = {value}})
                  .ok());
  EXPECT_TRUE(Add("kernel:2.6.35-ck1").ok());
  EXPECT_TRUE(Add("machine:p4-ht").ok());
  ASSERT_TRUE(WithdrawImport(db(), 1, "ben", "never measured").ok());
  const auto none = IsCode(absl::StatusCode::kNotFound);
  EXPECT_THAT(Add("kernel:2.6.35-ck1").status(), none);
  EXPECT_THAT(Add("machine:p4-ht").status(), none);
}

TEST_F(NotesTest, AJobHasThoseOfItsBootsAndABootThoseOfItsAttempts) {
  Submit({"a", "b"}, 2);
  Submit({"a", "b"});
  for (const char* subject : {"1", "1.1A", "1.1A.1", "1.1B", "1.2A", "2.1A"}) {
    ASSERT_TRUE(Add(subject, "n").ok()) << subject;
  }
  EXPECT_THAT(List("1"), ElementsAre("1.2A n", "1.1B n", "1.1A.1 n", "1.1A n", "1 n"));
  EXPECT_THAT(List("1.1A"), ElementsAre("1.1A.1 n", "1.1A n"));
  EXPECT_THAT(List("1.1A.1"), ElementsAre("1.1A.1 n"));
  EXPECT_EQ(List("").size(), 6u);
  v1::ListNotesRequest request;
  request.set_limit(4);
  EXPECT_EQ(ListNotes(db(), request)->notes_size(), 4);
  request.set_before(ListNotes(db(), request)->next_before());
  EXPECT_EQ(ListNotes(db(), request)->notes_size(), 2);
  EXPECT_EQ(ListNotes(db(), request)->next_before(), 0);
  std::vector<std::string> subjects;
  const auto about = NotesAbout(db(), {"2.1A"}, 1, 2);
  for (const v1::NoteView& note : *about) subjects.push_back(note.subject());
  EXPECT_THAT(subjects, ElementsAre("1.2A", "2.1A"));
}

TEST_F(NotesTest, AWithdrawnOneIsInNoListAndNoReport) {
  Submit({"a", "b"});
  const int64_t note = Add("1.1A", "wrong machine")->note();
  ASSERT_TRUE(Add("1.1A", "stays").ok());
  const auto withdrawn = WithdrawNote(db(), note, "ben", "it was vm2");
  ASSERT_TRUE(withdrawn.ok()) << withdrawn.status();
  EXPECT_EQ(withdrawn->text(), "wrong machine");
  EXPECT_EQ(withdrawn->withdrawn().by(), "ben");
  EXPECT_THAT(List("1"), ElementsAre("1.1A stays"));
  EXPECT_EQ(NotesAbout(db(), {"1.1A"}, 1, 10)->size(), 1u);
  EXPECT_EQ(CountNotes(db(), {"1.1A"})->at("1.1A"), 1u);
  v1::ListNotesRequest request;
  request.set_withdrawn(true);
  EXPECT_EQ(ListNotes(db(), request)->notes(0).withdrawn().why(), "it was vm2");
  EXPECT_EQ(WithdrawNote(db(), note, "cem", "again")->withdrawn().by(), "ben");
  EXPECT_THAT(WithdrawNote(db(), 99, "ben", "x").status(),
              IsError(absl::StatusCode::kNotFound, "note 99: no such note"));
  EXPECT_THAT(WithdrawNote(db(), note, "ben", "").status(),
              IsCode(absl::StatusCode::kInvalidArgument));
}

TEST_F(NotesTest, ShippedOnesAreReplacedAndOthersStay) {
  Submit({"a", "b"});
  ASSERT_TRUE(Add("kernel:k-a", "ours").ok());
  const auto note = [](const std::string& text) {
    v1::NoteView view;
    view.set_subject("kernel:old-1");
    view.set_kind("video");
    view.set_text(text);
    view.set_author("Frans Pop");
    view.set_source("https://example.org/2");
    return view;
  };
  ASSERT_EQ(PutShippedNotes(db(), {note("one"), note("two")}), absl::OkStatus());
  ASSERT_EQ(PutShippedNotes(db(), {note("two"), note("three")}), absl::OkStatus());
  EXPECT_THAT(List(""), ElementsAre("kernel:old-1 three", "kernel:old-1 two", "kernel:k-a ours"));
  EXPECT_EQ(Sql("SELECT source FROM notes WHERE text = 'two'"), "https://example.org/2");
  EXPECT_THAT(*CountNotes(db(), {"kernel:old-1", "kernel:k-a", "kernel:k-b", "machine:%"}),
              ElementsAre(Pair("kernel:k-a", 1u), Pair("kernel:old-1", 2u)));
  EXPECT_THAT(
      WithdrawNote(db(), std::stoll(Sql("SELECT id FROM notes WHERE text = 'two'")), "ben", "no")
          .status(),
      IsError(absl::StatusCode::kFailedPrecondition, "came with the program"));
}

}  // namespace
}  // namespace shakedown::store
