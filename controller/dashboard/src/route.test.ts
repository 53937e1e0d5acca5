import { describe, expect, it } from "vitest";
import { parse, safeNext } from "./route";

describe("parse", () => {
  it("knows the pages", () => {
    expect(parse("/")).toEqual({ page: "agents" });
    expect(parse("/jobs/")).toEqual({ page: "jobs" });
    expect(parse("/jobs/17")).toEqual({ page: "job", job: 17n });
    expect(parse("/jobs/17/compare")).toEqual({ page: "compare", job: 17n });
    expect(parse("/boots/17.1B.2")).toEqual({ page: "boot", name: "17.1B.2" });
    expect(parse("/compare")).toEqual({ page: "compare kernels" });
    expect(parse("/kernels/debian-6.12+rt_1")).toEqual({ page: "kernel", name: "debian-6.12+rt_1" });
    expect(parse("/regressions/3")).toEqual({ page: "regression", regression: 3n });
    expect(parse("/logs/17.1B")).toEqual({ page: "log", name: "17.1B" });
    expect(parse("/logs/17.1B.2")).toEqual({ page: "log", name: "17.1B.2" });
    expect(parse("/logs/01234567-89ab-cdef-0123-456789abcdef").page).toBe("log");
  });
  it("takes nothing else", () => {
    for (const path of ["/x", "/jobs/0", "/jobs/-1", "/jobs/1e3", "/jobs/17/x", "/jobs/x/compare", "/jobs/17/compare/x", "/boots/17", "/boots/01234567-89ab-cdef-0123-456789abcdef", "/jobs/9999999999999999999",
      "/logs/../x", "/logs/%2e", "/logs/17.1b", "/submit/1", "/compare/1", "/kernels/..", "/kernels/A", "/kernels/a/b", "/kernels/%3Cb%3E", "//evil.test", "/constructor"]) {
      expect(parse(path)).toEqual({ page: "missing" });
    }
  });
});

describe("safeNext", () => {
  it("stays on this page", () => {
    expect(safeNext("/jobs/17?boot=17.1B")).toBe("/jobs/17?boot=17.1B");
    for (const next of [null, "", "//evil.test", "/\\evil.test", "https://evil.test", "javascript:1", "/login?next=/login"]) {
      expect(safeNext(next)).toBe("/");
    }
  });
});
