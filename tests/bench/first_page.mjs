#!/usr/bin/env node
// How long each page takes from its navigation until it can be used, in Chromium on loopback:
//   tests/bench/first_page.mjs [--repeats 7] [--limit 1000] [--jobs 10000] [--machines 1000] [--step-limit 200]
// The farm is a real controller on a real database, filled with that many jobs and machines. Each repeat has a
// browser context of its own, so nothing is cached. A page can be used when its own words are there (no "Loading…")
// and the main thread has been given back once. Printed is the median and its ratio to the limit in ms; fails when a
// ratio is above 1. Then lists are scrolled and filtered; fails when a step takes longer than the limit of steps. Wants
// four targets built (farm.mjs names those that are not) in SHAKEDOWN_BUILD_DIR, else build/, and an otherwise idle machine.
import { launch, open, signIn } from "../browser/browser.mjs";
import { Farm, until } from "../browser/farm.mjs";
import { fill } from "../browser/many.mjs";

const option = (name, value) => {
  const at = process.argv.indexOf(name);
  return at < 0 ? value : Number(process.argv[at + 1]);
};
const REPEATS = option("--repeats", 7);
const LIMIT = option("--limit", 1000);
const JOBS = option("--jobs", 10_000);
const MACHINES = option("--machines", 1_000);
const STEP_LIMIT = option("--step-limit", 200);

async function once(browser, farm, cookies, path) {
  const page = await open(browser, farm.url);
  try {
    await page.context().addCookies(cookies);
    await page.goto(`${farm.url}${path}`, { waitUntil: "commit" });
    return await page.evaluate(() => new Promise((resolve) => {
      // When it was navigated to is the page's own time 0.
      const look = () => {
        const main = document.querySelector("main");
        if (!main?.querySelector("h1") || main.querySelector(".loading")) return false;
        seen.disconnect();
        requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
        return true;
      };
      const seen = new MutationObserver(look);
      seen.observe(document, { childList: true, subtree: true, characterData: true });
      look();
    }));
  } finally {
    await page.context().close();
  }
}

const median = (times) => [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)];

// In the page: how long each of these takes until the next frame has been shown, in ms.
const STEPS = {
  scroll: () => {
    const most = document.documentElement.scrollHeight - innerHeight;
    return Array.from({ length: 40 }, (_, i) => () => scrollTo(0, (most * (i + 1)) / 40));
  },
  // Typed a letter at a time, and taken back.
  filter: () => {
    const input = document.querySelector('input[type="search"]');
    const put = (text) => () => {
      input.value = text;
      input.dispatchEvent(new InputEvent("input", { bubbles: true }));
    };
    return ["v", "vm", "vm7", "vm77", "vm777", "vm77", "vm7", "vm", "v", ""].map(put);
  },
};

async function steps(browser, farm, cookies, path, what) {
  const page = await open(browser, farm.url);
  try {
    await page.context().addCookies(cookies);
    await page.goto(`${farm.url}${path}`);
    await page.locator("main h1").waitFor();
    await page.locator("main .loading").waitFor({ state: "detached" });
    // As one text: the page's CSP lets nothing make code of a text in it.
    const times = await page.evaluate(`(async () => {
      const shown = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(() => resolve(performance.now()))));
      const out = [];
      await shown();
      for (const step of (${STEPS[what]})()) {
        const before = performance.now();
        step();
        out.push((await shown()) - before);
      }
      return out;
    })()`);
    const rows = await page.evaluate(() => document.querySelectorAll("main tr, main li").length);
    return { times, rows };
  } finally {
    await page.context().close();
  }
}

const farm = await Farm.start();
let browser;
let slow = 0;
try {
  farm.startAgent("vm1");
  const job = await farm.submit("one of many", 2);
  for (let measured = 0; measured < 4; ) {
    if ((await farm.bootInHand()) === undefined) continue;
    await farm.tell("rich 1");
    measured += 1;
  }
  await until(async () => (await farm.call("GetJob", { job })).state === "JOB_STATE_DONE", 20, "the job's end");
  fill(farm, { jobs: JOBS, machines: MACHINES });
  browser = await launch();
  const first = await open(browser, farm.url);
  await signIn(first, farm, "/kernels");
  const cookies = await first.context().cookies();
  await first.context().close();
  console.log(`${JOBS} jobs, ${MACHINES} machines; median of ${REPEATS}; limit ${LIMIT} ms`);
  for (const path of ["/agents", "/jobs", `/jobs/${job}`, `/jobs/${job}/compare`, `/boots/${job}.1A`, `/logs/${job}.1A`, "/queue", "/history",
    "/regressions", "/bisects", "/imports", "/imports/1", "/kernels", "/builds", "/submit"]) {
    const times = [];
    for (let i = 0; i < REPEATS; i += 1) times.push(await once(browser, farm, cookies, path));
    const ratio = median(times) / LIMIT;
    if (ratio > 1) slow += 1;
    console.log(`${path.padEnd(18)} ${median(times).toFixed(0).padStart(6)} ms  ratio ${ratio.toFixed(2)}${ratio > 1 ? "  over the limit" : ""}`);
  }
  console.log(`a step of scrolling or filtering until it is shown; limit of the 95th percentile ${STEP_LIMIT} ms`);
  for (const [path, what] of [["/agents", "scroll"], ["/agents", "filter"], ["/jobs", "scroll"], ["/kernels", "filter"]]) {
    const { times, rows } = await steps(browser, farm, cookies, path, what);
    const late = [...times].sort((a, b) => a - b)[Math.floor(times.length * 0.95)];
    if (late > STEP_LIMIT) slow += 1;
    console.log(`${path.padEnd(10)} ${what.padEnd(7)} median ${median(times).toFixed(0).padStart(4)} ms, 95 % ${late.toFixed(0).padStart(4)} ms, ` +
      `${rows} rows in the document${late > STEP_LIMIT ? "  over the limit" : ""}`);
  }
} finally {
  await browser?.close().catch(() => {});
  await farm.stop();
}
process.exitCode = slow > 0 ? 1 : 0;
