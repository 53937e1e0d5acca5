import { useMemo, useState } from "preact/hooks";
import { history } from "../api";
import { Chart } from "../chart";
import { number, toCsv, toMail, toMarkdown, withUnit } from "../comparison";
import type { HistoryPoint, HistorySeries, SeriesView } from "../gen/shakedown/v1/history_pb";
import { IMPORTED_HEAD, importedCells, notedOf } from "../imported";
import { usePoll } from "../live";
import { LongTable } from "../long_table";
import { Notes } from "../notes";
import { Copy, Empty, Find, Foreign, Show, Table, Title, When } from "../parts";
import { setQuery } from "../route";
import { changeTexts, chartOf, inRange, keyText, rangeOf, shownOf } from "../series";
import { cut, plural } from "../text";

const ROWS = 200;

function addressOf(view: SeriesView): string {
  const query = new URLSearchParams({ metric: view.key?.metric ?? "", machine: view.key?.machine ?? "" });
  return `/history?${query}`;
}

function Choice({ query }: { query: URLSearchParams }) {
  const word = query.get("q") ?? "";
  const live = usePoll(async (signal) => (await history.listSeries({ limit: 1000 }, { signal })).series, 30000, []);
  return (
    <>
      <p class="summary">
        A series is one metric on one machine over kernels in their order. Choose one. Results of other tools are series of their own, marked
        imported, never mixed with the farm's.
      </p>
      <Find query={query} />
      <Show live={live}>
        {(all) => {
          const found = all.filter(({ key, imported }) => `${key?.metric} ${key?.machine} ${key?.loads} ${key?.configClass} ${imported ? "imported" : ""}`.toLowerCase().includes(word.toLowerCase()));
          if (all.length === 0) return <Empty>No job has measured anything yet, and nothing was ever imported.</Empty>;
          return (
            <>
              <p class="dim">{found.length === all.length ? plural(all.length, "series", "series") : `${found.length} of ${all.length} series`}</p>
              <Table label="Series" head={["Metric", "Machine", "Load", "Kernels of class", "Points", "Epochs", "Newest"]}>
                {found.slice(0, ROWS).map((view, i) => (
                  <tr key={i}>
                    <td><a href={addressOf(view)}><Foreign text={view.key?.metric ?? ""} /></a>{view.imported && <> <span class="tag">imported</span></>}</td>
                    <td><Foreign text={view.key?.machine ?? ""} /></td>
                    <td class="wide"><Foreign text={cut(view.key?.loads ?? "", 120)} /></td>
                    <td><Foreign text={view.key?.configClass || "–"} /></td>
                    <td class="num">{view.points}</td><td class="num">{view.imported ? "–" : view.epochs}</td><td><When at={view.newest} /></td>
                  </tr>
                ))}
              </Table>
              {found.length > ROWS && <p class="dim">The first {ROWS} of {found.length}: find narrows them.</p>}
            </>
          );
        }}
      </Show>
    </>
  );
}

const MOST_NOTED = 8;

const HEAD = ["Kernel", "Version", "Epoch", "Median", "MAD", "Boots", "Failed", "Change"];

// Cells of one point after another, without a search through all changes for each.
function cellMaker(series: HistorySeries): (point: HistoryPoint, index: number) => string[] {
  const changes = new Map(series.changes.map((change) => [change.index, change.level]));
  return (point, index) => [
    point.kernel, point.version, String(point.epoch), point.relative ? number(point.median) : withUnit(point.median, series.unit), number(point.mad),
    String(point.boots), String(point.failed), changes.get(index) ?? "",
  ];
}

// Of the columns that cells are for.
const isNumber = ({ imported }: HistorySeries, column: number) => (imported ? column >= 1 && column <= 3 : column > 1);

function Points({ series, range }: { series: HistorySeries; range: [number, number] | undefined }) {
  const shown = useMemo(() => inRange(series.points, range), [series, range?.[0], range?.[1]]);
  const cells = useMemo(() => (series.imported ? importedCells(series) : cellMaker(series)), [series]);
  const head = series.imported ? IMPORTED_HEAD : HEAD;
  const table = () => shown.map(({ point, index }) => cells(point, index));
  return (
    <details>
      <summary>{plural(shown.length, "point")} as a table</summary>
      <p class="tools">
        <Copy text={() => toMail(head, table())} label="Copy as mail text" /> <Copy text={() => toMarkdown(head, table())} label="Copy as Markdown" />{" "}
        <Copy text={() => toCsv(head, table())} label="Copy as CSV" />
      </p>
      <LongTable
        label="Points" head={[...head, series.imported ? "Imports" : "Jobs"]} count={shown.length}
        cells={(i) => {
          const { point, index } = shown[i]!;
          return (
            <>
              {cells(point, index).map((text, j) => <td key={j} class={isNumber(series, j) ? "num" : undefined}><Foreign text={cut(text, 300)} /></td>)}
              <td>
                {point.jobs.slice(0, 6).map((job) => <a key={String(job)} href={`/jobs/${job}/compare`}>{String(job)} </a>)}
                {point.imports.slice(0, 6).map((one) => <a key={String(one.import)} href={`/imports/${one.import}`}>{String(one.import)} </a>)}
                {point.imports.length > 6 && `and ${point.imports.length - 6} more`}
              </td>
            </>
          );
        }}
      />
    </details>
  );
}

