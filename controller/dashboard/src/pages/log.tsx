import { useEffect, useRef, useState } from "preact/hooks";
import { farm, isFinal, isSignedOut, words } from "../api";
import { toLogin } from "../live";
import { type Line, type LogKey, LogSearch, LogWindow, PROBLEMS, WINDOW, lineHref, logKey, matcher, stepTo } from "../log";
import { Empty, Foreign, Title, save } from "../parts";
import { setQuery } from "../route";
import { bytes, plural } from "../text";

// Bytes that go into a window before it is asked whether it is full.
const PIECE = 1024;
// Past the end of every log: the answer holds no bytes, but the size.
const BEYOND = 1n << 40n;

async function sizeOf(name: string, signal: AbortSignal): Promise<number> {
  let size = 0;
  const onHeader = (headers: Headers) => {
    size = Number(headers.get("log-size") ?? 0);
  };
  for await (const _ of farm.readLog({ name, offset: BEYOND }, { signal, onHeader }));
  return size;
}

interface View {
  lines: Line[];
  start: number;
  end: number;
  size: number;
}

// A window of the log: its end (and what is still to come), or what stands at `line`. A line that is in it is no reason
// for another: what is read stays where it is.
function useLog(name: string, line: number | null, follow: boolean) {
  const [view, setView] = useState<View>();
  const wanted = useRef(line);
  const begin = useRef(line);
  if (wanted.current !== line) {
    wanted.current = line;
    if (line === null || !view?.lines.some(({ offset }) => offset === line)) begin.current = line;
  }
  const at = begin.current;
  const [error, setError] = useState("");
  const [ended, setEnded] = useState(false);
  useEffect(() => {
    const control = new AbortController();
    const { signal } = control;
    let frame = 0;
    let position: number | undefined;
    const read = async () => {
      const size = await sizeOf(name, signal);
      // After a lost connection: from where it was.
      const start = position ?? at ?? Math.max(0, size - WINDOW);
      const window = new LogWindow(start, at === null && start > 0, at !== null);
      const full = () => at !== null && (window.full || window.end >= start + WINDOW);
      const show = () => {
        frame = 0;
        if (!signal.aborted) {
          const end = window.end;
          position = Math.max(start, end - WINDOW);
          setView({ lines: window.all(), start, end, size: Math.max(size, end) });
        }
      };
      setError("");
      const stream = farm.readLog({ name, offset: BigInt(start), follow: follow && at === null }, { signal });
      for await (const chunk of stream) {
        for (let from = 0; from < chunk.data.length && !full(); from += PIECE) {
          window.add(chunk.data.subarray(from, from + PIECE));
        }
        if (frame === 0) frame = requestAnimationFrame(show);
        if (full()) break;
      }
      show();
      setEnded(true);
    };
    const loop = async () => {
      setEnded(false);
      for (let failures = 1; !signal.aborted; failures += 1) {
        try {
          return await read();
        } catch (problem) {
          if (signal.aborted) return;
          if (isSignedOut(problem)) return toLogin();
          setError(words(problem));
          if (isFinal(problem)) return;
          await new Promise((resolve) => setTimeout(resolve, Math.min(5000, 500 * failures)));
        }
      }
    };
    void loop();
    return () => {
      control.abort();
      cancelAnimationFrame(frame);
    };
  }, [name, at, follow]);
  return { view, error, ended };
}

interface Found {
  of: string; // What was looked for.
  hits: Line[];
  total: number;
  done: boolean;
}

