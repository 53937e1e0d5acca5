// Pages of results: comparison, boot, queue. One farm, whose first job has all that a real machine reports.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, look, open, signIn } from "./browser.mjs";
import { Farm, until } from "./farm.mjs";

const LOADS = [
  { make: {}, iterations: 3, warmups: 1 }, { latt: {}, iterations: 3, warmups: 1 },
  { interbench: {}, iterations: 3, warmups: 1 },
];
const BLOCKS = 10;
let farm;
let browser;
let page;
let job;

const main = () => page.getByRole("main");
const see = (text) => main().getByText(text).first().waitFor();

// A boot of the challenger is slower; the one of block 3 panics.
async function runJob() {
  for (let done = 0; done < 2 * BLOCKS; ) {
    const boot = await farm.bootInHand();
    if (boot === undefined) continue;
    const challenger = boot.endsWith("B");
    await farm.tell(boot.includes(".3B") ? "boot PANICKED Kernel panic <script>window.hacked=1</script>" : `rich ${challenger ? 1.12 : 1}`);
    done += 1;
  }
}

before(async () => {
  farm = await Farm.start();
  browser = await launch();
  page = await open(browser, farm.url);
  farm.startAgent("vm1");
  job = await farm.submit("CFS against EEVDF <img src=x onerror=window.hacked=1>", BLOCKS, ["cfs", "eevdf"], LOADS);
  await runJob();
  await until(async () => (await farm.call("GetJob", { job })).state === "JOB_STATE_DONE", 20, "the job's end");
  await signIn(page, farm, "/jobs");
}, { timeout: 120_000 });

after(async () => {
  await browser?.close();
  await farm?.stop();
}, { timeout: 30_000 });

test("a comparison shows what has news, in sentences, and counts the rest", async () => {
  await page.goto(`${farm.url}/jobs/${job}`);
  await main().getByRole("link", { name: /^Compare/ }).click();
  await page.waitForURL(`**/jobs/${job}/compare`);
  await see(/B against A: .*worse by \+1\d\.\d %/);
  await see(/Not shown: \d+ the same/);
  const row = () => main().getByRole("button", { name: "make.user" });
  assert.equal(await row().count(), 0);
  await main().getByRole("button", { name: "Show all" }).first().click();
  await page.waitForURL(/all=1/);
  await row().waitFor();
  await see("failed 1 of 10 boots");
  await look(page, "compare");
});

test("a row opens to each boot's dot, and a boot without a number says why", async () => {
  await main().getByRole("button", { name: /make\.real/ }).click();
  await page.waitForURL(/open=/);
  await page.reload();
  const hollow = main().getByRole("link", { name: /B, block 3, .*panicked: Kernel panic/ });
  await hollow.first().waitFor();
  assert.equal(await main().getByRole("link", { name: /^A, block \d+, / }).count(), BLOCKS);
  // From left to right as they ran.
  const { plan } = await farm.call("GetJob", { job });
  const dots = await main().locator("svg.dots a").evaluateAll((all) => all.map((one) => [one.getAttribute("aria-label")[0], one.getBoundingClientRect().x]));
  assert.equal(dots.map(([letter]) => letter).join(""), plan.blocks.flatMap(({ variants }) => variants.map((one) => "AB"[one])).join(""));
  assert.ok(dots.every(([, x], i) => i === 0 || x > dots[i - 1][1]), JSON.stringify(dots));
  await look(page, "compare-open");
  await main().getByRole("link", { name: /^A, block 1, / }).click();
  await page.waitForURL(/\/boots\/\d+\.1A/);
});

test("a boot shows its values, telemetry, setup and identity", async () => {
  await page.goto(`${farm.url}/boots/${job}.1A`);
  await see("make.real");
  await see("governor performance");
  await see("An old <i>laptop</i> at 1.8 GHz");
  await main().getByRole("img", { name: /^vmstat\. sy: .*us: / }).first().waitFor();
  assert.ok((await main().locator(".chart canvas").count()) >= 12);
  await main().getByText("What it printed").first().click();
  await see("<script>window.hacked=1</script>");
  await main().getByText("Latency distributions").first().click();
  await look(page, "boot");
  assert.equal(await page.evaluate(() => window.hacked), undefined);
});

