import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { changeText, dotsOf, heatOf, hiddenText, lookOfVerdict, paretoOf, placeInBlock, rowsOf, sentence, toCsv, toMail, toMarkdown } from "./comparison";
import { ReportMetricSchema, ReportRepeatSchema, ReportSchema } from "./gen/shakedown/v1/report_pb";

const report = create(ReportSchema, {
  job: 17n, method: { deltaRel: 0.05 },
  variants: [{ letter: "A", survivalBoots: 8 }, { letter: "B", failures: 2, survivalBoots: 8 }],
  failures: [{ boot: "17.2B", outcome: "panicked", reason: "Oops" }],
  loads: [{
    text: "make",
    metrics: [
      {
        name: "make.real", unit: "s", scale: "ratio", role: "primary",
        rows: [
          { letter: "A", median: 10, boots: [{ boot: "17.1A", value: 10 }, { boot: "17.2A", value: 10.1 }] },
          { letter: "B", median: 11, boots: [{ boot: "17.1B", value: 11 }, {}] },
        ],
        comparisons: [{ letter: "B", verdict: "inconclusive", mark: "?", n: 8, estimate: 0.1, ciLo: -0.01, ciHi: 0.2, moreBlocks: 14 }],
      },
      {
        name: "interbench.x.burn.latency.avg", unit: "ms", scale: "difference", role: "secondary",
        rows: [{ letter: "A", median: 1 }, { letter: "B", median: 3 }],
        comparisons: [{ letter: "B", verdict: "worse", mark: "!", n: 8, estimate: 2, ciLo: 1.5, ciHi: 2.5 }],
      },
      { name: "make.user", unit: "s", scale: "ratio", role: "secondary", rows: [], comparisons: [{ letter: "B", verdict: "same", mark: "=", n: 8 }] },
      { name: "vmstat.cs", unit: "1", scale: "ratio", role: "info", rows: [], comparisons: [{ letter: "B", verdict: "inconclusive", n: 8 }] },
    ],
  }],
});
const rows = rowsOf(report.loads[0]!, 0);

describe("a comparison", () => {
  it("hides what has no news and counts it", () => {
    expect(rows.filter((row) => !row.quiet).map((row) => row.metric.name)).toEqual(["make.real", "interbench.x.burn.latency.avg"]);
    expect(hiddenText(rows)).toBe("1 the same, 1 for information");
  });
  it("says each verdict in a sentence", () => {
    expect(sentence(rows[0]!)).toBe("B against A: undecided, +10.0 % [−1.0 %, +20.0 %]; about 14 blocks more would settle it.");
    expect(sentence(rows[0]!, report)).toBe(
      "B against A: undecided, +10.0 % [−1.0 %, +20.0 %]; about 28 more boots (14 blocks) would settle it; a change of 5 % is the smallest of interest.",
    );
    // With a control.
    expect(sentence(rows[0]!, { ...report, order: ["ACB"] })).toContain("about 42 more boots (14 blocks)");
    expect(sentence(rows[1]!)).toBe("B against A: worse by +2 [+1.50, +2.50] ms.");
    expect(changeText(rows[2]!.metric, rows[2]!.comparison)).toBe("–");
  });
  it("has no colour without a mark", () => {
    expect(lookOfVerdict({ verdict: "worse", mark: "!" }).tone).toBe("bad");
    expect(lookOfVerdict({ verdict: "worse", mark: "" })).toEqual({ word: "worse, preliminary", sign: "!", tone: "quiet" });
  });
  it("gives a boot without a number its reason", () => {
    expect(dotsOf(report, report.loads[0]!.metrics[0]!, 1)).toEqual([
      { block: 1, boot: "17.1B", value: 11 },
      { block: 2, boot: "17.2B", reason: "panicked: Oops" },
    ]);
  });
  it("says of a boot that its block was repeated", () => {
    const again = { ...report, repeats: [create(ReportRepeatSchema, { block: 2, repeatedAs: 9 })] };
    const metric = create(ReportMetricSchema, { rows: [{ letter: "A", boots: [{}, {}] }, { letter: "B", boots: [{}, {}] }] });
    expect(dotsOf(again, metric, 0)).toEqual([
      { block: 1, boot: "", reason: "not measured" },
      { block: 2, boot: "17.2A", reason: "block repeated as block 9" },
    ]);
    expect(dotsOf(again, metric, 1)[1]).toEqual({ block: 2, boot: "17.2B", reason: "panicked: Oops; block repeated as block 9" });
  });
  it("has the boots of a block in the order they were drawn", () => {
    expect([placeInBlock("BA", ["A", "B"], "A"), placeInBlock("BA", ["A", "B"], "B")]).toEqual([1, 0]);
    expect([placeInBlock("CBDA", ["A", "C"], "A"), placeInBlock("CBDA", ["A", "C"], "C")]).toEqual([1, 0]);
    expect([placeInBlock(undefined, ["A", "B"], "A"), placeInBlock("A", ["A", "B"], "B")]).toEqual([0, 1]);
  });
  it("makes a table of interbench", () => {
    const [heat] = heatOf(rows, "B");
    expect(heat).toMatchObject({ task: "x", loads: ["burn"], whats: ["latency.avg"] });
    expect(heat!.cells[0]![0]!.text).toBe("+2 [+1.50, +2.50] ms");
    expect(heatOf(rows, "C")).toEqual([]);
  });
  it("puts variants on two axes with their survival", () => {
    expect(paretoOf(report, "make.real", "interbench.x.burn.latency.avg")).toEqual([
      { letter: "A", x: 10, y: 1, survival: 1 }, { letter: "B", x: 11, y: 3, survival: 0.75 },
    ]);
    expect(paretoOf(report, "make.real", "nothing")).toEqual([]);
  });
});

describe("tables to take away", () => {
  it("quotes CSV and lets no formula through", () => {
    expect(toCsv(["a", "b"], [["=1+1", 'x"y'], ["-5", "p,q"]])).toBe("a,b\n'=1+1,\"x\"\"y\"\n-5,\"p,q\"\n");
  });
  it("aligns mail and escapes Markdown", () => {
    expect(toMail(["a", "bb"], [["long", "1"]])).toBe("a     bb\nlong  1\n");
    expect(toMarkdown(["a"], [["x|y"]])).toBe("| a |\n| --- |\n| x\\|y |\n");
  });
});
