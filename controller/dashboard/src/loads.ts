// The loads that the form offers: one table, from which come its fields, the job's messages and the command's words.
// What is left empty has the value that the command assumes: a short boot.
import { create } from "@bufbuild/protobuf";
import { type Load, LoadSchema } from "./gen/shakedown/v1/job_pb";

type Kind =
  | "number" | "text" | "flag"
  | "words" // Parted by commas.
  | "choices" // Words of `all`.
  | "one" // One of `all`, or nothing.
  | "jobs" // "4", or "2x": twice the CPUs.
  | "beside" // See parseBeside.
  | "argv" // Program and arguments, at the end, behind "--".
  | "latt" // Clients of a latt around the command; empty: none.
  | "script";

export interface Param {
  field: string; // In the message, nested by a dot.
  word: string; // Of the command; "": by its place alone.
  label: string;
  kind: Kind;
  start?: string; // What the command assumes.
  min?: number;
  max?: number;
  all?: string[];
}

const number = (field: string, word: string, label: string, start?: number, min = 0, max = 1_000_000): Param =>
  ({ field, word, label, kind: "number", start: start === undefined ? undefined : String(start), min, max });
const flag = (field: string, word: string, label: string): Param => ({ field, word, label, kind: "flag" });
const make = (under: string): Param[] => [
  { field: `${under}jobs`, word: "jobs", label: "Jobs (4, or 2x the CPUs)", kind: "jobs" },
  { field: `${under}targets`, word: "targets", label: "Targets, by commas", kind: "words" },
  { field: `${under}tree`, word: "tree", label: "Tree (an input)", kind: "text" },
  { field: `${under}configTarget`, word: "config", label: "Configuration", kind: "one", all: ["allnoconfig", "defconfig", "tinyconfig"] },
];
const beside: Param = { field: "beside", word: "beside", label: "Beside (burn:2, make:2x)", kind: "beside" };
const loops = number("loopsPerMs", "loops_per_ms", "Loops per ms");

export const TABLE: Record<string, Param[]> = {
  make: [...make(""), flag("cold", "cold", "cold caches")],
  latt: [
    number("clients", "clients", "Clients", 4, 1, 512), number("minSleepMs", "sleep", "Sleep, ms", 100),
    number("sleepWidthMs", "width", "Sleep's width, ms", 500), number("workKib", "work", "Work, KiB"),
    number("seconds", "seconds", "Seconds", 15, 1, 3600),
    { field: "profile", word: "profile", label: "Profile", kind: "one", all: ["2009-09-08", "0.1"] },
    ...make("make."), { field: "command", word: "", label: "Around a command, not make", kind: "argv" },
  ],
  interbench: [
    { field: "benchmarks", word: "benchmarks", label: "Measured", kind: "choices", all: ["Audio", "Video", "X", "Gaming"], start: "Video,X" },
    { field: "loads", word: "loads", label: "Under", kind: "choices", start: "Burn",
      all: ["None", "Video", "X", "Burn", "Write", "Read", "Compile", "Memload"] },
    number("seconds", "seconds", "Seconds a pair", 10, 10, 3600), number("burnThreads", "burn_threads", "Burn threads"), loops,
    { field: "profile", word: "profile", label: "Profile", kind: "one", all: ["HEAD", "0.31"] },
    number("benchNice", "bench_nice", "Nice of the measured", undefined, -20, 19),
    number("loadNice", "load_nice", "Nice of the loads", undefined, -20, 19),
    number("customPercent", "custom_percent", "Custom, %"), number("customIntervalUs", "custom_interval_us", "Custom's interval, µs"),
    number("maxFileMib", "max_file_mib", "Largest file, MiB"),
    flag("realtime", "realtime", "real time"), flag("singleCpu", "single_cpu", "one CPU"),
  ],
  launch: [
    number("count", "count", "Launches", 50, 1, 10_000), number("pauseMs", "pause", "Pause, ms", 100), flag("cold", "cold", "cold caches"),
    beside, { field: "program", word: "", label: "Program (empty: the runner)", kind: "argv" },
  ],
  frames: [
    { field: "fps", word: "fps", label: "Frames a second", kind: "one", all: ["25", "30", "60"], start: "25" },
    number("seconds", "seconds", "Seconds", 30, 1, 3600),
    number("cpuPercent", "cpu", "% of a CPU", 30, 1, 100), number("threads", "threads", "Threads", 1, 1), beside, loops,
  ],
  command: [
    number("parallel", "parallel", "Copies at a time", undefined, 1),
    { field: "latt", word: "latt", label: "Under latt, clients", kind: "latt" },
    { field: "words", word: "", label: "Program and arguments", kind: "argv" },
    { field: "script", word: "script", label: "Or a script", kind: "script" },
  ],
  tool: [
    { field: "tool", word: "", label: "Tool", kind: "one", start: "hackbench",
      all: ["hackbench", "cyclictest", "stress-ng", "sysbench", "perf-messaging", "perf-pipe"] },
    number("seconds", "seconds", "Seconds", 10, 1, 3600), { field: "arguments", word: "", label: "More arguments", kind: "argv" },
  ],
};

