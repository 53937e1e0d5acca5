import { useState } from "preact/hooks";
import { farm, words } from "../api";
import { type JobView, WorkState } from "../gen/shakedown/v1/farm_pb";
import { usePoll } from "../live";
import { Copy, Foreign, Show, save } from "../parts";
import { setQuery } from "../route";

const FORMATS: [format: string, name: string][] = [["text", "Mail text"], ["markdown", "Markdown"], ["csv", "CSV"]];

// The controller's own report, as text: what it says is decided in one place.
export function Report({ view, query }: { view: JobView; query: URLSearchParams }) {
  const wanted = query.get("report") ?? "text";
  const format = FORMATS.some(([name]) => name === wanted) ? wanted : "text";
  const all = query.get("all") === "1";
  const [error, setError] = useState("");
  // A new report when a boot has ended or a look was taken, not with every step of a progress bar.
  const ended = view.boots.filter((boot) => boot.state === WorkState.ENDED).length;
  const live = usePoll(
    async (signal) => (await farm.getReport({ job: view.job, format, all }, { signal })).text,
    0,
    [view.job, format, all, ended, view.state, view.looks.length],
    `${view.job} ${format} ${all}`,
  );
  const saveHtml = () =>
    farm.getReport({ job: view.job, format: "html", all }).then(
      ({ text }) => {
        setError("");
        save(`job-${view.job}.html`, [text], "text/html");
      },
      (problem) => setError(words(problem)),
    );
  return (
    <>
      <div class="tools" role="group" aria-label="The report's form">
        {FORMATS.map(([name, label]) => (
          <button
            type="button" key={name} aria-pressed={format === name}
            onClick={() => setQuery({ report: name === "text" ? null : name })}
          >{label}</button>
        ))}
        <label>
          <input type="checkbox" checked={all} onChange={(e) => setQuery({ all: e.currentTarget.checked ? "1" : null })} />
          {" "}also what did not change
        </label>
        {live.data !== undefined && <Copy text={live.data} />}
        <button type="button" onClick={saveHtml}>Save as HTML</button>
      </div>
      {error !== "" && <p class="error" role="alert"><Foreign text={error} /></p>}
      <Show live={live}>
        {(text) => <pre class="output report" tabIndex={0} aria-label="Report"><Foreign text={text} /></pre>}
      </Show>
    </>
  );
}
