#include <utility>

#include "controller/service/grpc_call.h"
#include "controller/service/services.h"
#include "shakedown/v1/history.grpc.pb.h"

namespace shakedown::service {
namespace {

using Context = grpc::CallbackServerContext;
using Unary = grpc::ServerUnaryReactor;

class HistoryServiceImpl : public v1::HistoryService::CallbackService {
 public:
  explicit HistoryServiceImpl(const Backend& backend) : backend_(backend) {}

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

 private:
  template <typename Request, typename Response, typename Body>
  Unary* Run(Context* context, const Request* request, Response* response, Body body) {
    return RunUnary(backend_, store::Role::kUser, context, request, response, std::move(body));
  }

  const Backend backend_;
};

}  // namespace

std::shared_ptr<grpc::Service> MakeHistoryService(Backend backend) {
  return std::make_shared<HistoryServiceImpl>(backend);
}

}  // namespace shakedown::service
