// The farm that the other tests and the benches share: what becomes of one that does not come up.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Farm } from "./farm.mjs";

// Whether its PostgreSQL still answers.
function answers(farm) {
  try {
    return farm.sql("SELECT 1") === "1";
  } catch {
    return false;
  }
}

test("a farm that does not come up leaves nothing", async () => {
  let farm;
  const begin = Farm.prototype.begin;
  Farm.prototype.begin = function (options) {
    farm = this;
    return begin.call(this, options);
  };
  try {
    await assert.rejects(Farm.start(["--no-such-option"]), /the controller ended: [^]*no-such-option/);
  } finally {
    Farm.prototype.begin = begin;
  }
  assert.ok(farm.conninfo !== undefined && !answers(farm));
  assert.ok(!existsSync(farm.dir));
});

test("who is told to end in the middle leaves nothing", async () => {
  const program = `
    import { Farm } from ${JSON.stringify(fileURLToPath(new URL("farm.mjs", import.meta.url)))};
    const farm = await Farm.start();
    console.log(farm.dir);
    setInterval(() => {}, 1000);
  `;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], { stdio: ["ignore", "pipe", "inherit"] });
  const { value: dir } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
  assert.ok(existsSync(dir));
  child.kill("SIGTERM");
  await once(child, "exit");
  assert.ok(!existsSync(dir));
});
