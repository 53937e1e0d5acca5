#include <utility>

#include "controller/service/grpc_call.h"
#include "controller/service/services.h"
#include "shakedown/v1/history.grpc.pb.h"

namespace shakedown::service {
namespace {

using Context = grpc::CallbackServerContext;
using Unary = grpc::ServerUnaryReactor;

class HistoryServiceImpl : public UserService<v1::HistoryService::CallbackService> {
 public:
  using UserService::UserService;

  Unary* ListSeries(Context* context, const v1::ListSeriesRequest* request,
                    v1::ListSeriesResponse* response) override {
    return Run(context, request, response,
               [this](const auto&, const auto& r) { return backend_.history.ListSeries(r); });
  }
  Unary* GetHistory(Context* context, const v1::GetHistoryRequest* request,
                    v1::GetHistoryResponse* response) override {
    return Run(context, request, response,
               [this](const auto&, const auto& r) { return backend_.history.GetHistory(r); });
  }
  Unary* ListRegressions(Context* context, const v1::ListRegressionsRequest* request,
                         v1::ListRegressionsResponse* response) override {
    return Run(context, request, response,
               [this](const auto&, const auto& r) { return backend_.history.ListRegressions(r); });
  }
  Unary* GetRegression(Context* context, const v1::GetRegressionRequest* request,
                       v1::RegressionView* response) override {
    return Run(context, request, response,
               [this](const auto&, const auto& r) { return backend_.history.GetRegression(r); });
  }
  Unary* SetRegression(Context* context, const v1::SetRegressionRequest* request,
                       v1::RegressionView* response) override {
    return Run(context, request, response, [this](const auto& caller, const auto& r) {
      return backend_.history.SetRegression(caller, r);
    });
  }
};

}  // namespace

std::shared_ptr<grpc::Service> MakeHistoryService(Backend backend) {
  return std::make_shared<HistoryServiceImpl>(backend);
}

}  // namespace shakedown::service
