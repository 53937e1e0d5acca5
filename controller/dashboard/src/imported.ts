// Series of imported results: what is told of a point, and where it is from. Pure.
import { number, withUnit } from "./comparison";
import type { HistoryPoint, HistorySeries } from "./gen/shakedown/v1/history_pb";

export const IMPORTED_HEAD = ["Kernel", "Runs", "Median", "MAD", "Source"];

// "published: linux-kernel, 2010-08-08", "latt: https://…", each once.
export function sourcesOf({ imports }: HistoryPoint): string[] {
  return [...new Set(imports.map(({ shipped, format, source }) => [shipped ? "published" : format, source].filter((text) => text !== "").join(": ")))];
}

export function importedCells(series: HistorySeries): (point: HistoryPoint) => string[] {
  return (point) => [
    point.kernel, String(point.runs), `${withUnit(point.median, series.unit)}${point.starred ? " *" : ""}`,
    point.runs > 1 ? number(point.mad) : "–", sourcesOf(point).join("; "),
  ];
}

export interface Noted {
  subject: string; // "kernel:2.6.35-ck1".
  name: string;
  notes: number;
}

// Kernels, without their tunables, and the machine: what people noted something on.
export function notedOf({ points, key, machineNotes }: HistorySeries): Noted[] {
  const kernels = new Map(points.filter(({ notes }) => notes > 0).map(({ kernel, notes }) => [kernel.split(" ")[0]!, notes]));
  const noted = [...kernels].map(([name, notes]) => ({ subject: `kernel:${name}`, name, notes }));
  return machineNotes > 0 ? [...noted, { subject: `machine:${key?.machine}`, name: key?.machine ?? "", notes: machineNotes }] : noted;
}
