// A window of a long log: bytes in, a bounded number of lines out. Pure.
import { visibleLine } from "./text";

export const WINDOW = 256 * 1024; // Bytes that are shown at a time.
export const MAX_LINES = 4000;

export interface Line {
  offset: number; // Of its first byte in the log.
  text: string;
}

// Consoles end lines with LF, CR LF, and some with CR alone; only LF counts here.
const LF = 10;

// Splits bytes into lines and keeps the last MAX_LINES and the last WINDOW bytes of them.
export class LogWindow {
  lines: Line[] = [];
  // The line that has not ended yet.
  private rest: Uint8Array = new Uint8Array();
  private decoder = new TextDecoder();

  // `start`: where the first byte that is added stands. `skipping`: that is inside a line, whose rest is dropped.
  // `head`: it shows what comes first and nothing is dropped; whoever adds stops once it is full.
  constructor(private start: number, private skipping = start > 0, private head = false) {}

  get full(): boolean {
    return this.lines.length >= MAX_LINES;
  }

  get end(): number {
    return this.start + this.rest.length;
  }

  // The lines and what is there of the next.
  all(): Line[] {
    if (this.rest.length === 0 || this.skipping) return this.lines;
    return [...this.lines, { offset: this.start, text: this.decode(this.rest) }];
  }

  add(data: Uint8Array): void {
    let bytes = data;
    if (this.rest.length > 0) {
      bytes = new Uint8Array(this.rest.length + data.length);
      bytes.set(this.rest);
      bytes.set(data, this.rest.length);
    }
    let from = 0;
    for (let at = bytes.indexOf(LF, from); at >= 0; at = bytes.indexOf(LF, from)) {
      if (!this.skipping) {
        this.lines.push({ offset: this.start + from, text: this.decode(bytes.subarray(from, at)) });
      }
      this.skipping = false;
      from = at + 1;
    }
    this.start += from;
    this.rest = bytes.slice(from);
    if (this.rest.length > WINDOW) this.breakLine();
    this.trim();
  }

  // A line without an end must not grow for ever.
  private breakLine(): void {
    if (!this.skipping) this.lines.push({ offset: this.start, text: this.decode(this.rest) });
    this.start += this.rest.length;
    this.rest = new Uint8Array();
  }

  private trim(): void {
    if (this.head) return;
    let drop = Math.max(0, this.lines.length - MAX_LINES);
    while (drop < this.lines.length && this.start - this.lines[drop]!.offset > 2 * WINDOW) drop += 1;
    if (drop > 0) this.lines = this.lines.slice(drop);
  }

  private decode(bytes: Uint8Array): string {
    return visibleLine(this.decoder.decode(bytes));
  }
}

// What people look for first in a kernel's console.
export const PROBLEMS =
  /\b(BUG:|Oops|Kernel panic|kernel BUG|WARNING:|Call Trace|soft lockup|hard LOCKUP|hung_task|blocked for more than|rcu.*stall|error:|Unable to mount)/i;

// A search as people type it: text, not an expression; case does not matter.
export function matcher(query: string): (text: string) => boolean {
  const wanted = query.toLowerCase();
  return (text) => text.toLowerCase().includes(wanted);
}

// Looks at a whole log that comes in pieces and remembers where the hits are, at most `limit`.
export class LogSearch {
  hits: Line[] = [];
  total = 0;
  private window = new LogWindow(0);

  constructor(private matches: (text: string) => boolean, private limit = 500) {}

  add(data: Uint8Array): void {
    // In small pieces, so that the window drops no line before it was looked at.
    for (let at = 0; at < data.length; at += 2048) {
      this.window.add(data.subarray(at, at + 2048));
      this.look(this.window.lines);
      this.window.lines = [];
    }
  }

  finish(): void {
    this.look(this.window.all());
  }

  private look(lines: Line[]): void {
    for (const line of lines) {
      if (!this.matches(line.text)) continue;
      this.total += 1;
      if (this.hits.length < this.limit) this.hits.push(line);
    }
  }
}

// The hit that a step leads to from `at`, which need not be one: forwards from the log's begin and backwards from its end
// when `at` is null. Undefined: there is none (yet).
export function stepTo(hits: Line[], at: number | null, step: 1 | -1): Line | undefined {
  return step === 1 ? hits.find(({ offset }) => at === null || offset > at) : hits.filter(({ offset }) => at === null || offset < at).at(-1);
}

export interface LogKey {
  step: 1 | -1;
  problems: boolean; // Among the problems, whatever else was looked for.
}

// n and p step through what was found, with Shift through the problems.
export function logKey(key: string): LogKey | undefined {
  const small = key.toLowerCase();
  if (small !== "n" && small !== "p") return undefined;
  return { step: small === "n" ? 1 : -1, problems: small !== key };
}

// The address of a line, what else is chosen kept: a line that is looked at does not run away.
export function lineHref(query: URLSearchParams, offset: number): string {
  const next = new URLSearchParams(query);
  next.set("at", String(offset));
  next.delete("follow");
  return `?${next}`;
}
