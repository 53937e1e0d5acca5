// A farm for a browser: a private PostgreSQL, the real controller with its page, and a scripted agent.
import { spawn, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync, chmodSync, openSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export const SOURCE = join(dirname(fileURLToPath(import.meta.url)), "../..");
export const BUILD = process.env.SHAKEDOWN_BUILD_DIR ?? join(SOURCE, "build");

// What a farm and a browser on it are made of: targets of CMake, and what each makes. No other is wanted.
const WANTED = {
  "shakedown-controller": "bin/shakedown-controller", "shakedown-postgres": "bin/shakedown-postgres",
  "scripted-agent": "test/scripted-agent", dashboard: "dashboard/index.html",
};
const missing = Object.keys(WANTED).filter((target) => !existsSync(join(BUILD, WANTED[target])));
if (missing.length > 0) {
  throw new Error(`${BUILD}: not built: ${missing.join(", ")}; cmake --build ${BUILD} --target ${Object.keys(WANTED).join(" ")}`);
}

// Below what the kernel gives to outgoing connections (ip_local_port_range, 32768 on): while the controller is
// down, one of those could take its port, and even in TIME_WAIT would keep it.
async function freePort() {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const free = await new Promise((resolve) => {
      const probe = createServer();
      probe.once("error", () => resolve(false));
      probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
    });
    if (free) return port;
  }
}