test("interbench is a table of verdicts, and one metric stands against another", async () => {
  await page.goto(`${farm.url}/jobs/${job}/compare`);
  const heat = main().getByRole("region", { name: "interbench video, B against A" });
  await heat.getByText(/worse/).first().waitFor();
  await main().getByRole("combobox", { name: /^Across/ }).selectOption("make.real");
  await main().getByRole("combobox", { name: /^Up/ }).selectOption("latt.wakeup.max");
  await page.waitForURL(/x=make\.real.*y=latt\.wakeup\.max/);
  await main().getByRole("img", { name: /A: make\.real .* 100 % of its boots survived; B: .* 90 %/ }).waitFor();
});

test("what people saw stands beside the numbers, as text", async () => {
  await page.goto(`${farm.url}/jobs/${job}`);
  await main().getByLabel("What you saw").fill("mouse freezes <img src=x onerror=window.hacked=1> \u202e");
  await main().getByLabel("Kind").selectOption("freeze");
  await main().getByRole("button", { name: "Add", exact: true }).click();
  await see("mouse freezes <img");
  await page.goto(`${farm.url}/boots/${job}.1A`);
  await see("Nobody has noted anything");
  assert.equal(await page.evaluate(() => window.hacked), undefined);
});

test("history is found, drawn, and zoomed by the address", async () => {
  await page.goto(`${farm.url}/history`);
  const link = main().getByRole("link", { name: "make.real" });
  await until(async () => (await page.reload(), (await link.count()) > 0), 40, "a series");
  await look(page, "history-list");
  await main().getByLabel("Find").fill("make.re");
  await link.first().click();
  await page.waitForURL(/metric=make\.real/);
  await main().getByRole("img", { name: /make\.real, on vm1/ }).first().waitFor();
  await main().getByText(/points? as a table/).first().click();
  await main().getByRole("link", { name: String(job), exact: true }).first().waitFor();
  await look(page, "history");
  await main().getByLabel("From kernel").fill("nosuch");
  await page.keyboard.press("Tab");
  await main().getByRole("alert").or(main().getByText("Nothing fits")).first().waitFor();
});

test("published results stand in history, marked, with a way to their texts and to what people saw", async () => {
  await page.goto(`${farm.url}/history?q=imported`);
  const row = main().getByRole("row", { name: /interbench\.video\.compile\.deadlines_met imported p4-ht/ });
  await row.getByRole("link").click();
  await page.waitForURL(/metric=interbench\.video\.compile\.deadlines_met&machine=p4-ht/);
  const card = main().getByRole("region", { name: /deadlines_met, on p4-ht/ }).first();
  await card.getByText("imported", { exact: true }).waitFor();
  await card.getByRole("img", { name: /2 kernels\. Imported: no change is looked for/ }).waitFor();
  await card.getByText("2 points as a table").click();
  const points = main().getByRole("region", { name: "Points" });
  await points.getByRole("row", { name: /2\.6\.35-ck1 1 87\.50 % \* – published: linux-kernel, 2010-08-08/ }).waitFor();
  await card.getByText("What people saw: 1 note on p4-ht").click();
  await card.getByRole("heading", { name: "p4-ht", exact: true }).waitFor();
  await look(page, "history-imported");
  assert.equal(await card.locator('a[href^="/jobs"], a[href^="/boots"]').count(), 0);
  await points.getByRole("link").first().click();
  await page.waitForURL(/\/imports\/\d+$/);
  await see("linux-kernel, 2010-08-08");
});

test("a hundred thousand kernels are a table of a few rows, whole to its end", async () => {
  const points = Array.from({ length: 100_000 }, (_, i) => ({
    kernel: `k${i}`, version: `6.1.${i}`, epoch: 1, median: 100 + (i % 7), mad: 1, boots: 3, jobs: ["1"],
  }));
  await page.route("**/GetHistory", (route) => route.fulfill({ json: { series: [{ key: { metric: "make.real", machine: "vm1" }, unit: "s", points }] } }));
  await page.goto(`${farm.url}/history?metric=make.real`);
  await main().getByText("100000 points as a table").click();
  const table = main().getByRole("region", { name: "Points" });
  await table.getByText("k0", { exact: true }).waitFor();
  assert.ok((await table.getByRole("row").count()) < 100);
  await look(page, "history-long");
  await table.evaluate((box) => box.scrollTo(0, box.scrollHeight));
  await table.getByText("k99999", { exact: true }).waitFor();
  assert.ok((await table.getByRole("row").count()) < 100);
  const [last, box] = await Promise.all([table.getByText("k99999", { exact: true }).boundingBox(), table.boundingBox()]);
  assert.ok(last.y + last.height <= box.y + box.height + 1, "the last row is seen whole");
  await page.goto(`${farm.url}/history?metric=make.real&zoom0=500_600`);
  await main().getByText("101 points as a table").click();
  await table.getByText("k500", { exact: true }).waitFor();
  await main().getByRole("button", { name: "Copy as CSV" }).click();
  await main().getByText("copied").waitFor();
  const csv = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(csv.trim().split("\n").length, 102);
  await page.unroute("**/GetHistory");
});

