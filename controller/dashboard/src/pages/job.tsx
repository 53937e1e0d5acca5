import { useState } from "preact/hooks";
import { farm, words } from "../api";
import { budgetText } from "../budget";
import { type BootView, JobState, type JobView, WorkState } from "../gen/shakedown/v1/farm_pb";
import { JobSpecSchema, type Load, StoppingRule, type Variant } from "../gen/shakedown/v1/job_pb";
import { countLooks, letter, makeGrid, orderText, partDone } from "../grid";
import { textProto } from "../jobtext";
import { useJob, useNow } from "../live";
import { LEGEND, lookOfBoot, lookOfJob } from "../outcome";
import { Notes } from "../notes";
import { LiveOfBoot } from "../panels";
import { Badge, Bar, Copy, Empty, Foreign, Show, Table, Title, When, save } from "../parts";
import { setQuery } from "../route";
import { cut, duration, plural } from "../text";
import { BuildTable } from "./builds";
import { Report } from "./report";

function variantText(variant: Variant): string {
  const tunables = variant.tunables.map(({ name, value }) => `${name}=${value}`);
  return [variant.kernel, ...variant.bootParameters, ...tunables].join(" ");
}

function loadText(load: Load): string {
  const kind = load.kind.case ?? "unknown load";
  return load.iterations > 1 ? `${kind} × ${load.iterations}` : kind;
}

function rule(view: JobView): string {
  switch (view.spec?.stopping) {
    case StoppingRule.QUICK: return "quick: 8 blocks, one look";
    case StoppingRule.LOOKS: return "looks after 8, 16 and 24 blocks";
    default: return `fixed: ${plural(view.spec?.blocks ?? 0, "block")}, one look at the end`;
  }
}

function Head({ view }: { view: JobView }) {
  const [asked, setAsked] = useState(false);
  const [error, setError] = useState("");
  const cancel = () => {
    setAsked(false);
    farm.cancelJob({ job: view.job }).then(() => setError(""), (problem) => setError(words(problem)));
  };
  return (
    <section class="card" aria-label="The job">
      <p class="lead"><Foreign text={cut(view.spec?.title || "no title", 400)} /></p>
      <p>
        <Badge look={lookOfJob(view.state)} /> submitted by <Foreign text={view.submitter} /> <When at={view.submitted} />
        {view.state === JobState.ACTIVE && view.remainingS > 0n && <>, about {duration(Number(view.remainingS))} left</>}
      </p>
      {view.state === JobState.ACTIVE && <Bar part={partDone(view.boots)} label="Boots that have ended" />}
      <p>{countLooks(view.boots).map(({ look, n }) => (
        <span key={look.word} class="count"><span class="num">{n}</span> <Badge look={look} /></span>
      ))}</p>
      {view.endReason !== "" && <p>No more blocks: <Foreign text={view.endReason} /></p>}
      {view.state === JobState.ACTIVE && (asked ? (
        <p>
          Cancel all that has not ended? <button type="button" class="danger" onClick={cancel}>Cancel the job</button>{" "}
          <button type="button" onClick={() => setAsked(false)}>Let it run</button>
        </p>
      ) : <p><button type="button" onClick={() => setAsked(true)}>Cancel…</button></p>)}
      {error !== "" && <p class="error" role="alert"><Foreign text={error} /></p>}
    </section>
  );
}

