// A job as the Submit form holds it: the texts of its fields, the message made of them, and the command's words.
import { create } from "@bufbuild/protobuf";
import { type JobSpec, JobSpecSchema, StoppingRule } from "./gen/shakedown/v1/job_pb";
import { linesOf, parseBackground, parseSetup } from "./jobsteps";
import { type Form, type Rule, parseVariant } from "./jobtext";
import { type LoadForm, loadWords, makeLoads, startLoads } from "./loads";

export const RULES: Record<Rule, { proto: StoppingRule; text: string }> = {
  looks: { proto: StoppingRule.LOOKS, text: "until decided: looks after 8, 16 and 24 blocks" },
  quick: { proto: StoppingRule.QUICK, text: "quick: 8 blocks, one look" },
  fixed: { proto: StoppingRule.FIXED, text: "a number of blocks" },
};

export const MOST_CHALLENGERS = 25;
export const MOST_LOADS = 32;
export const LONGEST_TITLE = 200;
// What its fields of numbers take.
export const RANGES = {
  blocks: { min: 1, max: 1000 },
  budgetHours: { min: 0, max: 1000 },
  attempts: { min: 0, max: 10 },
  detect: { min: 0, max: 99 },
};

export interface Fields {
  title: string;
  baseline: string;
  challengers: string[];
  loads: LoadForm[];
  rule: Rule;
  blocks: number;
  budgetHours: number;
  machines: string;
  tags: string;
  primary: string;
  control: boolean;
  attempts: number;
  detect: number; // Percent; 0: not asked.
  setup: string;
  background: string;
}

export function startFields(): Fields {
  return {
    title: "", baseline: "", challengers: [""], loads: startLoads(), rule: "looks", blocks: 6, budgetHours: 0, machines: "", tags: "",
    primary: "", control: false, attempts: 0, detect: 0, setup: "", background: "",
  };
}

const wordsOf = (text: string) => text.split(/[\s,]+/).filter((word) => word !== "");

export function formOf(fields: Fields): Form {
  return {
    title: fields.title,
    baseline: fields.baseline,
    challengers: fields.challengers.filter((text) => text.trim() !== ""),
    loads: fields.loads.map(loadWords),
    rule: fields.rule,
    blocks: fields.blocks,
    budgetHours: fields.budgetHours,
    machines: wordsOf(fields.machines),
    tags: wordsOf(fields.tags),
    primaries: wordsOf(fields.primary),
    control: fields.control,
    attempts: fields.attempts,
    setup: linesOf(fields.setup),
    background: linesOf(fields.background),
  };
}

// Throws, in words, what is missing; the controller checks the rest.
export function specOf(fields: Fields): JobSpec {
  const form = formOf(fields);
  if (form.baseline.trim() === "") throw new Error("Baseline: want the name of a kernel");
  if (form.challengers.length === 0) throw new Error("Challengers: want at least one");
  const loads = makeLoads(fields.loads);
  if (loads.length === 0) throw new Error("Loads: want at least one");
  return create(JobSpecSchema, {
    title: form.title,
    variants: [form.baseline, ...form.challengers].map(parseVariant),
    loads,
    stopping: RULES[form.rule].proto,
    blocks: form.rule === "fixed" ? form.blocks : 0,
    budgetS: BigInt(Math.round(form.budgetHours * 3600)),
    primaryMetrics: form.primaries,
    control: form.control,
    maxAttempts: form.attempts,
    setup: parseSetup(fields.setup),
    background: parseBackground(fields.background),
    machines: form.machines.length + form.tags.length > 0 ? { names: form.machines, tags: form.tags } : undefined,
  });
}
