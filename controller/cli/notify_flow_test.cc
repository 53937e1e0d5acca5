#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "controller/cli/exit_code.h"
#include "controller/cli/service_flow_testing.h"
#include "shakedown/v1/notify.grpc.pb.h"

namespace shakedown::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class FakeNotify : public v1::NotifyService::Service {
 public:
  v1::PutSubscriptionRequest put;
  v1::SubscriptionView view;
  std::string named;
  v1::ExportRequest exported;
  std::vector<std::string> pieces;

 private:
  grpc::Status PutSubscription(grpc::ServerContext*, const v1::PutSubscriptionRequest* request,
                               v1::SubscriptionView* response) override {
    put = *request;
    response->set_name(request->name());
    *response->mutable_events() = request->events();
    response->set_webhook(request->webhook());
    return grpc::Status::OK;
  }
  grpc::Status ListSubscriptions(grpc::ServerContext*, const v1::ListSubscriptionsRequest*,
                                 v1::ListSubscriptionsResponse* response) override {
    if (!view.name().empty()) *response->add_subscriptions() = view;
    return grpc::Status::OK;
  }
  grpc::Status RemoveSubscription(grpc::ServerContext*,
                                  const v1::RemoveSubscriptionRequest* request,
                                  v1::RemoveSubscriptionResponse*) override {
    named = request->name();
    return grpc::Status::OK;
  }
  grpc::Status TestSubscription(grpc::ServerContext*, const v1::RemoveSubscriptionRequest* request,
                                v1::SubscriptionView* response) override {
    named = request->name();
    *response = view;
    return grpc::Status::OK;
  }
  grpc::Status Export(grpc::ServerContext*, const v1::ExportRequest* request,
                      grpc::ServerWriter<v1::ExportChunk>* writer) override {
    exported = *request;
    for (const std::string& piece : pieces) {
      v1::ExportChunk chunk;
      chunk.set_data(piece);
      writer->Write(chunk);
    }
    if (pieces.empty()) return {grpc::StatusCode::NOT_FOUND, "job 99: no such job"};
    return grpc::Status::OK;
  }
};
using NotifyFlowTest = ServiceFlowTest<FakeNotify>;

TEST_F(NotifyFlowTest, Subscribes) {
  ASSERT_TRUE(WriteFileAtomically(folder_ + "/secret", "0123456789abcdef\n", 0600).ok());
  EXPECT_EQ(Run({"notify", "add", "phone", "--event", "job_end", "--event", "machine_sick",
                 "--webhook", "https://example.org/", "--filter", "machine=x1", "--filter", "by=*",
                 "--secret-file", folder_ + "/secret"}),
            kOk)
      << err_;
  EXPECT_THAT(service_.put.events(), ElementsAre("job_end", "machine_sick"));
  EXPECT_EQ(service_.put.filter(), "machine=x1 by=*");
  EXPECT_EQ(service_.put.secret(), "0123456789abcdef") << "without the line end";
  EXPECT_THAT(out_, HasSubstr("Subscription phone: job_end, machine_sick to https://example.org/"));
  EXPECT_THAT(out_ + err_, Not(HasSubstr("0123456789")));
}

TEST_F(NotifyFlowTest, ListsTestsAndRemoves) {
  EXPECT_EQ(Run({"notify", "list"}), kOk);
  EXPECT_THAT(err_, HasSubstr("you are told of nothing"));
  service_.view.set_name("phone");
  service_.view.set_email("ada@example.org");
  service_.view.set_last_error("no\x1b[31m route");
  EXPECT_EQ(Run({"notify", "list"}), kOk);
  EXPECT_THAT(out_, HasSubstr("ada@example.org"));
  EXPECT_THAT(out_, Not(HasSubstr("\x1b")));
  EXPECT_EQ(Run({"notify", "test", "phone"}), kOk);
  EXPECT_EQ(service_.named, "phone");
  EXPECT_EQ(Run({"notify", "remove", "mail"}), kOk);
  EXPECT_EQ(service_.named, "mail");
}

TEST_F(NotifyFlowTest, ExportsByteForByte) {
  service_.pieces = {"{\"a\":\"\xc3\xa4\"}\n", "{\"b\":2}\n"};
  EXPECT_EQ(Run({"export", "--format", "json", "--job", "17", "--job", "18", "--imports"}), kOk)
      << err_;
  EXPECT_EQ(out_, "{\"a\":\"\xc3\xa4\"}\n{\"b\":2}\n");
  EXPECT_THAT(service_.exported.jobs(), ElementsAre(17, 18));
  EXPECT_TRUE(service_.exported.imports());
  EXPECT_EQ(Run({"export", "--format", "csv", "--since", "2026-11-30T00:00:00Z"}), kOk) << err_;
  EXPECT_EQ(service_.exported.since().seconds(), 1795996800);
  EXPECT_FALSE(service_.exported.has_until());
}

TEST_F(NotifyFlowTest, RefusesWrongUsage) {
  EXPECT_EQ(Run({"export", "--format", "xml"}), kUsage);
  EXPECT_EQ(Run({"export"}), kUsage);
  EXPECT_EQ(Run({"export", "--format", "csv", "--since", "yesterday"}), kUsage);
  EXPECT_EQ(Run({"export", "--format", "csv", "--since", "2026-11-30", "--job", "1"}), kUsage);
  EXPECT_EQ(Run({"export", "--format", "csv", "--job", "99"}), kUsage);
  EXPECT_THAT(err_, HasSubstr("job 99: no such job"));
  EXPECT_EQ(Run({"notify"}), kUsage);
  EXPECT_EQ(Run({"notify", "add", "phone"}), kUsage);
}

}  // namespace
}  // namespace shakedown::cli
