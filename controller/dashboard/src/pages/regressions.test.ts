import { expect, it, vi } from "vitest";
import { RegressionState } from "../gen/shakedown/v1/history_pb";

// The page's address, which the client of the API is made with.
vi.stubGlobal("location", { origin: "http://127.0.0.1" });
const { nameOf } = await import("./regressions");

it("calls a regression only what a paired job has confirmed", () => {
  const name = (state: RegressionState, confirmed: boolean, improvement = false) => nameOf({ state, confirmed, improvement });
  expect(name(RegressionState.SUSPECTED, false)).toBe("Suspected change");
  expect(name(RegressionState.CONFIRMING, false, true)).toBe("Suspected change");
  expect(name(RegressionState.REFUTED, false)).toBe("Suspected change");
  expect(name(RegressionState.CONFIRMED, true)).toBe("Regression");
  expect(name(RegressionState.FIXED, true)).toBe("Regression");
  expect(name(RegressionState.CONFIRMED, true, true)).toBe("Improvement");
});
