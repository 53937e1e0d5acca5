#include "controller/service/grpc_call.h"
#include "controller/service/services.h"
#include "shakedown/v1/history.grpc.pb.h"

namespace shakedown::service {
namespace {

class HistoryServiceImpl : public v1::HistoryService::CallbackService {
 public:
  explicit HistoryServiceImpl(const Backend& backend) : backend_(backend) {}

 private:
  const Backend backend_;
};

}  // namespace

std::shared_ptr<grpc::Service> MakeHistoryService(Backend backend) {
  return std::make_shared<HistoryServiceImpl>(backend);
}

}  // namespace shakedown::service
