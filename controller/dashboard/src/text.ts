// Foreign text (kernel names, notes, consoles) as it is shown. Always put into text nodes; this makes what could
// mislead the eye visible.

// Control characters but tab and line feed; marks that reorder text; characters of no width.
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udc7f]/g;

function picture(found: string): string {
  const code = found.codePointAt(0)!;
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return "\u2421";
  return `\u27e8U+${code.toString(16).toUpperCase().padStart(4, "0")}\u27e9`;
}

export function visible(text: string): string {
  return text.replace(HIDDEN, picture);
}

// One line of a console: a carriage return before the line's end says nothing.
export function visibleLine(line: string, limit = 2000): string {
  const plain = line.endsWith("\r") ? line.slice(0, -1) : line;
  return plain.length <= limit
    ? visible(plain)
    : `${visible(plain.slice(0, limit))} … (${plain.length - limit} more)`;
}

export function cut(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit - 1)}…`;
}

export function plural(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`;
}

// "45 s", "12 min", "1 h 5 min", "3 days".
export function duration(seconds: number): string {
  const s = Math.max(0, Math.round(seconds));
  if (s < 90) return `${s} s`;
  const min = Math.round(s / 60);
  if (min < 60) return `${min} min`;
  const h = Math.floor(min / 60);
  if (h < 48) return min % 60 === 0 ? `${h} h` : `${h} h ${min % 60} min`;
  return `${Math.round(h / 24)} days`;
}

export function ago(then: Date, now: Date): string {
  return `${duration((now.getTime() - then.getTime()) / 1000)} ago`;
}

// In the reader's zone, for display only.
export function clock(at: Date): string {
  const two = (n: number) => String(n).padStart(2, "0");
  return (
    `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ` +
    `${two(at.getHours())}:${two(at.getMinutes())}`
  );
}

export function bytes(n: number): string {
  if (n < 1024) return `${n} B`;
  if (n < 1024 * 1024) return `${(n / 1024).toFixed(0)} KiB`;
  return `${(n / 1024 / 1024).toFixed(1)} MiB`;
}
