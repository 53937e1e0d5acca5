import { useState } from "preact/hooks";
import { detail } from "../api";
import { Chart } from "../chart";
import { number, withUnit } from "../comparison";
import type { BootResult, LoadRun, Measurement } from "../gen/shakedown/v1/boot_pb";
import type { GetBootResponse } from "../gen/shakedown/v1/detail_pb";
import { WorkState } from "../gen/shakedown/v1/farm_pb";
import { usePoll } from "../live";
import { Notes } from "../notes";
import { lookOfBoot } from "../outcome";
import { Badge, Bar, Empty, Foreign, Show, Table, Title, When } from "../parts";
import { LivePanels, Panels } from "../panels";
import { panelsOf } from "../telemetry";
import { cut, duration } from "../text";

function Overview({ boot, result }: { boot: GetBootResponse; result: BootResult }) {
  const view = boot.view!;
  const job = view.name.split(".")[0]!;
  const identity = result.identity;
  const facts: [string, string][] = [
    ["Variant", boot.variant], ["Machine", view.machine], ["Reason", view.reason], ["Now", view.phase],
    ["Release", identity?.release ?? ""], ["Version", identity?.version ?? ""], ["Build id", identity?.buildId ?? ""],
    ["Command line", identity?.commandLine ?? ""],
    ["Scheduler", identity?.schedExtOps ? `sched_ext ${identity.schedExtOps} (${identity.schedExtState})` : ""],
    ["Build key", boot.build?.buildKey ?? ""], ["Source", boot.build?.sourceVersion ?? ""], ["Toolchain", boot.build?.toolchain ?? ""],
  ];
  return (
    <section class="card" aria-label="The boot">
      <p>
        <Badge look={lookOfBoot(view)} /> <a href={`/jobs/${job}?boot=${view.name}`}>in job {job}</a>
        {view.started && <>, <a href={`/logs/${view.name}`}>console log</a></>}
        {boot.attempts.length > 1 && <>, attempts: {boot.attempts.map((name) => (
          name === view.name ? <strong key={name}> {name}</strong> : <a key={name} href={`/boots/${name}`}> {name}</a>))}</>}
      </p>
      {view.state === WorkState.RUNNING && <Bar part={view.progress} label={`Progress of ${view.name}`} />}
      <dl>
        {facts.filter(([, value]) => value !== "").map(([name, value]) => (
          <div key={name}><dt>{name}</dt><dd><Foreign text={cut(value, 2000)} /></dd></div>
        ))}
        {identity?.tunables.map(({ name, value }) => (
          <div key={name}><dt>Tunable, read back</dt><dd><Foreign text={`${name}=${value}`} /></dd></div>
        ))}
        {view.started && <div><dt>Started</dt><dd><When at={view.started} /></dd></div>}
        {view.bootMs > 0n && <div><dt>Up after</dt><dd>{(Number(view.bootMs) / 1000).toFixed(1)} s</dd></div>}
      </dl>
    </section>
  );
}

function Values({ measurements }: { measurements: Measurement[] }) {
  const byMetric = new Map<string, Measurement[]>();
  for (const m of measurements) byMetric.set(m.metric, [...(byMetric.get(m.metric) ?? []), m]);
  return (
    <Table label="Measured values" head={["Metric", "Unit", "Iterations, warm-ups in brackets"]}>
      {[...byMetric].map(([metric, values]) => (
        <tr key={metric}>
          <td class="wide"><Foreign text={metric} /></td>
          <td><Foreign text={values[0]!.unit} /></td>
          <td class="wide num-list">{values.map((m) => (m.warmup ? `(${number(m.value)})` : number(m.value))).join("  ")}</td>
        </tr>
      ))}
    </Table>
  );
}

function Histogram({ run }: { run: LoadRun }) {
  if (run.histograms.length === 0) return null;
  return (
    <details>
      <summary>Latency distributions ({run.histograms.length})</summary>
      {run.histograms.slice(0, 24).map((histogram, i) => {
        const total = histogram.count.reduce((sum, n) => sum + Number(n), 0);
        let seen = 0;
        const shares = histogram.count.map((n) => (seen += Number(n)) / Math.max(1, total));
        return (
          <Chart
            key={i} height={180} logX xName={`${histogram.metric}${histogram.warmup ? ", warm-up" : ""}`} unit="share below"
            label={`Share of ${histogram.metric} below each latency: ${total} latencies, the longest ${withUnit(Number(histogram.max), histogram.unit)}`}
            x={histogram.smallest.map((value) => Math.max(0.5, Number(value)))} lines={[{ name: "share", values: shares, stepped: true }]}
          />
        );
      })}
    </details>
  );
}

