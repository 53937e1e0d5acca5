import { create } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { HistorySeriesSchema } from "./gen/shakedown/v1/history_pb";
import { changeTexts, chartOf, inRange, keyText, rangeOf, shownOf } from "./series";

const series = create(HistorySeriesSchema, {
  key: { metric: "make.real", machine: "x1", loads: "make jobs=4", configClass: "debian" }, unit: "s", better: "lower",
  points: [
    { kernel: "debian-6.1", version: "6.1", epoch: 1, median: 10, mad: 0.1, boots: 8 },
    { kernel: "debian-6.5", version: "6.5", epoch: 1, median: 10.1, boots: 1 },
    { kernel: "debian-6.9", version: "6.9", epoch: 2, median: 11, mad: 0.2, boots: 8 },
    { kernel: "debian-6.12", version: "6.12", epoch: 2, boots: 0, failed: 3 },
  ],
  changes: [{ index: 2, beforeMedian: 10, afterMedian: 11, level: "alarm", magnitude: 0.1 }],
});

it("draws points in their order, gaps where nothing was measured, marks where something changed", () => {
  const chart = chartOf(series);
  expect(chart.medians).toEqual([10, 10.1, 11, null]);
  expect(chart.low).toEqual([9.9, null, 10.8, null]);
  expect(chart.marks).toEqual([{ at: 1.5, tone: "quiet" }, { at: 1.5, tone: "bad" }]);
  expect(chartOf({ ...series, better: "higher" }).marks[1]!.tone).toBe("good");
});

it("says what changed", () => {
  expect(changeTexts(series)).toEqual(["alarm: changed by 10.0 % from debian-6.9 (6.9) on"]);
  expect(keyText(series)).toBe("make.real, on x1, make jobs=4, debian");
});

it("keeps a zoom in the address and takes no nonsense from it", () => {
  expect(rangeOf("1_2.5", 4)).toEqual([1, 2.5]);
  for (const text of [null, "", "x", "2_1", "9_12", "1_", "1e9_2"]) expect(rangeOf(text, 4)).toBeUndefined();
  expect(shownOf(undefined, 2)).toEqual([-0.4, 1.4]);
  expect(shownOf([0, 1], 2)).toEqual([0, 1]);
  for (const points of [0, 1, 13]) expect(shownOf(undefined, points)).toBeUndefined();
  expect(inRange(series.points, [1, 2]).map(({ index }) => index)).toEqual([1, 2]);
  expect(inRange(series.points, undefined).length).toBe(4);
});
