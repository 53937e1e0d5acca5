#include <algorithm>
#include <cstdint>
#include <vector>

#include "controller/service/export_stream.h"
#include "controller/service/grpc_call.h"
#include "controller/service/notify_api.h"
#include "controller/service/services.h"
#include "db/store/imports.h"
#include "proto/wire/status.h"
#include "shakedown/v1/notify.grpc.pb.h"

namespace shakedown::service {
namespace {

using Context = grpc::CallbackServerContext;
using Unary = grpc::ServerUnaryReactor;

// All numbers, ascending; the store lists newest first, in pages.
absl::StatusOr<std::vector<int64_t>> ImportNumbers(store::Database& database) {
  std::vector<int64_t> numbers;
  v1::ListImportsRequest request;
  request.set_limit(1000);
  do {
    ASSIGN_OR_RETURN(const v1::ListImportsResponse page, store::ListImports(database, request));
    for (const v1::ImportView& import : page.imports()) numbers.push_back(import.import());
    request.set_before(page.next_before());
  } while (request.before() != 0);
  std::reverse(numbers.begin(), numbers.end());
  return numbers;
}

class WholeExport : public ExportStream {
 public:
  WholeExport(const Backend& backend, const v1::ExportRequest& request)
      : ExportStream(backend, request,
                     {.list = [&database = backend.database] { return ImportNumbers(database); },
                      .get = [&database = backend.database](
                                 int64_t import) { return store::GetImport(database, import); }}) {}
};
using ExportCall = SteppedCall<v1::ExportChunk, WholeExport>;

class NotifyServiceImpl : public UserService<v1::NotifyService::CallbackService> {
 public:
  using UserService::UserService;

  Unary* PutSubscription(Context* context, const v1::PutSubscriptionRequest* request,
                         v1::SubscriptionView* response) override {
    return Run(context, request, response, [this](const auto& caller, const auto& r) {
      return backend_.notify.PutSubscription(caller, r);
    });
  }
  Unary* ListSubscriptions(Context* context, const v1::ListSubscriptionsRequest* request,
                           v1::ListSubscriptionsResponse* response) override {
    return Run(context, request, response, [this](const auto& caller, const auto&) {
      return backend_.notify.ListSubscriptions(caller);
    });
  }
  Unary* RemoveSubscription(Context* context, const v1::RemoveSubscriptionRequest* request,
                            v1::RemoveSubscriptionResponse* response) override {
    return Run(context, request, response, [this](const auto& caller, const auto& r) {
      return backend_.notify.RemoveSubscription(caller, r);
    });
  }
  Unary* TestSubscription(Context* context, const v1::RemoveSubscriptionRequest* request,
                          v1::SubscriptionView* response) override {
    return Run(context, request, response, [this](const auto& caller, const auto& r) {
      return backend_.notify.TestSubscription(caller, r);
    });
  }

  grpc::ServerWriteReactor<v1::ExportChunk>* Export(Context* context,
                                                    const v1::ExportRequest* request) override {
    auto* call = new ExportCall(backend_, context, *request);
    call->Begin();
    return call;
  }
};

}  // namespace

std::shared_ptr<grpc::Service> MakeNotifyService(Backend backend) {
  return std::make_shared<NotifyServiceImpl>(backend);
}

}  // namespace shakedown::service
