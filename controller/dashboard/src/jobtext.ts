// A job as the text that the command reads: a job file (text proto), a command line, and the form's own fields.
import { type DescMessage, type MessageShape, ScalarType, create } from "@bufbuild/protobuf";
import { type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { type Variant, VariantSchema } from "./gen/shakedown/v1/job_pb";
import { TunableSchema } from "./gen/shakedown/v1/kernel_pb";

function quoted(text: string): string {
  let out = '"';
  for (const byte of new TextEncoder().encode(text)) {
    const c = String.fromCharCode(byte);
    if (c === '"' || c === "\\") out += `\\${c}`;
    else if (byte >= 0x20 && byte < 0x7f) out += c;
    else out += `\\${byte.toString(8).padStart(3, "0")}`;
  }
  return `${out}"`;
}

function scalar(value: unknown, type: ScalarType): string {
  if (type === ScalarType.STRING) return quoted(value as string);
  return String(value);
}

function print(message: ReflectMessage, indent: string): string {
  let out = "";
  const one = (name: string, text: string) => (out += `${indent}${name}: ${text}\n`);
  const nested = (name: string, inner: ReflectMessage) =>
    (out += `${indent}${name} {\n${print(inner, `${indent}  `)}${indent}}\n`);
  for (const field of message.desc.fields) {
    if (!message.isSet(field)) continue;
    if (field.fieldKind === "scalar") one(field.name, scalar(message.get(field), field.scalar));
    else if (field.fieldKind === "enum") {
      const number = message.get(field) as number;
      one(field.name, field.enum.value[number]?.name ?? String(number));
    } else if (field.fieldKind === "message") nested(field.name, message.get(field) as ReflectMessage);
    else if (field.fieldKind === "list") {
      for (const item of message.get(field) as Iterable<unknown>) {
        if (field.listKind === "message") nested(field.name, item as ReflectMessage);
        else if (field.listKind === "scalar") one(field.name, scalar(item, field.scalar));
      }
    }
  }
  return out;
}

// Text proto. Fields with a map or a list of enums do not occur in a job.
export function textProto<Desc extends DescMessage>(desc: Desc, message: MessageShape<Desc>): string {
  return print(reflect(desc, message), "");
}

// For a shell: as it is when it is plain, else in single quotes.
export function shellWord(text: string): string {
  return /^[A-Za-z0-9@%+=:,./_-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

// "KERNEL [WORD…]" as the command reads it: NAME=VALUE with a dot or a slash in NAME is a tunable, any other a boot
// parameter, "boot:…" always one. Throws what is wrong.
export function parseVariant(text: string): Variant {
  const [kernel, ...words] = text.trim().split(/\s+/);
  if (!kernel) throw new Error("a variant: want the name of a kernel");
  const variant = create(VariantSchema, { kernel });
  for (const word of words) {
    const equals = word.indexOf("=");
    const name = word.slice(0, equals);
    if (word.startsWith("boot:")) variant.bootParameters.push(word.slice(5));
    else if (equals > 0 && /[./]/.test(name)) {
      variant.tunables.push(create(TunableSchema, { name, value: word.slice(equals + 1) }));
    } else variant.bootParameters.push(word);
  }
  return variant;
}

export type Rule = "looks" | "quick" | "fixed";

export interface Form {
  title: string;
  baseline: string;
  challengers: string[];
  loads: string[];
  rule: Rule;
  blocks: number; // Of a fixed job.
  budgetHours: number; // 0: none.
  machines: string[];
  tags: string[];
  primaries: string[];
  control: boolean;
  attempts: number; // 0: as usual.
  setup: string[];
  background: string[];
}

// The same job for the command.
export function commandLine(form: Form): string {
  const words = ["shakedown submit"];
  const add = (option: string, value: string) => words.push(`${option} ${shellWord(value)}`);
  if (form.title) add("--title", form.title);
  add("--baseline", form.baseline);
  form.challengers.forEach((challenger) => add("--challenger", challenger));
  form.loads.forEach((load) => add("--load", load));
  if (form.rule === "fixed") add("--blocks", String(form.blocks));
  else words.push(`--${form.rule}`);
  if (form.budgetHours > 0) add("--budget", `${form.budgetHours}h`);
  form.setup.forEach((step) => add("--setup", step));
  form.background.forEach((activity) => add("--background", activity));
  form.primaries.forEach((metric) => add("--primary", metric));
  if (form.control) words.push("--control");
  if (form.attempts > 0) add("--attempts", String(form.attempts));
  form.machines.forEach((machine) => add("--machine", machine));
  form.tags.forEach((tag) => add("--tag", tag));
  return words.join(" \\\n  ");
}
