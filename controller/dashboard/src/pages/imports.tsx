// Imports: results that other tools made elsewhere. The list, and one of them with its text.
import { useState } from "preact/hooks";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { imports } from "../api";
import { number as short } from "../comparison";
import type { GetImportResponse, ImportView, ImportedValue, ListImportsResponse } from "../gen/shakedown/v1/import_pb";
import { kernelsOf } from "../import";
import { News, useHeld } from "../held";
import { usePoll } from "../live";
import { compareHref } from "./kernel_compare";
import { Empty, Foreign, Pager, Show, Table, Title, When, Words, save } from "../parts";
import { asNumber, asPage, setQuery } from "../route";
import { Withdraw, Withdrawn } from "../withdraw";
import { bytes, clock, cut, plural, visibleLine } from "../text";

const PAGE = 50;
const VALUES = 200;
// Lines of the text that stand in the page; the download has all of it.
const LINES = 400;


function Row({ one, gone }: { one: ImportView; gone: boolean }) {
  return (
    <tr>
      <td class="num"><a href={`/imports/${one.import}`}>{String(one.import)}</a></td>
      <td class="wide"><a href={`/imports/${one.import}`}><Foreign text={cut(one.file || "no name", 160)} /></a>{gone && <> <span class="tag">no more in this list</span></>}</td>
      <td><Foreign text={one.format} /></td>
      <td class="wide"><Words text={cut(kernelsOf(one).join(", "), 200)} /></td>
      <td><Foreign text={one.machine} /></td>
      <td class="num">{one.values}</td>
      <td><Foreign text={one.shipped ? "came with the program" : cut(one.submitter, 80)} /></td>
      <td><When at={one.added} /></td>
      <td><a href={compareHref(kernelsOf(one), one.machine)} aria-label={`Compare kernels of import ${one.import}`}>compare</a></td>
    </tr>
  );
}

function Filter({ label, name, query }: { label: string; name: string; query: URLSearchParams }) {
  return (
    <label class="search">
      {label}
      <input type="search" value={query.get(name) ?? ""} spellcheck={false}
        onChange={(e) => setQuery({ [name]: e.currentTarget.value, before: null })} />
    </label>
  );
}

// The same filters, another page.
function pageHref(query: URLSearchParams, before: bigint): string {
  const next = new URLSearchParams(query);
  if (before > 0n) next.set("before", String(before));
  else next.delete("before");
  return `/imports${next.size > 0 ? `?${next}` : ""}`;
}

function List({ page, query, before }: { page: ListImportsResponse; query: URLSearchParams; before: bigint }) {
  const list = useHeld(page.imports, (one) => one.import, before === 0n);
  if (list.rows.length === 0) return <Empty>{query.size > 0 ? "No import fits." : "Nothing was ever imported."}</Empty>;
  // The next page begins behind the last that is shown, not behind the last of those that came since.
  const next = list.waiting > 0 && page.nextBefore > 0n ? list.rows.at(-1)!.item.import : page.nextBefore;
  return (
    <>
      <News list={list} one="new import" />
      <Table label="Imports" head={["No.", "File", "Format", "Kernel", "Machine", "Values", "Who", "Added", "Kernels"]}>
        {list.rows.map(({ item, gone }) => <Row key={String(item.import)} one={item} gone={gone} />)}
      </Table>
      <p class="pager">
        {before > 0n && <a href={pageHref(query, 0n)}>Newest</a>}
        {next > 0n && <a href={pageHref(query, next)}>Older</a>}
      </p>
    </>
  );
}

export function Imports({ query }: { query: URLSearchParams }) {
  const before = asNumber(query.get("before"));
  const [kernel, machine] = [query.get("kernel") ?? "", query.get("machine") ?? ""];
  const withdrawn = query.get("withdrawn") === "1";
  const live = usePoll(
    (signal) => imports.listImports({ kernel, machine, limit: PAGE, before, withdrawn }, { signal }), 15_000,
    [kernel, machine, before, withdrawn],
  );
  return (
    <>
      <Title text="Imports" />
      <p class="summary">Texts of other tools, kept byte for byte, with the kernel and machine that somebody said. They never stand among the farm's own measurements. <a href="/compare">Compare kernels</a></p>
      <div class="tools">
        <Filter label="Kernel" name="kernel" query={query} />
        <Filter label="Machine" name="machine" query={query} />
        <label class="check">
          <input type="checkbox" checked={withdrawn} onChange={(e) => setQuery({ withdrawn: e.currentTarget.checked ? "1" : null, before: null })} /> those that were withdrawn
        </label>
      </div>
      <Show live={live}>
        {(page) => <List key={[kernel, machine, before, withdrawn].join(" ")} page={page} query={query} before={before} />}
      </Show>
    </>
  );
}

function Value({ value }: { value: ImportedValue }) {
  const unit = value.unit === "1" ? "" : value.unit;
  return (
    <tr>
      <td class="wide"><Foreign text={cut(value.metric, 200)} /></td>
      <td class="num">
        {short(value.value)}{unit !== "" && <> <Foreign text={unit} /></>}{value.starred && " *"}
        {!value.unitSaid && unit !== "" && <span class="dim"> (unit assumed)</span>}
      </td>
      <td><Words text={cut(value.kernel, 200)} /></td>
      <td class="wide small"><Words text={cut(value.detail, 300)} />{value.warmup && " (warm-up)"}</td>
      <td class="num">{value.run}{value.iteration > 1 && `, ${value.iteration}`}</td>
      <td class="num">{value.line}</td>
      <td class="wide small"><Foreign text={cut(value.marks.join(" · "), 200)} /></td>
    </tr>
  );
}

