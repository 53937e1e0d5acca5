// The calls of FarmApi about archives that loads read.
#include <utility>

#include "absl/strings/str_cat.h"
#include "controller/service/farm_api.h"
#include "controller/service/pin_inputs.h"
#include "controller/service/store_call.h"
#include "db/store/artefacts.h"
#include "db/store/inputs.h"
#include "db/store/make_loads.h"
#include "proto/wire/ids.h"
#include "proto/wire/status.h"
#include "proto/wire/tree_archive.h"

namespace shakedown::service {
namespace {

constexpr uint64_t kMaxArchive = 2ull << 30;  // What an agent takes.
constexpr size_t kMaxPiece = 1 << 20;

bool ReadsInputs(const v1::JobSpec& spec) {
  v1::JobSpec copy = spec;
  for (v1::Load& load : *copy.mutable_loads()) {
    for (const v1::MakeLoad* make : store::MakesOf(load)) {
      if (!make->tree().empty() || !make->tree_sha256().empty()) return true;
    }
  }
  return false;
}

}  // namespace

absl::StatusOr<InputUpload> FarmApi::BeginInput(const v1::AddInputRequest& first) {
  RETURN_IF_ERROR(CheckName("input", first.name()));
  InputUpload upload;
  upload.name = first.name();
  ASSIGN_OR_RETURN(upload.file, artefacts_.Receive(kMaxArchive));
  return upload;
}

absl::Status FarmApi::ContinueInput(InputUpload& upload, const v1::AddInputRequest& message) {
  if (message.data().size() > kMaxPiece) {
    return absl::InvalidArgumentError(absl::StrCat("input ", upload.name, ": data of ",
                                                   message.data().size(), " bytes, want at most ",
                                                   kMaxPiece, " in one message"));
  }
  return Annotate(upload.file->Write(message.data()), absl::StrCat("input ", upload.name));
}

absl::StatusOr<v1::AddInputResponse> FarmApi::FinishInput(const store::Principal& caller,
                                                          InputUpload& upload) {
  // Hostile or damaged: said to whoever brings it, not by a boot that fails.
  const absl::Status checked = ReadTree(upload.file->path(), {}, nullptr, nullptr).status();
  RETURN_IF_ERROR(Annotate(checked, absl::StrCat("input ", upload.name)));
  v1::Input input;
  input.set_name(upload.name);
  ASSIGN_OR_RETURN(*input.mutable_archive(), upload.file->Commit());
  RETURN_IF_ERROR(FromStore([&] {
    return store::AddArtefact(database_, input.archive().sha256(), input.archive().size());
  }));
  v1::AddInputResponse response;
  ASSIGN_OR_RETURN(*response.mutable_input(),
                   FromStore([&] { return store::AddInput(database_, input, caller.name); }));
  return response;
}

absl::StatusOr<v1::ListInputsResponse> FarmApi::ListInputs() {
  ASSIGN_OR_RETURN(const auto inputs, FromStore([&] { return store::ListInputs(database_); }));
  v1::ListInputsResponse response;
  for (const v1::InputView& input : inputs) *response.add_inputs() = input;
  return response;
}

absl::StatusOr<v1::JobSpec> FarmApi::WithInputs(const v1::JobSpec& spec) {
  if (!ReadsInputs(spec)) return spec;
  ASSIGN_OR_RETURN(const auto inputs, FromStore([&] { return store::ListInputs(database_); }));
  ASSIGN_OR_RETURN(v1::JobSpec pinned, PinInputs(spec, inputs));
  for (v1::Load& load : *pinned.mutable_loads()) {
    for (const v1::MakeLoad* make : store::MakesOf(load)) {
      for (const v1::InputView& input : inputs) {
        if (input.name() != make->tree()) continue;
        v1::Artefact archive;
        archive.set_sha256(input.sha256());
        archive.set_size(input.size());
        ASSIGN_OR_RETURN(const bool there, artefacts_.Has(archive));
        if (there) continue;
        return absl::FailedPreconditionError(absl::StrCat(
            "input ", input.name(), ": its archive, SHA-256 ", input.sha256(),
            ", was lost; bring the same file again: shakedown inputs add ", input.name(), " FILE"));
      }
    }
  }
  return pinned;
}

}  // namespace shakedown::service
