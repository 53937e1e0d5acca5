// Reads a text proto, as `shakedown submit FILE` does: field: value, message { … }, lists [ … ], # comments.
import { type DescField, type DescMessage, type MessageShape, ScalarType, create } from "@bufbuild/protobuf";
import { type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";

interface Token {
  text: string;
  line: number;
  string: boolean;
}

const ESCAPES: Record<string, number> = { n: 10, r: 13, t: 9, "\\": 92, '"': 34, "'": 39, a: 7, b: 8, f: 12, v: 11, "?": 63 };

function unquoted(text: string): string {
  const bytes: number[] = [];
  for (const [all, octal, hex, letter] of text.slice(1, -1).matchAll(/\\([0-7]{1,3})|\\x([0-9a-fA-F]{1,2})|\\(.)|[^\\]+/gs)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8) & 255);
    else if (hex !== undefined) bytes.push(Number.parseInt(hex, 16));
    else if (letter === undefined) bytes.push(...new TextEncoder().encode(all));
    else if (ESCAPES[letter] !== undefined) bytes.push(ESCAPES[letter]);
    else throw new Error(`\\${letter}: no such escape`);
  }
  return new TextDecoder("utf-8", { fatal: true }).decode(new Uint8Array(bytes));
}

function tokens(text: string): Token[] {
  const out: Token[] = [];
  let line = 1;
  const pattern = /(\n)|#[^\n]*|[^\S\n]+|("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|([-+.\w]+)|([{}<>[\]:,;])|(.)/gs;
  for (const [, newline, quoted, word, sign, other] of text.matchAll(pattern)) {
    if (newline !== undefined) line += 1;
    else if (quoted !== undefined) out.push({ text: unquoted(quoted), line, string: true });
    else if (word !== undefined || sign !== undefined) out.push({ text: (word ?? sign)!, line, string: false });
    else if (other !== undefined) throw new Error(`line ${line}: ${other}: not a text proto`);
  }
  return out;
}

class Reader {
  private at = 0;
  constructor(private readonly all: Token[]) {}

  private peek(text: string): boolean {
    const token = this.all[this.at];
    return token !== undefined && !token.string && token.text === text;
  }
  private take(text: string): boolean {
    if (!this.peek(text)) return false;
    this.at += 1;
    return true;
  }
  private next(what: string): Token {
    const token = this.all[this.at];
    if (token === undefined) throw new Error(`at the end: want ${what}`);
    this.at += 1;
    return token;
  }

  // Until `close`; "": until the end.
  message(into: ReflectMessage, close: string): void {
    while (close === "" ? this.at < this.all.length : !this.take(close)) {
      const name = this.next(close === "" ? "a field" : `a field or ${close}`);
      const field = into.desc.fields.find((one) => one.name === name.text);
      if (field === undefined || name.string) throw new Error(`line ${name.line}: ${name.text}: ${into.desc.name} has no such field`);
      const colon = this.take(":");
      if (this.take("[")) {
        while (!this.take("]")) {
          this.value(into, field, name.line);
          this.take(",");
        }
      } else {
        if (!colon && !this.peek("{") && !this.peek("<")) throw new Error(`line ${name.line}: ${name.text}: want a colon`);
        this.value(into, field, name.line);
      }
      if (!this.take(",")) this.take(";");
    }
  }

  private value(into: ReflectMessage, field: DescField, line: number): void {
    const message = field.fieldKind === "message" ? field.message : field.fieldKind === "list" && field.listKind === "message" ? field.message : undefined;
    let value: unknown;
    if (message !== undefined) {
      const close = this.take("{") ? "}" : this.take("<") ? ">" : undefined;
      if (close === undefined) throw new Error(`line ${line}: ${field.name}: want { … }`);
      const inner = reflect(message);
      this.message(inner, close);
      value = inner;
    } else {
      value = this.scalar(field, line);
    }
    if (field.fieldKind === "list") into.get(field).add(value as never);
    else if (into.isSet(field)) throw new Error(`line ${line}: ${field.name}: given twice`);
    else into.set(field, value as never);
  }

  private scalar(field: DescField, line: number): unknown {
    const token = this.next(`a value of ${field.name}`);
    const wrong = (want: string) => new Error(`line ${line}: ${field.name} ${token.text}: want ${want}`);
    if (field.fieldKind === "enum") {
      const known = field.enum.values.find((one) => one.name === token.text);
      if (known === undefined) throw wrong(field.enum.values.map((one) => one.name).join(", "));
      return known.number;
    }
    const type = field.fieldKind === "scalar" || (field.fieldKind === "list" && field.listKind === "scalar") ? field.scalar : undefined;
    if (type === ScalarType.STRING) {
      if (!token.string) throw wrong("a text in quotes");
      let text = token.text;
      while (this.all[this.at]?.string) text += this.next("").text;
      return text;
    }
    if (token.string || type === undefined) throw wrong("a value");
    if (type === ScalarType.BOOL) {
      if (!/^(true|false|0|1|t|f)$/.test(token.text)) throw wrong("true or false");
      return /^[1t]/.test(token.text);
    }
    if (type === ScalarType.DOUBLE || type === ScalarType.FLOAT) {
      if (!/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?f?$/i.test(token.text)) throw wrong("a number");
      return Number.parseFloat(token.text);
    }
    if (!/^-?\d+$/.test(token.text)) throw wrong("a whole number");
    const big = [ScalarType.UINT64, ScalarType.INT64].includes(type);
    return big ? BigInt(token.text) : Number(token.text);
  }
}

// Throws, with the line, what is wrong.
export function parseTextProto<Desc extends DescMessage>(desc: Desc, text: string): MessageShape<Desc> {
  const message = create(desc);
  const reader = new Reader(tokens(text));
  reader.message(reflect(desc, message), "");
  return message;
}
