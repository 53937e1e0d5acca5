import { create } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { LiveTelemetrySchema, SeriesSchema } from "./gen/shakedown/v1/boot_pb";
import { lineText, panelsOf, panelsOfLive } from "./telemetry";

const series = (name: string, unit: string, values: number[], stepMs = 1000) => create(SeriesSchema, { name, unit, values, stepMs });

it("puts what has one source and one unit into one chart", () => {
  const panels = panelsOf([
    series("vmstat.us", "%", [1, 2]), series("vmstat.sy", "%", [3]), series("vmstat.cs", "1", [100, NaN]), series("psi.cpu.some.avg10", "%", [0]),
  ]);
  expect(panels.map(({ title, unit }) => [title, unit])).toEqual([["vmstat", "%"], ["vmstat.cs", "1"], ["psi.cpu.some.avg10", "%"]]);
  expect(panels[0]).toMatchObject({ x: [0, 1], lines: [{ name: "us", values: [1, 2] }, { name: "sy", values: [3, null] }] });
  expect(panels[1]!.lines[0]!.values).toEqual([100, null]);
});

it("splits what has too many lines to tell apart", () => {
  const panels = panelsOf(Array.from({ length: 13 }, (_, i) => series(`cpu.${i}`, "MHz", [i])));
  expect(panels.map(({ lines }) => lines.length)).toEqual([6, 6, 1]);
});

it("says a line in words", () => {
  expect(lineText("cs", [1, null, 3])).toBe("cs: 1 to 3, mean 2");
  expect(lineText("cs", [null])).toBe("cs: no values");
});

it("has the samples of a running load at their own times", () => {
  const live = create(LiveTelemetrySchema, {
    load: 1, atMs: [1000, 2500],
    lines: [
      { name: "vmstat.us", unit: "%", values: [10, NaN] }, { name: "vmstat.sy", unit: "%", values: [1, 2] },
      { name: "thermal.hottest", unit: "C", values: [60, 61] }, { name: "broken", unit: "", values: [1] },
    ],
  });
  const panels = panelsOfLive(live);
  expect(panels.map(({ title, x }) => [title, x])).toEqual([["vmstat", [1, 2.5]], ["thermal.hottest", [1, 2.5]]]);
  expect(panels[0]!.lines).toEqual([{ name: "us", values: [10, null] }, { name: "sy", values: [1, 2] }]);
  expect(panelsOfLive(create(LiveTelemetrySchema, {}))).toEqual([]);
});
