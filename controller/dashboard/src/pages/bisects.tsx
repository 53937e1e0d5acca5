// Bisects: which kernel brought a change. The list, and one of them live.
import { useState } from "preact/hooks";
import { bisects, words } from "../api";
import { BisectAnswer, type BisectStep, type BisectView } from "../gen/shakedown/v1/bisect_pb";
import { News, useHeld } from "../held";
import { usePoll } from "../live";
import type { Look } from "../outcome";
import { Badge, Bar, Empty, Foreign, Show, Table, Title, When } from "../parts";
import { asNumber, setQuery } from "../route";
import { cut, plural } from "../text";

const STATES: Record<string, Look> = {
  running: { word: "running", sign: "▶", tone: "busy" },
  found: { word: "found", sign: "!", tone: "bad" },
  cannot_say: { word: "can not say", sign: "?", tone: "ours" },
  cancelled: { word: "cancelled", sign: "–", tone: "quiet" },
  refused: { word: "nothing to search", sign: "=", tone: "quiet" },
};
const UNKNOWN: Look = { word: "unknown", sign: "?", tone: "ours" };

const ANSWERS: Record<BisectAnswer, Look> = {
  [BisectAnswer.UNSPECIFIED]: { word: "not yet", sign: "▶", tone: "busy" },
  [BisectAnswer.GOOD]: { word: "good", sign: "✓", tone: "good" },
  [BisectAnswer.BAD]: { word: "bad", sign: "!", tone: "bad" },
  [BisectAnswer.SKIP]: { word: "skipped", sign: "–", tone: "ours" },
  [BisectAnswer.IDENTICAL]: { word: "the same build", sign: "=", tone: "quiet" },
};

const KINDS: Record<string, string> = { ends: "the ends", candidate: "a candidate", verify: "against its parent" };
const DEFAULT_BOOTS = 2000; // As the controller reads max_boots 0.
// A graph of thousands of commits: the likeliest are what is read.
const CANDIDATES = 40;

const state = (one: BisectView) => STATES[one.state] ?? UNKNOWN;
const left = (one: BisectView) => one.leftHigh - one.leftLow + 1;
const budget = (one: BisectView) => one.request?.maxBoots || DEFAULT_BOOTS;
// Near 0 and 1 with more digits: 99.99 % is not certain.
const percent = (part: number) => `${(100 * part).toFixed((part > 0 && part < 0.001) || (part > 0.999 && part < 1) ? 3 : 1)} %`;

function Range({ one }: { one: BisectView }) {
  return <><Foreign text={cut(one.request?.good ?? "", 200)} /> .. <Foreign text={cut(one.request?.bad ?? "", 200)} /></>;
}

function Row({ one }: { one: BisectView }) {
  return (
    <tr>
      <td class="num"><a href={`/bisects/${one.bisect}`}>{String(one.bisect)}</a></td>
      <td><Badge look={state(one)} /></td>
      <td class="wide"><Range one={one} /></td>
      <td><Foreign text={one.request?.metric ?? ""} /></td>
      <td class="num">{one.state === "running" ? left(one) : "–"}</td>
      <td class="wide">{one.culprit !== "" ? <strong><Foreign text={cut(one.culprit, 200)} /></strong> : "–"}</td>
      <td class="num">{one.boots} of {budget(one)}</td>
      <td><Foreign text={cut(one.submitter, 80)} /></td>
      <td><When at={one.started} /></td>
    </tr>
  );
}

const PAGE = 50;

function List({ all, before }: { all: BisectView[]; before: bigint }) {
  const list = useHeld(all, ({ bisect }) => bisect, before === 0n);
  if (list.rows.length === 0) {
    return (
      <Empty>{before > 0n
        ? <>No older bisects. <a href="/bisects">Newest</a></>
        : <>Nothing was ever bisected. The command <code>shakedown bisect</code> begins one.</>}</Empty>
    );
  }
  return (
    <>
      <News list={list} one="new bisect" />
      <Table label="Bisects" head={["No.", "State", "Between", "Metric", "Left", "Culprit", "Boots", "Who", "Started"]}>
        {list.rows.map(({ item }) => <Row key={String(item.bisect)} one={item} />)}
      </Table>
      <p class="pager">
        {before > 0n && <a href="/bisects">Newest</a>}
        {all.length >= PAGE && <a href={`/bisects?before=${list.rows.at(-1)!.item.bisect}`}>Older</a>}
      </p>
    </>
  );
}

export function Bisects({ query }: { query: URLSearchParams }) {
  const before = asNumber(query.get("before"));
  const live = usePoll(async (signal) => (await bisects.listBisects({ limit: PAGE, before }, { signal })).bisects, 5000, [before]);
  return (
    <>
      <Title text="Bisects" />
      <p class="summary">A bisect measures kernels between a good and a bad one, in pairs, until the one that brought the change is known.</p>
      <Show live={live}>{(all) => <List key={String(before)} all={all} before={before} />}</Show>
    </>
  );
}

function Stop({ one, onDone }: { one: BisectView; onDone: () => void }) {
  const [sure, setSure] = useState(false);
  const [error, setError] = useState("");
  if (one.state !== "running") return null;
  const stop = () =>
    bisects.cancelBisect({ bisect: one.bisect }).then(
      () => {
        setError("");
        setSure(false);
        onDone();
      },
      (problem) => setError(words(problem)),
    );
  return (
    <div class="tools">
      {sure ? (
        <>
          <button type="button" class="danger" onClick={stop}>Stop the bisect</button>
          <button type="button" onClick={() => setSure(false)}>Let it run</button>
        </>
      ) : <button type="button" onClick={() => setSure(true)}>Stop…</button>}
      {error !== "" && <p class="error" role="alert"><Foreign text={error} /></p>}
    </div>
  );
}