export async function until(condition, seconds, what) {
  const deadline = Date.now() + seconds * 1000;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > deadline) throw new Error(`not within ${seconds} s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function ended(process_) {
  const over = process_.exitCode !== null || process_.signalCode !== null;
  return over ? Promise.resolve() : new Promise((resolve) => process_.once("exit", resolve));
}

export class Farm {
  // `options`: more of the controller's. One that does not come up leaves nothing behind.
  static async start(options = []) {
    const farm = new Farm();
    try {
      await farm.begin(options);
    } catch (problem) {
      await farm.stop();
      throw problem;
    }
    return farm;
  }

  async begin(options) {
    // Whoever is told to end in the middle leaves nothing either.
    this.interrupted = () => this.stop().finally(() => process.exit(130));
    for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, this.interrupted);
    this.dir = mkdtempSync(join(tmpdir(), "shakedown-browser-"));
    chmodSync(this.dir, 0o755);
    this.grpc = await freePort();
    this.http = await freePort();
    this.url = `http://127.0.0.1:${this.http}`;
    this.options = options;
    const user = process.getuid() === 0 ? ["--user", "postgres"] : [];
    this.conninfo = this.run("shakedown-postgres", "start", "--dir", join(this.dir, "pg"), ...user).trim();
    this.run("shakedown-controller", "migrate", "--database", this.conninfo);
    for (const [role, name] of [["user", "ada"], ["agent", "host1"]]) {
      this.run("shakedown-controller", "token", "create", "--database", this.conninfo, "--role", role, "--name", name,
        "--out", join(this.dir, role));
    }
    this.token = readFileSync(join(this.dir, "user"), "utf8").trim();
    this.writeCatalog();
    await this.startController();
  }

  run(program, ...args) {
    return execFileSync(join(BUILD, "bin", program), args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  }

  sql(statement) {
    return execFileSync("psql", ["-qAtX", "-v", "ON_ERROR_STOP=1", "-c", statement, this.conninfo], { encoding: "utf8" }).trim();
  }

  // What people wrote into it is shown on pages: some of it is hostile.
  writeCatalog() {
    mkdirSync(join(this.dir, "catalog/catalog"), { recursive: true });
    mkdirSync(join(this.dir, "catalog/configs"));
    writeFileSync(join(this.dir, "catalog/configs/guest.config"), "CONFIG_SMP=y\n");
    const entry = (name, description, more = "") =>
      writeFileSync(
        join(this.dir, `catalog/catalog/${name}.txtpb`),
        `name: "${name}" description: "${description}" ${more}\n` +
          `debian_source { package: "linux-source-6.1" version: "6.1-${name}" }\n` +
          `config { base: BASE_ALLNOCONFIG fragments: "guest.config" }\n`,
      );
    entry("cfs", "Completely fair, as of 6.1");
    entry("eevdf", "Earliest eligible virtual deadline first", 'note: "the default since 6.6"');
    entry("hostile", "<script>window.hacked=1</script><img src=x onerror=window.hacked=1> \u202egnp.exe");
  }

  async startController() {
    const log = openSync(join(this.dir, "controller.log"), "a");
    this.controller = spawn(
      join(BUILD, "bin/shakedown-controller"),
      ["serve", "--database", this.conninfo, "--artefacts", join(this.dir, "artefacts"), "--catalog", join(this.dir, "catalog"),
        "--listen", `127.0.0.1:${this.grpc}`, "--http", `127.0.0.1:${this.http}`, "--dashboard", join(BUILD, "dashboard"),
        "--session-key", join(this.dir, "session-key"), ...this.options],
      { stdio: ["ignore", log, log] },
    );
    await until(() => this.ready(), 30, "a ready controller");
  }

  async ready() {
    if (this.controller.exitCode !== null) {
      throw new Error(`the controller ended: ${readFileSync(join(this.dir, "controller.log"), "utf8").slice(-2000)}`);
    }
    try {
      return (await fetch(`${this.url}/readyz`)).ok;
    } catch {
      return false;
    }
  }

  // As a real agent, the scripted one tries again until a restarted controller answers.
  async agentIsBack() {
    await until(() => this.tell("sync").then(() => true, () => false), 20, "the agent is back");
  }

  async killController(signal = "SIGKILL") {
    this.controller.kill(signal);
    await ended(this.controller);
  }

  startAgent(...machines) {
    this.agent = spawn(join(BUILD, "test/scripted-agent"), [`127.0.0.1:${this.grpc}`, join(this.dir, "agent"), "host1", ...machines],
      { stdio: ["pipe", "pipe", "inherit"] });
    this.answers = createInterface({ input: this.agent.stdout })[Symbol.asyncIterator]();
  }

  // Tells the agent an order; its answer's words behind "ok".
  async tell(order) {
    this.agent.stdin.write(`${order}\n`);
    const { value = "error the agent ended" } = await this.answers.next();
    if (!value.startsWith("ok")) throw new Error(`${order}: ${value}`);
    return value.split(" ").slice(1);
  }

  // The name of a boot that the agent has in hand, if there is one. A build in hand is done meanwhile.
  async bootInHand() {
    const inHand = await this.tell("sync");
    if (inHand.some((word) => word.startsWith("build:"))) await this.tell("build");
    return inHand.find((word) => !word.startsWith("build:"));
  }

  // Calls the API as the command would.
  async call(method, message, service = "FarmService") {
    const response = await fetch(`${this.url}/shakedown.v1.${service}/${method}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${this.token}` },
      body: JSON.stringify(message),
    });
    const body = await response.json();
    if (!response.ok) throw new Error(`${method}: ${body.code}: ${body.message}`);
    return body;
  }

  async submit(title, blocks = 2, kernels = ["cfs", "eevdf"], loads = [{ make: {}, iterations: 1 }]) {
    const { job } = await this.call("SubmitJob", {
      requestId: crypto.randomUUID(),
      spec: { title, variants: kernels.map((kernel) => ({ kernel })), loads, blocks },
    });
    return job;
  }

  file(name, content) {
    const path = join(this.dir, name);
    writeFileSync(path, content);
    return path;
  }

  // All of it, also when a part of it can not be stopped any more.
  async stop() {
    for (const signal of ["SIGINT", "SIGTERM"]) process.off(signal, this.interrupted);
    if (this.dir === undefined) return;
    try {
      if (this.agent) {
        this.agent.stdin.end();
        await ended(this.agent);
      }
      if (this.controller) await this.killController("SIGTERM");
    } finally {
      try {
        if (existsSync(join(this.dir, "pg"))) this.run("shakedown-postgres", "stop", "--dir", join(this.dir, "pg"));
      } finally {
        rmSync(this.dir, { recursive: true, force: true });
      }
    }
  }
}
