// The dashboard as people see it. The cases share one farm and go in this order.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { launch, look, open, signIn } from "./browser.mjs";
import { Farm, until } from "./farm.mjs";

const HOSTILE = '<script>window.hacked=1</script><img src=x onerror="window.hacked=1">';
let farm;
let browser;
let page;
let consoleOf; // The boot with a long log.

before(async () => {
  farm = await Farm.start();
  browser = await launch();
  page = await open(browser, farm.url);
}, { timeout: 60_000 });

after(async () => {
  await browser?.close();
  await farm?.stop();
}, { timeout: 30_000 });

const main = () => page.getByRole("main");
const see = (text) => main().getByText(text).first().waitFor();

// All builds, then boots one by one with these outcomes.
async function workOff(outcomes) {
  for (const [outcome, ...reason] of outcomes) {
    await until(() => farm.bootInHand(), 20, "a boot in hand");
    await farm.tell(["boot", outcome, ...reason].join(" "));
  }
}

test("a stranger is asked to sign in and comes back to where he was", async () => {
  await page.goto(`${farm.url}/jobs?before=5`);
  await page.waitForURL("**/login?next=**");
  await look(page, "login");
  await page.getByLabel("Token").fill("not a token");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("alert").waitFor();
  await page.getByLabel("Token").fill(farm.token);
  await page.keyboard.press("Enter");
  await page.waitForURL(`${farm.url}/jobs?before=5`);
  await see("No older jobs");
  const cookies = await page.context().cookies();
  assert.equal(cookies.length, 1);
  assert.ok(cookies[0].httpOnly && cookies[0].sameSite === "Strict");
  assert.ok(!cookies[0].value.includes(farm.token));
});

test("an empty farm says how to go on", async () => {
  await page.goto(`${farm.url}/`);
  await see("No agent has ever called");
  await page.getByRole("link", { name: "Jobs", exact: true }).click();
  await see("No job was ever submitted");
  await page.getByRole("link", { name: "Builds" }).click();
  await see("Nothing was ever built");
  await look(page, "builds-empty");
});

test("agents are live, and an idle machine says why", async () => {
  farm.startAgent("vm1", "vm2");
  await farm.tell("sync");
  await page.goto(`${farm.url}/agents`);
  await see("no job is active");
  const job = await farm.submit("CFS against EEVDF");
  await farm.tell("sync");
  await farm.tell("progress 0.4 compiles kernel/sched/fair.c");
  await see("compiles kernel/sched/fair.c");
  await see("its host builds");
  await until(async () => (await farm.tell("sync")).every((w) => !w.startsWith("build:")) || (await farm.tell("build"), false), 20, "builds");
  await farm.tell("sync");
  await farm.tell("progress 0.6 latt 2/3");
  await see("latt 2/3");
  await see(/^Kernel (cfs|eevdf)/);
  await see(/about \d+ s left of this boot/);
  await look(page, "agents");
  await main().getByRole("link", { name: `${job}.1` }).first().click();
  await page.waitForURL(`**/jobs/${job}?boot=**`);
});

test("the running load's telemetry is seen while it runs", async () => {
  const name = await farm.bootInHand();
  await page.goto(`${farm.url}/jobs/1?boot=${name}`);
  const now = main().getByRole("region", { name: "Telemetry now" });
  await main().getByRole("region", { name: `Boot ${name}` }).getByText("Machine").waitFor();
  assert.equal(await now.count(), 0);
  await farm.tell("live 12");
  await now.getByText("its first 12 s").waitFor();
  await now.getByRole("img", { name: /^vmstat\. us: 40 to 42/ }).waitFor();
  await now.getByRole("img", { name: /^thermal\.hottest\./ }).waitFor();
  await farm.tell("live 40");
  await now.getByText("its first 40 s").waitFor();
  await look(page, "job-live");
  await page.goto(`${farm.url}/boots/${name}`);
  await now.getByText("its first 40 s").waitFor();
  await look(page, "boot-live");
  await farm.tell("sync");
  await now.waitFor({ state: "detached" });
});

test("a machine is held with a reason, and given back", async () => {
  await page.goto(`${farm.url}/agents`);
  await main().getByRole("button", { name: "Hold vm2…" }).click();
  await main().getByLabel("Why").fill("its fan <b>rattles</b>");
  await main().getByRole("button", { name: "Hold vm2", exact: true }).click();
  await see("its fan <b>rattles</b>");
  await see("held");
  assert.equal(await main().getByText("its fan <b>rattles</b>").count(), 1, "a hold is said once");
  await look(page, "agents-held");
  await main().getByRole("button", { name: "Release vm2…" }).click();
  await main().getByRole("button", { name: "Release vm2", exact: true }).click();
  await main().getByRole("button", { name: "Hold vm2…" }).waitFor();
});