// Looks at the whole log, wherever the window is.
function useSearch(name: string, query: string, problems: boolean): Found | undefined {
  const [found, setFound] = useState<Found>();
  const of = problems ? "problems" : `text ${query}`;
  useEffect(() => {
    if (query === "" && !problems) return;
    const control = new AbortController();
    const search = new LogSearch(problems ? (text) => PROBLEMS.test(text) : matcher(query));
    const tell = (done: boolean) => {
      if (!control.signal.aborted) setFound({ of, hits: [...search.hits], total: search.total, done });
    };
    const look = async () => {
      for await (const chunk of farm.readLog({ name }, { signal: control.signal })) {
        search.add(chunk.data);
        tell(false);
      }
      search.finish();
      tell(true);
    };
    // Not at every key.
    const timer = setTimeout(() => void look().catch(() => tell(true)), 250);
    return () => {
      clearTimeout(timer);
      control.abort();
    };
  }, [name, query, problems]);
  return found?.of === of && (query !== "" || problems) ? found : undefined;
}

const showLine = ({ offset }: Line) => setQuery({ at: String(offset), follow: null });

function Hits({ found, at }: { found: Found; at: number | null }) {
  const [before, after] = [stepTo(found.hits, at, -1), stepTo(found.hits, at, 1)];
  return (
    <div class="card" role="region" aria-label="Found">
      <p role="status">
        {plural(found.total, "line")} found{found.done ? "" : " so far…"}
        {found.total > found.hits.length && `, the first ${found.hits.length} are listed`}
      </p>
      {found.hits.length > 0 && (
        <p>
          <button type="button" disabled={before === undefined} onClick={() => showLine(before!)}>Previous (p)</button>{" "}
          <button type="button" disabled={after === undefined} onClick={() => showLine(after!)}>Next (n)</button>
        </p>
      )}
      <ol class="hits">
        {found.hits.slice(0, 100).map((hit) => (
          <li key={hit.offset}>
            <button type="button" class="hit" aria-current={hit.offset === at ? "true" : undefined} onClick={() => showLine(hit)}>
              <Foreign text={hit.text.slice(0, 200)} />
            </button>
          </li>
        ))}
      </ol>
    </div>
  );
}

