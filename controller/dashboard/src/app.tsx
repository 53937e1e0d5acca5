import { useEffect, useState } from "preact/hooks";
import { type Session, logout, readSession, words } from "./api";
import { Agents } from "./pages/agents";
import { Bisect, Bisects } from "./pages/bisects";
import { Boot } from "./pages/boot";
import { Builds } from "./pages/builds";
import { Compare } from "./pages/compare";
import { Import, Imports } from "./pages/imports";
import { Job } from "./pages/job";
import { Jobs } from "./pages/jobs";
import { History } from "./pages/history";
import { Kernel, Kernels } from "./pages/kernels";
import { KernelCompare } from "./pages/kernel_compare";
import { Log } from "./pages/log";
import { Login } from "./pages/login";
import { Queue } from "./pages/queue";
import { Regression, Regressions } from "./pages/regressions";
import { Submit } from "./pages/submit";
import { Empty, Foreign, Title } from "./parts";
import { Who } from "./who";
import { type Page, go, parse, usePlace } from "./route";

const PAGES: [path: string, name: string][] = [
  ["/agents", "Agents"],
  ["/jobs", "Jobs"],
  ["/queue", "Queue"],
  ["/history", "History"],
  ["/regressions", "Regressions"],
  ["/bisects", "Bisects"],
  ["/imports", "Imports"],
  ["/kernels", "Kernels"],
  ["/builds", "Builds"],
  ["/submit", "Submit"],
];

function Content({ page, query }: { page: Page; query: URLSearchParams }) {
  switch (page.page) {
    case "agents": return <Agents query={query} />;
    case "jobs": return <Jobs query={query} />;
    case "job": return <Job key={String(page.job)} job={page.job} query={query} />;
    case "compare": return <Compare key={String(page.job)} job={page.job} query={query} />;
    case "boot": return <Boot key={page.name} name={page.name} />;
    case "history": return <History query={query} />;
    case "regressions": return <Regressions query={query} />;
    case "regression": return <Regression key={String(page.regression)} regression={page.regression} />;
    case "bisects": return <Bisects query={query} />;
    case "bisect": return <Bisect key={String(page.bisect)} bisect={page.bisect} query={query} />;
    case "imports": return <Imports query={query} />;
    case "import": return <Import key={String(page.number)} number={page.number} query={query} />;
    case "queue": return <Queue query={query} />;
    case "log": return <Log key={page.name} name={page.name} query={query} />;
    case "compare kernels": return <KernelCompare query={query} />;
    case "kernel": return <Kernel key={page.name} name={page.name} />;
    case "kernels": return <Kernels query={query} />;
    case "builds": return <Builds query={query} />;
    case "submit": return <Submit query={query} />;
    default:
      return (
        <>
          <Title text="No such page" />
          <Empty>The address names nothing here. There are <a href="/agents">agents</a>, <a href="/jobs">jobs</a>, <a href="/kernels">kernels</a> and <a href="/history">history</a>.</Empty>
        </>
      );
  }
}

function Nav({ path, session, onSignOut }: { path: string; session: Session | undefined; onSignOut: () => void }) {
  const current = (to: string) => path === to || path.startsWith(`${to}/`) || (to === "/agents" && path === "/");
  return (
    <header class="top">
      <a class="skip" href="#main">To the content</a>
      <a class="brand" href="/">Shakedown</a>
      <nav aria-label="Pages">
        {PAGES.map(([to, name]) => (
          <a key={to} href={to} aria-current={current(to) ? "page" : undefined}>{name}</a>
        ))}
      </nav>
      <span class="who">
        {session?.name ? (
          <>
            <Foreign text={session.name} /> <button type="button" onClick={onSignOut}>Sign out</button>
          </>
        ) : (
          <a href={`/login?next=${encodeURIComponent(path)}`}>Sign in</a>
        )}
      </span>
    </header>
  );
}

export function App() {
  const { path, query } = usePlace();
  const [session, setSession] = useState<Session>();
  const [error, setError] = useState("");
  const page = parse(path);
  // Asked again after each visit of the login page.
  const atLogin = page.page === "login";
  useEffect(() => {
    if (atLogin) return;
    let gone = false;
    let timer = 0;
    const ask = () =>
      readSession().then(
        (now) => {
          if (gone) return;
          setError("");
          setSession(now);
          if (now.name === "" && !now.publicRead) {
            go(`/login?next=${encodeURIComponent(location.pathname + location.search)}`, true);
          }
        },
        (problem) => {
          if (gone) return;
          setError(words(problem));
          timer = window.setTimeout(ask, 2000);
        },
      );
    void ask();
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [atLogin]);

  const signOut = () =>
    logout().then(
      () => {
        setSession(undefined);
        go("/login");
      },
      (problem) => setError(words(problem)),
    );

  if (atLogin) {
    return <main id="main" tabIndex={-1}><Login query={query} onDone={setSession} /></main>;
  }
  return (
    <>
      <Nav path={path} session={session} onSignOut={signOut} />
      <main id="main" tabIndex={-1}>
        {error !== "" && <p class="error" role="alert"><Foreign text={error} /></p>}
        {session !== undefined && <Who.Provider value={session.name}><Content page={page} query={query} /></Who.Provider>}
        {session === undefined && error === "" && <p class="loading" role="status">Loading…</p>}
      </main>
    </>
  );
}
