// The block plan as a grid: a row a variant, a column a block.
import { Outcome } from "./gen/shakedown/v1/boot_pb";
import { type BootView, type JobView, WorkState } from "./gen/shakedown/v1/farm_pb";
import { type Look, lookOfBoot } from "./outcome";

export interface Cell {
  latest: BootView;
  attempts: number;
  look: Look;
}

export interface Grid {
  blocks: number[];
  // rows[variant][column]; undefined: no boot (yet).
  rows: (Cell | undefined)[][];
}

export function letter(variant: number): string {
  return String.fromCharCode(65 + variant);
}

export function makeGrid(job: Pick<JobView, "boots" | "plan" | "spec">): Grid {
  const blocks = [
    ...new Set([...(job.plan?.blocks ?? []).map((b) => b.block), ...job.boots.map((b) => b.block)]),
  ].sort((a, b) => a - b);
  const column = new Map(blocks.map((block, i) => [block, i]));
  const variants = job.spec?.variants.length ?? 0;
  const rows: (Cell | undefined)[][] = Array.from({ length: variants }, () =>
    new Array<Cell | undefined>(blocks.length).fill(undefined),
  );
  for (const boot of job.boots) {
    const row = rows[boot.variant];
    const at = column.get(boot.block);
    if (row === undefined || at === undefined) continue;
    const before = row[at];
    const attempts = (before?.attempts ?? 0) + 1;
    const latest = before === undefined || boot.attempt >= before.latest.attempt ? boot : before.latest;
    row[at] = { latest, attempts, look: lookOfBoot(latest) };
  }
  return { blocks, rows };
}

// "ABBA": the order of each block.
export function orderText(plan: JobView["plan"]): string {
  return (plan?.blocks ?? []).map((block) => block.variants.map(letter).join("")).join(" ");
}

// How many of what there are, most first.
export function countLooks(boots: BootView[]): { look: Look; n: number }[] {
  const counts = new Map<string, { look: Look; n: number }>();
  for (const boot of boots) {
    const look = lookOfBoot(boot);
    const entry = counts.get(look.word) ?? { look, n: 0 };
    entry.n += 1;
    counts.set(look.word, entry);
  }
  return [...counts.values()].sort((a, b) => b.n - a.n);
}

// The part of a job's boots that has ended, 0 to 1. Of one that is being cancelled nearly all have ended and nothing is
// done: what was cancelled does not count.
export function partDone(boots: BootView[]): number {
  const done = boots.filter(({ state, outcome }) => state === WorkState.ENDED && outcome !== Outcome.CANCELLED);
  return done.length / Math.max(1, boots.length);
}
