import { create } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { HistorySeriesSchema } from "./gen/shakedown/v1/history_pb";
import { importedCells, notedOf, sourcesOf } from "./imported";
import { chartOf, keyText } from "./series";

const series = create(HistorySeriesSchema, {
  imported: true, key: { metric: "interbench.video.burn.latency.max", machine: "p4-ht" }, unit: "ms", better: "lower", machineNotes: 1,
  points: [
    { kernel: "2.6.35", median: 50, runs: 1, imports: [{ import: 8n, format: "interbench", source: "linux-kernel, 2010-08-08", shipped: true }] },
    {
      kernel: "2.6.35-ck1 rr_interval=6", median: 40, mad: 2, runs: 3, starred: true, notes: 2,
      imports: [{ import: 9n, format: "interbench", source: "a mail" }, { import: 10n, format: "interbench", source: "a mail" }, { import: 11n, format: "latt" }],
    },
    { kernel: "2.6.35-ck1 rr_interval=9", median: 41, runs: 1, notes: 2 },
  ],
});

it("tells of each point its runs and where it is from", () => {
  expect(importedCells(series)(series.points[0]!)).toEqual(["2.6.35", "1", "50 ms", "–", "published: linux-kernel, 2010-08-08"]);
  expect(importedCells(series)(series.points[1]!)).toEqual(["2.6.35-ck1 rr_interval=6", "3", "40 ms *", "2", "interbench: a mail; latt"]);
  expect(sourcesOf(series.points[2]!)).toEqual([]);
});

it("draws what has no boots", () => {
  const chart = chartOf(series);
  expect(chart.medians).toEqual([50, 40, 41]);
  expect(chart.low).toEqual([null, 38, null]);
  expect(chart.marks).toEqual([]);
  expect(keyText(series)).toBe("interbench.video.burn.latency.max, on p4-ht");
});

it("names a kernel with notes once, whatever its tunables, and the machine", () => {
  expect(notedOf(series)).toEqual([
    { subject: "kernel:2.6.35-ck1", name: "2.6.35-ck1", notes: 2 }, { subject: "machine:p4-ht", name: "p4-ht", notes: 1 },
  ]);
  expect(notedOf(create(HistorySeriesSchema, { points: [{ kernel: "a" }] }))).toEqual([]);
});
