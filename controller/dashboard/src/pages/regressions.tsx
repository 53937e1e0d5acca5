import { timestampDate } from "@bufbuild/protobuf/wkt";
import { useState } from "preact/hooks";
import { history, words } from "../api";
import { number } from "../comparison";
import { RegressionState, type RegressionView } from "../gen/shakedown/v1/history_pb";
import { News, useHeld } from "../held";
import { usePoll } from "../live";
import type { Look } from "../outcome";
import { Badge, Copy, Empty, Foreign, Show, Table, Title, When } from "../parts";
import { asNumber, setQuery } from "../route";
import { clock, cut } from "../text";

const LOOKS: Record<RegressionState, Look> = {
  [RegressionState.UNSPECIFIED]: { word: "unknown", sign: "?", tone: "ours" },
  [RegressionState.SUSPECTED]: { word: "suspected", sign: "?", tone: "ours" },
  [RegressionState.CONFIRMING]: { word: "being confirmed", sign: "▶", tone: "busy" },
  [RegressionState.CONFIRMED]: { word: "confirmed", sign: "!", tone: "bad" },
  [RegressionState.REFUTED]: { word: "refuted", sign: "=", tone: "quiet" },
  [RegressionState.ACKNOWLEDGED]: { word: "acknowledged", sign: "☑", tone: "ours" },
  [RegressionState.FIXED]: { word: "fixed", sign: "✓", tone: "good" },
  [RegressionState.WONT_FIX]: { word: "won't fix", sign: "–", tone: "quiet" },
};

// Only what a paired job has confirmed is called a regression.
function look(one: RegressionView): Look {
  const known = LOOKS[one.state] ?? LOOKS[RegressionState.UNSPECIFIED];
  return one.state === RegressionState.CONFIRMED && one.improvement ? { word: "confirmed, better", sign: "*", tone: "good" } : known;
}

// Nor is it an improvement before that, and never one that was refuted.
export function nameOf(one: Pick<RegressionView, "confirmed" | "improvement" | "state">): string {
  if (!one.confirmed || one.state === RegressionState.REFUTED) return "Suspected change";
  return one.improvement ? "Improvement" : "Regression";
}

const PAGE = 50;

function Rows({ all, open, before }: { all: RegressionView[]; open: boolean; before: bigint }) {
  const list = useHeld(all, ({ regression }) => regression, before === 0n);
  if (list.rows.length === 0) return <Empty>{open ? "Nothing is open: no series shows a change that waits for somebody." : "Nothing was ever suspected."}</Empty>;
  return (
    <>
      <News list={list} one="new change" />
      <Table label="Regressions" head={["No.", "State", "Metric", "Machine", "Last good", "First bad", "By", "Paired job", "Bisect"]}>
        {list.rows.map(({ item: one, gone }) => (
          <tr key={String(one.regression)}>
            <td class="num"><a href={`/regressions/${one.regression}`}>{String(one.regression)}</a></td>
            <td><Badge look={gone ? { word: "settled meanwhile", sign: "–", tone: "quiet" } : look(one)} /></td>
            <td class="wide"><Foreign text={one.series?.metric ?? ""} /></td>
            <td><Foreign text={one.series?.machine ?? ""} /></td>
            <td><Foreign text={one.good} /></td><td><Foreign text={one.bad} /></td>
            <td class="num">{(100 * one.magnitude).toFixed(1)} %</td>
            <td>{one.confirmJob > 0n ? <a href={`/jobs/${one.confirmJob}/compare`}>{String(one.confirmJob)}</a> : "–"}</td>
            <td>{one.bisect > 0n ? <a href={`/bisects/${one.bisect}`}>{String(one.bisect)}</a> : "–"}</td>
          </tr>
        ))}
      </Table>
      <p class="pager">
        {before > 0n && <a href={`/regressions${open ? "" : "?all=1"}`}>Newest</a>}
        {all.length >= PAGE && <a href={`/regressions?${open ? "" : "all=1&"}before=${list.rows.at(-1)!.item.regression}`}>Older</a>}
      </p>
    </>
  );
}

function List({ query }: { query: URLSearchParams }) {
  const open = query.get("all") !== "1";
  const before = asNumber(query.get("before"));
  const live = usePoll(
    async (signal) => (await history.listRegressions({ openOnly: open, limit: PAGE, before }, { signal })).regressions,
    10000, [open, before],
  );
  return (
    <>
      <label><input type="checkbox" checked={!open} onChange={(e) => setQuery({ all: e.currentTarget.checked ? "1" : null, before: null })} /> also what is settled</label>
      <Show live={live}>{(all) => <Rows key={`${open} ${before}`} all={all} open={open} before={before} />}</Show>
    </>
  );
}

