import { describe, expect, it } from "vitest";
import { ago, bytes, clock, cut, duration, visible, visibleLine } from "./text";

describe("visible", () => {
  it("shows what could mislead", () => {
    expect(visible("a\u0000b\u001b[2Jc\u007f")).toBe("a␀b␛[2Jc␡");
    expect(visible("user\u202egnp.exe")).toBe("user⟨U+202E⟩gnp.exe");
    expect(visible("\u200b\ufeff\u2066")).toBe("⟨U+200B⟩⟨U+FEFF⟩⟨U+2066⟩");
    expect(visible("\u{e0041}")).toBe("⟨U+E0041⟩");
    expect(visible("\u0085")).toBe("⟨U+0085⟩");
  });
  it("leaves text alone", () => {
    for (const text of ["", "<script>alert(1)</script>", "Größe 🐧 שלום", "a\tb\nc"]) {
      expect(visible(text)).toBe(text);
    }
  });
});

describe("visibleLine", () => {
  it("drops a carriage return at the end only", () => {
    expect(visibleLine("a\rb\r")).toBe("a␍b");
  });
  it("cuts what is too long and says so", () => {
    expect(visibleLine("x".repeat(10), 4)).toBe("xxxx … (6 more)");
  });
});

describe("numbers", () => {
  it("durations", () => {
    const cases: [number, string][] = [
      [-1, "0 s"], [89, "89 s"], [90, "2 min"], [3600, "1 h"], [3900, "1 h 5 min"], [200000, "2 days"],
    ];
    for (const [seconds, want] of cases) expect(duration(seconds)).toBe(want);
  });
  it("times", () => {
    expect(ago(new Date(0), new Date(5000))).toBe("5 s ago");
    expect(clock(new Date(2026, 0, 2, 3, 4))).toBe("2026-01-02 03:04");
  });
  it("sizes", () => {
    expect([bytes(5), bytes(2048), bytes(3 << 20)]).toEqual(["5 B", "2 KiB", "3.0 MiB"]);
  });
  it("cuts", () => {
    expect(cut("abcdef", 4)).toBe("abc…");
    expect(cut("abcd", 4)).toBe("abcd");
  });
});
