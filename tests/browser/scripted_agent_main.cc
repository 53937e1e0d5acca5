// An agent that does what it is told: one order a line on stdin, one answer a line on stdout.
//   scripted-agent SERVER TOKEN_FILE NAME MACHINE…
//
//   sync                    takes what the farm gives; answers with the boots and builds in hand
//   progress PART PHASE…    says so of every boot and build in hand
//   live SECONDS            says what the load of the first boot in hand was like in its first
//   SECONDS build                   ends the builds in hand, built fail-build ERROR…       ends the
//   builds in hand, failed log FILE                appends the file's bytes to the console of the
//   first boot in hand boot OUTCOME [REASON…]  ends the first boot in hand ("MEASURED", "PANICKED",
//   …) rich FACTOR             ends it measured, with all that a real machine reports, FACTOR times
//   as slow
#include <cstdio>
#include <iostream>
#include <string>
#include <tuple>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "proto/wire/files.h"
#include "proto/wire/sanitise.h"
#include "proto/wire/status.h"
#include "tests/fakes/rich_result.h"
#include "tests/fakes/scripted_agent.h"

namespace shakedown::fakes {
namespace {

// What stands before the first blank; the rest stays in `text`.
std::string TakeWord(std::string& text) {
  const size_t blank = text.find(' ');
  std::string word = text.substr(0, blank);
  text = blank == std::string::npos ? "" : text.substr(blank + 1);
  return word;
}

class Told {
 public:
  explicit Told(ScriptedAgent& agent) : agent_(agent) {}

  absl::StatusOr<std::string> Do(std::string line) {
    const std::string verb = TakeWord(line);
    if (verb == "sync") {
      RETURN_IF_ERROR(agent_.Sync().status());
    } else if (verb == "progress") {
      RETURN_IF_ERROR(Progress(line));
    } else if (verb == "live") {
      RETURN_IF_ERROR(Live(line));
    } else if (verb == "build") {
      RETURN_IF_ERROR(agent_.DoBuilds());
    } else if (verb == "fail-build") {
      RETURN_IF_ERROR(FailBuilds(line));
    } else if (verb == "log") {
      RETURN_IF_ERROR(Log(line));
    } else if (verb == "rich") {
      RETURN_IF_ERROR(EndRich(line));
    } else if (verb == "boot") {
      RETURN_IF_ERROR(EndBoot(line));
    } else {
      return absl::InvalidArgumentError(absl::StrCat("no such order: ", verb));
    }
    return InHand();
  }

 private:
  std::string InHand() const {
    std::string out = "ok";
    for (const auto& [machine, order] : agent_.boots()) absl::StrAppend(&out, " ", order.name());
    for (const auto& [id, order] : agent_.builds()) absl::StrAppend(&out, " build:", id);
    return out;
  }

  absl::Status Progress(std::string line) {
    float part = 0;
    if (!absl::SimpleAtof(TakeWord(line), &part)) return absl::InvalidArgumentError("progress");
    v1::SyncRequest request = agent_.Request(0);
    for (v1::MachineStatus& machine : *request.mutable_machines()) {
      if (machine.attempt_id().empty()) continue;
      machine.set_phase(line);
      machine.set_progress(part);
    }
    for (v1::BuildSlotStatus& slot : *request.mutable_build_slots()) {
      if (slot.build_id().empty()) continue;
      slot.set_phase(line);
      slot.set_progress(part);
    }
    return agent_.RawSync(request).status();
  }

  absl::Status Live(const std::string& seconds) {
    uint32_t length = 0;
    if (!absl::SimpleAtoi(seconds, &length)) return absl::InvalidArgumentError("seconds");
    v1::SyncRequest request = agent_.Request(0);
    for (v1::MachineStatus& machine : *request.mutable_machines()) {
      if (machine.attempt_id().empty()) continue;
      machine.set_phase("make 1/1");
      v1::LiveTelemetry& live = *machine.mutable_live();
      for (uint32_t i = 1; i <= length; ++i) live.add_at_ms(1000 * i);
      for (const auto& [name, unit, base] : {std::tuple("vmstat.us", "%", 40.0f),
                                             {"vmstat.sy", "%", 10.0f},
                                             {"psi.cpu.some.avg10", "%", 25.0f},
                                             {"cpu.freq", "MHz", 2400.0f},
                                             {"thermal.hottest", "C", 61.0f}}) {
        v1::LiveTelemetry::Line& added = *live.add_lines();
        added.set_name(name);
        added.set_unit(unit);
        for (uint32_t i = 0; i < length; ++i) {
          added.add_values(base * (1 + 0.01f * static_cast<float>(i % 7)));
        }
      }
      break;
    }
    return agent_.RawSync(request).status();
  }

