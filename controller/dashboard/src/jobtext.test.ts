import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { JobSpecSchema, StoppingRule } from "./gen/shakedown/v1/job_pb";
import { commandLine, parseVariant, shellWord, textProto } from "./jobtext";
import { makeLoads, newLoad } from "./loads";

const NOTHING_MORE = { primaries: [], control: false, attempts: 0, setup: [], background: [] };

describe("parseVariant", () => {
  it("tells tunables from boot parameters", () => {
    const variant = parseVariant(
      "  debian-6.12 nohz=off  kernel.sched_autogroup_enabled=0 sched/base_slice_ns=3=4 boot:rcu.x=0 quiet ",
    );
    expect(variant.kernel).toBe("debian-6.12");
    expect(variant.bootParameters).toEqual(["nohz=off", "rcu.x=0", "quiet"]);
    expect(variant.tunables.map((t) => `${t.name}|${t.value}`)).toEqual([
      "kernel.sched_autogroup_enabled|0", "sched/base_slice_ns|3=4",
    ]);
  });
  it("wants a kernel", () => {
    expect(() => parseVariant("  ")).toThrow("name of a kernel");
  });
});

describe("textProto", () => {
  it("prints what protoc reads", () => {
    const spec = create(JobSpecSchema, {
      title: 'a "quoted" \\ line\n é\u0000',
      variants: [parseVariant("a x.y=1"), parseVariant("b")],
      loads: makeLoads([newLoad("make")]),
      blocks: 2,
      control: true,
      stopping: StoppingRule.LOOKS,
      orderSeed: 18446744073709551615n,
      machines: { tags: ["vm"] },
    });
    expect(textProto(JobSpecSchema, spec)).toBe(
      [
        'title: "a \\"quoted\\" \\\\ line\\012 \\303\\251\\000"',
        'variants {', '  kernel: "a"', '  tunables {', '    name: "x.y"', '    value: "1"', '  }', '}',
        'variants {', '  kernel: "b"', '}',
        'loads {', '  make {', '  }', '  iterations: 1', '}',
        'machines {', '  tags: "vm"', '}',
        'blocks: 2',
        'order_seed: 18446744073709551615',
        'stopping: STOPPING_RULE_LOOKS',
        'control: true',
        '',
      ].join("\n"),
    );
  });
});

describe("commandLine", () => {
  it("quotes for a shell", () => {
    expect(shellWord("a-b_c.d/e=f:g,h")).toBe("a-b_c.d/e=f:g,h");
    expect(shellWord("it's $HOME")).toBe(`'it'\\''s $HOME'`);
    expect(shellWord("")).toBe("''");
  });
  it("says the job", () => {
    const text = commandLine({
      title: "one; two", baseline: "a", challengers: ["b x.y=1"], loads: ["make"], rule: "fixed", blocks: 2, budgetHours: 0,
      machines: ["vm1"], tags: [], ...NOTHING_MORE,
    });
    expect(text.replaceAll(" \\\n ", "")).toBe(
      "shakedown submit --title 'one; two' --baseline a --challenger 'b x.y=1' --load make --blocks 2 --machine vm1",
    );
    const looks = commandLine({
      title: "", baseline: "a", challengers: ["b"], loads: ["make"], rule: "looks", blocks: 2, budgetHours: 4,
      machines: [], tags: ["kvm"], ...NOTHING_MORE,
    });
    expect(looks.replaceAll(" \\\n ", "")).toBe(
      "shakedown submit --baseline a --challenger b --load make --looks --budget 4h --tag kvm",
    );
  });
});
