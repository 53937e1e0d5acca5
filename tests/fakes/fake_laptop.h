// A laptop without hardware: shakedown-laptop's verbs over its socket, a runner behind OpenRunner,
// and a transaction that outlives the agents of a test as the real one outlives reboots.
#ifndef SHAKEDOWN_TESTS_FAKES_FAKE_LAPTOP_H_
#define SHAKEDOWN_TESTS_FAKES_FAKE_LAPTOP_H_

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "proto/wire/descriptor.h"
#include "shakedown/v1/laptop.pb.h"
#include "shakedown/v1/runner.pb.h"

namespace shakedown::fakes {

// What the laptop knows and does. The test reads and changes it inside With() and WaitUntil().
struct LaptopBook {
  v1::BootStage stage = v1::BOOT_STAGE_NONE;
  v1::InstallBoot installed;
  bool runner_was_open = false;
  bool going_home = false;               // IN_TEST: Restore has been asked.
  std::optional<v1::BootResult> result;  // Kept; the first one counts.
  std::string problem, hands;
  std::map<std::string, std::string> facts;
  // By verb ("install", "reboot", "open", "keep", "collect", "restore"): answered with this, and
  // nothing is done.
  std::map<std::string, absl::Status> refusals;
  bool stuck_reboot = false;           // RebootIntoTest is answered with OK and nothing happens.
  std::string garbage;                 // Sent in the place of every reply; empty: none.
  std::optional<v1::BootResult> fate;  // What becomes of the next reboot into the test kernel.
  std::vector<std::string> verbs;      // All that was asked, status aside.
  std::map<std::string, int> loads;    // Runs of loads by attempt_id.
};

// Thread-safe.
class FakeLaptop {
 public:
  explicit FakeLaptop(std::string socket);
  ~FakeLaptop();

  const std::string& socket() const { return socket_; }
  // The daemon ends, and starts again. Starts running.
  void GoAway();
  void ComeBack();
  // What was asked for happens: LEAVING → IN_TEST, or RETURNED with `fate`; IN_TEST → RETURNED.
  void Reboot();
  void With(const std::function<void(LaptopBook&)>& change);
  // False when it did not become true within 20 s.
  bool WaitUntil(const std::function<bool(const LaptopBook&)>& wanted);

  // Called with each verb that is not status, and "load" for each load the runner is asked for,
  // before it is answered, in a thread of the laptop's. False: the connection is closed instead.
  void Before(std::function<bool(absl::string_view verb)> before);
  // Likewise, when it is answered. May be called once more while it is being replaced.
  void After(std::function<void(absl::string_view verb)> after);

 private:
  void Serve(Descriptor connection);
  bool MayAnswer(absl::string_view verb);
  void Answered(absl::string_view verb);
  v1::LaptopReply Answer(const v1::LaptopRequest& request, const std::string& verb);
  absl::Status Do(const v1::LaptopRequest& request, const std::string& verb,
                  v1::LaptopReply& reply);
  void RunRunner(int fd);
  bool AnswerRunner(int fd, const v1::RunnerRequest& request, const v1::BootOrder& order);

  const std::string socket_;
  std::mutex mutex_;
  std::condition_variable changed_;
  LaptopBook book_;
  std::function<bool(absl::string_view)> before_;
  std::function<void(absl::string_view)> after_;
  std::atomic<bool> away_ = true;
  std::thread listener_;
};

}  // namespace shakedown::fakes

#endif  // SHAKEDOWN_TESTS_FAKES_FAKE_LAPTOP_H_
