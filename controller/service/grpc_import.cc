#include "controller/service/grpc_call.h"
#include "controller/service/services.h"
#include "shakedown/v1/import.grpc.pb.h"

namespace shakedown::service {
namespace {

constexpr store::Role kUser = store::Role::kUser;
using Context = grpc::CallbackServerContext;
using Unary = grpc::ServerUnaryReactor;

class ImportServiceImpl : public UserService<v1::ImportService::CallbackService> {
 public:
  using UserService::UserService;

  Unary* AddImport(Context* context, const v1::AddImportRequest* request,
                   v1::AddImportResponse* response) override {
    return Run(context, request, response, [this](const auto& caller, const auto& r) {
      return backend_.imports.AddImport(caller, r);
    });
  }
  Unary* ListImports(Context* context, const v1::ListImportsRequest* request,
                     v1::ListImportsResponse* response) override {
    return Run(context, request, response,
               [this](const auto&, const auto& r) { return backend_.imports.ListImports(r); });
  }
  Unary* GetImport(Context* context, const v1::GetImportRequest* request,
                   v1::GetImportResponse* response) override {
    return Run(context, request, response,
               [this](const auto&, const auto& r) { return backend_.imports.GetImport(r); });
  }
  Unary* CompareKernels(Context* context, const v1::CompareKernelsRequest* request,
                        v1::CompareKernelsResponse* response) override {
    return Run(context, request, response,
               [this](const auto&, const auto& r) { return backend_.imports.CompareKernels(r); });
  }
  Unary* AddNote(Context* context, const v1::AddNoteRequest* request,
                 v1::AddNoteResponse* response) override {
    return Run(context, request, response, [this](const auto& caller, const auto& r) {
      return backend_.imports.AddNote(caller, r);
    });
  }
  Unary* ListNotes(Context* context, const v1::ListNotesRequest* request,
                   v1::ListNotesResponse* response) override {
    return Run(context, request, response,
               [this](const auto&, const auto& r) { return backend_.imports.ListNotes(r); });
  }
  Unary* WithdrawImport(Context* context, const v1::WithdrawImportRequest* request,
                        v1::ImportView* response) override {
    return Run(context, request, response, [this](const auto& caller, const auto& r) {
      return backend_.imports.WithdrawImport(caller, r);
    });
  }
  Unary* WithdrawNote(Context* context, const v1::WithdrawNoteRequest* request,
                      v1::NoteView* response) override {
    return Run(context, request, response, [this](const auto& caller, const auto& r) {
      return backend_.imports.WithdrawNote(caller, r);
    });
  }
};

}  // namespace

std::shared_ptr<grpc::Service> MakeImportService(Backend backend) {
  return std::make_shared<ImportServiceImpl>(backend);
}

}  // namespace shakedown::service