// n and p, but not while somebody types. Where nothing was looked for, the problems are: the step is made once they are
// found.
function useKeys(found: Found | undefined, at: number | null, problems: boolean): void {
  const waiting = useRef<LogKey>();
  useEffect(() => {
    const take = (key: LogKey) => {
      const to = found && stepTo(found.hits, at, key.step);
      // What comes before is known when all is looked at.
      if (to !== undefined && (key.step === 1 || found!.done)) showLine(to);
      else if (found === undefined || !found.done) return;
      waiting.current = undefined;
    };
    if (waiting.current && (problems || !waiting.current.problems)) take(waiting.current);
    const pressed = (event: KeyboardEvent) => {
      if ((event.target as Element).closest("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
      const key = logKey(event.key);
      if (key === undefined) return;
      const another = !problems && (key.problems || found === undefined);
      waiting.current = another ? { ...key, problems: true } : key;
      if (another) setQuery({ problems: "1", q: null });
      else take(key);
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, [found, at, problems]);
}

function Lines({ view, at, pinned, query }: { view: View; at: number | null; pinned: boolean; query: URLSearchParams }) {
  const box = useRef<HTMLDivElement>(null);
  const here = useRef<HTMLDivElement>(null);
  const shown = useRef<number | null>(null);
  // Follows the end only while the reader is there.
  const atEnd = useRef(true);
  useEffect(() => {
    if (pinned) atEnd.current = true;
  }, [pinned]);
  useEffect(() => {
    if (pinned && atEnd.current && box.current) box.current.scrollTop = box.current.scrollHeight;
    if (at === null) shown.current = null;
    if (at === null || at === shown.current || !here.current || !box.current) return;
    shown.current = at;
    const top = here.current.offsetTop - box.current.offsetTop;
    const { scrollTop, clientHeight } = box.current;
    if (top < scrollTop || top > scrollTop + clientHeight - 40) box.current.scrollTop = top - clientHeight / 3;
  }, [view, at, pinned]);
  return (
    <div
      class="log" ref={box} role="log" aria-live="off" aria-label="Log" tabIndex={0}
      onScroll={(e) => {
        const { scrollTop, scrollHeight, clientHeight } = e.currentTarget;
        atEnd.current = scrollHeight - scrollTop - clientHeight < 40;
      }}
    >
      {view.lines.map((line) => {
        const isHere = line.offset === at;
        return (
          <div key={line.offset} ref={isHere ? here : undefined} class={isHere ? "here" : PROBLEMS.test(line.text) ? "problem" : undefined}>
            <a class="at num" href={lineHref(query, line.offset)} tabIndex={-1} title="A link to this line, by its first byte">{line.offset}</a>
            <Foreign text={line.text} />
          </div>
        );
      })}
    </div>
  );
}

async function download(name: string): Promise<void> {
  const parts: BlobPart[] = [];
  for await (const chunk of farm.readLog({ name }, {})) parts.push(chunk.data as Uint8Array<ArrayBuffer>);
  // `name` matches route.ts: digits, dots and a letter, or a UUID.
  save(`${name}.log`, parts, "application/octet-stream");
}

export function Log({ name, query }: { name: string; query: URLSearchParams }) {
  const text = query.get("at") ?? "";
  const at = /^\d{1,12}$/.test(text) ? Number(text) : null;
  const follow = query.get("follow") === "1";
  const search = query.get("q") ?? "";
  const problems = query.get("problems") === "1";
  const { view, error, ended } = useLog(name, at, follow);
  const found = useSearch(name, search, problems);
  const [saving, setSaving] = useState("");
  useKeys(found, at, problems);
  const job = /^(\d+)\./.exec(name)?.[1];
  const first = view?.lines[0]?.offset ?? view?.start ?? 0;
  return (
    <>
      <Title text={`Log ${name}`} />
      {job && <p><a href={`/jobs/${job}?boot=${name}`}>Boot {name} of job {job}</a></p>}
      <div class="tools">
        <label class="search">
          Find in the whole log
          <input type="search" value={search} onInput={(e) => setQuery({ q: e.currentTarget.value, problems: null })} />
        </label>
        <button type="button" aria-pressed={problems} onClick={() => setQuery({ problems: problems ? null : "1", q: null })}>Problems</button>
        <button type="button" aria-pressed={follow} onClick={() => setQuery({ follow: follow ? null : "1", at: null })}>Follow</button>
        <button
          type="button" disabled={saving === "Reading…"}
          onClick={() => {
            setSaving("Reading…");
            download(name).then(() => setSaving(""), (problem) => setSaving(words(problem)));
          }}
        >Download</button>
        <span role="status" class="dim">{saving}</span>
      </div>
      <p class="small dim">Keys: n and p go to the next and the previous line found, or problem; with Shift always to a problem.</p>
      {found && <Hits found={found} at={at} />}
      {error !== "" && <p class={view ? "stale" : "error"} role="alert"><Foreign text={error} />{view && ". Trying again…"}</p>}
      {view === undefined && error === "" && <p class="loading" role="status">Loading…</p>}
      {view && (
        <>
          <p class="tools">
            <span class="num">{bytes(first)} to {bytes(view.end)} of {bytes(view.size)}</span>
            <button type="button" disabled={first === 0} onClick={() => setQuery({ at: "0", follow: null })}>Start</button>
            <button type="button" disabled={first === 0} onClick={() => setQuery({ at: String(Math.max(0, first - WINDOW)), follow: null })}>Earlier</button>
            <button type="button" disabled={view.end >= view.size} onClick={() => setQuery({ at: String(view.end), follow: null })}>Later</button>
            <button type="button" disabled={at === null} onClick={() => setQuery({ at: null })}>End</button>
            <span role="status" class="dim">{follow && !ended ? "following" : ""}</span>
          </p>
          {view.lines.length === 0
            ? <Empty>{follow && !ended ? "Nothing yet." : "The log is empty."}</Empty>
            : <Lines view={view} at={at} pinned={at === null} query={query} />}
        </>
      )}
    </>
  );
}
