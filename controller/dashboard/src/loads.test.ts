import { create, toJson } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { JobSpecSchema, LoadSchema } from "./gen/shakedown/v1/job_pb";
import { parseTextProto } from "./jobfile";
import { parseBackground, parseSetup } from "./jobsteps";
import { textProto } from "./jobtext";
import { TABLE, loadWords, makeLoad, makeLoads, newLoad, splitWords } from "./loads";

const json = (kind: string, texts: Record<string, string> = {}) => {
  const form = newLoad(kind);
  return toJson(LoadSchema, makeLoad({ kind, texts: { ...form.texts, ...texts } }, 0));
};
const words = (kind: string, texts: Record<string, string> = {}) => loadWords({ kind, texts: { ...newLoad(kind).texts, ...texts } });

describe("makeLoad", () => {
  it("assumes what the command assumes", () => {
    expect(json("make")).toEqual({ make: {}, iterations: 1 });
    expect(json("latt")).toEqual({ latt: { clients: 4, minSleepMs: 100, sleepWidthMs: 500, seconds: 15, make: {} }, iterations: 1 });
    expect(json("interbench")).toEqual({ interbench: { benchmarks: ["Video", "X"], loads: ["Burn"], seconds: 10 }, iterations: 1 });
  });
  it("knows every load of the proto, and each field that the table names", () => {
    const kinds = LoadSchema.oneofs[0]!.fields;
    expect(Object.keys(TABLE).sort()).toEqual(kinds.map((field) => field.localName).sort());
    for (const field of kinds) {
      const known = field.message!.fields.map((one) => one.localName);
      for (const { field: name } of TABLE[field.localName]!) expect(known, `${field.localName}.${name}`).toContain(name.split(".")[0]);
    }
  });
  it("reads what is written into the fields", () => {
    expect(json("make", { jobs: "2x", tree: "linux", cold: "1" })).toEqual({ make: { jobsPerCpu: 2, tree: "linux", cold: true }, iterations: 1 });
    expect(json("latt", { command: "sleep '1 2'", "make.jobs": "4" })).toMatchObject({ latt: { command: ["sleep", "1 2"] } });
    expect(json("frames", { fps: "60", beside: "make:2x" })).toMatchObject({ frames: { fps: 60, beside: { make: { jobsPerCpu: 2 } } } });
    expect(json("command", { words: "ls -l", latt: "8" })).toMatchObject({ command: { words: ["ls", "-l"], underLatt: true, latt: { clients: 8 } } });
    expect(json("tool", { arguments: "-g 4", nice: "5" })).toMatchObject({ tool: { tool: "hackbench", arguments: ["-g", "4"] }, nice: 5 });
  });
  it("names the load and the field of what it can not read", () => {
    expect(() => makeLoads([newLoad("make"), { kind: "frames", texts: { beside: "x" } }])).toThrow("load 2: frames: beside x: want");
    expect(() => splitWords("a 'b")).toThrow("want a '");
  });
});

describe("loadWords", () => {
  it("says what the command would be told", () => {
    expect(words("make")).toBe("make");
    expect(words("make", { iterations: "3", jobs: "2x", cold: "1" })).toBe("make jobs=2x cold iterations=3");
    expect(words("latt", { clients: "8", command: "make -j4" })).toBe("latt clients=8 -- make -j4");
    expect(words("tool", { arguments: "-g 4", seconds: "20" })).toBe("tool hackbench seconds=20 -- -g 4");
  });
});

describe("steps", () => {
  it("reads setup steps and activities", () => {
    expect(parseSetup("stop cron\n\nsysctl a.b=1=2\nsettle:load=0.5,limit=60\nturbo off").map((step) => step.kind.case))
      .toEqual(["stopService", "tunable", "settle", "turbo"]);
    expect(() => parseSetup("stop cron\nturbo maybe")).toThrow("setup step 2: maybe: want on or off");
    expect(parseBackground("video nice=5\ncommand name=b sleep 1").map(({ name, nice, kind }) => [name, nice, kind.case]))
      .toEqual([["", 5, "video"], ["b", 0, "command"]]);
  });
});

describe("parseTextProto", () => {
  it("reads back what is printed", () => {
    const spec = create(JobSpecSchema, {
      title: 'é "x" \\ \n', variants: [{ kernel: "a" }, { kernel: "b" }], loads: makeLoads(Object.keys(TABLE).map(newLoad)), blocks: 2,
      control: true, stopping: 3, orderSeed: 18446744073709551615n, setup: parseSetup("settle:load=0.5"), background: parseBackground("audio"),
    });
    expect(parseTextProto(JobSpecSchema, textProto(JobSpecSchema, spec))).toEqual(spec);
  });
  it("reads lists, comments and joined texts, and names line and field", () => {
    const spec = parseTextProto(JobSpecSchema, '# one\ntitle: "a" "b"\nprimary_metrics: ["x.y", "z.w"]; variants < kernel: \'c\' >');
    expect([spec.title, spec.primaryMetrics, spec.variants[0]?.kernel]).toEqual(["ab", ["x.y", "z.w"], "c"]);
    expect(() => parseTextProto(JobSpecSchema, "blocks: 2\nnosuch: 1")).toThrow("line 2: nosuch: JobSpec has no such field");
    expect(() => parseTextProto(JobSpecSchema, "blocks: two")).toThrow("line 1: blocks two: want a whole number");
    expect(() => parseTextProto(JobSpecSchema, "variants {")).toThrow("at the end");
  });
});