test("a job is watched live, over a restart of the controller", async () => {
  const job = 1;
  await page.goto(`${farm.url}/jobs/${job}`);
  await see("CFS against EEVDF");
  const grid = main().getByRole("region", { name: "Block plan" });
  await grid.getByRole("button", { name: /running/ }).first().waitFor();
  await workOff([["MEASURED"]]);
  await grid.getByRole("button", { name: /: measured/ }).first().waitFor();

  await farm.killController();
  await see("Trying again");
  await look(page, "job-stale");
  await farm.startController();
  await farm.agentIsBack();
  await workOff([["PANICKED", `Kernel panic ${HOSTILE}`], ["HUNG", "silent for 60 s"]]);
  await grid.getByRole("button", { name: /: panicked/ }).first().waitFor();
  await grid.getByRole("button", { name: /: hung/ }).first().waitFor();
  // The page has several streams, and each finds the controller at its own next attempt.
  await until(async () => (await main().getByText("Trying again").count()) === 0, 15, "no stream tries again");
});

test("a chosen boot tells why, and the address keeps it", async () => {
  await main().getByRole("button", { name: /: panicked/ }).first().click();
  await page.waitForURL(/boot=1\.\d[AB]/);
  await page.reload();
  const detail = main().getByRole("region", { name: /^Boot 1\./ });
  await detail.getByText("Kernel panic <script>").first().waitFor();
  await detail.getByText("the end of the console").waitFor();
  await main().getByLabel("Report", { exact: true }).getByText("Shakedown job 1").waitFor();
  await main().getByText("What the signs mean").click();
  await look(page, "job");
  await workOff([["MEASURED"]]);
  await see("done");
  await page.getByRole("button", { name: "Markdown", exact: true }).click();
  await page.waitForURL(/report=markdown/);
  await main().getByLabel("Report", { exact: true }).getByText("| ").first().waitFor();
});

test("boots are filtered, and the job file is what was submitted", async () => {
  await page.goto(`${farm.url}/jobs/1?show=hung`);
  const boots = main().getByRole("region", { name: "Boots" });
  await boots.getByText("silent for 60 s").waitFor();
  assert.equal(await boots.getByRole("row").count(), 2);
  await main().getByText("Job file").click();
  await see('kernel: "eevdf"');
});

test("a console is text, whatever its bytes say", async () => {
  await farm.submit("a job with a long console", 1);
  await until(async () => (await farm.tell("sync")).length > 0, 20, "a boot");
  const noise = Array.from({ length: 60_000 }, (_, i) => `[${i}.000000] line number ${i} of a long console\r\n`).join("");
  const bytes = Buffer.concat([
    Buffer.from(`${HOSTILE}\r\n`), Buffer.from([0xff, 0x00, 0x1b, 0x5b, 0x32, 0x4a, 0x0a]), Buffer.from("user \u202egnp.exe\n[1.0] Oops: 0000 [#1]\n"),
    Buffer.from(noise), Buffer.from("[9.9] BUG: soft lockup - CPU#0 stuck\n"), Buffer.from("the last line\n"),
  ]);
  await farm.tell(`log ${farm.file("console", bytes)}`);
  await page.goto(`${farm.url}/logs/2.1A`);
  // Which variant boots first is drawn: the other has no log yet.
  const empty = main().getByText("The log is empty");
  await main().getByText("the last line").or(empty).first().waitFor();
  const name = (await empty.count()) > 0 ? "2.1B" : "2.1A";
  const answers = [];
  const note = (request) => request.url().includes("ReadLog") && answers.push(request);
  page.on("requestfinished", note);
  await page.goto(`${farm.url}/logs/${name}`);
  await see("the last line");
  await until(() => answers.length > 0, 15, "the log's answers");
  page.off("requestfinished", note);
  const read = (await Promise.all(answers.map((request) => request.sizes()))).reduce((sum, { responseBodySize }) => sum + responseBodySize, 0);
  assert.ok(read > 0 && read < bytes.length / 4, `the end of a log of ${bytes.length} bytes opens with ${read} bytes of answers`);
  assert.ok((await page.locator(".log > div").count()) <= 4001);
  await look(page, "log");

  await page.getByRole("button", { name: "Start" }).click();
  await see("<script>window.hacked=1</script>");
  await see("␀␛[2J");
  await see("user ⟨U+202E⟩gnp.exe");
  await look(page, "log-start");

  await page.getByLabel("Find in the whole log").fill("number 59999 ");
  await see("1 line found");
  await main().getByRole("button", { name: "Next" }).click();
  await page.locator(".log .here").getByText("line number 59999 of").waitFor();
  assert.match(page.url(), /at=\d+/);
  await page.getByRole("button", { name: "Problems" }).click();
  await see("BUG: soft lockup");

  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Download" }).click()]);
  assert.equal(download.suggestedFilename(), `${name}.log`);
  assert.deepEqual(readFileSync(await download.path()), bytes);

  await page.goto(`${farm.url}/logs/${name}?follow=1`);
  await see("the last line");
  await farm.tell(`log ${farm.file("more", "a line that came later\n")}`);
  await see("a line that came later");
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  await workOff([["MEASURED"], ["MEASURED"]]);
  consoleOf = name;
});

