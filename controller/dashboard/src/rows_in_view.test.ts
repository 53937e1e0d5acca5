import { describe, expect, it } from "vitest";
import { rowsInView } from "./rows_in_view";

describe("rowsInView", () => {
  it("has all rows of a short table", () => {
    expect(rowsInView(0, 480, 32, 5, 10)).toEqual({ first: 0, end: 5, above: 0, below: 0 });
    expect(rowsInView(0, 480, 32, 0, 10)).toEqual({ first: 0, end: 0, above: 0, below: 0 });
  });
  it("has what is seen and the margin, in the midst of many", () => {
    expect(rowsInView(32_000, 480, 32, 100_000, 10)).toEqual({ first: 990, end: 1026, above: 31_680, below: 98_974 * 32 });
  });
  it("ends with the last row, also when the table became shorter", () => {
    expect(rowsInView(3_200_000 - 480, 480, 32, 100_000, 10).end).toBe(100_000);
    expect(rowsInView(3_200_000 - 480, 480, 32, 40, 10)).toEqual({ first: 14, end: 40, above: 448, below: 0 });
  });
  it("takes the same room wherever it is scrolled to", () => {
    for (const top of [-50, 0, 31, 32, 1000, 319_000, 1e9]) {
      const { first, end, above, below } = rowsInView(top, 480, 32, 10_000, 7);
      expect(above + (end - first) * 32 + below).toBe(320_000);
      expect(end - first).toBeLessThanOrEqual(16 + 14);
    }
  });
});
