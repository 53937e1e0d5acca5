// Kernels side by side on one machine: from imports, or from the farm's own boots, never both in one row.
import { useState } from "preact/hooks";
import { imports } from "../api";
import { number } from "../comparison";
import { type CompareKernelsResponse, type CompareKernelsResponse_Cell, type CompareKernelsResponse_Row } from "../gen/shakedown/v1/import_pb";
import { kernelsOf } from "../import";
import { usePoll } from "../live";
import { Empty, Foreign, Pager, Show, Table, Title, Words } from "../parts";
import { asPage, go } from "../route";
import { cut, plural } from "../text";

const ROWS = 100;
const MOST_KERNELS = 16;
const LINKS = 3; // Of a cell, to what it is from.

const wordsOf = (text: string) => text.split(/[\s,]+/).filter((word) => word !== "");

export function compareHref(kernels: string[], machine: string): string {
  // Tunables behind a kernel are columns of their own.
  const names = [...new Set(kernels.map((kernel) => kernel.split(" ")[0]!))];
  return `/compare?${new URLSearchParams([...names.map((name) => ["kernel", name]), ["machine", machine]])}`;
}

function Form({ kernels, machine, metric }: { kernels: string[]; machine: string; metric: string }) {
  const [fields, setFields] = useState({ kernels: kernels.join(" "), machine, metric });
  const known = usePoll(
    async (signal) => (fields.machine === "" ? [] : (await imports.listImports({ machine: fields.machine, limit: 1000 }, { signal })).imports),
    0, [fields.machine],
  );
  const names = [...new Set((known.data ?? []).flatMap(kernelsOf).map((kernel) => kernel.split(" ")[0]!))].sort();
  const compare = (event: Event) => {
    event.preventDefault();
    const query = new URLSearchParams(wordsOf(fields.kernels).map((name) => ["kernel", name]));
    if (fields.machine !== "") query.set("machine", fields.machine);
    if (fields.metric !== "") query.set("metric", fields.metric);
    go(`/compare?${query}`);
  };
  const put = (changes: Partial<typeof fields>) => setFields({ ...fields, ...changes });
  return (
    <form onSubmit={compare}>
      <label>
        Kernels, the baseline first
        <input type="text" required spellcheck={false} value={fields.kernels} placeholder="2.6.35 2.6.35-ck1" onInput={(e) => put({ kernels: e.currentTarget.value })} />
      </label>
      {names.length > 0 && (
        <p class="tools small">
          Imported there:{" "}
          {names.slice(0, 40).map((name) => (
            <button type="button" key={name} aria-pressed={wordsOf(fields.kernels).includes(name)}
              onClick={() => {
                const chosen = wordsOf(fields.kernels);
                put({ kernels: (chosen.includes(name) ? chosen.filter((one) => one !== name) : [...chosen, name]).join(" ") });
              }}><Foreign text={name} /></button>
          ))}
        </p>
      )}
      <div class="row">
        <label>Machine<input type="text" required spellcheck={false} value={fields.machine} onChange={(e) => put({ machine: e.currentTarget.value })} /></label>
        <label>Metrics that begin so<input type="text" spellcheck={false} value={fields.metric} placeholder="all" onInput={(e) => put({ metric: e.currentTarget.value })} /></label>
      </div>
      <button type="submit" class="main">Compare</button>
    </form>
  );
}

function Cell({ cell }: { cell: CompareKernelsResponse_Cell }) {
  if (cell.n === 0) return <td class="num">–</td>;
  const from = [
    ...cell.imports.map((one) => [`/imports/${one}`, `import ${one}`] as const), ...cell.boots.map((one) => [`/boots/${one}`, one] as const),
  ];
  return (
    <td class="num">
      {number(cell.median)}{cell.starred && " *"}{cell.n > 1 && <span class="dim"> ±{number(cell.spread)}</span>}
      <div class="small dim">
        {plural(cell.n, "run")}: {from.slice(0, LINKS).map(([href, name], i) => <>{i > 0 && ", "}<a key={href} href={href}>{name}</a></>)}
        {from.length > LINKS && ` and ${from.length - LINKS} more`}
      </div>
    </td>
  );
}