test("problems of a log are gone through by keys, and each line has an address", async () => {
  const here = page.locator(".log .here");
  const open_ = async (more = "") => {
    await page.goto(`${farm.url}/logs/${consoleOf}${more}`);
    await page.locator(".log").getByText("the last line").waitFor();
  };
  await open_();
  await page.keyboard.press("n");
  await here.getByText("Oops: 0000").waitFor();
  assert.match(page.url(), /problems=1/);
  await main().getByRole("region", { name: "Found" }).getByText("2 lines found").waitFor();
  await page.keyboard.press("n");
  await here.getByText("BUG: soft lockup").waitFor();
  await page.keyboard.press("p");
  await here.getByText("Oops: 0000").waitFor();

  await open_("?q=came+later");
  await main().getByRole("region", { name: "Found" }).getByText("1 line found").waitFor();
  await page.keyboard.press("n");
  await here.getByText("a line that came later").waitFor();
  await page.keyboard.press("Shift+P");
  await here.getByText("BUG: soft lockup").waitFor();
  assert.doesNotMatch(page.url(), /q=/);
  await page.getByLabel("Find in the whole log").focus();
  await page.keyboard.press("n");
  assert.equal(await page.getByLabel("Find in the whole log").inputValue(), "n", "a key that is typed is typed");

  await open_();
  await page.locator(".log > div", { hasText: "the last line" }).getByRole("link").click();
  await here.getByText("the last line").waitFor();
  await page.locator(".log").getByText("BUG: soft lockup").waitFor();
  await page.goto(page.url());
  await here.getByText("the last line").waitFor();
  await look(page, "log-line");
});

test("kernels are found, and a hostile description is text", async () => {
  await page.goto(`${farm.url}/kernels`);
  await see("<script>window.hacked=1</script>");
  await see("⟨U+202E⟩gnp.exe");
  await look(page, "kernels");
  await page.getByLabel("Find").fill("earliest");
  await see("1 of 3 kernels");
  assert.match(page.url(), /q=earliest/);
  assert.equal(await page.evaluate(() => window.hacked), undefined);
});

test("a job is planned, its cost shown, and only then submitted", async () => {
  await page.goto(`${farm.url}/submit`);
  await page.getByLabel("Title").fill(`my job ${HOSTILE}`);
  await page.getByLabel("Baseline").fill("cfs");
  await page.getByLabel("Challenger B").fill("nosuch");
  await page.getByLabel("It ends").selectOption("fixed");
  await page.getByRole("spinbutton", { name: "Blocks" }).fill("2");
  assert.equal(await page.getByRole("button", { name: "Submit", exact: true }).count(), 0);
  await page.getByRole("button", { name: "Show plan and cost" }).click();
  await page.getByRole("alert").getByText('kernel "nosuch": not in').waitFor();
  await page.getByLabel("Challenger B").fill("eevdf kernel.sched_autogroup_enabled=0 nohz=off");
  await page.getByRole("button", { name: "Show plan and cost" }).click();
  await see("4 boots, 0 builds");
  await page.getByText("The same job for the command").click();
  await see("'eevdf kernel.sched_autogroup_enabled=0 nohz=off'");
  await look(page, "submit");
  await page.getByRole("button", { name: "Copy the job file" }).click();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(copied, /name: "kernel.sched_autogroup_enabled"/);
  const order = await main().getByText(/^[AB]{2} [AB]{2}$/).textContent();
  await page.getByRole("button", { name: "Submit", exact: true }).click();
  await page.waitForURL(`${farm.url}/jobs/3`);
  await see("my job <script>");
  await see(new RegExp(`^${order} \\(seed`));
  assert.equal(await page.evaluate(() => window.hacked), undefined);
});

