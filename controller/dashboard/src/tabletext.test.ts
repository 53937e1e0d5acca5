import { expect, it } from "vitest";
import { type TextNode, rowsOfTable } from "./tabletext";

const text = (content: string): TextNode => ({ nodeType: 3, nodeName: "#text", textContent: content, childNodes: [] });
const element = (nodeName: string, childNodes: TextNode[], title = ""): TextNode => ({ nodeType: 1, nodeName, textContent: null, childNodes, title });

it("takes a table away as it is read, times as dates", () => {
  const table = {
    rows: [
      { cells: [element("TH", [text("Kernel")]), element("TH", [text("Since")])] },
      {
        cells: [
          element("TD", [element("SPAN", [element("SPAN", [text("✓")]), text(" "), text("built")]), element("P", [text("compiles\n  fair.c")])]),
          element("TD", [element("TIME", [text("5 min ago")], "2026-12-01 06:00")]),
        ],
      },
    ],
  };
  expect(rowsOfTable(table)).toEqual([["Kernel", "Since"], ["✓ built compiles fair.c", "2026-12-01 06:00"]]);
});
