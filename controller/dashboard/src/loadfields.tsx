// The loads of the form, made from the table of loads.ts.
import { useState } from "preact/hooks";
import { MOST_LOADS } from "./jobform";
import { type LoadForm, type Param, TABLE, commonOf, newLoad } from "./loads";
import { Foreign } from "./parts";

type Put = (text: string) => void;

function Choices({ label, all, chosen, onChange }: { label: string; all: string[]; chosen: string[]; onChange: Put }) {
  return (
    <fieldset class="inline">
      <legend>{label}</legend>
      {all.map((name) => (
        <label key={name} class="check">
          <input
            type="checkbox" checked={chosen.includes(name)}
            onChange={(e) => onChange(all.filter((n) => (n === name ? e.currentTarget.checked : chosen.includes(n))).join(","))}
          />{" "}{name}
        </label>
      ))}
    </fieldset>
  );
}

function Field({ param, text, put }: { param: Param; text: string; put: Put }) {
  switch (param.kind) {
    case "flag":
      return (
        <label class="check">
          <input type="checkbox" checked={text !== ""} onChange={(e) => put(e.currentTarget.checked ? "1" : "")} /> {param.label}
        </label>
      );
    case "choices":
      return <Choices label={param.label} all={param.all!} chosen={text.split(",")} onChange={put} />;
    case "one":
      return (
        <label class="short">
          {param.label}
          <select value={text} onChange={(e) => put(e.currentTarget.value)}>
            {param.start === undefined && <option value="">as usual</option>}
            {param.all!.map((name) => <option key={name} value={name}>{name}</option>)}
          </select>
        </label>
      );
    case "number":
    case "latt":
      return (
        <label class="short">
          {param.label}
          <input type="number" min={param.min} max={param.max} value={text} placeholder="as usual" onInput={(e) => put(e.currentTarget.value)} />
        </label>
      );
    case "script":
      return (
        <label>
          {param.label}
          <textarea rows={3} spellcheck={false} value={text} onInput={(e) => put(e.currentTarget.value)} />
        </label>
      );
    default:
      return (
        <label>
          {param.label}
          <input type="text" spellcheck={false} value={text} onInput={(e) => put(e.currentTarget.value)} />
        </label>
      );
  }
}

// The first few stand open, the rest behind a word: most jobs leave them alone.
const OPEN = 2;

function One({ load, index, onChange, onRemove, error }: {
  load: LoadForm; index: number; onChange: (load: LoadForm) => void; onRemove: () => void; error: string;
}) {
  const all = [...commonOf(load.kind).slice(0, 1), ...TABLE[load.kind]!, ...commonOf(load.kind).slice(1)];
  const field = (param: Param) => (
    <Field key={param.field} param={param} text={load.texts[param.field] ?? ""}
      put={(text) => onChange({ ...load, texts: { ...load.texts, [param.field]: text } })} />
  );
  const needed = (param: Param, i: number) => i <= OPEN || param.kind === "choices" || param.word === "";
  // What came with the address is not hidden. Only at first: nothing closes while somebody types.
  const [open] = useState(all.some((param, i) => !needed(param, i) && (load.texts[param.field] ?? "") !== (param.start ?? "")));
  return (
    <fieldset>
      <legend>Load {index + 1}: {load.kind}</legend>
      <div class="row">{all.filter(needed).map(field)}</div>
      <details open={open}>
        <summary>More of {load.kind}</summary>
        <div class="row">{all.filter((param, i) => !needed(param, i)).map(field)}</div>
      </details>
      {error !== "" && <p class="error" role="alert"><Foreign text={error} /></p>}
      <button type="button" aria-label={`Take out load ${index + 1}`} onClick={onRemove}>Take out</button>
    </fieldset>
  );
}

export function LoadFields({ loads, onChange, errorOf }: {
  loads: LoadForm[]; onChange: (loads: LoadForm[]) => void; errorOf: (place: string) => string;
}) {
  return (
    <>
      <h2>Loads, in every boot</h2>
      {loads.map((load, i) => (
        <One key={i} load={load} index={i} error={errorOf(`load ${i + 1}`)}
          onChange={(changed) => onChange(loads.map((old, j) => (j === i ? changed : old)))}
          onRemove={() => onChange(loads.filter((_, j) => j !== i))} />
      ))}
      <label class="short">
        Add a load
        <select value="" onChange={(e) => {
          const kind = e.currentTarget.value;
          e.currentTarget.value = "";
          if (kind !== "" && loads.length < MOST_LOADS) onChange([...loads, newLoad(kind)]);
        }}>
          <option value="">choose…</option>
          {Object.keys(TABLE).map((kind) => <option key={kind} value={kind}>{kind}</option>)}
        </select>
      </label>
    </>
  );
}
