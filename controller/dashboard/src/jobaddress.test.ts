import { describe, expect, it } from "vitest";
import { LONGEST_ADDRESS, fromAddress, toAddress } from "./jobaddress";
import { type Fields, RANGES, startFields } from "./jobform";
import { TABLE, newLoad } from "./loads";

const HOSTILE = `"><script>&load=make#%00' \u00e9\u{1f600}`;
const read = (text: string) => fromAddress(new URLSearchParams(text));

function back(fields: Partial<Fields>, file = "") {
  const draft = { fields: { ...startFields(), ...fields }, file };
  const address = toAddress(draft, false)!;
  expect(fromAddress(new URLSearchParams(address.toString()))).toEqual({ ...draft, remarks: [] });
  return address.toString();
}

describe("a form in an address", () => {
  it("is nothing when it is empty", () => {
    expect(back({})).toBe("");
    expect(toAddress({ fields: startFields(), file: "" }, true)!.toString()).toBe("as=file");
  });
  it("comes back as it was", () => {
    back({
      title: HOSTILE, baseline: "a nohz=off", challengers: ["", `b x.y=1 ${HOSTILE}`, "", "c"], rule: "fixed", blocks: 1000, budgetHours: 3,
      machines: "vm1, vm2", tags: "kvm", primary: HOSTILE, control: true, attempts: 10, detect: 99, setup: `drop_caches\n${HOSTILE}\n`,
      background: "audio\nvideo",
    }, 'variants {\n  kernel: "a" }');
  });
  it("keeps every load", () => {
    back({ loads: [] });
    back({ loads: [newLoad("make")] });
    back({ loads: Object.keys(TABLE).map(newLoad) });
    const latt = newLoad("latt");
    Object.assign(latt.texts, { clients: "", seconds: "30", command: HOSTILE, nice: "-5" });
    const script = newLoad("command");
    script.texts.script = `#!/bin/sh\necho ${HOSTILE}`;
    const interbench = newLoad("interbench");
    Object.assign(interbench.texts, { loads: "", benchmarks: "Audio,X", realtime: "1" });
    back({ loads: [latt, script, interbench] });
  });
  it("is left out when it is too long", () => {
    const setup = "x".repeat(LONGEST_ADDRESS);
    expect(toAddress({ fields: { ...startFields(), setup }, file: "" }, false)).toBeUndefined();
    back({ setup: "x".repeat(LONGEST_ADDRESS - 6) });
  });
});

describe("a foreign address", () => {
  it("that can not be read is an empty form, and is said", () => {
    for (const text of [
      "nosuch=1", "blocks=0", "blocks=1001", "blocks=1e3", "blocks=-1", "attempts=11", "detect=100", "budget=x", "rule=constructor", "rule=",
      "control=yes", "title=a%0ab", `title=${"x".repeat(201)}`, "machines=a%0ab", "__proto__=1", "constructor=1", "load=__proto__",
    ]) {
      const { fields, remarks } = read(text);
      expect(remarks, text).toHaveLength(1);
      expect(fields.loads.length === 0 ? { ...fields, loads: startFields().loads } : fields, text).toEqual(startFields());
    }
  });
  it("loses only what is wrong", () => {
    const { fields, remarks } = read(
      "baseline=a&baseline=b&load=latt%3Fclients%3Dmany%26seconds%3D30%26nosuch%3D1%26profile%3Dx&load=nosuch&challenger=b%0ac&rule=fixed&blocks=7");
    expect(fields).toMatchObject({ baseline: "a", challengers: ["b c"], rule: "fixed", blocks: 7 });
    expect(fields.loads).toEqual([{ kind: "latt", texts: { ...newLoad("latt").texts, seconds: "30" } }]);
    expect(remarks).toEqual([
      "not understood: baseline=b", "not understood: load latt: clients=many", "not understood: load latt: nosuch=1",
      "not understood: load latt: profile=x", "not understood: load nosuch",
    ]);
  });
  it("is bounded", () => {
    const many = new URLSearchParams();
    for (let i = 0; i < 400; i += 1) {
      many.append("load", "make");
      many.append("challenger", "b");
      many.append(`more${i}`, "x".repeat(1000));
    }
    const { fields, remarks } = fromAddress(many);
    expect([fields.loads.length, fields.challengers.length, remarks.length]).toEqual([32, 25, 9]);
    expect(remarks.at(-1)).toMatch(/^and \d+ more$/);
    expect(Math.max(...remarks.map((remark) => remark.length))).toBeLessThan(300);
  });
  it("shows what the eye would not see", () => {
    const { fields, remarks } = read(`baseline=${encodeURIComponent("user \u202egnp")}`);
    expect(fields.baseline).toBe("user \u202egnp");
    expect(remarks).toEqual(["has characters that are not seen: baseline=user ⟨U+202E⟩gnp"]);
  });
  it("has numbers in the ranges of the form", () => {
    for (const [name, field] of [["blocks", "blocks"], ["budget", "budgetHours"], ["attempts", "attempts"], ["detect", "detect"]] as const) {
      for (const n of [RANGES[field].min, RANGES[field].max]) expect(read(`${name}=${n}`).fields[field]).toBe(n);
    }
  });
});
