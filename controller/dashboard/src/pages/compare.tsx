import { fromJsonString } from "@bufbuild/protobuf";
import { useMemo } from "preact/hooks";
import { farm } from "../api";
import { Chart } from "../chart";
import {
  type Heat, type HeatCell, type Row, changeText, dotsOf, heatOf, hiddenText, lookOfVerdict, number, paretoOf, rowsOf, sentence, toCsv, toMail, toMarkdown, withUnit,
} from "../comparison";
import { Dots } from "../dots";
import { type Report, type ReportLoad, ReportSchema } from "../gen/shakedown/v1/report_pb";
import { usePoll } from "../live";
import { Badge, Copy, Empty, Foreign, Show, Title } from "../parts";
import { setQuery } from "../route";
import { cut, plural } from "../text";

const HEAD = ["Metric", "Against A", "A: median (MAD)", "Challenger", "Change [interval]", "n", "p adj", "Verdict"];

function cells(row: Row): string[] {
  const { metric, comparison } = row;
  return [
    metric.name, comparison.letter, `${withUnit(comparison.baseMedian, metric.unit)} (${number(comparison.baseMad)})`,
    `${withUnit(comparison.median, metric.unit)} (${number(comparison.mad)})`, changeText(metric, comparison), String(comparison.n),
    comparison.pAdjusted === undefined ? "–" : comparison.pAdjusted < 0.0001 ? "<0.0001" : comparison.pAdjusted.toFixed(4),
    `${lookOfVerdict(comparison).sign} ${lookOfVerdict(comparison).word}`,
  ];
}

const keyOf = (row: Row) => `${row.load}:${row.metric.name}:${row.comparison.letter}`;

function Detail({ report, row }: { report: Report; row: Row }) {
  const { metric, comparison } = row;
  const challenger = metric.rows[row.challenger + 1];
  return (
    <>
      <Dots
        unit={metric.unit} order={report.order} label={`${metric.name}: each boot's value of A and ${comparison.letter}`}
        sets={[{ letter: "A", dots: dotsOf(report, metric, 0) }, { letter: challenger?.letter ?? comparison.letter, dots: dotsOf(report, metric, row.challenger + 1) }]}
      />
      {comparison.machines.map((machine) => (
        <p key={machine.machine}>
          On <Foreign text={machine.machine} /> by itself: {lookOfVerdict(machine).word} (n {machine.n})
        </p>
      ))}
      {comparison.drifts && <p class="stale">The changes follow the time they were measured at: something drifts.</p>}
      {metric.noise.map((noise) => (
        <p key={noise.machine} class="dim">
          A against A on <Foreign text={noise.machine} />: {noise.falseAlarms} of {noise.tests} false alarms over {plural(noise.blocks, "block")}
        </p>
      ))}
    </>
  );
}

function Line({ report, row, open }: { report: Report; row: Row; open: boolean }) {
  const key = keyOf(row);
  const [metric, ...rest] = cells(row);
  const look = lookOfVerdict(row.comparison);
  return (
    <>
      <tr>
        <td class="wide">
          <button type="button" class="hit" aria-expanded={open} onClick={() => setQuery({ open: open ? null : key })}>
            {open ? "▾" : "▸"} <Foreign text={metric!} />
          </button>
          {row.metric.role === "primary" && <> <span class="tag">primary</span></>}
        </td>
        {rest.slice(0, -1).map((text, i) => <td key={i} class="num"><Foreign text={text} /></td>)}
        <td><Badge look={look} /></td>
      </tr>
      <tr class="sentence"><td colSpan={HEAD.length}>
        <Foreign text={sentence(row, report)} />
        {open && <Detail report={report} row={row} />}
      </td></tr>
    </>
  );
}

function Load({ report, load, index, all, open }: { report: Report; load: ReportLoad; index: number; all: boolean; open: string | null }) {
  const rows = useMemo(() => rowsOf(load, index), [load]);
  const shown = all ? rows : rows.filter((row) => !row.quiet);
  const hidden = hiddenText(rows);
  const table = shown.map(cells);
  return (
    <section aria-label={`Load ${index + 1}`}>
      <h2><Foreign text={cut(load.text, 200)} /></h2>
      {load.warnings.map((warning) => <p key={warning} class="stale"><Foreign text={warning} /></p>)}
      {shown.length === 0 ? <Empty>{rows.length === 0 ? "Nothing has a verdict yet." : "Nothing changed that counts."}</Empty> : (
        <>
          <div class="scroll" role="region" aria-label={`Verdicts of load ${index + 1}`} tabIndex={0}>
            <table class="verdicts">
              <thead><tr>{HEAD.map((name) => <th scope="col" key={name}>{name}</th>)}</tr></thead>
              <tbody>{shown.map((row) => <Line key={keyOf(row)} report={report} row={row} open={open === keyOf(row)} />)}</tbody>
            </table>
          </div>
          <p class="tools">
            <Copy text={toMail(HEAD, table)} label="Copy as mail text" /> <Copy text={toMarkdown(HEAD, table)} label="Copy as Markdown" />{" "}
            <Copy text={toCsv(HEAD, table)} label="Copy as CSV" />
          </p>
        </>
      )}
      {!all && hidden !== "" && (
        <p class="dim">Not shown: {hidden}. <button type="button" onClick={() => setQuery({ all: "1" })}>Show all</button></p>
      )}
    </section>
  );
}

