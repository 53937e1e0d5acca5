#!/usr/bin/env node
// How long a call of the API takes while 200 browsers have streams open, half of which never read, beside the same call
// without them.
//
// usage: tests/bench/stream_clients.mjs [--clients 200] [--limit RATIO]
// Prints medians and 99th percentiles, and the controller's memory. Exit code 1 when the median with the streams is more
// than RATIO (5) times the one without, when a reading stream missed the job's change, or when memory grew by more than
// 1 MiB a client.
import { connect } from "node:net";
import { readFileSync } from "node:fs";
import { Farm, until } from "../browser/farm.mjs";

const option = (name, value) => {
  const at = process.argv.indexOf(name);
  return at < 0 ? value : Number(process.argv[at + 1]);
};
const CLIENTS = option("--clients", 200);
const LIMIT = option("--limit", 5);
const CALLS = 200;

function memoryMib(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1024;
}

async function timed(farm) {
  const times = [];
  for (let i = 0; i < CALLS; i += 1) {
    const start = process.hrtime.bigint();
    await farm.call("ListJobs", { limit: 50 });
    times.push(Number(process.hrtime.bigint() - start) / 1e6);
  }
  times.sort((a, b) => a - b);
  return { median: times[CALLS / 2], p99: times[Math.floor(CALLS * 0.99)] };
}

// A stream of WatchJob over a socket of its own. One that does not read leaves what comes in the kernel's buffers.
function stream(farm, job, reads) {
  const body = JSON.stringify({ job });
  const frame = Buffer.concat([Buffer.from([0, 0, 0, 0, body.length]), Buffer.from(body)]);
  const socket = connect(farm.http, "127.0.0.1");
  const client = { socket, bytes: 0, closed: false };
  socket.on("error", () => {});
  socket.on("close", () => {
    client.closed = true;
  });
  socket.write(`POST /shakedown.v1.FarmService/WatchJob HTTP/1.1\r\nHost: 127.0.0.1:${farm.http}\r\n` +
    `Authorization: Bearer ${farm.token}\r\nContent-Type: application/connect+json\r\nConnect-Protocol-Version: 1\r\n` +
    `Content-Length: ${frame.length}\r\n\r\n`);
  socket.write(frame);
  if (reads) {
    socket.on("data", (data) => {
      client.bytes += data.length;
    });
  } else {
    socket.pause();
  }
  return client;
}

const farm = await Farm.start();
const clients = [];
let wrong = "";
try {
  farm.startAgent("vm1");
  const job = await farm.submit("watched by many", 100);
  await until(() => farm.bootInHand(), 30, "a boot");
  const alone = await timed(farm);
  const before = memoryMib(farm.controller.pid);
  for (let i = 0; i < CLIENTS; i += 1) clients.push(stream(farm, job, i % 2 === 0));
  const reading = clients.filter((_, i) => i % 2 === 0);
  await until(() => reading.every(({ bytes }) => bytes > 0), 60, "the first message on every stream that reads");
  const seen = reading.map(({ bytes }) => bytes);
  // Every boot that ends is news for every stream, while the calls are timed.
  let going = true;
  const work = (async () => {
    for (let i = 0; going && i < 60; i += 1) {
      await farm.tell("boot MEASURED");
      await until(async () => (await farm.tell("sync")).length > 0, 20, "the next boot");
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  })();
  const together = await timed(farm);
  going = false;
  await work;
  await until(() => reading.every(({ bytes }, i) => bytes > seen[i]), 30, "the change on every stream that reads");
  const after = memoryMib(farm.controller.pid);
  const ratio = together.median / alone.median;
  const each = (after - before) / CLIENTS;
  const two = (n) => n.toFixed(2);
  console.log(`without streams:      median ${two(alone.median)} ms, p99 ${two(alone.p99)} ms`);
  console.log(`with ${CLIENTS} streams:     median ${two(together.median)} ms, p99 ${two(together.p99)} ms`);
  console.log(`ratio of medians:     ${two(ratio)} (limit ${LIMIT})`);
  console.log(`memory a client:      ${two(each)} MiB (limit 1)`);
  console.log(`dropped, not reading: ${clients.filter((c, i) => i % 2 === 1 && c.closed).length} of ${CLIENTS - reading.length}`);
  if (ratio > LIMIT) wrong = "calls became too slow";
  if (each > 1) wrong = "memory grew too much";
} finally {
  clients.forEach(({ socket }) => socket.destroy());
  await farm.stop();
}
if (wrong !== "") {
  console.error(wrong);
  process.exit(1);
}