  absl::Status FailBuilds(const std::string& error) {
    agent_.on_build = [&](const v1::BuildOrder& order) {
      v1::BuildResult result;
      result.set_build_id(order.build_id());
      result.set_epoch(order.epoch());
      result.set_status(v1::BuildResult::STATUS_FAILED);
      result.set_error(error);
      return result;
    };
    const absl::Status done = agent_.DoBuilds();
    agent_.on_build = [this](const v1::BuildOrder& order) { return agent_.Built(order); };
    return done;
  }

  absl::StatusOr<v1::BootOrder> First() const {
    if (agent_.boots().empty()) return absl::NotFoundError("no boot in hand");
    return agent_.boots().begin()->second;
  }

  absl::Status Log(const std::string& file) {
    ASSIGN_OR_RETURN(const v1::BootOrder order, First());
    ASSIGN_OR_RETURN(const std::string bytes, ReadFile(file));
    ASSIGN_OR_RETURN(uint64_t at, agent_.AppendLog(order.attempt_id(), order.epoch(), 0, ""));
    constexpr size_t kPiece = 256 << 10;
    for (size_t from = 0; from < bytes.size(); from += kPiece) {
      ASSIGN_OR_RETURN(
          at, agent_.AppendLog(order.attempt_id(), order.epoch(), at, bytes.substr(from, kPiece)));
    }
    return absl::OkStatus();
  }

  absl::Status EndBoot(std::string line) {
    ASSIGN_OR_RETURN(const v1::BootOrder order, First());
    v1::Outcome outcome;
    if (!v1::Outcome_Parse(absl::StrCat("OUTCOME_", TakeWord(line)), &outcome)) {
      return absl::InvalidArgumentError("outcome");
    }
    // Some spread, so that a report has something to say.
    const double value = 20 + 0.1 * static_cast<double>(++ended_ % 7);
    const v1::BootResult result = outcome == v1::OUTCOME_MEASURED
                                      ? ScriptedAgent::Measured(order, value)
                                      : ScriptedAgent::Ended(order, outcome, line);
    RETURN_IF_ERROR(agent_.ReportBoot(result));
    agent_.Forget(order.machine());
    return absl::OkStatus();
  }

  absl::Status EndRich(std::string line) {
    ASSIGN_OR_RETURN(const v1::BootOrder order, First());
    double factor = 0;
    if (!absl::SimpleAtod(TakeWord(line), &factor)) return absl::InvalidArgumentError("factor");
    RETURN_IF_ERROR(agent_.ReportBoot(RichResult(order, factor, static_cast<uint64_t>(++ended_))));
    agent_.Forget(order.machine());
    return absl::OkStatus();
  }

  ScriptedAgent& agent_;
  int ended_ = 0;
};

int Main(int argc, char** argv) {
  if (argc < 5) {
    std::fprintf(stderr, "usage: scripted-agent SERVER TOKEN_FILE NAME MACHINE…\n");
    return 64;
  }
  const absl::StatusOr<std::string> token = ReadFile(argv[2], 4096);
  if (!token.ok()) {
    std::fprintf(stderr, "scripted-agent: %s\n", std::string(token.status().message()).c_str());
    return 1;
  }
  ScriptedAgent agent({.server = argv[1],
                       .token = std::string(absl::StripAsciiWhitespace(*token)),
                       .name = argv[3],
                       .machines = {argv + 4, argv + argc}});
  Told told(agent);
  for (std::string line; std::getline(std::cin, line);) {
    const absl::StatusOr<std::string> answer = told.Do(line);
    std::cout << (answer.ok() ? *answer
                              : absl::StrCat("error ", PrintableLine(answer.status().message())))
              << std::endl;
  }
  return 0;
}

}  // namespace
}  // namespace shakedown::fakes

int main(int argc, char** argv) { return shakedown::fakes::Main(argc, argv); }
