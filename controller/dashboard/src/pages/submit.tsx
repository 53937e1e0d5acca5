import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { farm, isSignedOut, words } from "../api";
import type { PlanJobResponse } from "../gen/shakedown/v1/farm_pb";
import { type JobSpec, JobSpecSchema } from "../gen/shakedown/v1/job_pb";
import { type Draft, fromAddress, toAddress } from "../jobaddress";
import { Cost } from "../jobcost";
import { parseTextProto } from "../jobfile";
import { type Fields, LONGEST_TITLE, MOST_CHALLENGERS, RANGES, RULES, formOf, specOf } from "../jobform";
import { BACKGROUND_HELP, SETUP_HELP } from "../jobsteps";
import { type Rule, commandLine, textProto } from "../jobtext";
import { toLogin, usePoll } from "../live";
import { LoadFields } from "../loadfields";
import { Copy, Foreign, Title } from "../parts";
import { go } from "../route";

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

interface Planned {
  of: Draft;
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

interface Held {
  draft: Draft;
  remarks: string[];
  read: number; // How often an address was read: what stands open goes by that.
  given: boolean; // An address filled it.
  tooLong: boolean;
  put: (draft: Draft, asFile: boolean) => void;
}

// The form, held in the address as far as it fits there. An address that is not ours (a link, the way back) is read.
function useDraft(query: URLSearchParams): Held {
  const read = (n: number) => {
    const { remarks, ...draft } = fromAddress(query);
    return { draft, remarks, read: n, given: [...query.keys()].some((name) => name !== "as"), tooLong: false };
  };
  const [held, setHeld] = useState(() => read(0));
  const written = useRef(query.toString());
  // Before anybody can type: what was typed since is not read over.
  useLayoutEffect(() => {
    if (query.toString() === written.current) return;
    written.current = query.toString();
    setHeld(read(held.read + 1));
  }, [query]);
  const put = (draft: Draft, asFile: boolean) => {
    const address = toAddress(draft, asFile);
    setHeld({ ...held, draft, tooLong: address === undefined });
    written.current = (address ?? new URLSearchParams(asFile ? { as: "file" } : {})).toString();
    go(`/submit${written.current === "" ? "" : `?${written.current}`}`, true);
  };
  return { ...held, put };
}

function Remarks({ held }: { held: Held }) {
  return (
    <>
      {held.given && <p class="stale" role="status">The address filled this in. Read it before you submit it: nothing is submitted by itself.</p>}
      {held.remarks.length > 0 && (
        <div class="stale" role="status">
          <p>Of the address:</p>
          <ul>{held.remarks.map((remark, i) => <li key={i}><Foreign text={remark} /></li>)}</ul>
        </div>
      )}
      {held.tooLong && <p class="stale" role="status">This is too long for an address: a reload or a sent link does not bring it back. Keep the job file.</p>}
    </>
  );
}

export function Submit({ query }: { query: URLSearchParams }) {
  const asFile = query.get("as") === "file";
  const kernels = usePoll(async (signal) => (await farm.listKernels({}, { signal })).kernels, 0, []);
  const held = useDraft(query);
  const { fields, file } = held.draft;
  const [made, setPlanned] = useState<Planned>();
  // A plan is of the form as it was.
  const planned = made?.of === held.draft ? made : undefined;
  const [error, setError] = useState("");
  const [busy, setBusy] = useState(false);
  useEffect(() => setError(""), [held.draft]);
  const change = (changes: Partial<Fields>) => held.put({ fields: { ...fields, ...changes }, file }, false);
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
      setPlanned({ of: held.draft, spec, plan, requestId: crypto.randomUUID() });
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
        <button type="button" aria-pressed={!asFile} onClick={() => held.put({ fields, file }, false)}>Form</button>
        <button type="button" aria-pressed={asFile} onClick={() => held.put({ fields, file: file || (text?.file ?? "") }, true)}>Job file</button>
      </p>
      <Remarks held={held} />
      <form onSubmit={plan}>
        {asFile ? (
          <label>
            Job file
            <textarea rows={18} spellcheck={false} required value={file} maxLength={2_000_000}
              onInput={(e) => held.put({ fields, file: e.currentTarget.value }, true)} />
            <span class="small dim">A text proto of JobSpec, as <code>shakedown submit FILE</code> reads it.</span>
          </label>
        ) : (<>
        <datalist id="kernels">{names.map((name) => <option key={name} value={name} />)}</datalist>
        <label>
          Title
          <input type="text" maxLength={LONGEST_TITLE} value={fields.title} placeholder="made from the kernels when empty"
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
          {fields.challengers.length < MOST_CHALLENGERS && (
            <button type="button" onClick={() => change({ challengers: [...fields.challengers, ""] })}>Another</button>
          )}
        </fieldset>
        <LoadFields key={held.read} loads={fields.loads} onChange={(loads) => change({ loads })} errorOf={(place) => errorAt(error, place)} />
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
              <NumberField label="Blocks" value={fields.blocks} {...RANGES.blocks} onChange={(blocks) => change({ blocks })} />
            )}
            <NumberField label="Budget, hours" value={fields.budgetHours} {...RANGES.budgetHours}
              onChange={(budgetHours) => change({ budgetHours })} />
          </div>
          <div class="row">
            <label>
              Primary metrics
              <input type="text" spellcheck={false} value={fields.primary} placeholder="make.real, latt.wakeup.avg" onInput={(e) => change({ primary: e.currentTarget.value })} />
            </label>
            <NumberField label="Attempts a boot" value={fields.attempts} {...RANGES.attempts} onChange={(attempts) => change({ attempts })} />
            <NumberField label="Find a change of, %" value={fields.detect} {...RANGES.detect} onChange={(detect) => change({ detect })} />
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
