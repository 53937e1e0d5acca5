#include "controller/scheduler/explain_queue.h"

#include <gtest/gtest.h>

namespace shakedown::scheduler {
namespace {

v1::MachineView Machine(const std::string& name, const std::string& state,
                        const std::string& detail = "") {
  v1::MachineView machine;
  machine.set_name(name);
  machine.set_state(state);
  machine.set_detail(detail);
  machine.add_tags("vm");
  return machine;
}

v1::QueueEntry Job(int64_t job, uint32_t running, uint32_t queued, uint64_t remaining_s) {
  v1::QueueEntry entry;
  entry.set_job(job);
  entry.set_running(running);
  entry.set_queued(queued);
  entry.set_remaining_s(remaining_s);
  return entry;
}

TEST(ExplainQueue, WhatRunsHasNoReasonAndTheNextStartsAfterIt) {
  std::vector<v1::QueueEntry> entries = {Job(1, 1, 3, 400), Job(2, 0, 2, 100), Job(3, 0, 1, 50)};
  ExplainQueue({Machine("vm1", "running", "boots 1.1A")}, entries);
  EXPECT_EQ(entries[0].reason(), "");
  EXPECT_EQ(entries[0].starts_in_s(), 0u);
  EXPECT_EQ(entries[1].reason(), "vm1 is busy: boots 1.1A");
  EXPECT_EQ(entries[1].starts_in_s(), 400u);
  EXPECT_EQ(entries[2].starts_in_s(), 500u);
}

TEST(ExplainQueue, TwoMachinesShareAJobAndAJobForOneWaitsForThatOne) {
  std::vector<v1::QueueEntry> entries = {Job(1, 2, 2, 400), Job(2, 0, 2, 100)};
  entries[1].add_machines("vm2");
  ExplainQueue({Machine("vm1", "running"), Machine("vm2", "running", "boots 1.1B")}, entries);
  EXPECT_EQ(entries[1].starts_in_s(), 200u);
  EXPECT_EQ(entries[1].reason(), "vm2 is busy: boots 1.1B");
}

TEST(ExplainQueue, SaysWhatIsMissing) {
  std::vector<v1::QueueEntry> entries = {Job(1, 0, 2, 0), Job(2, 0, 2, 0), Job(3, 0, 2, 0),
                                         Job(4, 0, 0, 0), Job(5, 0, 1, 0)};
  entries[0].add_machines("x1");
  entries[0].add_tags("laptop");
  entries[1].add_machines("vm9");
  entries[2].add_builds("debian-6.12");
  ExplainQueue({Machine("vm1", "idle"), Machine("vm9", "offline", "last seen 3 h ago")}, entries);
  EXPECT_EQ(entries[0].reason(), "the farm has no such machine: wants machine x1 with laptop");
  EXPECT_EQ(entries[1].reason(), "vm9 is offline: last seen 3 h ago");
  EXPECT_EQ(entries[2].reason(), "waits for the build of debian-6.12");
  EXPECT_EQ(entries[3].reason(), "its blocks are being judged");
  EXPECT_EQ(entries[4].reason(), "vm1 is about to take it");
}

}  // namespace
}  // namespace shakedown::scheduler