test("regressions say what they are before there are any", async () => {
  await page.goto(`${farm.url}/regressions`);
  await see("Nothing is open");
  await look(page, "regressions-empty");
  await page.goto(`${farm.url}/regressions/99`);
  await main().getByRole("alert").waitFor();
});

test("a regression is found, told whole, acknowledged, and still there after a restart", async () => {
  // As the farm's keeper writes it, from the series that the first job made.
  const why = 'make.real rose <img src=x onerror="window.hacked=1">';
  const id = farm.sql(`
    INSERT INTO regressions (series, good, bad, improvement, state, magnitude, p, because, confirm_job, confirm_verdict, confirm_text, confirmed)
    SELECT s.id, g.id, b.id, false, 'confirmed', 0.12, 0.001, '${why}', ${job}, 'worse', 'worse by 12 %, n 10', true
    FROM history_series s, history_kernels g, history_kernels b
    WHERE s.metric = 'make.real' AND g.kernel = 'cfs' AND b.kernel = 'eevdf' LIMIT 1 RETURNING id`);
  farm.sql(`INSERT INTO regression_events (regression, ordinal, by, state, why)
    VALUES (${id}, 1, 'farm', 'suspected', '${why}'), (${id}, 2, 'farm', 'confirmed', 'by job ${job}')`);
  await page.goto(`${farm.url}/regressions`);
  await main().getByRole("region", { name: "Regressions" }).getByText("confirmed").waitFor();
  await main().locator(`a[href="/jobs/${job}/compare"]`).waitFor();
  await look(page, "regressions");
  await farm.killController();
  await see("Trying again");
  await look(page, "regressions-stale");
  await farm.startController();
  await until(async () => (await main().getByText("Trying again").count()) === 0, 30, "the list is fresh again");
  await main().getByRole("region", { name: "Regressions" }).getByRole("link", { name: id, exact: true }).first().click();
  await page.waitForURL(`${farm.url}/regressions/${id}`);
  await see("Regression of make.real on vm1");
  await page.getByRole("heading", { name: `Regression ${id}`, exact: true }).waitFor();
  await main().getByText("make.real rose <img").first().waitFor();
  await main().getByRole("heading", { name: "A mail about it" }).waitFor();
  // These kernels have no upstream version: there is nothing that regzbot could be told.
  assert.equal(await main().getByText("#regzbot").count(), 0);
  assert.equal(await main().getByRole("region", { name: "What it is" }).getByRole("link", { name: String(job), exact: true }).getAttribute("href"), `/jobs/${job}/compare`);
  await look(page, "regression");
  await main().getByRole("button", { name: "Acknowledge" }).click();
  await main().getByRole("alert").waitFor();
  await main().getByLabel("Why", { exact: true }).fill("I look at it <b>today</b>");
  await main().getByRole("button", { name: "Acknowledge" }).click();
  await main().getByRole("region", { name: "Events" }).getByText("I look at it <b>today</b>").waitFor();
  await main().getByRole("region", { name: "What it is" }).getByText("acknowledged").waitFor();
  assert.equal(farm.sql(`SELECT state FROM regressions WHERE id = ${id}`), "acknowledged");
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  await farm.agentIsBack();
});

test("what no paired job has confirmed is called a suspected change", async () => {
  const id = farm.sql(`
    INSERT INTO regressions (series, good, bad, improvement, state, magnitude, p, because, confirm_verdict, confirmed)
    SELECT s.id, g.id, b.id, false, 'refuted', 0.04, 0.2, 'it rose', 'same', false
    FROM history_series s, history_kernels g, history_kernels b
    WHERE s.metric = 'make.user' AND g.kernel = 'cfs' AND b.kernel = 'eevdf' LIMIT 1 RETURNING id`);
  await page.goto(`${farm.url}/regressions/${id}`);
  await page.getByRole("heading", { name: `Suspected change ${id}`, exact: true }).waitFor();
  await see("Suspected change of make.user on vm1");
});