// Asked for when somebody looks.
function Noted({ series }: { series: HistorySeries }) {
  const [open, setOpen] = useState(false);
  const noted = notedOf(series);
  if (noted.length === 0) return null;
  const text = noted.slice(0, MOST_NOTED).map(({ name, notes }) => `${plural(notes, "note")} on ${name}`).join(", ");
  return (
    <details onToggle={(e) => setOpen(e.currentTarget.open)}>
      <summary>What people saw: <Foreign text={text} />{noted.length > MOST_NOTED && ` and on ${noted.length - MOST_NOTED} more`}</summary>
      {open && noted.slice(0, MOST_NOTED).map(({ subject, name }) => <section key={subject}><h3><Foreign text={name} /></h3><Notes subject={subject} /></section>)}
    </details>
  );
}

function Series({ series, query, number: place }: { series: HistorySeries; query: URLSearchParams; number: number }) {
  const name = `zoom${place}`;
  const chart = useMemo(() => chartOf(series), [series]);
  const range = rangeOf(query.get(name), series.points.length);
  const texts = changeTexts(series);
  const relative = series.points.some((point) => point.relative);
  const lines = useMemo(() => [
    { name: "median", values: chart.medians, points: chart.x.length <= 300, dots: series.imported }, { name: "less MAD", values: chart.low, thin: true }, { name: "plus MAD", values: chart.high, thin: true },
  ], [chart]);
  return (
    <section class="card" aria-label={keyText(series)}>
      <h2><Foreign text={keyText(series)} />{series.imported && <> <span class="tag">imported</span></>}</h2>
      {series.note !== "" && <p class="dim"><Foreign text={series.note} /></p>}
      {relative && <p class="dim">Related to <Foreign text={series.reference || "the reference kernel"} /> in the same blocks: the machine's drift is taken out.</p>}
      {series.points.length === 0 ? <Empty>No kernel fits.</Empty> : (
        <>
          <Chart
            label={`${keyText(series)}: ${plural(series.points.length, "kernel")}. ${texts.join("; ") || (series.imported ? "Imported: no change is looked for" : "No change was found")}`}
            x={chart.x} lines={lines} marks={chart.marks} xName="kernels in their order" unit={relative ? "to the reference" : series.unit}
            xText={(i) => (Number.isInteger(i) ? cut(series.points[i]?.kernel ?? "", 24) : "")} range={shownOf(range, series.points.length)} height={280}
            onZoom={(zoom) => setQuery({ [name]: zoom === undefined ? null : `${zoom[0].toFixed(2)}_${zoom[1].toFixed(2)}` })}
          />
          <p class="small dim">
            Drag to zoom{range && <>, <button type="button" onClick={() => setQuery({ [name]: null })}>show all</button></>}.
            {!series.imported && " Upright lines: grey where the environment or its epoch changed, red where it became worse, green where it became better."}
            {series.points.some((point) => point.starred) && " A star is an asterisk of the text's author; it plays no part."}
          </p>
        </>
      )}
      <ul>
        {series.changes.map((change, i) => (
          <li key={i}>
            <Foreign text={texts[i]!} />
            {change.regression > 0n && <>, <a href={`/regressions/${change.regression}`}>what became of it</a></>}
          </li>
        ))}
        {series.warnings.map((text, i) => <li key={`w${i}`} class="dim"><Foreign text={cut(text, 600)} /></li>)}
        {series.epochChanges.map((text, i) => <li key={`e${i}`} class="dim">Epoch {i + 2}: <Foreign text={text} /></li>)}
      </ul>
      {Number.isFinite(series.drift) && Math.abs(series.drift) > 0.025 && (
        <p class="stale">Slow drift: the newest kernels are {(100 * series.drift).toFixed(1)} % from those twenty versions before.</p>
      )}
      <Points series={series} range={range} />
      <Noted series={series} />
    </section>
  );
}

function Chosen({ metric, query }: { metric: string; query: URLSearchParams }) {
  const machine = query.get("machine") ?? "";
  const since = query.get("since") ?? "";
  const until = query.get("until") ?? "";
  const kernels = query.get("kernels") ?? "";
  const absolute = query.get("absolute") === "1";
  const live = usePoll(
    async (signal) => (await history.getHistory({
      metric, machine, since, until, absolute, kernels: kernels.split(/[\s,]+/).filter((text) => text !== ""),
    }, { signal })).series,
    30000,
    [metric, machine, since, until, kernels, absolute],
  );
  const field = (label: string, name: string, value: string, hint: string) => (
    <label>{label}<input value={value} placeholder={hint} onChange={(e) => setQuery({ [name]: e.currentTarget.value })} /></label>
  );
  return (
    <>
      <p><a href="/history">All series</a></p>
      <div class="row">
        {field("Machine", "machine", machine, "every one")}
        {field("From kernel", "since", since, "the first")}
        {field("To kernel", "until", until, "the newest")}
        {field("Kernels like", "kernels", kernels, "debian-*")}
        <label class="check"><input type="checkbox" checked={absolute} onChange={(e) => setQuery({ absolute: e.currentTarget.checked ? "1" : null })} /> as measured</label>
      </div>
      <Show live={live}>
        {(all) => all.length === 0 ? <Empty>Nothing fits: no such metric was measured or imported for such a machine and kernel.</Empty> : (
          <>{all.map((series, i) => <Series key={keyText(series) + i} series={series} query={query} number={i} />)}</>
        )}
      </Show>
    </>
  );
}

export function History({ query }: { query: URLSearchParams }) {
  const metric = query.get("metric") ?? "";
  return (
    <>
      <Title text={metric === "" ? "History" : `History of ${cut(metric, 80)}`} />
      {metric === "" ? <Choice query={query} /> : <Chosen metric={metric} query={query} />}
    </>
  );
}
