// A session with a guest that answers as a test tells it to.
#ifndef SHAKEDOWN_AGENT_MACHINE_SESSION_TALK_H_
#define SHAKEDOWN_AGENT_MACHINE_SESSION_TALK_H_

#include <optional>
#include <string>

#include "agent/machine/runner_session.h"
#include "gtest/gtest.h"

namespace shakedown::agent {

inline constexpr char kBootId[] = "6a1a4c3e-9d0a-4f6c-8f35-0d5c7d3f1a11";

inline v1::BootOrder AnOrder() {
  v1::BootOrder order;
  order.mutable_expected()->set_release("6.12.43");
  order.mutable_expected()->set_build_id("deadbeef");
  order.add_loads()->mutable_make();
  order.add_loads()->mutable_latt();
  order.set_boot_limit_s(60);
  order.set_run_limit_s(300);
  return order;
}

// A guest that answers as a test tells it to.
class Talk {
 public:
  explicit Talk(v1::BootOrder order = AnOrder())
      : session(order, {"root=/dev/vda"}, absl::Seconds(90)) {
    identity.set_release("6.12.43");
    identity.set_build_id("deadbeef");
    identity.set_command_line("root=/dev/vda");
    identity.set_boot_id(kBootId);
  }

  v1::RunnerRequest Asked() {
    reader.Add(session.TakeOutput());
    v1::RunnerRequest request;
    const std::optional<std::string> payload = reader.Next();
    EXPECT_TRUE(payload.has_value()) << "nothing was asked";
    EXPECT_TRUE(request.ParseFromString(payload.value_or("")));
    last_id = request.id();
    return request;
  }
  void Say(v1::RunnerEvent event) {
    event.set_id(event.has_hello() ? 0 : last_id);
    now += absl::Seconds(1);
    session.Receive(EncodeFrame(event.SerializeAsString()), now);
  }
  void Hello() {
    v1::RunnerEvent event;
    event.mutable_hello()->set_boot_id(kBootId);
    Say(event);
  }
  void Identified() {
    v1::RunnerEvent event;
    *event.mutable_identified()->mutable_identity() = identity;
    auto& facts = *event.mutable_identified()->mutable_fingerprint()->mutable_facts();
    facts["cpu.online"] = "2";
    facts["clocksource"] = clocksource;
    Say(event);
  }
  void Measured(uint32_t load) {
    v1::RunnerEvent event;
    event.mutable_load_run()->set_load(load);
    event.mutable_load_run()->add_measurements()->set_metric("make.real");
    Say(event);
  }
  void Fail(const std::string& error) {
    v1::RunnerEvent event;
    event.mutable_failure()->set_error(error);
    Say(event);
  }
  v1::BootResult Result() {
    v1::BootResult result;
    result.set_outcome(session.end() ? session.end()->outcome : v1::OUTCOME_HUNG);
    session.FillResult(result);
    return result;
  }
  // To where the first load has been asked for.
  void ToFirstLoad() {
    Hello();
    EXPECT_TRUE(Asked().has_identify());
    Identified();
    EXPECT_TRUE(Asked().has_run_load());
  }

  RunnerSession session;
  v1::Identity identity;
  std::string clocksource = "tsc-early";
  FrameReader reader;
  absl::Duration now;
  uint64_t last_id = 0;
};

}  // namespace shakedown::agent

#endif  // SHAKEDOWN_AGENT_MACHINE_SESSION_TALK_H_
