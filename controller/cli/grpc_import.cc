#include <utility>

#include "controller/cli/grpc_channel.h"
#include "controller/cli/import_client.h"
#include "shakedown/v1/import.grpc.pb.h"

namespace shakedown::cli {
namespace {

using Stub = v1::ImportService::Stub;

class GrpcImport : public ImportClient {
 public:
  explicit GrpcImport(std::shared_ptr<GrpcChannel> channel)
      : channel_(std::move(channel)), stub_(v1::ImportService::NewStub(channel_->channel())) {}

  absl::StatusOr<v1::AddImportResponse> AddImport(const v1::AddImportRequest& request) override {
    return channel_->Call(*stub_, &Stub::AddImport, request);
  }
  absl::StatusOr<v1::ListImportsResponse> ListImports(
      const v1::ListImportsRequest& request) override {
    return channel_->Call(*stub_, &Stub::ListImports, request);
  }
  absl::StatusOr<v1::GetImportResponse> GetImport(const v1::GetImportRequest& request) override {
    return channel_->Call(*stub_, &Stub::GetImport, request);
  }
  absl::StatusOr<v1::CompareKernelsResponse> CompareKernels(
      const v1::CompareKernelsRequest& request) override {
    return channel_->Call(*stub_, &Stub::CompareKernels, request);
  }
  absl::StatusOr<v1::AddNoteResponse> AddNote(const v1::AddNoteRequest& request) override {
    return channel_->Call(*stub_, &Stub::AddNote, request);
  }
  absl::StatusOr<v1::ListNotesResponse> ListNotes(const v1::ListNotesRequest& request) override {
    return channel_->Call(*stub_, &Stub::ListNotes, request);
  }
  absl::StatusOr<v1::ImportView> WithdrawImport(const v1::WithdrawImportRequest& request) override {
    return channel_->Call(*stub_, &Stub::WithdrawImport, request);
  }
  absl::StatusOr<v1::NoteView> WithdrawNote(const v1::WithdrawNoteRequest& request) override {
    return channel_->Call(*stub_, &Stub::WithdrawNote, request);
  }

 private:
  const std::shared_ptr<GrpcChannel> channel_;
  const std::unique_ptr<Stub> stub_;
};

}  // namespace

std::unique_ptr<ImportClient> MakeGrpcImport(std::shared_ptr<GrpcChannel> channel) {
  return std::make_unique<GrpcImport>(std::move(channel));
}

}  // namespace shakedown::cli
