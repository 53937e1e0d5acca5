// Bisects, imports, and all that a job may be made of. One farm, in this order.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { launch, look, open, signIn } from "./browser.mjs";
import { Farm, until } from "./farm.mjs";
import { copy } from "./many.mjs";

const HOSTILE = '<script>window.hacked=1</script> \u202egnp.exe';
let farm;
let browser;
let page;
let bisect;

const main = () => page.getByRole("main");
const see = (text) => main().getByText(text).first().waitFor();

// Performs one boot of the bisect's jobs, if one is to be done; the kernel "hostile" is slower than the others.
async function boot() {
  const name = await farm.bootInHand();
  if (name !== undefined) {
    const { spec } = await farm.call("GetJob", { job: name.split(".")[0] });
    const kernel = spec.variants[/[A-Z]/.exec(name)[0].charCodeAt(0) - 65].kernel;
    await farm.tell(`rich ${kernel === "hostile" ? 1.3 : 1}`);
  }
  return farm.call("GetBisect", { bisect }, "BisectService");
}

before(async () => {
  farm = await Farm.start();
  browser = await launch();
  page = await open(browser, farm.url);
  farm.startAgent("vm1");
  await signIn(page, farm, "/bisects");
}, { timeout: 60_000 });

after(async () => {
  await browser?.close();
  await farm?.stop();
}, { timeout: 30_000 });

test("without a bisect the page says how to begin one", async () => {
  await see("Nothing was ever bisected");
  await look(page, "bisects-empty");
  await page.goto(`${farm.url}/bisects/99`);
  await main().getByRole("alert").waitFor();
});

test("a bisect is watched live, over a restart, until its culprit is named", async () => {
  ({ bisect } = await farm.call("StartBisect", {
    requestId: crypto.randomUUID(), good: "cfs", bad: "hostile", metric: "make.real", candidates: ["cfs", "eevdf", "hostile"],
    job: { loads: [{ make: {}, iterations: 1 }] },
  }, "BisectService"));
  await page.goto(`${farm.url}/bisects`);
  await see("running");
  await main().getByRole("link", { name: bisect, exact: true }).click();
  await page.waitForURL(`**/bisects/${bisect}`);
  const candidates = main().getByRole("region", { name: "Candidates" });
  await candidates.getByText("50.0 %").first().waitFor();
  const steps = main().getByRole("region", { name: "Steps" });
  await until(async () => (await boot()).steps?.[0]?.answer === "BISECT_ANSWER_BAD", 60, "the ends' verdict");
  await steps.getByText("the ends differ").waitFor();
  await see("No culprit yet");
  await look(page, "bisect-running");

  await farm.killController();
  await see("Trying again");
  await look(page, "bisect-stale");
  await farm.startController();
  await farm.agentIsBack();
  await until(async () => (await boot()).state !== "running", 90, "the bisect's end");
  await see("The change came with");
  await candidates.getByText(/9[5-9]\.\d+ %/).first().waitFor();
  await steps.getByText("a candidate", { exact: true }).first().waitFor();
  await steps.getByText("✓ good").first().waitFor();
  await steps.getByText("against its parent", { exact: true }).first().waitFor();
  await look(page, "bisect");
  await steps.getByRole("link").first().click();
  await page.waitForURL(/\/jobs\/\d+$/);
  await page.goto(`${farm.url}/bisects`);
  await see("found");
  await look(page, "bisects");
});

test("a bisect is stopped after a second word", async () => {
  const second = await farm.call("StartBisect", {
    requestId: crypto.randomUUID(), good: "cfs", bad: "eevdf", metric: "make.real", candidates: ["cfs", "hostile", "eevdf"],
    job: { loads: [{ make: {}, iterations: 1 }] },
  }, "BisectService");
  await page.goto(`${farm.url}/bisects/${second.bisect}`);
  await main().getByRole("button", { name: "Stop…" }).click();
  await main().getByRole("button", { name: "Stop the bisect" }).click();
  await see("cancelled");
  await see("No culprit is named");
  assert.equal(await main().getByRole("button", { name: "Stop…" }).count(), 0);
});

test("bisects come in pages", async () => {
  copy(farm, "bisects", 61, ["request_id"], "gen_random_uuid()");
  await page.goto(`${farm.url}/bisects`);
  await main().getByRole("link", { name: "Older" }).waitFor();
  assert.equal(await main().getByRole("row").count(), 51);
  await main().getByRole("link", { name: "Older" }).click();
  await page.waitForURL(/before=\d+/);
  await see("found");
  assert.equal(await main().getByRole("link", { name: "Older" }).count(), 0);
  await main().getByRole("link", { name: "Newest" }).click();
  await page.waitForURL(`${farm.url}/bisects`);
  await page.goto(`${farm.url}/bisects?before=1`);
  await see("No older bisects");
});

