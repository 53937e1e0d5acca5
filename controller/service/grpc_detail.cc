// DetailService over gRPC.
#include "controller/service/grpc_call.h"
#include "controller/service/services.h"
#include "shakedown/v1/detail.grpc.pb.h"

namespace shakedown::service {
namespace {

using Context = grpc::CallbackServerContext;
using Unary = grpc::ServerUnaryReactor;

class DetailServiceImpl : public UserService<v1::DetailService::CallbackService> {
 public:
  using UserService::UserService;

  Unary* GetBoot(Context* context, const v1::GetBootRequest* request,
                 v1::GetBootResponse* response) override {
    return Run(context, request, response,
               [this](const auto&, const auto& r) { return backend_.detail.GetBoot(r); });
  }
  Unary* Explain(Context* context, const v1::ExplainRequest* request,
                 v1::ExplainResponse* response) override {
    return Run(context, request, response,
               [this](const auto&, const auto& r) { return backend_.detail.Explain(r); });
  }
  Unary* ListQueue(Context* context, const v1::ListQueueRequest* request,
                   v1::ListQueueResponse* response) override {
    return Run(context, request, response,
               [this](const auto&, const auto& r) { return backend_.detail.ListQueue(r); });
  }
};

}  // namespace

std::shared_ptr<grpc::Service> MakeDetailService(Backend backend) {
  return std::make_shared<DetailServiceImpl>(backend);
}

}  // namespace shakedown::service
