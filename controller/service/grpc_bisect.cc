#include "controller/service/bisect_api.h"
#include "controller/service/grpc_call.h"
#include "controller/service/services.h"
#include "shakedown/v1/bisect.grpc.pb.h"

namespace shakedown::service {
namespace {

using Context = grpc::CallbackServerContext;
using Unary = grpc::ServerUnaryReactor;

class BisectServiceImpl : public UserService<v1::BisectService::CallbackService> {
 public:
  using UserService::UserService;

  Unary* StartBisect(Context* context, const v1::StartBisectRequest* request,
                     v1::BisectView* response) override {
    return Run(context, request, response, [this](const auto& caller, const auto& r) {
      return backend_.bisects.StartBisect(caller, r);
    });
  }
  Unary* PlanBisect(Context* context, const v1::StartBisectRequest* request,
                    v1::BisectPlan* response) override {
    return Run(context, request, response,
               [this](const auto&, const auto& r) { return backend_.bisects.PlanBisect(r); });
  }
  Unary* GetBisect(Context* context, const v1::GetBisectRequest* request,
                   v1::BisectView* response) override {
    return Run(context, request, response, [this](const auto&, const auto& r) {
      return backend_.bisects.GetBisect(r.bisect());
    });
  }
  Unary* ListBisects(Context* context, const v1::ListBisectsRequest* request,
                     v1::ListBisectsResponse* response) override {
    return Run(context, request, response,
               [this](const auto&, const auto& r) { return backend_.bisects.ListBisects(r); });
  }
  Unary* CancelBisect(Context* context, const v1::GetBisectRequest* request,
                      v1::BisectView* response) override {
    return Run(context, request, response, [this](const auto& caller, const auto& r) {
      return backend_.bisects.CancelBisect(caller, r.bisect());
    });
  }
};

}  // namespace

std::shared_ptr<grpc::Service> MakeBisectService(Backend backend) {
  return std::make_shared<BisectServiceImpl>(backend);
}

}  // namespace shakedown::service