function Telemetry({ run }: { run: LoadRun }) {
  const panels = panelsOf(run.series);
  if (panels.length === 0) return <p class="dim">No telemetry was kept.</p>;
  return <Panels panels={panels} over="over the load run" />;
}

function Top({ run }: { run: LoadRun }) {
  if (run.top.length === 0) return null;
  return (
    <details>
      <summary>Busiest tasks, every 5 s</summary>
      <Table label="Busiest tasks" head={["At", "Task", "PID", "State", "Priority", "CPU", "Memory"]}>
        {run.top.slice(0, 60).flatMap((snapshot) => snapshot.tasks.slice(0, 5).map((task, i) => (
          <tr key={`${snapshot.atMs} ${i}`}>
            <td class="num">{i === 0 ? `${(snapshot.atMs / 1000).toFixed(0)} s` : ""}</td>
            <td><Foreign text={task.command} /></td>
            <td class="num">{task.pid}</td><td><Foreign text={task.state} /></td><td class="num">{task.priority}</td>
            <td class="num">{task.cpuPercent.toFixed(0)} %</td><td class="num">{task.memoryPercent.toFixed(1)} %</td>
          </tr>
        )))}
      </Table>
    </details>
  );
}

function Run({ run, text }: { run: LoadRun; text: string }) {
  return (
    <section aria-label={`Load ${run.load + 1}`}>
      <h2><Foreign text={cut(text, 200)} /> <span class="dim small">{duration(Number(run.durationMs) / 1000)}</span></h2>
      {run.disturbances.map(({ rule, fact }) => (
        <p key={rule} class="stale">Disturbed, never compared: <Foreign text={fact} /></p>
      ))}
      {run.warnings.map((warning) => <p key={warning} class="stale"><Foreign text={warning} /></p>)}
      <Values measurements={run.measurements} />
      <h3>Telemetry</h3>
      <Telemetry run={run} />
      <Histogram run={run} />
      <Top run={run} />
      {run.output !== "" && (
        <details>
          <summary>What it printed</summary>
          <pre class="output" tabIndex={0}><Foreign text={run.output} /></pre>
        </details>
      )}
    </section>
  );
}

function Whole({ boot }: { boot: GetBootResponse }) {
  const result = boot.result;
  const facts = Object.entries(result?.fingerprint?.facts ?? {}).sort(([a], [b]) => a.localeCompare(b));
  return (
    <>
      {result && <Overview boot={boot} result={result} />}
      {boot.live && <LivePanels live={boot.live} load={boot.loads[boot.live.load] ?? ""} />}
      {(result?.loadRuns.length ?? 0) === 0 && <Empty>It has no numbers{boot.view?.state === WorkState.ENDED ? "." : " yet."}</Empty>}
      {result?.loadRuns.map((run) => <Run key={run.load} run={run} text={boot.loads[run.load] ?? `load ${run.load + 1}`} />)}
      <h2>What people saw</h2>
      <Notes subject={boot.view!.name} />
      {result !== undefined && result.evidence !== "" && (
        <>
          <h2>What the machine left behind</h2>
          <pre class="output" tabIndex={0}><Foreign text={result.evidence} /></pre>
        </>
      )}
      {result !== undefined && result.setup.length > 0 && (
        <>
          <h2>Setup steps</h2>
          <Table label="Setup steps" head={["Step", "Before", "Undone"]}>
            {result.setup.map((step, i) => (
              <tr key={i}>
                <td class="wide"><Foreign text={step.step} /></td><td class="wide"><Foreign text={step.before} /></td>
                <td><Badge look={step.undone ? { word: "yes", sign: "✓", tone: "good" } : { word: "no", sign: "!", tone: "bad" }} /></td>
              </tr>
            ))}
          </Table>
        </>
      )}
      {facts.length > 0 && (
        <>
          <h2>Machine and kernel</h2>
          <dl>{facts.map(([name, value]) => <div key={name}><dt><Foreign text={name} /></dt><dd><Foreign text={cut(value, 1000)} /></dd></div>)}</dl>
        </>
      )}
    </>
  );
}

export function Boot({ name }: { name: string }) {
  const [ended, setEnded] = useState(false);
  const ask = async (signal: AbortSignal) => {
    const boot = await detail.getBoot({ boot: name }, { signal });
    setEnded(boot.view?.state === WorkState.ENDED);
    return boot;
  };
  const live = usePoll(ask, ended ? 0 : 2500, [name, ended], name);
  return (
    <>
      <Title text={`Boot ${name}`} />
      <Show live={live}>{(boot) => <Whole boot={boot} />}</Show>
    </>
  );
}