function Outcome({ one }: { one: BisectView }) {
  if (one.culprit !== "") {
    return <p class="lead">The change came with <strong><Foreign text={one.culprit} /></strong>, at {percent(one.confidence)}.</p>;
  }
  return (
    <p class="lead">
      {one.state === "running" ? "No culprit yet" : "No culprit is named"}
      {one.leader !== "" && <>: the likeliest is <Foreign text={one.leader} />, at {percent(one.confidence)} (95 % and a check against its parent are wanted)</>}.
    </p>
  );
}

interface Candidate {
  index: number;
  name: string;
  probability: number;
}

// In their order; of more than fit, the likeliest.
export function candidatesShown(names: string[], probabilities: number[], limit: number): Candidate[] {
  const all = names.map((name, index) => ({ index, name, probability: probabilities[index] ?? 0 }));
  if (all.length <= limit) return all;
  const likeliest = [...all].sort((a, b) => b.probability - a.probability || a.index - b.index).slice(0, limit);
  return likeliest.sort((a, b) => a.index - b.index);
}

function Candidates({ one, all }: { one: BisectView; all: boolean }) {
  const names = one.request?.candidates ?? [];
  if (one.probabilities.length !== names.length) return <Empty>How likely each candidate is was not stored with this bisect.</Empty>;
  const shown = candidatesShown(names, one.probabilities, all ? Infinity : CANDIDATES);
  return (
    <>
      <p class="summary">
        95 % of the probability is with {plural(left(one), "candidate")}.{" "}
        {names.length > CANDIDATES && (
          <button type="button" aria-pressed={all} onClick={() => setQuery({ all: all ? null : "1" })}>
            {all ? `Only the ${CANDIDATES} likeliest` : `All ${names.length}`}
          </button>
        )}
      </p>
      <Table label="Candidates" head={["No.", "Candidate", "It is the culprit", "Part of the 95 %"]}>
        {shown.map(({ index, name, probability }) => (
          <tr key={index}>
            <td class="num">{index}</td>
            <td class="wide"><Foreign text={cut(name, 200)} /></td>
            <td class="num"><progress max={1} value={probability} aria-label={`Probability of candidate ${index}`} /> {percent(probability)}</td>
            <td>{index >= one.leftLow && index <= one.leftHigh ? "yes" : "–"}</td>
          </tr>
        ))}
      </Table>
    </>
  );
}

function Step({ step }: { step: BisectStep }) {
  return (
    <tr>
      <td class="num">{step.step}</td>
      <td>{KINDS[step.kind] ?? <Foreign text={step.kind} />}</td>
      <td class="wide"><Foreign text={cut(step.kernel, 200)} /> against <Foreign text={cut(step.base, 200)} /></td>
      <td><Badge look={ANSWERS[step.answer] ?? UNKNOWN} /></td>
      <td class="wide small"><Foreign text={cut(step.text, 600)} /></td>
      <td class="num">{step.boots}</td>
      <td class="num">{percent(step.confidence)}</td>
      <td>
        {step.jobs.map((job, i) => <>{i > 0 && ", "}<a href={`/jobs/${job}`}>{String(job)}</a></>)}
        {step.jobs.length === 0 && "–"}
      </td>
    </tr>
  );
}

function Whole({ one, all, onDone }: { one: BisectView; all: boolean; onDone: () => void }) {
  const request = one.request;
  return (
    <>
      <section class="card" aria-label="What it is">
        <p><Badge look={state(one)} /> <Foreign text={request?.metric ?? ""} />, <Range one={one} /></p>
        <Outcome one={one} />
        {one.text !== "" && <p><Foreign text={cut(one.text, 2000)} /></p>}
        <dl>
          <div><dt>Boots</dt><dd><Bar part={one.boots / budget(one)} label="Boots of the budget" /> {one.boots} of {budget(one)}</dd></div>
          {request?.git && <div><dt>Commits of</dt><dd><Foreign text={request.git.location} />, configured as <Foreign text={request.git.like} /></dd></div>}
          {request !== undefined && request.regression > 0n && (
            <div><dt>Regression</dt><dd><a href={`/regressions/${request.regression}`}>{String(request.regression)}</a></dd></div>
          )}
          <div><dt>Started</dt><dd><When at={one.started} /> by <Foreign text={one.submitter} /></dd></div>
          {one.ended && <div><dt>Ended</dt><dd><When at={one.ended} /></dd></div>}
        </dl>
        <Stop one={one} onDone={onDone} />
      </section>
      <h2>Steps</h2>
      {one.steps.length === 0 ? <Empty>Nothing is measured yet.</Empty> : (
        <Table label="Steps" head={["Step", "About", "Measured", "Verdict", "Why", "Boots", "Confidence after", "Jobs"]}>
          {one.steps.map((step) => <Step key={step.step} step={step} />)}
        </Table>
      )}
      <h2>Candidates</h2>
      <Candidates one={one} all={all} />
    </>
  );
}

export function Bisect({ bisect, query }: { bisect: bigint; query: URLSearchParams }) {
  const [asked, setAsked] = useState(0);
  const live = usePoll((signal) => bisects.getBisect({ bisect }, { signal }), 3000, [bisect, asked], String(bisect));
  return (
    <>
      <Title text={`Bisect ${bisect}`} />
      <p><a href="/bisects">All of them</a></p>
      <Show live={live}>{(one) => <Whole one={one} all={query.get("all") === "1"} onDone={() => setAsked((n) => n + 1)} />}</Show>
    </>
  );
}