test("a job is cancelled after a second word", async () => {
  await page.getByRole("button", { name: "Cancel…" }).click();
  await page.getByRole("button", { name: "Cancel the job" }).click();
  // Before the agent asks: else it may still take a boot of it, and nobody would end that.
  await see("cancelled");
  await farm.tell("sync");
});

test("a failed build shows the compiler's words", async () => {
  await farm.submit("a kernel that does not compile", 1, ["cfs", "hostile"]);
  await until(async () => (await farm.tell("sync")).some((word) => word.startsWith("build:")), 20, "a build");
  await farm.tell(`fail-build fair.c:7: error: expected ';' ${HOSTILE}`);
  await page.goto(`${farm.url}/builds`);
  await see("failed");
  await main().getByText("Error").first().click();
  await see("error: expected ';'");
  await look(page, "builds");
});

test("jobs come in pages, and what is read does not move", async () => {
  const copies = 60;
  for (let i = 0; i < copies; i += 1) await farm.submit(`job of a long list ${i}`, 1);
  await page.goto(`${farm.url}/jobs`);
  await see("job of a long list 59");
  assert.equal(await main().getByRole("row").count(), 51);
  await look(page, "jobs");
  const first = main().getByRole("row").nth(1);
  const before = await first.textContent();
  await farm.submit("one that came later", 1);
  await main().getByRole("button", { name: "Show 1 new job" }).waitFor();
  assert.equal((await first.textContent()).slice(0, 20), before.slice(0, 20));
  await main().getByRole("button", { name: "Show 1 new job" }).click();
  await see("one that came later");
  await main().getByRole("link", { name: "Older" }).click();
  await see("CFS against EEVDF");
  await page.goBack();
  await see("one that came later");
});

test("errors and addresses of nothing", async () => {
  await page.goto(`${farm.url}/jobs/999999`);
  await main().getByRole("alert").getByText("no such job").waitFor();
  await look(page, "job-missing");
  await page.goto(`${farm.url}/logs/999999.1A`);
  await main().getByRole("alert").first().waitFor();
  for (const path of ["/nowhere/at/all", "/page.php", "/kernels/%3Cb%3E", "/jobs/1.5"]) {
    await page.goto(`${farm.url}${path}`);
    await see("The address names nothing here");
  }
  await look(page, "no-such-page");
  assert.equal((await fetch(`${farm.url}/page.php`)).headers.get("content-type"), "text/plain; charset=utf-8");
  await page.goto(`${farm.url}/kernels/6.12.9-none`);
  await see("No kernel of this name");
  await page.goto(`${farm.url}/kernels`);
  await main().getByRole("link", { name: "eevdf", exact: true }).click();
  await page.waitForURL(`${farm.url}/kernels/eevdf`);
  await see("the default since 6.6");
});

test("the page is used by keyboard alone", async () => {
  await page.goto(`${farm.url}/jobs/1`);
  await main().getByRole("button", { name: /: hung/ }).first().waitFor();
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "To the content");
  await main().getByRole("button", { name: /: hung/ }).first().focus();
  await page.keyboard.press("Enter");
  await page.waitForURL(/boot=1\./);
});

test("another page's form can not call in our name", async () => {
  const evil = await open(browser, farm.url);
  await signIn(evil, farm);
  const status = await evil.evaluate(() =>
    fetch("/shakedown.v1.FarmService/CancelJob", { method: "POST", headers: { "Content-Type": "text/plain" }, body: '{"job":1}' })
      .then((response) => response.status));
  assert.equal(status, 415);
  await evil.context().close();
});

test("signing out ends the session", async () => {
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.waitForURL("**/login");
  await page.goto(`${farm.url}/agents`);
  await page.waitForURL("**/login?next=**");
});

test("the first page is there, and how long it took is printed", async () => {
  const fresh = await open(browser, farm.url);
  await signIn(fresh, farm);
  await fresh.goto("about:blank");
  const started = Date.now();
  await fresh.goto(`${farm.url}/agents`);
  await fresh.getByRole("heading", { name: "host1" }).waitFor();
  console.log(`# first page after ${Date.now() - started} ms`);
});
