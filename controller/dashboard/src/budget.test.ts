import { create } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { budgetText } from "./budget";
import { JobState, JobViewSchema } from "./gen/shakedown/v1/farm_pb";

const now = new Date(10_000_000);
const job = (budgetS: bigint, starts: bigint[], state = JobState.ACTIVE) =>
  create(JobViewSchema, { state, spec: { budgetS }, boots: [{}, ...starts.map((seconds) => ({ started: { seconds } }))] });

it("tells what is left of a time budget", () => {
  expect(budgetText(job(0n, [1n]), now)).toBe("none");
  expect(budgetText(job(14400n, []), now)).toBe("4 h, none of it spent");
  expect(budgetText(job(14400n, [9000n, 4000n]), now)).toBe("4 h, 2 h 20 min left");
  expect(budgetText(job(60n, [9000n]), now)).toBe("60 s, 0 s left");
  expect(budgetText(job(14400n, [9000n], JobState.DONE), now)).toBe("4 h");
});
