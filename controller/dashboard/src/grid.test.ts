import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { Outcome } from "./gen/shakedown/v1/boot_pb";
import { JobViewSchema, WorkState } from "./gen/shakedown/v1/farm_pb";
import { countLooks, letter, makeGrid, orderText, partDone } from "./grid";

function job() {
  return create(JobViewSchema, {
    spec: { variants: [{ kernel: "a" }, { kernel: "b" }] },
    plan: { blocks: [{ block: 1, variants: [0, 1] }, { block: 2, variants: [1, 0] }] },
    boots: [
      { name: "1.1A", block: 1, variant: 0, attempt: 1, state: WorkState.ENDED, outcome: Outcome.FARM_FAILED },
      { name: "1.1A.2", block: 1, variant: 0, attempt: 2, state: WorkState.ENDED, outcome: Outcome.MEASURED },
      { name: "1.1B", block: 1, variant: 1, attempt: 1, state: WorkState.RUNNING },
      { name: "1.2B", block: 2, variant: 1, attempt: 1, state: WorkState.QUEUED },
      { name: "1.9Z", block: 9, variant: 25, attempt: 1, state: WorkState.QUEUED },
    ],
  });
}

describe("makeGrid", () => {
  it("puts the latest attempt into its cell", () => {
    const grid = makeGrid(job());
    expect(grid.blocks).toEqual([1, 2, 9]);
    expect(grid.rows.map((row) => row.map((cell) => cell?.latest.name))).toEqual([
      ["1.1A.2", undefined, undefined],
      ["1.1B", "1.2B", undefined],
    ]);
    expect(grid.rows[0]![0]!.attempts).toBe(2);
    expect(grid.rows[0]![0]!.look.word).toBe("measured");
  });
  it("takes attempts in any order", () => {
    const turned = job();
    turned.boots.reverse();
    expect(makeGrid(turned).rows[0]![0]!.latest.name).toBe("1.1A.2");
  });
  it("takes a job without boots", () => {
    expect(makeGrid(create(JobViewSchema, {}))).toEqual({ blocks: [], rows: [] });
  });
});

describe("words of a plan", () => {
  it("letters and order", () => {
    expect([letter(0), letter(25)]).toEqual(["A", "Z"]);
    expect(orderText(job().plan)).toBe("AB BA");
  });
  it("counts, most first", () => {
    const counts = countLooks(job().boots).map(({ look, n }) => `${n} ${look.word}`);
    expect(counts[0]).toBe("2 queued");
    expect(counts).toContain("1 farm failed");
    expect(counts).toHaveLength(4);
  });
});

describe("partDone", () => {
  it("counts what has ended, and not what was cancelled", () => {
    expect(partDone(job().boots)).toBe(0.4);
    expect(partDone([])).toBe(0);
    const cancelled = job().boots.map((boot) => ({ ...boot, state: boot.state === WorkState.RUNNING ? boot.state : WorkState.ENDED }))
      .map((boot) => ({ ...boot, outcome: boot.state === WorkState.ENDED ? Outcome.CANCELLED : boot.outcome }));
    expect(partDone(cancelled)).toBe(0);
  });
});
