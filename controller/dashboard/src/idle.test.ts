import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { AgentViewSchema, JobState, JobViewSchema, MachineViewSchema } from "./gen/shakedown/v1/farm_pb";
import { whyIdle } from "./idle";

const machine = create(MachineViewSchema, { name: "vm1", tags: ["vm", "tcg"], state: "idle" });
const agent = create(AgentViewSchema, { name: "host1", buildSlots: [{}] });
const job = (names: string[], tags: string[], state = JobState.ACTIVE) =>
  create(JobViewSchema, { job: 7n, state, spec: { machines: { names, tags } } });

describe("whyIdle", () => {
  it("says the reason", () => {
    expect(whyIdle(machine, agent, [])).toBe("no job is active");
    expect(whyIdle(machine, agent, [job([], [], JobState.DONE)])).toBe("no job is active");
    expect(whyIdle(machine, agent, [job(["x1"], ["kvm"])])).toBe(
      "no active job may run here: job 7 wants x1 with tag kvm",
    );
    expect(whyIdle(machine, agent, [job([], ["kvm"]), job(["vm1"], ["tcg"])])).toContain("job 7 may run here");
    const builds = create(AgentViewSchema, { buildSlots: [{ build: "mine" }] });
    expect(whyIdle(machine, builds, [])).toContain("its host builds mine");
  });
  it("has none for a machine that works", () => {
    expect(whyIdle(create(MachineViewSchema, { state: "running" }), agent, [])).toBe("");
  });
});