test("imports come in pages, and filters are in the address", async () => {
  for (let i = 0; i < 60; i += 1) {
    await farm.call("AddImport", {
      file: i === 59 ? `log ${HOSTILE}` : `log ${i}`, raw: Buffer.from(`real\t0m${i + 1}.5s\nuser\t0m1.0s\nsys\t0m0.1s\n${i === 59 ? HOSTILE : ""}\n`).toString("base64"),
      kernel: "6.1-many", machine: "x1", source: HOSTILE, facts: { note: HOSTILE }, partly: true,
    }, "ImportService");
  }
  await page.goto(`${farm.url}/imports`);
  await see("log <script>window.hacked=1</script>");
  assert.equal(await main().getByRole("row").count(), 51);
  await look(page, "imports");
  await main().getByRole("link", { name: "Older" }).click();
  await page.waitForURL(/before=\d+/);
  await see("came with the program");
  await main().getByLabel("Machine").fill("nosuch");
  await page.keyboard.press("Tab");
  await page.waitForURL(/machine=nosuch/);
  await see("No import fits");
  assert.equal(await page.evaluate(() => window.hacked), undefined);
});

test("an import shows its values and its text, as text", async () => {
  await page.goto(`${farm.url}/imports?machine=x1`);
  await main().getByRole("link", { name: /^log <script>/ }).click();
  await page.waitForURL(/\/imports\/\d+$/);
  await main().getByRole("region", { name: "Values" }).getByText("60.5").first().waitFor();
  await main().getByText("The text", { exact: true }).click();
  await main().getByLabel("Text", { exact: true }).getByText("<script>window.hacked=1</script> ⟨U+202E⟩gnp.exe").waitFor();
  await look(page, "import");
  const [download] = await Promise.all([page.waitForEvent("download"), main().getByRole("button", { name: "Download the text" }).click()]);
  assert.match(readFileSync(await download.path(), "utf8"), /^real\t0m60\.5s/);
  await main().getByLabel("Find").fill("nosuch");
  await see(/None of \d+ values matches/);
  assert.match(page.url(), /q=nosuch/);
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  await page.goto(`${farm.url}/imports/999999`);
  await main().getByRole("alert").waitFor();
});

test("a job has any load of the proto, steps, and background, and errors stand at their place", async () => {
  await page.goto(`${farm.url}/submit`);
  await page.getByLabel("Baseline").fill("cfs");
  await page.getByLabel("Challenger B").fill("eevdf");
  await page.getByLabel("Add a load").selectOption("frames");
  await page.getByLabel("Add a load").selectOption("tool");
  await page.getByLabel("Setup steps").fill("drop_caches\nturbo maybe");
  await page.getByRole("button", { name: "Show plan and cost" }).click();
  await page.getByRole("alert").getByText("setup step 2: maybe: want on or off").first().waitFor();
  await page.getByLabel("Setup steps").fill("drop_caches");
  await page.getByLabel("Beside every load").fill("audio");
  const frames = page.getByRole("group", { name: "Load 3: frames" });
  await frames.getByLabel("Seconds").fill("3600");
  await frames.getByText("More of frames").click();
  await frames.getByLabel("Nice").fill("5");
  await frames.getByLabel("Beside (").fill("burn:9999");
  await page.getByRole("button", { name: "Show plan and cost" }).click();
  await frames.getByRole("alert").getByText(/load 3: frames: beside: burn_threads 9999/).waitFor();
  await look(page, "submit-errors");
  await frames.getByLabel("Beside (").fill("burn:2");
  await page.getByRole("button", { name: "Show plan and cost" }).click();
  await see(/boots, \d+ builds?/);
  await page.getByRole("button", { name: "Job file" }).click();
  await page.waitForURL(/as=file/);
  const file = page.getByRole("textbox", { name: "Job file" });
  assert.match(await file.inputValue(), /frames \{[^]*burn_threads: 2[^]*tool: "hackbench"[^]*drop_caches: true[^]*audio: true/);
  await file.fill('variants { kernel: "cfs" }\nvariants { kernel: "eevdf" }\nloads { nosuch {} }');
  await page.getByRole("button", { name: "Show plan and cost" }).click();
  await page.getByRole("alert").getByText("line 3: nosuch: Load has no such field").waitFor();
  await file.fill('title: "from a file" variants { kernel: "cfs" } variants { kernel: "eevdf" } loads { launch { count: 5 } } blocks: 2 order_seed: 7');
  await page.getByRole("button", { name: "Show plan and cost" }).click();
  await see(/4 boots, \d builds/);
  await look(page, "submit-file");
  await page.getByRole("button", { name: "Submit", exact: true }).click();
  await page.waitForURL(/\/jobs\/\d+$/);
  await see("from a file");
});