// Of the load, not of its kind.
const COMMON: Param[] = [number("iterations", "iterations", "Iterations", 1, 1, 100), number("warmups", "warmups", "Warm-ups", 0, 0, 10)];
const NICE = number("nice", "nice", "Nice", 0, -20, 19);

export const commonOf = (kind: string): Param[] => (kind === "interbench" ? COMMON : [...COMMON, NICE]);

// One load as the form has it: the fields' texts; a flag is "1".
export interface LoadForm {
  kind: string;
  texts: Record<string, string>;
}

export function startLoads(): LoadForm[] {
  return [newLoad("make"), newLoad("latt")];
}

export function newLoad(kind: string): LoadForm {
  const texts: Record<string, string> = {};
  for (const { field, start } of [...TABLE[kind]!, ...commonOf(kind)]) if (start !== undefined) texts[field] = start;
  return { kind, texts };
}

export const textOf = (load: LoadForm, { field, start }: Param): string => (load.texts[field] ?? "").trim() || (start ?? "");

// As a shell would part them; '…' keeps blanks. Throws where a quote is not closed.
export function splitWords(text: string): string[] {
  const words: string[] = [];
  for (const found of text.matchAll(/(?:[^\s']|'[^']*'?)+/g)) {
    if ((found[0].match(/'/g) ?? []).length % 2 === 1) throw new Error(`${found[0]}: want a ' at its end`);
    words.push(found[0].replaceAll("'", ""));
  }
  return words;
}

function jobs(text: string): Record<string, number> {
  const found = /^(\d+(?:\.\d+)?)(x?)$/.exec(text);
  if (!found) throw new Error(`jobs ${text}: want a number, or one times the CPUs such as 2x`);
  return found[2] ? { jobsPerCpu: Number(found[1]) } : { jobs: Number(found[1]) };
}

function parseBeside(text: string): object {
  const [kind, ...rest] = text.split(":");
  const value = rest.join(":");
  if (kind === "burn" && /^\d+$/.test(value)) return { kind: { case: "burnThreads", value: Number(value) } };
  if (kind === "make") return { kind: { case: "make", value: value === "" ? {} : jobs(value) } };
  if (kind === "command" && value !== "") return { kind: { case: "command", value: { words: value.split(",") } } };
  throw new Error(`beside ${text}: want burn:THREADS, make, make:JOBS or command:PROGRAM,ARGUMENT`);
}

function valueOf(param: Param, text: string): unknown {
  switch (param.kind) {
    case "number": {
      if (!/^-?\d+$/.test(text)) throw new Error(`${param.label} ${text}: want a whole number`);
      return param.field === "loopsPerMs" || param.field === "maxFileMib" ? BigInt(text) : Number(text);
    }
    case "flag": return true;
    case "words": case "choices": return text.split(",").map((word) => word.trim()).filter((word) => word !== "");
    case "one": return param.field === "fps" ? Number(text) : text;
    case "beside": return parseBeside(text);
    case "argv": return splitWords(text);
    default: return text;
  }
}

// Throws, naming the load as the controller does, what is wrong.
export function makeLoad(form: LoadForm, index: number): Load {
  const value: Record<string, unknown> = {};
  const common: Record<string, unknown> = {};
  const put = (path: string, what: unknown) => {
    const [first, second] = path.split(".") as [string, string | undefined];
    if (second === undefined) value[first] = what;
    else value[first] = { ...(value[first] as object | undefined), [second]: what };
  };
  // latt runs around a make when it is given nothing else.
  if (form.kind === "latt" && !form.texts.command?.trim()) value.make = {};
  try {
    for (const param of TABLE[form.kind]!) {
      const text = textOf(form, param);
      if (text === "" || (param.field.startsWith("make.") && form.texts.command?.trim())) continue;
      if (param.kind === "jobs") for (const [name, n] of Object.entries(jobs(text))) put(param.field.replace(/jobs$/, name), n);
      else if (param.kind === "latt") {
        value.underLatt = true;
        value.latt = { clients: Number(text), minSleepMs: 100, sleepWidthMs: 500 };
      } else put(param.field, valueOf(param, text));
    }
    for (const param of commonOf(form.kind)) common[param.field] = valueOf(param, textOf(form, param));
  } catch (problem) {
    throw new Error(`load ${index + 1}: ${form.kind}: ${(problem as Error).message}`);
  }
  return create(LoadSchema, { ...common, kind: { case: form.kind, value } } as never);
}

export const makeLoads = (forms: LoadForm[]): Load[] => forms.map(makeLoad);

// The same for --load; a script must be in the file that is named.
export function loadWords(form: LoadForm): string {
  const words = [form.kind];
  let rest = "";
  const hasCommand = Boolean(form.texts.command?.trim());
  for (const param of [...TABLE[form.kind]!, ...commonOf(form.kind)]) {
    const text = textOf(form, param);
    const positional = param.kind === "one" && param.word === "";
    if (text === "" || (text === param.start && !positional) || (param.field.startsWith("make.") && hasCommand)) continue;
    if (param.kind === "argv") rest = ` -- ${text}`;
    else if (positional) words.push(text);
    else if (param.kind === "flag") words.push(param.word);
    else if (param.kind === "script") words.push("script=script.sh");
    else words.push(/\s/.test(text) ? `'${param.word}=${text}'` : `${param.word}=${text}`);
  }
  return words.join(" ") + rest;
}