function Values({ values, query }: { values: ImportedValue[]; query: URLSearchParams }) {
  const wanted = (query.get("q") ?? "").toLowerCase();
  const match = values.filter((value) => `${value.metric} ${value.kernel} ${value.detail}`.toLowerCase().includes(wanted));
  const pages = Math.max(1, Math.ceil(match.length / VALUES));
  const at = Math.min(asPage(query.get("page")), pages - 1);
  return (
    <>
      <label class="search">
        Find
        <input type="search" value={query.get("q") ?? ""} onInput={(e) => setQuery({ q: e.currentTarget.value, page: null })} />
      </label>
      {match.length === 0 ? <Empty>None of {plural(values.length, "value")} matches.</Empty> : (
        <Table label="Values" head={["Metric", "Value", "Kernel", "Of", "Run", "Line", "Remarks"]}>
          {match.slice(at * VALUES, (at + 1) * VALUES).map((value, i) => <Value key={at * VALUES + i} value={value} />)}
        </Table>
      )}
      <Pager at={at} pages={pages} />
    </>
  );
}

function Text({ one, raw }: { one: ImportView; raw: Uint8Array }) {
  const [open, setOpen] = useState(false);
  // Only what is looked at is decoded.
  const lines = open ? new TextDecoder().decode(raw.subarray(0, 1 << 18)).split("\n") : [];
  const cutOff = lines.length > LINES || raw.length > 1 << 18;
  return (
    <>
      <p class="tools">
        <button type="button" onClick={() => save(`import-${one.import}.txt`, [raw as Uint8Array<ArrayBuffer>], "application/octet-stream")}>Download the text</button>
        <span class="dim">{bytes(raw.length)}</span>
      </p>
      <details onToggle={(e) => setOpen(e.currentTarget.open)}>
        <summary>The text{cutOff ? `, its first ${LINES} lines` : ""}</summary>
        {open && (
          <pre class="output" tabIndex={0} aria-label="Text">
            {lines.slice(0, LINES).map((line) => `${visibleLine(line)}\n`).join("")}
          </pre>
        )}
      </details>
    </>
  );
}

function Whole({ answer, query, onChange }: { answer: GetImportResponse; query: URLSearchParams; onChange: () => void }) {
  const one = answer.import;
  if (one === undefined) return <Empty>The controller sent nothing.</Empty>;
  const facts = Object.entries(one.facts);
  return (
    <>
      <Withdrawn withdrawal={one.withdrawn} />
      <section class="card" aria-label="What it is">
        <p class="lead"><Foreign text={cut(one.file || "no name", 300)} /></p>
        <dl>
          <div><dt>Format</dt><dd><Foreign text={one.format} /></dd></div>
          <div><dt>Kernel</dt><dd>{kernelsOf(one).map((kernel) => (
            <div key={kernel}><Foreign text={cut(kernel, 200)} /> <a href={`/imports?${new URLSearchParams({ kernel: kernel.split(" ")[0]! })}`}>imports</a>, <a href={compareHref([kernel], one.machine)}>compare with another</a></div>
          ))}
          {kernelsOf(one).length > 1 && <a href={compareHref(kernelsOf(one), one.machine)}>Compare them</a>}</dd></div>
          <div><dt>Machine</dt><dd>
            <Foreign text={one.machine} /> <a href={`/imports?${new URLSearchParams({ machine: one.machine })}`}>imports</a>,{" "}
            <a href={`/history?${new URLSearchParams({ q: one.machine })}`}>series of it</a>
          </dd></div>
          {one.source !== "" && <div><dt>From</dt><dd><Foreign text={cut(one.source, 500)} /></dd></div>}
          <div><dt>Measured</dt><dd>{one.measured ? clock(timestampDate(one.measured)) : "not known"}</dd></div>
          <div><dt>Added</dt><dd><When at={one.added} /> by <Foreign text={one.submitter} /></dd></div>
          <div><dt>Read</dt><dd>{plural(one.values, "value")}{one.refused > 0 && `; ${plural(one.refused, "line")} could not be read`}</dd></div>
          <div><dt>SHA-256</dt><dd><Foreign text={one.sha256} /></dd></div>
          {facts.map(([name, value]) => (
            <div key={name}><dt><Foreign text={cut(name, 100)} /></dt><dd><Foreign text={cut(value, 500)} /></dd></div>
          ))}
        </dl>
        {!one.shipped && one.withdrawn === undefined && (
          <Withdraw what={`import ${one.import}`} act={(why) => imports.withdrawImport({ import: one.import, why })} onDone={onChange} />
        )}
      </section>
      <Text one={one} raw={answer.raw} />
      <h2>Values</h2>
      <Values values={answer.values} query={query} />
    </>
  );
}

export function Import({ number, query }: { number: bigint; query: URLSearchParams }) {
  const [asked, setAsked] = useState(0);
  // Only a withdrawal changes it: asked once.
  const live = usePoll((signal) => imports.getImport({ import: number }, { signal }), 0, [number, asked], String(number));
  return (
    <>
      <Title text={`Import ${number}`} />
      <p><a href="/imports">All of them</a></p>
      <Show live={live}>{(answer) => <Whole answer={answer} query={query} onChange={() => setAsked((n) => n + 1)} />}</Show>
    </>
  );
}
