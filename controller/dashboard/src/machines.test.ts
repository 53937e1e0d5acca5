import { create } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { AgentViewSchema, MachineViewSchema } from "./gen/shakedown/v1/farm_pb";
import { firstOf, fitting, secondsLeft } from "./machines";

const agents = [
  create(AgentViewSchema, {
    name: "host1", buildSlots: [{}],
    machines: [{ name: "vm1", tags: ["kvm"], state: "idle" }, { name: "vm2", tags: ["tcg"], state: "held" }, { name: "x1", state: "running", detail: "boots 17.3B" }],
  }),
  create(AgentViewSchema, { name: "laptop", machines: [{ name: "hp", state: "needs_hands" }] }),
];
const found = (word: string) => fitting(agents, word).map(({ name, machines, buildSlots }) => `${name}: ${machines.map((one) => one.name).join(" ")} +${buildSlots.length}`);

it("narrows agents to the machines that fit", () => {
  expect(fitting(agents, " ")).toBe(agents);
  expect(found("VM")).toEqual(["host1: vm1 vm2 +0"]);
  expect(found("kvm")).toEqual(["host1: vm1 +0"]);
  expect(found("held")).toEqual(["host1: vm2 +0"]);
  expect(found("17.3b")).toEqual(["host1: x1 +0"]);
  expect(found("hands")).toEqual(["laptop: hp +0"]);
  expect(found("host")).toEqual(["host1: vm1 vm2 x1 +1"]);
  expect(found("nothing")).toEqual([]);
});

it("shows those first that want somebody", () => {
  const machines = ["idle", "running", "idle", "needs_hands", "held", "unknown", "problem"].map((state, i) => create(MachineViewSchema, { name: `vm${i}`, state }));
  const names = (limit: number) => firstOf(machines, limit).map(({ name }) => name).join(" ");
  expect(names(7)).toBe("vm0 vm1 vm2 vm3 vm4 vm5 vm6");
  expect(names(6)).toBe("vm3 vm5 vm6 vm1 vm0 vm2");
});

it("tells how long a boot takes yet once something is known", () => {
  expect(secondsLeft(0.25, 100)).toBe(300);
  expect([secondsLeft(0.25, undefined), secondsLeft(0, 100), secondsLeft(1, 100), secondsLeft(0.5, -3)]).toEqual([undefined, undefined, undefined, undefined]);
});