const change = (part: number) => (Number.isFinite(part) ? `${part > 0 ? "+" : ""}${(100 * part).toFixed(1)} %`.replace("-", "−") : "–");

function Row({ row, kernels }: { row: CompareKernelsResponse_Row; kernels: string[] }) {
  const unit = row.unit === "1" ? "" : row.unit;
  return (
    <tr>
      <td class="wide"><Foreign text={cut(row.metric, 200)} />{unit !== "" && <span class="dim">, <Foreign text={unit} /></span>}
        <p class="small dim">{row.detail !== "" && <><Words text={cut(row.detail, 200)} />; </>}{row.origin === "farm" ? "the farm's boots" : "imports"}</p>
      </td>
      {row.cells.map((cell, i) => <Cell key={i} cell={cell} />)}
      <td class="small">
        {row.change.map((part, i) => (
          <div key={i} class="num">{row.change.length > 1 && <><Foreign text={cut(kernels[i + 1] ?? "", 40)} />: </>}{change(part)} <span class="dim"><Foreign text={row.verdict[i] ?? ""} /></span></div>
        ))}
        {row.direction !== "" && <span class="dim">{row.direction === "lower" ? "lower" : "higher"} is better</span>}
      </td>
    </tr>
  );
}

function Whole({ answer, page }: { answer: CompareKernelsResponse; page: number }) {
  const pages = Math.max(1, Math.ceil(answer.rows.length / ROWS));
  const at = Math.min(page, pages - 1);
  return (
    <>
      {answer.warnings.map((warning) => <p key={warning} class="stale"><Foreign text={cut(warning, 1000)} /></p>)}
      {answer.rows.length === 0 ? <Empty>They have no metric in common.</Empty> : (
        <>
          <p class="summary">{plural(answer.rows.length, "row")}; medians, the spread behind ±. Nothing here is a verdict of the farm's own paired jobs.</p>
          <Table label="Kernels side by side" head={["Metric", ...answer.kernels.map((kernel) => cut(kernel, 80)), "Against the first"]}>
            {answer.rows.slice(at * ROWS, (at + 1) * ROWS).map((row, i) => <Row key={at * ROWS + i} row={row} kernels={answer.kernels} />)}
          </Table>
        </>
      )}
      <Pager at={at} pages={pages} />
      {answer.notes.length > 0 && (
        <>
          <h2>What people saw</h2>
          <ul class="notes">
            {answer.notes.map((note) => (
              <li key={String(note.note)}><span class="tag"><Foreign text={note.kind} /></span> <Foreign text={note.text} /> <span class="dim small"><Foreign text={`${note.subject}, ${note.author || note.source}`} /></span></li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

function Answer({ kernels, machine, metric, page }: { kernels: string[]; machine: string; metric: string; page: number }) {
  const live = usePoll((signal) => imports.compareKernels({ kernels, machine, metric }, { signal }), 0, [kernels.join(" "), machine, metric]);
  return <Show live={live}>{(answer) => <Whole answer={answer} page={page} />}</Show>;
}

export function KernelCompare({ query }: { query: URLSearchParams }) {
  const kernels = query.getAll("kernel").filter((name) => name !== "").slice(0, MOST_KERNELS);
  const [machine, metric] = [query.get("machine") ?? "", query.get("metric") ?? ""];
  const asked = [...kernels, machine, metric].join("\n");
  return (
    <>
      <Title text="Compare kernels" />
      <Form key={asked} kernels={kernels} machine={machine} metric={metric} />
      {kernels.length >= 2 && machine !== ""
        ? <Answer key={asked} kernels={kernels} machine={machine} metric={metric} page={asPage(query.get("page"))} />
        : <Empty>Choose two kernels or more, and the machine that they ran on.</Empty>}
    </>
  );
}
