// Where in the page we are: all of it is in the address.
import { useEffect, useState } from "preact/hooks";

export type Page =
  | { page: "agents" | "jobs" | "queue" | "kernels" | "builds" | "history" | "regressions" | "bisects" | "imports" | "compare kernels" | "submit" | "login" | "missing" }
  | { page: "job" | "compare"; job: bigint }
  | { page: "regression"; regression: bigint }
  | { page: "bisect"; bisect: bigint }
  | { page: "import"; number: bigint }
  | { page: "kernel"; name: string }
  | { page: "boot"; name: string }
  | { page: "log"; name: string };

const BOOT = /^\d{1,18}\.\d{1,4}[A-Z](\.\d{1,3})?$/;
const KERNEL = /^[a-z0-9][a-z0-9.+_-]{0,63}$/;
// A boot ("17.1B", "17.1B.2") or a build's id.
const LOG = /^(\d{1,18}\.\d{1,4}[A-Z](\.\d{1,3})?|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

export function parse(path: string): Page {
  const [, first = "", second, ...rest] = path.replace(/\/$/, "").split("/");
  const isNumber = second !== undefined && /^[1-9]\d{0,17}$/.test(second);
  if (first === "jobs" && isNumber && rest.length === 1 && rest[0] === "compare") return { page: "compare", job: BigInt(second) };
  if (rest.length > 0) return { page: "missing" };
  if (second === undefined) {
    switch (first) {
      case "": return { page: "agents" };
      case "agents":
      case "jobs":
      case "queue":
      case "history":
      case "regressions":
      case "bisects":
      case "imports":
      case "kernels":
      case "builds":
      case "submit":
      case "login": return { page: first };
      case "compare": return { page: "compare kernels" };
    }
  } else if (first === "jobs" && isNumber) {
    return { page: "job", job: BigInt(second) };
  } else if (first === "regressions" && isNumber) {
    return { page: "regression", regression: BigInt(second) };
  } else if (first === "bisects" && isNumber) {
    return { page: "bisect", bisect: BigInt(second) };
  } else if (first === "imports" && isNumber) {
    return { page: "import", number: BigInt(second) };
  } else if (first === "kernels" && KERNEL.test(second)) {
    return { page: "kernel", name: second };
  } else if (first === "boots" && BOOT.test(second)) {
    return { page: "boot", name: second };
  } else if (first === "logs" && LOG.test(second)) {
    return { page: "log", name: second };
  }
  return { page: "missing" };
}

// A job, a bisect, an import by its number in an address; 0: none, or no such number.
export const asNumber = (text: string | null): bigint => (text !== null && /^[1-9]\d{0,17}$/.test(text) ? BigInt(text) : 0n);

// A page of a long list, from 0.
export const asPage = (text: string | null): number => (text !== null && /^\d{1,7}$/.test(text) ? Number(text) : 0);

// Where to go after signing in: a path of this page, never another host.
export function safeNext(next: string | null): string {
  return next !== null && /^\/(?![/\\])/.test(next) && !next.startsWith("/login") ? next : "/";
}

const listeners = new Set<() => void>();

export function go(to: string, replace = false): void {
  if (replace) history.replaceState(null, "", to);
  else history.pushState(null, "", to);
  listeners.forEach((listener) => listener());
}

// Changes parts of the query; null or "" takes one out. Replaces the entry: typing makes no history.
export function setQuery(changes: Record<string, string | null>, push = false): void {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === "") query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  go(location.pathname + (text === "" ? "" : `?${text}`), !push);
}

export interface Place {
  path: string;
  query: URLSearchParams;
}

function here(): Place {
  return { path: location.pathname, query: new URLSearchParams(location.search) };
}

export function usePlace(): Place {
  const [place, setPlace] = useState(here);
  useEffect(() => {
    const changed = () => setPlace(here());
    listeners.add(changed);
    addEventListener("popstate", changed);
    return () => {
      listeners.delete(changed);
      removeEventListener("popstate", changed);
    };
  }, []);
  return place;
}

// Links of ours change the page without loading it again.
export function followLinks(root: HTMLElement): void {
  root.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = (event.target as Element).closest("a");
    if (link === null || link.target !== "" || link.hasAttribute("download")) return;
    if (link.origin !== location.origin || link.getAttribute("href")?.startsWith("#")) return;
    event.preventDefault();
    const moved = link.pathname !== location.pathname;
    go(link.pathname + link.search);
    if (moved) scrollTo(0, 0);
  });
}