test("a table is taken away as text", async () => {
  await page.goto(`${farm.url}/jobs/${job}/compare`);
  await main().getByRole("button", { name: "Copy as Markdown" }).first().click();
  const markdown = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(markdown, /^\| Metric \| Against A \|/);
  await main().getByRole("button", { name: "Copy as CSV" }).first().click();
  assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^Metric,Against A,/);
  await page.goto(`${farm.url}/jobs/${job}`);
  const boots = main().getByRole("group", { name: "Take away: Boots" });
  await boots.getByRole("button", { name: "Copy as CSV" }).click();
  await boots.getByText("copied").waitFor();
  const csv = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(csv, /^Boot,Outcome,Why,Machine,Took,Log\n/);
  assert.equal(csv.trim().split("\n").length, 1 + 2 * BLOCKS);
  assert.match(csv, /\d+\.3B,P panicked,Kernel panic <script>/);
});

test("the queue says who is next, when, and why not now", async () => {
  const first = await farm.submit("runs", 2, ["cfs", "eevdf"], LOADS);
  await until(async () => (await farm.tell("sync")).length > 0, 20, "a boot");
  const second = await farm.submit("waits for vm1", 2, ["cfs", "eevdf"], LOADS);
  const third = await farm.submit("waits behind both", 1, ["cfs", "eevdf"], LOADS);
  await page.goto(`${farm.url}/queue`);
  await see("waits behind both");
  const rows = main().getByRole("row");
  assert.deepEqual(await Promise.all([1, 2, 3].map(async (i) => (await rows.nth(i).getByRole("cell").nth(1).textContent()))), [first, second, third]);
  await rows.nth(1).getByText("1 boot under way").waitFor();
  await rows.nth(2).getByText("vm1 is busy").waitFor();
  await rows.nth(3).getByText("vm1 is busy").waitFor();
  await look(page, "queue");
  // What is read does not move.
  const place = async () => (await rows.nth(1).boundingBox()).y;
  const before = await place();
  await farm.call("CancelJob", { job: second });
  await rows.nth(2).getByText("no more here").waitFor();
  assert.equal(await rows.nth(3).getByRole("cell").nth(1).textContent(), third);
  await main().getByRole("button", { name: "Show the list as it is now" }).waitFor();
  assert.equal(await place(), before);
  await look(page, "queue-moved");
  await main().getByRole("button", { name: "Show the list as it is now" }).click();
  await main().getByText("no more here").waitFor({ state: "detached" });
  assert.equal(await rows.nth(2).getByRole("cell").nth(1).textContent(), third);
});

test("the look schedule says when it looks, what it has decided, and what is left of the budget", async () => {
  const { job: looked } = await farm.call("SubmitJob", {
    requestId: crypto.randomUUID(),
    spec: { title: "looks", variants: [{ kernel: "cfs" }, { kernel: "eevdf" }], loads: [{ make: {}, iterations: 1 }], stopping: "STOPPING_RULE_LOOKS", budgetS: 14400 },
  });
  await page.goto(`${farm.url}/jobs/${looked}`);
  const line = (name) => main().locator("dl > div", { has: page.getByText(name, { exact: true }) }).first().locator("dd");
  await line("Rule").getByText("looks after 8, 16 and 24 blocks").waitFor();
  await line("Next look").getByText("after 8 blocks").waitFor();
  await line("Time budget").getByText("4 h, none of it spent").waitFor();
  const rich = async (boots) => {
    for (let done = 0; done < boots; ) {
      const boot = await farm.bootInHand();
      if (boot === undefined) continue;
      await farm.tell(`rich ${boot.endsWith("B") ? 1.12 : 1}`);
      done += boot.startsWith(`${looked}.`) ? 1 : 0;
    }
  };
  await rich(1);
  await line("Time budget").getByText(/^4 h, (4 h|3 h \d+ min) left$/).waitFor();
  await rich(15);
  const looks = main().getByRole("region", { name: "Looks" });
  await looks.getByRole("row", { name: /^1 8 blocks .*make\.real B worse/ }).waitFor();
  await look(page, "job-looks");
});

test("a verdict is explained to the command, too", async () => {
  const { text } = await farm.call("Explain", { job, metric: "make.real" }, "DetailService");
  assert.match(text, /verdict     worse/);
  assert.match(text, /block 3: .*panicked/);
});