function Grid({ view, chosen }: { view: JobView; chosen: string | null }) {
  const { blocks, rows } = makeGrid(view);
  if (rows.length === 0) return <Empty>No plan.</Empty>;
  return (
    <>
      <p class="small dim">Each cell is a boot: a row a variant, a column a block. Choose one to see why.</p>
      <div class="scroll" role="region" aria-label="Block plan" tabIndex={0}>
        <table class="grid">
          <thead>
            <tr><th scope="col">Variant</th>{blocks.map((block) => <th scope="col" key={block}>{block}</th>)}</tr>
          </thead>
          <tbody>
            {rows.map((row, variant) => {
              const text = variantText(view.spec!.variants[variant]!);
              return (
                <tr key={variant}>
                  <th scope="row" class="variant" title={cut(text, 200)}>
                    {letter(variant)}{" "}<Foreign text={cut(text, 48)} />
                    {view.spec!.variants[variant]!.control && " (control)"}
                  </th>
                  {row.map((cell, column) => (
                    <td key={column}>
                      {cell && (
                        <button
                          type="button" class={`cell ${cell.look.tone}`} aria-pressed={chosen === cell.latest.name}
                          aria-label={`${cell.latest.name}: ${cell.look.word}${cell.attempts > 1 ? `, attempt ${cell.attempts}` : ""}`}
                          title={`${cell.latest.name}: ${cell.look.word}`}
                          onClick={() => setQuery({ boot: chosen === cell.latest.name ? null : cell.latest.name })}
                        >
                          {cell.look.sign}{cell.attempts > 1 && <sub>{cell.attempts}</sub>}
                        </button>
                      )}
                    </td>
                  ))}
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      <details>
        <summary>What the signs mean</summary>
        <p class="legend">{LEGEND.map((look) => <Badge key={look.word} look={look} />)}</p>
      </details>
    </>
  );
}

function BootDetail({ boot }: { boot: BootView }) {
  return (
    <section class="card" aria-label={`Boot ${boot.name}`} aria-live="off">
      <h3>{boot.name} <Badge look={lookOfBoot(boot)} /></h3>
      {boot.state === WorkState.RUNNING && <Bar part={boot.progress} label={`Progress of ${boot.name}`} />}
      <dl>
        {boot.reason !== "" && <div><dt>Reason</dt><dd><Foreign text={boot.reason} /></dd></div>}
        {boot.phase !== "" && <div><dt>Now</dt><dd><Foreign text={boot.phase} /></dd></div>}
        <div><dt>Machine</dt><dd><Foreign text={boot.machine || "none yet"} /></dd></div>
        {boot.started && <div><dt>Started</dt><dd><When at={boot.started} /></dd></div>}
        {boot.ended && <div><dt>Ended</dt><dd><When at={boot.ended} /></dd></div>}
        {boot.bootMs > 0n && <div><dt>Up after</dt><dd>{(Number(boot.bootMs) / 1000).toFixed(1)} s</dd></div>}
      </dl>
      <p>
        <a href={`/boots/${boot.name}`}>All of this boot: values, telemetry, setup</a>
        {boot.started && <>, <a href={`/logs/${boot.name}`}>console log</a></>}
      </p>
      {boot.state === WorkState.RUNNING && <LiveOfBoot name={boot.name} />}
      {boot.consoleTail !== "" && (
        <>
          <h4>The console's end</h4>
          <pre class="output" tabIndex={0}><Foreign text={boot.consoleTail.replaceAll("\r\n", "\n")} /></pre>
        </>
      )}
    </section>
  );
}

const BOOTS = 100;

function Boots({ view, query }: { view: JobView; query: URLSearchParams }) {
  const only = query.get("show") ?? "";
  const from = Math.max(0, Number.parseInt(query.get("from") ?? "0", 10) || 0);
  const all = view.boots.filter((boot) => only === "" || lookOfBoot(boot).word === only);
  return (
    <>
      <label class="search">
        Show
        <select value={only} onChange={(e) => setQuery({ show: e.currentTarget.value, from: null })}>
          <option value="">all boots</option>
          {countLooks(view.boots).map(({ look, n }) => <option key={look.word} value={look.word}>{look.word} ({n})</option>)}
        </select>
      </label>
      <Table label="Boots" head={["Boot", "Outcome", "Why", "Machine", "Took", "Log"]}>
        {all.slice(from, from + BOOTS).map((boot) => (
          <tr key={boot.attemptId}>
            <td><a href={`/boots/${boot.name}`}>{boot.name}</a></td>
            <td><Badge look={lookOfBoot(boot)} /></td>
            <td class="wide"><Foreign text={cut(boot.reason || boot.phase, 300)} /></td>
            <td><Foreign text={boot.machine || "–"} /></td>
            <td class="num">{boot.started && boot.ended
              ? duration(Number(boot.ended.seconds - boot.started.seconds)) : "–"}</td>
            <td>{boot.started ? <a href={`/logs/${boot.name}`} aria-label={`Console log of ${boot.name}`}>log</a> : "–"}</td>
          </tr>
        ))}
      </Table>
      {all.length > BOOTS && (
        <p class="pager">
          {from > 0 && <button type="button" onClick={() => setQuery({ from: String(Math.max(0, from - BOOTS)) })}>Before</button>}
          <span>{from + 1} to {Math.min(all.length, from + BOOTS)} of {all.length}</span>
          {from + BOOTS < all.length && <button type="button" onClick={() => setQuery({ from: String(from + BOOTS) })}>After</button>}
        </p>
      )}
    </>
  );
}

function Budget({ view }: { view: JobView }) {
  return <>{budgetText(view, useNow())}</>;
}

function Plan({ view }: { view: JobView }) {
  const text = view.spec ? textProto(JobSpecSchema, view.spec) : "";
  const spec = view.spec;
  return (
    <>
      <dl>
        <div><dt>Rule</dt><dd>{rule(view)}</dd></div>
        {view.nextLook > 0 && <div><dt>Next look</dt><dd>after {plural(view.nextLook, "block")}</dd></div>}
        <div><dt>Time budget</dt><dd><Budget view={view} /></dd></div>
        <div><dt>Primary metrics</dt><dd><Foreign text={spec?.primaryMetrics.join(", ") || "those of the loads"} /></dd></div>
        <div><dt>Loads</dt><dd><Foreign text={spec?.loads.map(loadText).join(", ") ?? ""} /></dd></div>
        <div><dt>Order</dt><dd><Foreign text={cut(orderText(view.plan), 400)} /> (seed {String(view.plan?.orderSeed ?? 0)})</dd></div>
      </dl>
      {view.looks.length > 0 && (
        <Table label="Looks" head={["Look", "After", "When", "Decision", "What it saw"]}>
          {view.looks.map((look) => (
            <tr key={look.look}>
              <td class="num">{look.look}</td>
              <td>{plural(look.afterBlocks, "block")}</td>
              <td><When at={look.at} /></td>
              <td><Foreign text={look.decision} /></td>
              <td class="wide"><Foreign text={look.text} /></td>
            </tr>
          ))}
        </Table>
      )}
      <details>
        <summary>Job file</summary>
        <p>
          <Copy text={text} />{" "}
          <button type="button" onClick={() => save(`job-${view.job}.txtpb`, [text], "text/plain")}>Save</button>
        </p>
        <pre class="output" tabIndex={0}><Foreign text={text} /></pre>
      </details>
    </>
  );
}

function Whole({ view, query }: { view: JobView; query: URLSearchParams }) {
  const chosen = query.get("boot");
  const boot = view.boots.find(({ name }) => name === chosen);
  return (
    <>
      <Head view={view} />
      <h2>Blocks</h2>
      <Grid view={view} chosen={chosen} />
      {boot && <BootDetail boot={boot} />}
      {chosen !== null && boot === undefined && <p class="error">No boot <Foreign text={cut(chosen, 40)} /> in this job.</p>}
      <h2>{view.state === JobState.ACTIVE ? "Verdict so far" : "Verdict"}</h2>
      <p><a href={`/jobs/${view.job}/compare`}>Compare: verdicts row by row, each boot's dots, distributions</a></p>
      <Report view={view} query={query} />
      <h2>What people saw</h2>
      <Notes subject={String(view.job)} />
      <h2>Plan</h2>
      <Plan view={view} />
      <h2>Builds</h2>
      {view.builds.length === 0 ? <Empty>It needs none.</Empty> : <BuildTable builds={view.builds} />}
      <h2>Boots</h2>
      <Boots view={view} query={query} />
    </>
  );
}

export function Job({ job, query }: { job: bigint; query: URLSearchParams }) {
  const live = useJob(job);
  return (
    <>
      <Title text={`Job ${job}`} />
      <Show live={live}>{(view) => <Whole view={view} query={query} />}</Show>
    </>
  );
}
