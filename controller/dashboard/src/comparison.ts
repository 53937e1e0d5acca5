// A report as the comparison page shows it: what has a verdict worth reading, in words. Pure.
import type { Report, ReportComparison, ReportLoad, ReportMetric } from "./gen/shakedown/v1/report_pb";
import type { Look } from "./outcome";

const VERDICTS: Record<string, Look> = {
  better: { word: "better", sign: "*", tone: "good" },
  worse: { word: "worse", sign: "!", tone: "bad" },
  small: { word: "small", sign: "±", tone: "busy" },
  same: { word: "same", sign: "=", tone: "quiet" },
  inconclusive: { word: "inconclusive", sign: "?", tone: "ours" },
  insufficient: { word: "too few blocks", sign: "·", tone: "quiet" },
  not_comparable: { word: "not comparable", sign: "x", tone: "ours" },
};

// A mark the controller withholds is no colour either.
export function lookOfVerdict(comparison: Pick<ReportComparison, "verdict" | "mark">): Look {
  const look = VERDICTS[comparison.verdict] ?? { word: comparison.verdict || "no verdict", sign: "·", tone: "quiet" };
  const withheld = comparison.mark === "" && (comparison.verdict === "better" || comparison.verdict === "worse");
  return withheld ? { ...look, tone: "quiet", word: `${look.word}, preliminary` } : look;
}

export interface Row {
  load: number;
  metric: ReportMetric;
  challenger: number; // Index into metric.comparisons; metric.rows[challenger + 1] is its row.
  comparison: ReportComparison;
  quiet: boolean;
}

export function rowsOf(load: ReportLoad, index: number): Row[] {
  return load.metrics.flatMap((metric) =>
    metric.comparisons.map((comparison, challenger) => ({
      load: index, metric, challenger, comparison,
      quiet: (comparison.verdict === "same" && metric.role !== "primary") || metric.role === "info" ||
        (comparison.verdict === "insufficient" && comparison.n === 0),
    })),
  );
}

// "12 the same, 3 for information".
export function hiddenText(rows: Row[]): string {
  const quiet = rows.filter((row) => row.quiet);
  const info = quiet.filter((row) => row.metric.role === "info").length;
  const empty = quiet.filter((row) => row.metric.role !== "info" && row.comparison.verdict !== "same").length;
  const same = quiet.length - info - empty;
  return [
    same > 0 ? `${same} the same` : "",
    info > 0 ? `${info} for information` : "",
    empty > 0 ? `${empty} without values` : "",
  ].filter((text) => text !== "").join(", ");
}

// Three to four digits that count.
export function number(value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size >= 1000 || Number.isInteger(value)) return value.toFixed(0);
  return size >= 100 ? value.toFixed(1) : size >= 1 ? value.toFixed(2) : value.toPrecision(3);
}

export function signed(value: number | undefined): string {
  return value === undefined ? "–" : value > 0 ? `+${number(value)}` : number(value).replace("-", "−");
}

export function withUnit(value: number | undefined, unit: string): string {
  return unit === "1" || unit === "" || value === undefined ? number(value) : `${number(value)} ${unit}`;
}

function percent(part: number): string {
  const text = (100 * part).toFixed(Math.abs(part) < 1 ? 1 : 0);
  return part > 0 ? `+${text} %` : `${text.replace("-", "−")} %`;
}

export function changeText(metric: Pick<ReportMetric, "scale" | "unit">, comparison: ReportComparison): string {
  if (comparison.estimate === undefined) return "–";
  const one = (value: number) => (metric.scale === "ratio" ? percent(value) : signed(value));
  const interval = comparison.ciLo === undefined || comparison.ciHi === undefined
    ? "" : ` [${one(comparison.ciLo)}, ${one(comparison.ciHi)}]`;
  const unit = metric.scale === "ratio" || metric.unit === "1" ? "" : ` ${metric.unit}`;
  return `${one(comparison.estimate)}${interval}${unit}`;
}

// "; about 28 more boots (14 blocks) would settle it; a change of 5 % is the smallest of interest".
function moreText(row: Row, report: Pick<Report, "order" | "variants" | "method"> | undefined): string {
  const { metric, comparison: { moreBlocks: blocks } } = row;
  if (blocks === undefined) return "";
  const blocksText = `${blocks} block${blocks === 1 ? "" : "s"}`;
  // A control is in the blocks, too, but not among the variants.
  const boots = blocks * (report?.order[0]?.length || report?.variants.length || 0);
  const counts = metric.scale === "ratio" ? report?.method?.deltaRel ?? 0 : 0;
  return (boots > 0 ? `; about ${boots} more boots (${blocksText}) would settle it` : `; about ${blocksText} more would settle it`) +
    (counts > 0 ? `; a change of ${number(100 * counts)} % is the smallest of interest` : "");
}

