// What people brought: kernels of imports side by side, and what was wrong taken back. One farm, in this order.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, look, open, signIn } from "./browser.mjs";
import { Farm } from "./farm.mjs";

const HOSTILE = "<script>window.hacked=1</script> \u202egnp.exe";
const OLD = "2.6.31-rc9-a-long-name";
let farm;
let browser;
let page;

const main = () => page.getByRole("main");
const see = (text) => main().getByText(text).first().waitFor();

async function add(kernel, seconds, more = {}) {
  const { import: number } = await farm.call("AddImport", {
    file: `log of ${kernel}`, raw: Buffer.from(`Entries: 3088 (clients=8)\nAverages:\n------------------------------\n` +
      `\tMax\t   ${seconds}000 usec\n\tAvg\t      ${seconds} usec\n\tStdev\t     694 usec\n`).toString("base64"),
    kernel, machine: "p4-ht-test", ...more,
  }, "ImportService");
  return number;
}

before(async () => {
  farm = await Farm.start(["--public-read"]);
  browser = await launch();
  page = await open(browser, farm.url);
  await signIn(page, farm, "/imports");
}, { timeout: 60_000 });

after(async () => {
  await browser?.close();
  await farm?.stop();
}, { timeout: 30_000 });

test("from an import two kernels are compared on its machine", async () => {
  await add(OLD, 73);
  await add("2.6.31.6-bfs", 60, { source: HOSTILE });
  await farm.call("AddNote", { subject: "machine:p4-ht-test", kind: "audio", text: HOSTILE }, "ImportService");
  await page.goto(`${farm.url}/imports?machine=p4-ht-test`);
  await see(`log of ${OLD}`);
  await page.setViewportSize({ width: 390, height: 800 });
  // No line ends inside a version.
  for (const word of await main().locator(".whole").all()) {
    assert.equal(await word.evaluate((node) => node.getClientRects().length), 1, await word.textContent());
  }
  await page.setViewportSize({ width: 1200, height: 850 });
  await main().getByRole("row", { name: new RegExp(OLD) }).getByRole("link", { name: /Compare/ }).click();
  await page.waitForURL(/\/compare\?kernel=2\.6\.31-rc9-a-long-name&machine=p4-ht-test$/);
  await see("Choose two kernels or more");
  await main().getByRole("button", { name: "2.6.31.6-bfs" }).click();
  await main().getByRole("button", { name: "Compare", exact: true }).click();
  const table = main().getByRole("region", { name: "Kernels side by side" });
  await table.getByText("latt.wakeup.avg").first().waitFor();
  await table.getByText("−17.8 %").first().waitFor();
  assert.match(page.url(), /kernel=2\.6\.31-rc9-a-long-name&kernel=2\.6\.31\.6-bfs&machine=p4-ht-test/);
  await see("<script>window.hacked=1</script> ⟨U+202E⟩gnp.exe");
  await look(page, "compare-kernels");
  await main().getByLabel("Metrics that begin so").fill("latt.wakeup.max");
  await main().getByRole("button", { name: "Compare", exact: true }).click();
  await page.waitForURL(/metric=latt\.wakeup\.max/);
  await table.getByText("latt.wakeup.avg").waitFor({ state: "detached" });
  await page.goto(`${farm.url}/compare?kernel=a&kernel=b&machine=%3Cb%3E&metric=${encodeURIComponent(HOSTILE)}`);
  await main().getByRole("alert").waitFor();
  assert.equal(await page.evaluate(() => window.hacked), undefined);
});

test("a count has no unit 1 behind it", async () => {
  await page.goto(`${farm.url}/imports/${await add("6.12-unit", 9)}`);
  const values = main().getByRole("region", { name: "Values" });
  await values.getByText("latt.wakeup.entries").or(values.getByText("latt.wakeup.avg")).first().waitFor();
  for (const cell of await values.locator("tbody td:nth-child(2)").allTextContents()) assert.doesNotMatch(cell, /\d 1( |$)/);
});

test("a wrong import is withdrawn with a reason, stays, and can be imported again", async () => {
  const wrong = await add("6.12-wrong", 50);
  await page.goto(`${farm.url}/imports/${wrong}`);
  await main().getByRole("button", { name: `Withdraw import ${wrong}…` }).click();
  await main().getByLabel("What is wrong with it").fill(`of 6.1 ${HOSTILE}`);
  await look(page, "import-withdraw");
  await main().getByRole("button", { name: `Withdraw import ${wrong}`, exact: true }).click();
  await see(/Withdrawn by ada/);
  await see("of 6.1 <script>window.hacked=1</script> ⟨U+202E⟩gnp.exe");
  assert.equal(await main().getByRole("button", { name: /^Withdraw import/ }).count(), 0);
  await main().getByText("The text", { exact: true }).click();
  await main().getByLabel("Text", { exact: true }).getByText("50 usec").waitFor();
  await look(page, "import-withdrawn");
  await page.goto(`${farm.url}/imports?kernel=6.12-wrong`);
  await see("No import fits");
  await main().getByLabel("those that were withdrawn").check();
  await page.waitForURL(/withdrawn=1/);
  await see("log of 6.12-wrong");
  assert.notEqual(await add("6.12-wrong", 50), wrong);
  await page.goto(`${farm.url}/imports?kernel=6.12-wrong`);
  await see("log of 6.12-wrong");
  assert.equal(await page.evaluate(() => window.hacked), undefined);
});

test("what came with the program is not offered for it, and nothing is to who is not signed in", async () => {
  const shipped = (await farm.call("ListImports", { limit: 1000 }, "ImportService")).imports.find((one) => one.shipped);
  await page.goto(`${farm.url}/imports/${shipped.import}`);
  await main().getByRole("region", { name: "Values" }).waitFor();
  assert.equal(await main().getByRole("button", { name: /^Withdraw/ }).count(), 0);
  const stranger = await open(browser, farm.url);
  await stranger.goto(`${farm.url}/imports/${await add("6.12-mine", 51)}`);
  await stranger.getByRole("region", { name: "Values" }).waitFor();
  assert.equal(await stranger.getByRole("button", { name: /^Withdraw/ }).count(), 0);
  await stranger.context().close();
});

test("a note is withdrawn, and is in no list", async () => {
  await farm.call("AddNote", { subject: "kernel:cfs", kind: "freeze", text: "it froze" }, "ImportService");
  await page.goto(`${farm.url}/kernels/cfs`);
  await see("it froze");
  await look(page, "kernel");
  await main().getByRole("button", { name: /^Withdraw note \d+…/ }).click();
  await main().getByLabel("What is wrong with it").fill("another kernel");
  await main().getByRole("button", { name: /^Withdraw note \d+$/ }).click();
  await see("Nobody has noted anything");
  const { notes } = await farm.call("ListNotes", { subject: "kernel:cfs", withdrawn: true }, "ImportService");
  assert.equal(notes[0].withdrawn.why, "another kernel");
});