function Curves({ report }: { report: Report }) {
  const latencies = report.loads.flatMap((load) => load.latencies);
  if (latencies.length === 0) return null;
  return (
    <>
      <h2>Latency distributions</h2>
      <p class="small dim">Thin lines are single boots, thick ones all boots of a variant. For the eye: verdicts are about one value a boot.</p>
      <div class="charts">
        {latencies.map((latency) => {
          // Quantiles as x, shares as y: all curves on one axis of shares.
          const lines = latency.rows.flatMap((row) => [
            ...(row.merged ? [{ name: `${row.letter}, all boots`, values: row.merged.values.map((v) => Math.max(v, 0.5)) }] : []),
          ]);
          const words = latency.rows.flatMap((row) => row.merged ? [`${row.letter}: longest ${withUnit(row.merged.max, latency.unit)}`] : []);
          return (
            <figure key={latency.metric}>
              <figcaption><Foreign text={latency.metric} /></figcaption>
              <Chart
                label={`Quantiles of ${latency.metric}. ${words.join("; ")}`} x={latency.shares.map((share) => 100 * share)} lines={lines}
                xName="% of the latencies are below" unit={latency.unit}
              />
            </figure>
          );
        })}
      </div>
    </>
  );
}

function heatText(heat: Heat): [head: string[], rows: string[][]] {
  const cell = ({ row, text }: HeatCell) => (row === undefined ? text : `${text} ${lookOfVerdict(row.comparison).word}`);
  return [[`${heat.task} under load`, ...heat.whats], heat.loads.map((load, i) => [load, ...heat.cells[i]!.map(cell)])];
}

