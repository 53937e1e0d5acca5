// The Submit form and its address. One farm, in this order.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, look, open, signIn } from "./browser.mjs";
import { Farm } from "./farm.mjs";

const HOSTILE = '<img src=x onerror="window.hacked=1"> & #1';
let farm;
let browser;
let page;

const main = () => page.getByRole("main");
const see = (text) => main().getByText(text).first().waitFor();
const jobs = async () => (await farm.call("ListJobs", { limit: 10 })).jobs?.length ?? 0;

before(async () => {
  farm = await Farm.start();
  browser = await launch();
  page = await open(browser, farm.url);
  await signIn(page, farm, "/submit");
}, { timeout: 60_000 });

after(async () => {
  await browser?.close();
  await farm?.stop();
}, { timeout: 30_000 });

// What every field of the form holds, in its order.
const held = () =>
  main().locator("input, select, textarea").evaluateAll((all) => all.map((one) => (one.type === "checkbox" ? one.checked : one.value)));

test("a reload and a sent link bring the form back, and nothing is submitted by it", async () => {
  await see("Show plan and cost");
  const empty = await held();
  await page.getByLabel("Title").fill(HOSTILE);
  await page.getByLabel("Baseline").fill("cfs");
  await page.getByRole("combobox", { name: "Challenger B" }).fill("eevdf kernel.sched_autogroup_enabled=0");
  await page.getByRole("button", { name: "Another" }).click();
  await page.getByRole("combobox", { name: "Challenger C" }).fill("hostile nohz=off");
  await page.getByLabel("Add a load").selectOption("frames");
  await page.getByRole("button", { name: "Take out load 1" }).click();
  await page.getByRole("group", { name: "Load 1: latt" }).getByLabel("Clients").fill("8");
  const frames = page.getByRole("group", { name: "Load 2: frames" });
  await frames.getByText("More of frames").click();
  await frames.getByLabel("Nice").fill("5");
  await page.getByLabel("Setup steps").fill("drop_caches\nturbo off");
  await page.getByLabel("Beside every load").fill("audio");
  await page.getByLabel("It ends").selectOption("fixed");
  await page.getByRole("spinbutton", { name: "Blocks" }).fill("2");
  await page.getByLabel("Primary metrics").fill("latt.wakeup.avg");
  await page.getByLabel("run A twice").check();
  await page.getByLabel("Only on machines").fill("vm1, vm2");
  const written = await held();
  assert.notDeepEqual(written, empty);
  const address = page.url();
  await page.reload();
  await see("The address filled this in");
  assert.deepEqual(await held(), written);
  assert.ok(await frames.getByLabel("Nice").isVisible(), "what the address gave is not folded away");
  await look(page, "submit-address");

  const other = await open(browser, farm.url);
  await signIn(other, farm, new URL(address).pathname + new URL(address).search);
  assert.equal(await other.getByRole("combobox", { name: "Challenger C" }).inputValue(), "hostile nohz=off");
  await other.context().close();

  await page.getByRole("navigation").getByRole("link", { name: "Submit" }).click();
  await page.waitForURL(`${farm.url}/submit`);
  await page.getByRole("combobox", { name: "Challenger C" }).waitFor({ state: "detached" });
  assert.deepEqual(await held(), empty);
  await page.goBack();
  await page.getByRole("combobox", { name: "Challenger C" }).waitFor();
  assert.deepEqual(await held(), written);
  assert.equal(page.url(), address);
  assert.equal(await jobs(), 0);
  assert.equal(await page.evaluate(() => window.hacked), undefined);
});

test("a plan is of the form as it was", async () => {
  await page.goto(`${farm.url}/submit?baseline=cfs&challenger=eevdf&rule=fixed&blocks=2`);
  await page.getByRole("button", { name: "Show plan and cost" }).click();
  await see("4 boots");
  await page.getByRole("spinbutton", { name: "Blocks" }).fill("3");
  assert.equal(await page.getByRole("button", { name: "Submit", exact: true }).count(), 0);
  await page.waitForURL(/blocks=3/);
});

test("a plan remarks what is seldom meant", async () => {
  await page.goto(`${farm.url}/submit?baseline=cfs&challenger=cfs&rule=fixed&blocks=2`);
  await page.getByRole("button", { name: "Show plan and cost" }).click();
  await main().getByRole("list", { name: "Remarks" }).getByText('variants A and B are the same, "cfs"').waitFor();
});

test("an address of nothing known is said, as text", async () => {
  const query = new URLSearchParams({ [HOSTILE]: "1", blocks: "1e9", load: `nosuch${HOSTILE}`, rule: "<b>", baseline: "user \u202egnp" });
  await page.goto(`${farm.url}/submit?${query}&submit=1`);
  await see('not understood: <img src=x onerror="window.hacked=1"> & #1');
  await see("not understood: blocks=1e9");
  await see("has characters that are not seen: baseline=user ⟨U+202E⟩gnp");
  await look(page, "submit-address-unknown");
  await page.getByLabel("Baseline").fill("cfs");
  await page.waitForURL(`${farm.url}/submit?baseline=cfs&load=`);
  assert.equal(await jobs(), 0);
  assert.equal(await page.evaluate(() => window.hacked), undefined);
});

test("a job file is in the address until it is too long for one", async () => {
  await page.goto(`${farm.url}/submit?as=file`);
  const file = page.getByRole("textbox", { name: "Job file" });
  await file.fill('title: "a file"\n# more');
  await page.reload();
  assert.equal(await file.inputValue(), 'title: "a file"\n# more');
  await file.fill(`# ${"ä".repeat(3000)}`);
  await see("too long for an address");
  await page.waitForURL(`${farm.url}/submit?as=file`);
  await file.fill("# short");
  await main().getByText("too long for an address").waitFor({ state: "detached" });
  await page.waitForURL(`${farm.url}/submit?as=file&file=%23+short`);
});
