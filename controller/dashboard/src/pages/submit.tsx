import { create } from "@bufbuild/protobuf";
import { useMemo, useState } from "preact/hooks";
import { farm, isSignedOut, words } from "../api";
import type { PlanJobResponse } from "../gen/shakedown/v1/farm_pb";
import { type JobSpec, JobSpecSchema, StoppingRule } from "../gen/shakedown/v1/job_pb";
import { orderText } from "../grid";
import { type Form, type Rule, commandLine, parseVariant, textProto } from "../jobtext";
import { toLogin, usePoll } from "../live";
import { parseTextProto } from "../jobfile";
import { BACKGROUND_HELP, SETUP_HELP, linesOf, parseBackground, parseSetup } from "../jobsteps";
import { LoadFields } from "../loadfields";
import { type LoadForm, loadWords, makeLoads, startLoads } from "../loads";
import { Copy, Foreign, Title } from "../parts";
import { go, setQuery } from "../route";
import { cut, duration, plural } from "../text";

const words_of = (text: string) => text.split(/[\s,]+/).filter((word) => word !== "");

const RULES: Record<Rule, { proto: StoppingRule; text: string }> = {
  looks: { proto: StoppingRule.LOOKS, text: "until decided: looks after 8, 16 and 24 blocks" },
  quick: { proto: StoppingRule.QUICK, text: "quick: 8 blocks, one look" },
  fixed: { proto: StoppingRule.FIXED, text: "a number of blocks" },
};

interface Fields {
  title: string;
  baseline: string;
  challengers: string[];
  loads: LoadForm[];
  rule: Rule;
  blocks: number;
  budgetHours: number;
  machines: string;
  tags: string;
  primary: string;
  control: boolean;
  attempts: number;
  detect: number; // Percent; 0: not asked.
  setup: string;
  background: string;
}

function formOf(fields: Fields): Form {
  return {
    title: fields.title,
    baseline: fields.baseline,
    challengers: fields.challengers.filter((text) => text.trim() !== ""),
    loads: fields.loads.map(loadWords),
    rule: fields.rule,
    blocks: fields.blocks,
    budgetHours: fields.budgetHours,
    machines: words_of(fields.machines),
    tags: words_of(fields.tags),
    primaries: words_of(fields.primary),
    control: fields.control,
    attempts: fields.attempts,
    setup: linesOf(fields.setup),
    background: linesOf(fields.background),
  };
}

// Throws, in words, what is missing; the controller checks the rest.
function specOf(fields: Fields): JobSpec {
  const form = formOf(fields);
  if (form.baseline.trim() === "") throw new Error("Baseline: want the name of a kernel");
  if (form.challengers.length === 0) throw new Error("Challengers: want at least one");
  const loads = makeLoads(fields.loads);
  if (loads.length === 0) throw new Error("Loads: want at least one");
  return create(JobSpecSchema, {
    title: form.title,
    variants: [form.baseline, ...form.challengers].map(parseVariant),
    loads,
    stopping: RULES[form.rule].proto,
    blocks: form.rule === "fixed" ? form.blocks : 0,
    budgetS: BigInt(Math.round(form.budgetHours * 3600)),
    primaryMetrics: form.primaries,
    control: form.control,
    maxAttempts: form.attempts,
    setup: parseSetup(fields.setup),
    background: parseBackground(fields.background),
    machines: form.machines.length + form.tags.length > 0 ? { names: form.machines, tags: form.tags } : undefined,
  });
}

function NumberField({ label, value, min, max, onChange }: {
  label: string; value: number; min: number; max: number; onChange: (value: number) => void;
}) {
  return (
    <label class="short">
      {label}
      <input
        type="number" min={min} max={max} required value={value}
        onInput={(e) => onChange(Number.parseInt(e.currentTarget.value, 10) || 0)}
      />
    </label>
  );
}

function Cost({ plan }: { plan: PlanJobResponse }) {
  return (
    <section class="card" aria-label="The plan and its cost">
      <h2>The plan and its cost</h2>
      <p class="lead">
        {plural(plan.boots, "boot")}, {plural(plan.builds.length, "build")}, about {duration(Number(plan.estimateS))} on
        one machine.
      </p>
      <dl>
        <div><dt>Estimate from</dt><dd><Foreign text={plan.estimateBasis} /></dd></div>
        <div><dt>To build</dt><dd><Foreign text={plan.builds.join(", ") || "nothing"} /></dd></div>
        <div><dt>At hand</dt><dd><Foreign text={plan.have.join(", ") || "nothing"} /></dd></div>
        {plan.detect.map((one) => (
          <div key={one.metric}><dt>To find it in <Foreign text={one.metric} /></dt><dd>
            {one.blocks > 0 ? `${plural(one.blocks, "block")}, ${plural(one.boots, "boot")}, ${duration(Number(one.seconds))}` : "more than 1000 blocks"}
            {one.detectable > 0 && `; as planned it can find ${(100 * one.detectable).toFixed(1)} %`} (<Foreign text={one.basis} />)
          </dd></div>
        ))}
        {plan.detectNote !== "" && <div><dt>Detection</dt><dd><Foreign text={plan.detectNote} /></dd></div>}
        <div><dt>Order</dt><dd><Foreign text={cut(orderText(plan.plan), 300)} /></dd></div>
      </dl>
    </section>
  );
}

