// Lists of a thousand machines and ten thousand jobs: what is in the document stays little. No time is measured here
// (tests/bench/first_page.mjs does).
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, look, open, signIn } from "./browser.mjs";
import { Farm } from "./farm.mjs";
import { fill } from "./many.mjs";

let farm;
let browser;
let page;

const main = () => page.getByRole("main");
const machines = () => main().locator("li.machine > .line > strong");

before(async () => {
  farm = await Farm.start(["--public-read"]);
  farm.startAgent("vm1");
  await farm.tell("sync");
  await farm.submit("one of many");
  fill(farm, { jobs: 10_000, machines: 1_000 });
  farm.sql("UPDATE machine_pulse SET problem = 'its disk is full' WHERE machine = 'vm999'");
  browser = await launch();
  page = await open(browser, farm.url);
  await signIn(page, farm, "/agents");
}, { timeout: 60_000 });

after(async () => {
  await browser?.close();
  await farm?.stop();
}, { timeout: 30_000 });

test("of a thousand machines the page has a hundred, and first those that want somebody", async () => {
  await main().getByText("100 of 1000 machines").waitFor();
  assert.equal(await machines().count(), 100);
  assert.equal(await machines().first().textContent(), "vm999");
  assert.ok((await main().locator("*").count()) < 4000);
  await look(page, "agents-many");
});

test("any of them is found, and the address has the word", async () => {
  await main().getByLabel("Find").fill("vm77");
  await page.waitForURL(/q=vm77/);
  await page.waitForFunction(() => document.querySelectorAll("li.machine > .line > strong").length === 11);
  assert.deepEqual((await machines().allTextContents()).sort().slice(0, 3), ["vm77", "vm770", "vm771"]);
  await main().getByLabel("Find").fill("disk is full");
  await page.waitForFunction(() => document.querySelectorAll("li.machine > .line > strong").length === 1);
  await main().getByLabel("Find").fill("nothing of it");
  await main().getByText("None of 1 agent matches").waitFor();
  await main().getByLabel("Find").fill("");
  await main().getByRole("button", { name: "All of them" }).click();
  await page.waitForURL(/all=1/);
  await page.waitForFunction(() => document.querySelectorAll("li.machine > .line > strong").length === 1000);
});

test("a machine is drained with a reason, and one who is not signed in is not offered it", async () => {
  await page.goto(`${farm.url}/agents?q=vm770`);
  await main().getByRole("button", { name: "Drain vm770…" }).click();
  await main().getByLabel("Why").fill("moves to <b>another room</b>");
  await main().getByRole("button", { name: "Drain vm770", exact: true }).click();
  await main().getByText("drained by ada: moves to <b>another room</b>").waitFor();
  assert.equal(farm.sql("SELECT count(*) FROM machines WHERE drained"), "1");
  const stranger = await open(browser, farm.url);
  await stranger.goto(`${farm.url}/agents?q=vm77`);
  await stranger.getByText("drained by ada").waitFor();
  assert.equal(await stranger.getByRole("button", { name: /^(Hold|Drain|Release|Switch)/ }).count(), 0);
  await stranger.context().close();
  await main().getByRole("button", { name: "Release vm770…" }).click();
  await main().getByRole("button", { name: "Release vm770", exact: true }).click();
  await main().getByRole("button", { name: "Drain vm770…" }).waitFor();
});

test("ten thousand jobs are read in pages of fifty", async () => {
  await page.goto(`${farm.url}/jobs`);
  for (const newest of [10_000, 9950, 9900]) {
    await main().getByRole("row", { name: new RegExp(`^${newest} `) }).waitFor();
    assert.equal(await main().getByRole("row").count(), 51);
    await main().getByRole("link", { name: "Older" }).click();
  }
});
