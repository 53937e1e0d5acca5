// The Submit form in the page's address, so that a reload and a sent link bring it back. What an address says is
// foreign: each value is held against its field, and what can not be read is left out and said.
import { type Fields, LONGEST_TITLE, MOST_CHALLENGERS, MOST_LOADS, RANGES, RULES, startFields } from "./jobform";
import type { Rule } from "./jobtext";
import { type LoadForm, type Param, TABLE, commonOf, newLoad } from "./loads";
import { cut, visible } from "./text";

// Of the whole query. The controller takes addresses of 8192 characters, and a stranger's comes to it encoded once
// more, behind /login?next=.
export const LONGEST_ADDRESS = 4000;
const MOST_REMARKS = 8;

export interface Draft {
  fields: Fields;
  file: string; // The job file, where the form is not used.
}

const TEXTS = ["title", "baseline", "machines", "tags", "primary"] as const;
const LINES = ["setup", "background"] as const;
const NUMBERS: [name: string, field: keyof typeof RANGES][] = [
  ["blocks", "blocks"], ["budget", "budgetHours"], ["attempts", "attempts"], ["detect", "detect"],
];
// The page's own; "as" says which of the two is shown.
const KNOWN = new Set<string>([...TEXTS, ...LINES, ...NUMBERS.map(([name]) => name), "challenger", "load", "rule", "control", "file", "as"]);

const paramsOf = (kind: string): Param[] => [...TABLE[kind]!, ...commonOf(kind)];

// "latt?clients=8&seconds=30": what differs from a new load of its kind.
function loadText({ kind, texts }: LoadForm): string {
  const changed = new URLSearchParams();
  for (const { field, start } of paramsOf(kind)) {
    if ((texts[field] ?? "") !== (start ?? "")) changed.set(field, texts[field] ?? "");
  }
  const text = changed.toString();
  return text === "" ? kind : `${kind}?${text}`;
}

const same = (a: string[], b: string[]) => a.length === b.length && a.every((text, i) => text === b[i]);

// What differs from an empty form; undefined when it is too long for an address.
export function toAddress({ fields, file }: Draft, asFile: boolean): URLSearchParams | undefined {
  const out = new URLSearchParams();
  const start = startFields();
  if (asFile) out.set("as", "file");
  for (const name of [...TEXTS, ...LINES]) if (fields[name] !== "") out.set(name, fields[name]);
  if (!same(fields.challengers, start.challengers)) fields.challengers.forEach((one) => out.append("challenger", one));
  const loads = fields.loads.map(loadText);
  if (loads.length === 0) out.set("load", "");
  else if (!same(loads, start.loads.map(loadText))) loads.forEach((load) => out.append("load", load));
  if (fields.rule !== start.rule) out.set("rule", fields.rule);
  for (const [name, field] of NUMBERS) if (fields[field] !== start[field]) out.set(name, String(fields[field]));
  if (fields.control) out.set("control", "1");
  if (file !== "") out.set("file", file);
  return out.toString().length > LONGEST_ADDRESS ? undefined : out;
}

function fits(param: Param, text: string): boolean {
  switch (param.kind) {
    case "number": case "latt": return /^(-?\d{1,9})?$/.test(text);
    case "flag": return text === "" || text === "1";
    case "one": return param.all!.includes(text) || (text === "" && param.start === undefined);
    case "choices": return text === "" || text.split(",").every((word) => param.all!.includes(word));
    case "script": return true;
    default: return !text.includes("\n");
  }
}

function readLoad(text: string, remark: (what: string) => void): LoadForm | undefined {
  const at = text.indexOf("?");
  const kind = at < 0 ? text : text.slice(0, at);
  if (!Object.hasOwn(TABLE, kind)) {
    remark(`load ${kind}`);
    return undefined;
  }
  const load = newLoad(kind);
  for (const [field, value] of new URLSearchParams(at < 0 ? "" : text.slice(at + 1))) {
    const param = paramsOf(kind).find((one) => one.field === field);
    if (param !== undefined && fits(param, value)) load.texts[field] = value;
    else remark(`load ${kind}: ${field}=${value}`);
  }
  return load;
}

// Never throws. `remarks`: what was left out, and what the eye would not see, as foreign text; empty when all is well.
export function fromAddress(query: URLSearchParams): Draft & { remarks: string[] } {
  const fields = startFields();
  const remarks: string[] = [];
  const remark = (what: string) => void remarks.push(`not understood: ${cut(what, 80)}`);
  const one = (name: string, good: (value: string) => boolean): string | undefined => {
    const [value, ...more] = query.getAll(name);
    more.forEach((text) => remark(`${name}=${text}`));
    if (value === undefined || good(value)) return value;
    remark(`${name}=${value}`);
    return undefined;
  };
  for (const name of new Set(query.keys())) if (!KNOWN.has(name)) remark(name);
  for (const name of TEXTS) {
    fields[name] = one(name, (value) => !value.includes("\n") && (name !== "title" || value.length <= LONGEST_TITLE)) ?? "";
  }
  for (const name of LINES) fields[name] = one(name, () => true) ?? "";
  for (const [name, field] of NUMBERS) {
    const { min, max } = RANGES[field];
    const text = one(name, (value) => /^\d{1,4}$/.test(value) && Number(value) >= min && Number(value) <= max);
    if (text !== undefined) fields[field] = Number(text);
  }
  fields.rule = (one("rule", (value) => Object.hasOwn(RULES, value)) as Rule | undefined) ?? fields.rule;
  fields.control = one("control", (value) => value === "1") === "1";
  const file = one("file", () => true) ?? "";
  const challengers = query.getAll("challenger");
  challengers.slice(MOST_CHALLENGERS).forEach((text) => remark(`challenger=${text}`));
  if (challengers.length > 0) fields.challengers = challengers.slice(0, MOST_CHALLENGERS).map((text) => text.replaceAll("\n", " "));
  const loads = query.getAll("load");
  loads.slice(MOST_LOADS).forEach((text) => remark(`load=${text}`));
  if (loads.length > 0) {
    const texts = loads.slice(0, MOST_LOADS).filter((text) => text !== "");
    fields.loads = texts.map((text) => readLoad(text, remark)).filter((load) => load !== undefined);
  }
  for (const [name, value] of query) {
    if (KNOWN.has(name) && visible(value) !== value) remarks.push(`has characters that are not seen: ${name}=${cut(visible(value), 200)}`);
  }
  if (remarks.length > MOST_REMARKS) remarks.splice(MOST_REMARKS, Infinity, `and ${remarks.length - MOST_REMARKS} more`);
  return { fields, file, remarks };
}
