// A series of history as a chart: points in kernel order, what changed, and where an epoch begins. Pure.
import type { HistoryPoint, HistorySeries } from "./gen/shakedown/v1/history_pb";
import type { Mark } from "./chart";

export interface SeriesChart {
  x: number[];
  medians: (number | null)[];
  low: (number | null)[];
  high: (number | null)[];
  marks: Mark[];
}

// How many independent numbers a point is of: boots, in imported series runs of texts.
function countOf({ boots, runs }: HistoryPoint): number {
  return boots + runs;
}

export function chartOf(series: HistorySeries): SeriesChart {
  const { points } = series;
  const epochs = points.flatMap((point, i) => (i > 0 && point.epoch !== points[i - 1]!.epoch ? [{ at: i - 0.5, tone: "quiet" as const }] : []));
  const worse = (before: number, after: number) => (series.better === "higher" ? after < before : after > before);
  const changes = series.changes.map((change): Mark => ({
    at: change.index - 0.5,
    tone: change.level === "environment" ? "quiet" : worse(change.beforeMedian, change.afterMedian) ? "bad" : "good",
  }));
  return {
    x: points.map((_, i) => i),
    medians: points.map((point) => (countOf(point) > 0 ? point.median : null)),
    low: points.map((point) => (countOf(point) > 1 ? point.median - point.mad : null)),
    high: points.map((point) => (countOf(point) > 1 ? point.median + point.mad : null)),
    marks: [...epochs, ...changes],
  };
}

// "debian-6.1 … debian-6.12: +7.4 % from debian-6.9 on (alarm)".
export function changeTexts(series: HistorySeries): string[] {
  return series.changes.map((change) => {
    const from = series.points[change.index];
    const part = change.beforeMedian === 0 ? "" : ` by ${(100 * (change.afterMedian / change.beforeMedian - 1)).toFixed(1).replace("-", "−")} %`;
    const who = change.level === "environment" ? "the environment changed" : `${change.level}: changed`;
    return `${who}${part} from ${from?.kernel ?? "?"} (${from?.version ?? "?"}) on`;
  });
}

export function keyText(series: HistorySeries): string {
  const { metric = "", machine = "", loads = "", configClass = "" } = series.key ?? {};
  return [metric, `on ${machine}`, loads, configClass].filter((text) => text !== "" && text !== "on ").join(", ");
}

// What a range in the address means; nonsense means everything.
export function rangeOf(text: string | null, points: number): [number, number] | undefined {
  const found = /^(-?\d+(?:\.\d+)?)_(-?\d+(?:\.\d+)?)$/.exec(text ?? "");
  if (found === null) return undefined;
  const [from, to] = [Number(found[1]), Number(found[2])];
  return from < to && to > 0 && from < points ? [from, to] : undefined;
}

// What the chart shows: the first and the last of a few points have room for their names.
export function shownOf(range: [number, number] | undefined, points: number): [number, number] | undefined {
  return range ?? (points > 1 && points <= 12 ? [-0.4, points - 0.6] : undefined);
}

export function inRange(points: HistoryPoint[], range: [number, number] | undefined): { point: HistoryPoint; index: number }[] {
  const all = points.map((point, index) => ({ point, index }));
  return range === undefined ? all : all.filter(({ index }) => index >= range[0] && index <= range[1]);
}
