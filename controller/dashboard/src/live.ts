// Data that stays fresh: asked for again and again, or streamed; kept and marked stale while the controller is away.
import { useEffect, useRef, useState } from "preact/hooks";
import { farm, isFinal, isSignedOut, words } from "./api";
import { type JobView, JobState } from "./gen/shakedown/v1/farm_pb";
import { go } from "./route";

export interface Live<T> {
  data?: T;
  error?: string; // Nothing to show, or what is shown is old.
  at?: number; // When it was true.
}

export function toLogin(): void {
  go(`/login?next=${encodeURIComponent(location.pathname + location.search)}`, true);
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

// A page that nobody looks at asks for nothing.
function whenSeen(signal: AbortSignal): Promise<void> {
  if (!document.hidden) return Promise.resolve();
  return new Promise((resolve) => {
    document.addEventListener("visibilitychange", () => resolve(), { once: true, signal });
    signal.addEventListener("abort", () => resolve());
  });
}

type Put<T> = (live: Live<T>) => void;
type Work<T> = (put: Put<T>, signal: AbortSignal) => Promise<void>;

// Runs `work` while the component is there and `keys` are the same. What was there before stays until there is
// something new, unless it is of another `identity`.
function useLoop<T>(keys: unknown[], identity: string, work: Work<T>): Live<T> {
  const [live, setLive] = useState<Live<T>>({});
  const latest = useRef<Live<T>>({});
  const shown = useRef(identity);
  useEffect(() => {
    const control = new AbortController();
    if (shown.current !== identity) {
      shown.current = identity;
      latest.current = {};
      setLive({});
    }
    void work((next) => {
      if (control.signal.aborted) return;
      latest.current = { ...latest.current, error: undefined, ...next };
      setLive(latest.current);
    }, control.signal);
    return () => control.abort();
  }, keys);
  return live;
}

// Calls `attempt` until it is done, waiting longer after each failure in a row; `good` ends such a row.
async function retrying<T>(put: Put<T>, signal: AbortSignal, attempt: (good: () => void) => Promise<"done" | "again">) {
  for (let failures = 0; !signal.aborted; ) {
    try {
      if ((await attempt(() => (failures = 0))) === "done") return;
    } catch (error) {
      if (signal.aborted) return;
      if (isSignedOut(error)) return toLogin();
      put({ error: words(error) });
      if (isFinal(error)) return;
    }
    failures += 1;
    await sleep(Math.min(5000, 500 * failures), signal);
  }
}

// Asks every `ms`; 0: once (and again after an error).
export function usePoll<T>(
  ask: (signal: AbortSignal) => Promise<T>,
  ms: number,
  keys: unknown[],
  identity = keys.join(" "),
): Live<T> {
  return useLoop<T>(keys, identity, (put, signal) =>
    retrying(put, signal, async (good) => {
      while (!signal.aborted) {
        await whenSeen(signal);
        put({ data: await ask(signal), at: Date.now() });
        good();
        if (ms === 0) return "done";
        await sleep(ms, signal);
      }
      return "done";
    }),
  );
}

// A job until it has ended, over as many streams as it takes.
export function useJob(job: bigint): Live<JobView> {
  return useLoop<JobView>([job], String(job), (put, signal) =>
    retrying(put, signal, async (good) => {
      for await (const view of farm.watchJob({ job }, { signal })) {
        put({ data: view, at: Date.now() });
        good();
        if (view.state !== JobState.ACTIVE) return "done";
      }
      return "again";
    }),
  );
}

// The time, every second: for "12 s ago".
export function useNow(): Date {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), 1000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

// What does not change of things with these names, asked for once each, `most` at a time. None: not known (yet).
export function useKnown<T>(names: string[], ask: (name: string, signal: AbortSignal) => Promise<T>, most = 20): Map<string, T> {
  const [known, setKnown] = useState(() => new Map<string, T>());
  const missing = names.filter((name) => !known.has(name)).slice(0, most);
  useEffect(() => {
    if (missing.length === 0) return;
    const control = new AbortController();
    void Promise.allSettled(missing.map((name) => ask(name, control.signal))).then((answers) => {
      if (control.signal.aborted) return;
      const got = answers.flatMap((answer, i) => (answer.status === "fulfilled" ? [[missing[i]!, answer.value] as const] : []));
      // Nothing is kept of what is gone.
      setKnown((old) => new Map([...[...old].filter(([name]) => names.includes(name)), ...got]));
    });
    return () => control.abort();
  }, [missing.join(" ")]);
  return known;
}