// One plain sentence. `report`: the row's, for what its boots are.
export function sentence(row: Row, report?: Pick<Report, "order" | "variants" | "method">): string {
  const { metric, comparison } = row;
  const who = `${comparison.letter} against A`;
  const note = comparison.note === "for information, not tested" ? "" : comparison.note;
  const change = changeText(metric, comparison);
  switch (comparison.verdict) {
    case "better": return `${who}: better by ${change}.`;
    case "worse": return `${who}: worse by ${change}.`;
    case "small": return `${who}: a real but small change, ${change}.`;
    case "same": return `${who}: the same within what counts, ${change}${note === "" ? "" : `; ${note}`}.`;
    case "inconclusive":
      if (note !== "") return `${who}: undecided, ${change}; ${note}.`;
      return `${who}: undecided, ${change}${moreText(row, report)}.`;
    case "insufficient": return `${who}: ${comparison.n} blocks are too few for a verdict.`;
    case "not_comparable": return `${who}: must not be compared${note === "" ? "" : `: ${note}`}.`;
    default: return `${who}: no verdict.`;
  }
}

export interface Dot {
  block: number; // From 1.
  boot: string;
  value?: number;
  reason?: string; // Why there is none, or why it is not used.
}

// One variant's boots in block order, with the reasons of those without a number.
export function dotsOf(report: Report, metric: ReportMetric, row: number): Dot[] {
  const letter = metric.rows[row]?.letter ?? "";
  // By block: the latest attempt that ended without a number.
  const failed = new Map(report.failures.flatMap((failure) => {
    const [, block, of] = /^\d+\.(\d+)([A-Z])/.exec(failure.boot) ?? [];
    return block !== undefined && of === letter ? [[Number(block), failure] as const] : [];
  }));
  // A block that another repeats has no values at all; a boot of it that did not fail was measured all the same.
  const repeated = new Map(report.repeats.map((repeat) => [repeat.block, repeat.repeatedAs]));
  return (metric.rows[row]?.boots ?? []).map(({ boot, value }, i) => {
    const block = i + 1;
    if (value !== undefined) return { block, boot, value };
    const failure = failed.get(block);
    const again = repeated.get(block);
    const reasons = [
      failure === undefined ? "" : `${failure.outcome}: ${failure.reason}`,
      again === undefined ? "" : `block repeated as block ${again}`,
    ].filter((reason) => reason !== "");
    return {
      block, boot: failure?.boot ?? (boot === "" && again !== undefined ? `${report.job}.${block}${letter}` : boot),
      reason: reasons.join("; ") || "not measured",
    };
  });
}

// Where in its block a boot stands among those of `letters` that are shown, from 0. `order`: the block's, as drawn ("BA").
export function placeInBlock(order: string | undefined, letters: string[], letter: string): number {
  const drawn = [...(order ?? "")].filter((one) => letters.includes(one));
  return (drawn.length === letters.length ? drawn : letters).indexOf(letter);
}

export interface HeatCell {
  row?: Row;
  text: string;
}
export interface Heat {
  task: string;
  loads: string[];
  whats: string[];
  cells: HeatCell[][]; // [load][what]
}

// interbench.TASK.LOAD.WHAT as one table a task.
export function heatOf(rows: Row[], letter: string): Heat[] {
  const tasks = new Map<string, Map<string, Map<string, Row>>>();
  const whats = new Set<string>();
  for (const row of rows) {
    const parts = row.metric.name.split(".");
    if (parts[0] !== "interbench" || parts.length < 4 || row.comparison.letter !== letter) continue;
    const [, task, load, ...rest] = parts as [string, string, string, ...string[]];
    const what = rest.join(".");
    whats.add(what);
    const loads = tasks.get(task) ?? new Map<string, Map<string, Row>>();
    const cells = loads.get(load) ?? new Map<string, Row>();
    cells.set(what, row);
    loads.set(load, cells);
    tasks.set(task, loads);
  }
  return [...tasks].map(([task, loads]) => ({
    task, loads: [...loads.keys()], whats: [...whats],
    cells: [...loads.values()].map((cells) => [...whats].map((what) => {
      const row = cells.get(what);
      return { row, text: row === undefined ? "–" : changeText(row.metric, row.comparison) };
    })),
  }));
}

export interface ParetoPoint {
  letter: string;
  x: number;
  y: number;
  survival: number; // 0 to 1.
}

// Medians of two metrics, a point a variant that has both.
export function paretoOf(report: Report, x: string, y: string): ParetoPoint[] {
  const metrics = report.loads.flatMap((load) => load.metrics);
  const of = (name: string, i: number) => metrics.find((m) => m.name === name)?.rows[i]?.median;
  return report.variants.flatMap((variant, i) => {
    const [px, py] = [of(x, i), of(y, i)];
    if (px === undefined || py === undefined) return [];
    const boots = variant.survivalBoots;
    return [{ letter: variant.letter, x: px, y: py, survival: boots === 0 ? 1 : 1 - variant.failures / boots }];
  });
}

function csvCell(text: string): string {
  // A spreadsheet must not take foreign text for a formula.
  const safe = /^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function toCsv(head: string[], rows: string[][]): string {
  return [head, ...rows].map((row) => row.map(csvCell).join(",")).join("\n") + "\n";
}

export function toMarkdown(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.map((c) => c.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n") + "\n";
}

// Columns as wide as they need, for a mail.
export function toMail(head: string[], rows: string[][]): string {
  const all = [head, ...rows];
  const widths = head.map((_, i) => Math.max(...all.map((row) => (row[i] ?? "").length)));
  return all.map((row) => row.map((cell, i) => cell.padEnd(widths[i]!)).join("  ").trimEnd()).join("\n") + "\n";
}
