// Small pieces that every page uses.
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { toCsv, toMarkdown } from "./comparison";
import { type Live, useNow } from "./live";
import type { Look } from "./outcome";
import { setQuery } from "./route";
import { rowsOfTable } from "./tabletext";
import { ago, clock, visible } from "./text";

// Foreign text: set apart, so that its writing direction ends with it.
export function Foreign({ text, class: name }: { text: string; class?: string }) {
  return <bdi class={`foreign ${name ?? ""}`}>{visible(text)}</bdi>;
}

// The same for names with versions: a line ends between words only, never inside "2.6.31-rc9" or a number.
export function Words({ text }: { text: string }) {
  return (
    <bdi class="foreign">
      {visible(text).split(" ").flatMap((word, i) => [i > 0 ? " " : "", word.length <= 40 ? <span key={i} class="whole">{word}</span> : word])}
    </bdi>
  );
}

export function Badge({ look }: { look: Look }) {
  return (
    <span class={`badge ${look.tone}`}>
      <span class="sign" aria-hidden="true">{look.sign}</span> {look.word}
    </span>
  );
}

export function Bar({ part, label }: { part: number; label: string }) {
  const percent = Math.round(Math.min(1, Math.max(0, part)) * 100);
  return (
    <span class="bar">
      <progress max={100} value={percent} aria-label={label} /> <span class="num">{percent} %</span>
    </span>
  );
}

export function When({ at }: { at: Timestamp | undefined }) {
  const now = useNow();
  if (at === undefined) return <span class="dim">never</span>;
  const date = timestampDate(at);
  return <time dateTime={date.toISOString()} title={clock(date)}>{ago(date, now)}</time>;
}

// The four states of what comes from the controller: loading, an error, old, fresh.
export function Show<T>({ live, children }: { live: Live<T>; children: (data: T) => ComponentChildren }) {
  const now = useNow();
  if (live.data === undefined) {
    return live.error === undefined ? (
      <p class="loading" role="status">Loading…</p>
    ) : (
      <p class="error" role="alert"><Foreign text={live.error} /></p>
    );
  }
  return (
    <>
      {live.error !== undefined && (
        <p class="stale" role="status">
          ⚠ This is how it was {ago(new Date(live.at ?? 0), now)}: <Foreign text={live.error} />. Trying again…
        </p>
      )}
      {children(live.data)}
    </>
  );
}

export function Empty({ children }: { children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}

// `text`: or what makes it, for a text that is long to make.
export function Copy({ text, label = "Copy" }: { text: string | (() => string); label?: string }) {
  const [said, setSaid] = useState("");
  useEffect(() => setSaid(""), [typeof text === "string" ? text : ""]);
  const copy = () =>
    navigator.clipboard.writeText(typeof text === "string" ? text : text()).then(
      () => setSaid("copied"),
      () => setSaid("the browser refused"),
    );
  return (
    <span class="copy">
      <button type="button" onClick={copy}>{label}</button> <span role="status" class="dim">{said}</span>
    </span>
  );
}

// Saves bytes or text as a file; `name` is ours, never foreign.
export function save(name: string, parts: BlobPart[], type: string): void {
  const url = URL.createObjectURL(new Blob(parts, { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

// Narrows what a page lists; the word is in the address.
export function Find({ query }: { query: URLSearchParams }) {
  return (
    <label class="search">
      Find
      <input type="search" value={query.get("q") ?? ""} onInput={(e) => setQuery({ q: e.currentTarget.value })} />
    </label>
  );
}

// Pages of a long list that is all here; the page, from 0, is in the address.
export function Pager({ at, pages }: { at: number; pages: number }) {
  if (pages <= 1) return null;
  const to = (page: number) => setQuery({ page: page > 0 ? String(page) : null });
  return (
    <p class="pager">
      <button type="button" disabled={at === 0} onClick={() => to(at - 1)}>Before</button>
      <span role="status">page {at + 1} of {pages}</span>
      <button type="button" disabled={at === pages - 1} onClick={() => to(at + 1)}>After</button>
    </p>
  );
}

// A table, and the way to take it away as it stands there.
export function Table({ head, label, children }: { head: string[]; label: string; children: ComponentChildren }) {
  const table = useRef<HTMLTableElement>(null);
  const as = (form: (head: string[], rows: string[][]) => string) => () => {
    const [first = [], ...rows] = rowsOfTable(table.current!);
    return form(first, rows);
  };
  return (
    <>
      <div class="scroll" role="region" aria-label={label} tabIndex={0}>
        <table ref={table}>
          <thead>
            <tr>{head.map((name) => <th scope="col" key={name}>{name}</th>)}</tr>
          </thead>
          <tbody>{children}</tbody>
        </table>
      </div>
      <p class="tools take" role="group" aria-label={`Take away: ${label}`}>
        <Copy text={as(toMarkdown)} label="Copy as Markdown" /> <Copy text={as(toCsv)} label="Copy as CSV" />
      </p>
    </>
  );
}

export function Title({ text }: { text: string }) {
  useEffect(() => {
    document.title = `${text} · Shakedown`;
  }, [text]);
  return <h1>{text}</h1>;
}
