import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { QueueEntrySchema } from "./gen/shakedown/v1/detail_pb";
import { AgentViewSchema, MachineViewSchema } from "./gen/shakedown/v1/farm_pb";
import { MOST_QUEUED, whyIdle } from "./idle";

const machine = create(MachineViewSchema, { name: "vm1", tags: ["vm", "tcg"], state: "idle" });
const agent = create(AgentViewSchema, { name: "host1", buildSlots: [{}] });
const entry = (machines: string[], tags: string[], more = {}) => create(QueueEntrySchema, { job: 7n, machines, tags, queued: 1, ...more });

describe("whyIdle", () => {
  it("says the reason", () => {
    expect(whyIdle(machine, agent, undefined)).toBe("the queue is not known yet");
    expect(whyIdle(machine, agent, [])).toBe("no job is active");
    expect(whyIdle(machine, agent, [entry(["x1"], ["kvm"])])).toBe(
      "no active job may run here: job 7 wants x1 with tag kvm",
    );
    expect(whyIdle(machine, agent, [entry([], ["kvm"]), entry(["vm1"], ["tcg"])])).toContain("job 7 may run here");
    expect(whyIdle(machine, agent, [entry([], [], { queued: 0, waiting: 2, builds: ["mine"] })])).toBe("job 7 may run here, but waits for the build of mine");
    const builds = create(AgentViewSchema, { buildSlots: [{ build: "mine" }] });
    expect(whyIdle(machine, builds, [])).toContain("its host builds mine");
  });
  it("does not speak of jobs that were not looked at", () => {
    const many = Array.from({ length: MOST_QUEUED }, () => entry(["x1"], []));
    expect(whyIdle(machine, agent, many)).toBe("none of the first 200 active jobs may run here, and no more were looked at");
  });
  it("has none for a machine that works", () => {
    expect(whyIdle(create(MachineViewSchema, { state: "running" }), agent, [])).toBe("");
  });
});