interface Planned {
  spec: JobSpec;
  plan: PlanJobResponse;
  // Made with the plan: pressing twice, or again after an answer got lost, is the same job.
  requestId: string;
}

// The part of the controller's words that is about `place` ("load 2", "title"); it parts them by semicolons.
export function errorAt(error: string, place: string): string {
  return error.split("; ").filter((part) => part.startsWith(`${place}:`) || part.startsWith(`${place} `)).join("; ");
}

function Lines({ label, help, value, error, onChange }: {
  label: string; help: string; value: string; error: string; onChange: (value: string) => void;
}) {
  return (
    <label>
      {label}
      <textarea rows={2} spellcheck={false} value={value} onInput={(e) => onChange(e.currentTarget.value)} />
      <span class="small dim">One a line: <code>{help}</code></span>
      {error !== "" && <span class="error" role="alert"><Foreign text={error} /></span>}
    </label>
  );
}

export function Submit({ query }: { query: URLSearchParams }) {
  const asFile = query.get("as") === "file";
  const [file, setFile] = useState("");
  const kernels = usePoll(async (signal) => (await farm.listKernels({}, { signal })).kernels, 0, []);
  const [fields, setFields] = useState<Fields>({
    title: "", baseline: "", challengers: [""], loads: startLoads(), rule: "looks", blocks: 6, budgetHours: 0, machines: "", tags: "",
    primary: "", control: false, attempts: 0, detect: 0, setup: "", background: "",
  });
  const [planned, setPlanned] = useState<Planned>();
  const [error, setError] = useState("");
  const [busy, setBusy] = useState(false);
  // A plan is of the fields as they were.
  const change = (changes: Partial<Fields>) => {
    setFields({ ...fields, ...changes });
    setPlanned(undefined);
    setError("");
  };
  const text = useMemo(() => {
    try {
      return { file: textProto(JobSpecSchema, specOf(fields)), command: commandLine(formOf(fields)) };
    } catch {
      return undefined;
    }
  }, [fields]);

  const attempt = async (work: () => Promise<void>) => {
    setBusy(true);
    setError("");
    try {
      await work();
    } catch (problem) {
      if (isSignedOut(problem)) return toLogin();
      setError(problem instanceof Error && problem.name === "Error" ? problem.message : words(problem));
    } finally {
      setBusy(false);
    }
  };
  const plan = (event: Event) => {
    event.preventDefault();
    void attempt(async () => {
      const spec = asFile ? parseTextProto(JobSpecSchema, file) : specOf(fields);
      const plan = await farm.planJob({ spec, detect: fields.detect / 100 });
      // What is submitted has the order that was shown.
      if (plan.plan) spec.orderSeed = plan.plan.orderSeed;
      setPlanned({ spec, plan, requestId: crypto.randomUUID() });
    });
  };
  const submit = () =>
    attempt(async () => {
      const { job } = await farm.submitJob({ requestId: planned!.requestId, spec: planned!.spec });
      go(`/jobs/${job}`);
    });

  const names = (kernels.data ?? []).filter((kernel) => kernel.unbuildable === "").map((kernel) => kernel.name);
  return (
    <>
      <Title text="Submit a job" />
      <p class="tools">
        <button type="button" aria-pressed={!asFile} onClick={() => { setQuery({ as: null }); setPlanned(undefined); setError(""); }}>Form</button>
        <button type="button" aria-pressed={asFile} onClick={() => {
          if (file === "" && text !== undefined) setFile(text.file);
          setQuery({ as: "file" });
          setPlanned(undefined);
          setError("");
        }}>Job file</button>
      </p>
      <form onSubmit={plan}>
        {asFile ? (
          <label>
            Job file
            <textarea rows={18} spellcheck={false} required value={file} maxLength={2_000_000}
              onInput={(e) => { setFile(e.currentTarget.value); setPlanned(undefined); setError(""); }} />
            <span class="small dim">A text proto of JobSpec, as <code>shakedown submit FILE</code> reads it.</span>
          </label>
        ) : (<>
        <datalist id="kernels">{names.map((name) => <option key={name} value={name} />)}</datalist>
        <label>
          Title
          <input type="text" maxLength={200} value={fields.title} placeholder="made from the kernels when empty"
            onInput={(e) => change({ title: e.currentTarget.value })} />
        </label>
        <label>
          Baseline (A)
          <input type="text" list="kernels" required value={fields.baseline} spellcheck={false} autocomplete="off"
            onInput={(e) => change({ baseline: e.currentTarget.value })} />
        </label>
        <fieldset>
          <legend>Challengers</legend>
          <p class="small dim" id="variant-help">
            A kernel, then boot parameters (<code>nohz=off</code>) and tunables
            (<code>kernel.sched_autogroup_enabled=0</code>).
          </p>
          {fields.challengers.map((challenger, i) => (
            <div class="row" key={i}>
              <input type="text" list="kernels" required value={challenger} spellcheck={false} autocomplete="off"
                aria-label={`Challenger ${String.fromCharCode(66 + i)}`} aria-describedby="variant-help"
                onInput={(e) => change({ challengers: fields.challengers.map((old, j) => (j === i ? e.currentTarget.value : old)) })} />
              {fields.challengers.length > 1 && (
                <button type="button" aria-label={`Take out challenger ${String.fromCharCode(66 + i)}`}
                  onClick={() => change({ challengers: fields.challengers.filter((_, j) => j !== i) })}>Take out</button>
              )}
            </div>
          ))}
          {fields.challengers.length < 25 && (
            <button type="button" onClick={() => change({ challengers: [...fields.challengers, ""] })}>Another</button>
          )}
        </fieldset>
        <LoadFields loads={fields.loads} onChange={(loads) => change({ loads })} errorOf={(place) => errorAt(error, place)} />
        <Lines label="Setup steps" help={SETUP_HELP} value={fields.setup} error={errorAt(error, "setup step")} onChange={(setup) => change({ setup })} />
        <Lines label="Beside every load" help={BACKGROUND_HELP} value={fields.background} error={errorAt(error, "background")} onChange={(background) => change({ background })} />
        <fieldset>
          <legend>How long</legend>
          <div class="row">
            <label>
              It ends
              <select value={fields.rule} onChange={(e) => change({ rule: e.currentTarget.value as Rule })}>
                {Object.entries(RULES).map(([rule, { text }]) => <option key={rule} value={rule}>{text}</option>)}
              </select>
            </label>
            {fields.rule === "fixed" && (
              <NumberField label="Blocks" value={fields.blocks} min={1} max={1000} onChange={(blocks) => change({ blocks })} />
            )}
            <NumberField label="Budget, hours" value={fields.budgetHours} min={0} max={1000}
              onChange={(budgetHours) => change({ budgetHours })} />
          </div>
          <div class="row">
            <label>
              Primary metrics
              <input type="text" spellcheck={false} value={fields.primary} placeholder="make.real, latt.wakeup.avg" onInput={(e) => change({ primary: e.currentTarget.value })} />
            </label>
            <NumberField label="Attempts a boot" value={fields.attempts} min={0} max={10} onChange={(attempts) => change({ attempts })} />
            <NumberField label="Find a change of, %" value={fields.detect} min={0} max={99} onChange={(detect) => change({ detect })} />
            <label class="check">
              <input type="checkbox" checked={fields.control} onChange={(e) => change({ control: e.currentTarget.checked })} /> run A twice (control)
            </label>
          </div>
          {errorAt(error, "primary metric") !== "" && <p class="error" role="alert"><Foreign text={errorAt(error, "primary metric")} /></p>}
          <p class="small dim">
            Each block boots every variant once. Fewer than 6 blocks give no verdict. A budget of 0 is none, 0 attempts are 3.
          </p>
        </fieldset>
        <div class="row">
          <label>
            Only on machines
            <input type="text" value={fields.machines} placeholder="any" onInput={(e) => change({ machines: e.currentTarget.value })} />
          </label>
          <label>
            Only with tags
            <input type="text" value={fields.tags} placeholder="any" onInput={(e) => change({ tags: e.currentTarget.value })} />
          </label>
        </div>
        </>)}
        {error !== "" && <p class="error" role="alert"><Foreign text={error} /></p>}
        {planned === undefined && (
          <button type="submit" class="main" disabled={busy}>{busy ? "Asking…" : "Show plan and cost"}</button>
        )}
      </form>
      {planned && (
        <>
          <Cost plan={planned.plan} />
          <p><button type="button" class="main" disabled={busy} onClick={submit}>{busy ? "Submitting…" : "Submit"}</button></p>
        </>
      )}
      {text && !asFile && (
        <details>
          <summary>The same job for the command</summary>
          <p><Copy text={text.command} label="Copy the command" /> <Copy text={text.file} label="Copy the job file" /></p>
          <pre class="output" tabIndex={0} aria-label="Command"><Foreign text={text.command} /></pre>
          <pre class="output" tabIndex={0} aria-label="Job file"><Foreign text={text.file} /></pre>
        </details>
      )}
    </>
  );
}
