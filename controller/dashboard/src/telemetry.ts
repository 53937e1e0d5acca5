// Series of a load run as charts: what has one unit and one source goes together. Pure.
import { create } from "@bufbuild/protobuf";
import { type LiveTelemetry, type Series, SeriesSchema } from "./gen/shakedown/v1/boot_pb";

export interface Panel {
  title: string;
  unit: string;
  x: number[]; // Seconds since the load's start.
  lines: { name: string; values: (number | null)[] }[];
}

const MOST_LINES = 6;

export function panelsOf(all: Series[]): Panel[] {
  const groups = new Map<string, Series[]>();
  for (const series of all) {
    const source = series.name.split(".")[0]!;
    const key = `${source}\u0000${series.unit}\u0000${series.stepMs}`;
    groups.set(key, [...(groups.get(key) ?? []), series]);
  }
  return [...groups.values()].flatMap((group) => {
    const panels: Panel[] = [];
    for (let from = 0; from < group.length; from += MOST_LINES) {
      const part = group.slice(from, from + MOST_LINES);
      const source = part[0]!.name.split(".")[0]!;
      const length = Math.max(...part.map(({ values }) => values.length));
      const step = part[0]!.stepMs / 1000;
      panels.push({
        title: part.length === 1 ? part[0]!.name : source,
        unit: part[0]!.unit,
        x: Array.from({ length }, (_, i) => i * step),
        lines: part.map(({ name, values }) => ({
          name: name.startsWith(`${source}.`) ? name.slice(source.length + 1) : name,
          values: Array.from({ length }, (_, i) => {
            const value = values[i];
            return value === undefined || Number.isNaN(value) ? null : value;
          }),
        })),
      });
    }
    return panels;
  });
}

// The same of a load that still runs: its samples have times of their own.
export function panelsOfLive({ atMs, lines }: LiveTelemetry): Panel[] {
  const x = atMs.map((ms) => ms / 1000);
  const series = lines.filter(({ values }) => values.length === x.length)
    .map(({ name, unit, values }) => create(SeriesSchema, { name, unit, values, stepMs: 1000 }));
  return x.length === 0 ? [] : panelsOf(series).map((panel) => ({ ...panel, x }));
}

// What a line says in words: "cs: 120 to 8400, mean 3100".
export function lineText(name: string, values: (number | null)[]): string {
  const there = values.filter((value): value is number => value !== null);
  if (there.length === 0) return `${name}: no values`;
  const mean = there.reduce((sum, value) => sum + value, 0) / there.length;
  const short = (value: number) => String(Number(value.toPrecision(3)));
  return `${name}: ${short(Math.min(...there))} to ${short(Math.max(...there))}, mean ${short(mean)}`;
}