export function Regressions({ query }: { query: URLSearchParams }) {
  return (
    <>
      <Title text="Regressions" />
      <p class="summary">Series are watched as jobs end. A suspicion becomes a regression only when a paired job of the last good and the first bad kernel says so.</p>
      <List query={query} />
    </>
  );
}

const ACTIONS: [state: RegressionState, label: string][] = [
  [RegressionState.ACKNOWLEDGED, "Acknowledge"], [RegressionState.FIXED, "It is fixed"], [RegressionState.WONT_FIX, "Won't fix"],
  [RegressionState.SUSPECTED, "Open again"],
];

function Actions({ one, onDone }: { one: RegressionView; onDone: () => void }) {
  const [why, setWhy] = useState("");
  const [error, setError] = useState("");
  const act = (state: RegressionState) => {
    history.setRegression({ regression: one.regression, state, why }).then(
      () => {
        setWhy("");
        setError("");
        onDone();
      },
      (problem) => setError(words(problem)),
    );
  };
  return (
    <section class="card" aria-label="What people make of it">
      <label>Why<input value={why} maxLength={4096} onInput={(e) => setWhy(e.currentTarget.value)} /></label>
      <p class="tools">
        {ACTIONS.filter(([state]) => state !== one.state).map(([state, label]) => (
          <button type="button" key={label} onClick={() => act(state)}>{label}</button>
        ))}
      </p>
      {error !== "" && <p class="error" role="alert"><Foreign text={error} /></p>}
    </section>
  );
}

function Whole({ one, onDone }: { one: RegressionView; onDone: () => void }) {
  const series = new URLSearchParams({ metric: one.series?.metric ?? "", machine: one.series?.machine ?? "" });
  return (
    <>
      <section class="card" aria-label="What it is">
        <p><Badge look={look(one)} /> {nameOf(one)} of <a href={`/history?${series}`}><Foreign text={one.series?.metric ?? ""} /></a> on <Foreign text={one.series?.machine ?? ""} /></p>
        <dl>
          <div><dt>Between</dt><dd><Foreign text={`${one.good} (${one.goodVersion})`} /> and <Foreign text={`${one.bad} (${one.badVersion})`} /></dd></div>
          <div><dt>Changed by</dt><dd>{(100 * one.magnitude).toFixed(1)} %{one.p > 0 && <>, p {number(one.p)}</>}</dd></div>
          <div><dt>Load</dt><dd><Foreign text={one.series?.loads ?? ""} /></dd></div>
          {one.suspectedBecause !== "" && <div><dt>Suspected</dt><dd><Foreign text={one.suspectedBecause} /></dd></div>}
          {one.confirmJob > 0n && (
            <div><dt>Paired job</dt><dd><a href={`/jobs/${one.confirmJob}/compare`}>{String(one.confirmJob)}</a> <Foreign text={one.confirmText || one.confirmVerdict} /></dd></div>
          )}
          {one.blocked !== "" && <div><dt>Not confirmed</dt><dd><Foreign text={one.blocked} /></dd></div>}
          {one.bisect > 0n && <div><dt>Bisect</dt><dd><a href={`/bisects/${one.bisect}`}>{String(one.bisect)}</a></dd></div>}
        </dl>
      </section>
      <Actions one={one} onDone={onDone} />
      <h2>Its life</h2>
      <Table label="Events" head={["When", "Who", "State", "Why"]}>
        {one.events.map((event, i) => (
          <tr key={i}>
            <td title={event.at && clock(timestampDate(event.at))}><When at={event.at} /></td>
            <td><Foreign text={event.by} /></td>
            <td><Badge look={LOOKS[event.state] ?? LOOKS[RegressionState.UNSPECIFIED]} /></td>
            <td class="wide"><Foreign text={event.why} /></td>
          </tr>
        ))}
      </Table>
      {one.mail !== "" && (
        <>
          <h2>A mail about it</h2>
          <p class="dim">The farm writes it, a person sends it.</p>
          <p><Copy text={one.mail} /></p>
          <pre class="output" tabIndex={0}><Foreign text={cut(one.mail, 20000)} /></pre>
        </>
      )}
    </>
  );
}

export function Regression({ regression }: { regression: bigint }) {
  const [asked, setAsked] = useState(0);
  const live = usePoll((signal) => history.getRegression({ regression }, { signal }), 10000, [regression, asked], String(regression));
  return (
    <>
      <Title text={`${live.data === undefined ? "Change" : nameOf(live.data)} ${regression}`} />
      <p><a href="/regressions">All of them</a></p>
      <Show live={live}>{(one) => <Whole one={one} onDone={() => setAsked((n) => n + 1)} />}</Show>
    </>
  );
}
