// Chromium, and what every page is held to.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { BUILD } from "./farm.mjs";

const require = createRequire(join(BUILD, "dashboard-work/package.json"));
const { chromium } = require("playwright-core");
const AXE = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const SHOTS = join(BUILD, "screenshots");

export async function launch() {
  mkdirSync(SHOTS, { recursive: true });
  return chromium.launch({
    executablePath: process.env.SHAKEDOWN_CHROMIUM ?? "/usr/bin/chromium",
    headless: true,
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
      "--disable-component-update", "--disable-sync"],
  });
}

// A page that remembers what went wrong in it: errors, messages of the CSP, requests to elsewhere.
export async function open(browser, url, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 850 }, ...options });
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: url });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  page.problems = [];
  page.on("pageerror", (error) => page.problems.push(`error: ${error.message}`));
  page.on("console", (message) => {
    // A call that failed is said by the page; the browser says it once more.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) page.problems.push(message.text());
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith("blob:")) page.problems.push(`request to ${request.url()}`);
  });
  return page;
}

export async function signIn(page, farm, next = "/") {
  await page.goto(`${farm.url}/login?next=${encodeURIComponent(next)}`);
  await page.getByLabel("Token").fill(farm.token);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(`${farm.url}${next}`);
}

// In light, dark and on a phone: a screenshot each, no serious violation, nothing wider than the screen.
export async function look(page, name) {
  for (const [shape, scheme, width] of [["light", "light", 1200], ["dark", "dark", 1200], ["phone", "light", 390]]) {
    await page.setViewportSize({ width, height: width === 390 ? 800 : 850 });
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
    await page.screenshot({ path: join(SHOTS, `${name}-${shape}.png`), fullPage: true });
    // Not as a script element: the page's CSP holds for us, too.
    await page.evaluate(AXE);
    const result = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
    const serious = result.violations.filter(({ impact }) => impact === "serious" || impact === "critical");
    assert.deepEqual(
      serious.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(({ html }) => html.slice(0, 200)).join(" | ")}`), [],
      `${name}, ${shape}`,
    );
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(overflow <= 0, `${name}, ${shape}: ${overflow} px wider than the screen`);
  }
  await page.setViewportSize({ width: 1200, height: 850 });
  await page.emulateMedia({ colorScheme: "light" });
  assert.deepEqual(page.problems, [], name);
}