function HeatMap({ report, letter }: { report: Report; letter: string }) {
  const heats = heatOf(report.loads.flatMap((load, i) => rowsOf(load, i)), letter);
  if (heats.length === 0) return null;
  return (
    <>
      <h3>{letter} against A</h3>
      {heats.map((heat) => (
        <div key={heat.task}>
          <div class="scroll" role="region" aria-label={`interbench ${heat.task}, ${letter} against A`} tabIndex={0}>
            <table class="heat">
              <thead><tr><th scope="col"><Foreign text={heat.task} /> under load</th>{heat.whats.map((what) => <th scope="col" key={what}><Foreign text={what} /></th>)}</tr></thead>
              <tbody>
                {heat.loads.map((load, i) => (
                  <tr key={load}>
                    <th scope="row"><Foreign text={load} /></th>
                    {heat.cells[i]!.map((cell, j) => {
                      const look = cell.row && lookOfVerdict(cell.row.comparison);
                      return <td key={j} class={look?.tone}><span class="sign" aria-hidden="true">{look?.sign}</span> {cell.text} <span class="dim">{look?.word}</span></td>;
                    })}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          <p class="tools take">
            <Copy text={() => toMarkdown(...heatText(heat))} label="Copy as Markdown" /> <Copy text={() => toCsv(...heatText(heat))} label="Copy as CSV" />
          </p>
        </div>
      ))}
    </>
  );
}

function Pareto({ report, query }: { report: Report; query: URLSearchParams }) {
  const names = [...new Set(report.loads.flatMap((load) => load.metrics.filter((m) => m.direction !== "").map((m) => m.name)))];
  const metrics = report.loads.flatMap((load) => load.metrics);
  const x = names.find((name) => name === query.get("x")) ?? names[0];
  const y = names.find((name) => name === query.get("y")) ?? names.find((name) => name.endsWith(".max") || name.endsWith(".p99")) ?? names[1];
  if (x === undefined || y === undefined || x === y) return null;
  const points = paretoOf(report, x, y);
  const unit = (name: string) => metrics.find((m) => m.name === name)?.unit ?? "";
  const better = (name: string) => (metrics.find((m) => m.name === name)?.direction === "higher" ? "more is better" : "less is better");
  const xs = points.map((p) => p.x);
  const ys = points.map((p) => p.y);
  const scale = (value: number, all: number[], from: number, to: number) => {
    const [low, high] = [Math.min(...all), Math.max(...all)];
    const margin = (high - low) * 0.15 || Math.abs(high) * 0.05 || 1;
    return from + ((value - low + margin) / (high - low + 2 * margin)) * (to - from);
  };
  const choose = (which: "x" | "y", now: string) => (
    <label>
      {which === "x" ? "Across" : "Up"}{" "}
      <select value={now} onChange={(e) => setQuery({ [which]: e.currentTarget.value })}>
        {names.map((name) => <option key={name} value={name}>{name}</option>)}
      </select>
    </label>
  );
  return (
    <>
      <h2>One against the other</h2>
      <div class="tools">{choose("x", x)}{choose("y", y)}</div>
      {points.length < 2 ? <Empty>Fewer than two variants have both.</Empty> : (
        <figure>
          <svg class="dots" viewBox="0 0 640 300" role="img" aria-label={points.map((p) => `${p.letter}: ${x} ${withUnit(p.x, unit(x))}, ${y} ${withUnit(p.y, unit(y))}, ${(100 * p.survival).toFixed(0)} % of its boots survived`).join("; ")}>
            <line class="gridline" x1={50} x2={630} y1={265} y2={265} /><line class="gridline" x1={50} x2={50} y1={10} y2={265} />
            <text x={340} y={292} text-anchor="middle">{`${x}${unit(x) === "1" ? "" : ` (${unit(x)})`}, ${better(x)}`}</text>
            <text x={-137} y={16} text-anchor="middle" transform="rotate(-90)">{`${y}${unit(y) === "1" ? "" : ` (${unit(y)})`}, ${better(y)}`}</text>
            {points.map((p) => {
              const [cx, cy] = [scale(p.x, xs, 60, 620), scale(p.y, ys, 255, 20)];
              const round = 2 * Math.PI * 15;
              return (
                <g key={p.letter}>
                  <circle class="ring back" cx={cx} cy={cy} r={15} />
                  <circle class="ring" cx={cx} cy={cy} r={15} stroke-dasharray={`${round * p.survival} ${round}`} transform={`rotate(-90 ${cx} ${cy})`} />
                  <text x={cx} y={cy + 4} text-anchor="middle" class="letter">{p.letter}</text>
                </g>
              );
            })}
          </svg>
          <figcaption class="small dim">Medians. The ring is the part of its boots that each kernel survived.</figcaption>
        </figure>
      )}
    </>
  );
}

function Head({ report }: { report: Report }) {
  const conclusions: Record<string, string> = {
    worse: "At least one primary metric is worse.", inconclusive: "No primary metric is worse, but one at least has no verdict.",
    decided: "Every primary metric has its verdict, and none is worse.",
  };
  return (
    <section class="card" aria-label="What it says together">
      <p class="lead"><Foreign text={cut(report.title || `Job ${report.job}`, 400)} /></p>
      <p>{conclusions[report.conclusion] ?? <>No verdict: <Foreign text={report.noVerdict || "there is nothing to judge"} /></>}</p>
      {report.emulated && <p class="stale">Measured on an emulated CPU: numbers are not those of hardware.</p>}
      {report.machines.length > 1 && <p>Measured on <Foreign text={report.machines.join(", ")} />; each row says what holds on which.</p>}
      {report.confounded.map((c) => <p key={c.letter} class="stale">CONFOUNDED: {c.letter} differs from A in <Foreign text={c.names.join(", ")} /></p>)}
      {report.hardDifferences.map((d) => (
        <p key={d.letter + d.name} class="stale">{d.letter} must not be compared with A: <Foreign text={`${d.name} is ${d.base} on A, ${d.challenger} on ${d.letter}`} /></p>
      ))}
      <ul class="plain">
        {report.variants.map((variant) => (
          <li key={variant.letter}>
            <strong>{variant.letter}</strong> <Foreign text={variant.text} />
            {variant.failures > 0 && <> <Badge look={{ word: `failed ${variant.failures} of ${variant.survivalBoots} boots`, sign: "!", tone: "bad" }} /></>}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Whole({ report, query }: { report: Report; query: URLSearchParams }) {
  const all = query.get("all") === "1";
  const interbench = report.loads.some((load) => load.metrics.some((metric) => metric.name.startsWith("interbench.")));
  return (
    <>
      <Head report={report} />
      <label>
        <input type="checkbox" checked={all} onChange={(e) => setQuery({ all: e.currentTarget.checked ? "1" : null })} /> also what did not change
      </label>
      {report.loads.map((load, i) => <Load key={i} report={report} load={load} index={i} all={all} open={query.get("open")} />)}
      {interbench && (
        <>
          <h2>interbench at a glance</h2>
          {report.variants.slice(1).map(({ letter }) => <HeatMap key={letter} report={report} letter={letter} />)}
        </>
      )}
      <Curves report={report} />
      <Pareto report={report} query={query} />
    </>
  );
}

export function Compare({ job, query }: { job: bigint; query: URLSearchParams }) {
  const live = usePoll(
    async (signal) => fromJsonString(ReportSchema, (await farm.getReport({ job, format: "json", all: true }, { signal })).text, { ignoreUnknownFields: true }),
    10000,
    [job],
  );
  return (
    <>
      <Title text={`Comparison of job ${job}`} />
      <p><a href={`/jobs/${job}`}>The job</a></p>
      <Show live={live}>{(report) => <Whole report={report} query={query} />}</Show>
    </>
  );
}
