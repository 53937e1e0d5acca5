import { describe, expect, it } from "vitest";
import { LogSearch, LogWindow, MAX_LINES, PROBLEMS, WINDOW, lineHref, logKey, matcher, stepTo } from "./log";

const bytes = (text: string) => new TextEncoder().encode(text);
const texts = (window: LogWindow) => window.all().map((line) => `${line.offset}:${line.text}`);

describe("LogWindow", () => {
  it("gives the same lines in any pieces", () => {
    const all = bytes("one\r\ntwo é\n\n\u001b[2Jlast");
    for (let cut = 0; cut <= all.length; cut += 1) {
      const window = new LogWindow(0);
      window.add(all.subarray(0, cut));
      window.add(all.subarray(cut));
      expect(texts(window)).toEqual(["0:one", "5:two é", "12:", "13:␛[2Jlast"]);
      expect(window.end).toBe(all.length);
    }
  });
  it("drops the piece of a line it starts in", () => {
    const window = new LogWindow(100);
    window.add(bytes("rest of a line"));
    expect(texts(window)).toEqual([]);
    window.add(bytes("\nwhole\n"));
    expect(texts(window)).toEqual(["115:whole"]);
  });
  it("shows bytes that are no text", () => {
    const window = new LogWindow(0);
    window.add(new Uint8Array([0xff, 0, 0x3c, 0x62, 0x3e, 10]));
    expect(texts(window)).toEqual(["0:\ufffd␀<b>"]);
  });
  it("stays bounded", () => {
    const window = new LogWindow(0);
    for (let i = 0; i < MAX_LINES * 3; i += 1) window.add(bytes(`line ${i}\n`));
    expect(window.lines).toHaveLength(MAX_LINES);
    expect(window.lines.at(-1)!.text).toBe(`line ${MAX_LINES * 3 - 1}`);
    const endless = new LogWindow(0);
    for (let i = 0; i < 50; i += 1) endless.add(bytes("x".repeat(64 * 1024)));
    expect(endless.end).toBe(50 * 64 * 1024);
    expect(endless.all().length).toBeLessThan(10);
    expect(endless.end - endless.all()[0]!.offset).toBeLessThan(4 * WINDOW);
  });
});

describe("a window of the head", () => {
  it("keeps what came first", () => {
    const window = new LogWindow(0, false, true);
    for (let i = 0; !window.full; i += 1) window.add(bytes(`line ${i}\n`));
    expect(window.lines[0]!.text).toBe("line 0");
    expect(window.lines).toHaveLength(MAX_LINES);
  });
});

describe("LogSearch", () => {
  it("finds in any pieces and counts past its limit", () => {
    const all = bytes("panic\nnothing\n".repeat(10) + "PANIC at the end");
    for (const size of [1, 3, 7, all.length]) {
      const search = new LogSearch(matcher("panic"), 4);
      for (let at = 0; at < all.length; at += size) search.add(all.subarray(at, at + size));
      search.finish();
      expect(search.total).toBe(11);
      expect(search.hits.map((hit) => hit.offset)).toEqual([0, 14, 28, 42]);
    }
  });
  it("takes text, not expressions", () => {
    expect(matcher(".*")("abc")).toBe(false);
    expect(matcher("(")("a(b")).toBe(true);
  });
  it("knows a kernel's troubles", () => {
    expect(PROBLEMS.test("[1.0] Kernel panic - not syncing: VFS")).toBe(true);
    expect(PROBLEMS.test("[1.0] rcu: INFO: rcu_sched self-detected stall on CPU")).toBe(true);
    expect(PROBLEMS.test("[1.0] debug: nothing")).toBe(false);
  });
});

describe("a step through what was found", () => {
  const hits = [10, 20, 30].map((offset) => ({ offset, text: "" }));
  const to = (at: number | null, step: 1 | -1) => stepTo(hits, at, step)?.offset;
  it("begins at either end and goes on from any line", () => {
    expect([to(null, 1), to(null, -1)]).toEqual([10, 30]);
    expect([to(20, 1), to(20, -1)]).toEqual([30, 10]);
    expect([to(25, 1), to(25, -1)]).toEqual([30, 20]);
    expect([to(30, 1), to(10, -1)]).toEqual([undefined, undefined]);
    expect(stepTo([], null, 1)).toBeUndefined();
  });
  it("has keys", () => {
    expect(logKey("n")).toEqual({ step: 1, problems: false });
    expect(logKey("P")).toEqual({ step: -1, problems: true });
    expect(logKey("PageDown")).toBeUndefined();
    expect(logKey("x")).toBeUndefined();
  });
  it("leaves the rest of the address", () => {
    expect(lineHref(new URLSearchParams("q=a%26b&follow=1&at=3"), 17)).toBe("?q=a%26b&at=17");
  });
});
