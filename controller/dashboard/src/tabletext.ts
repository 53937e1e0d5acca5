// A table of the page as it is read, to take away: a row an array of cells. Pure.

// What is used of a DOM node.
export interface TextNode {
  nodeType: number;
  nodeName: string;
  textContent: string | null;
  childNodes: Iterable<TextNode>;
  title?: string;
}

const TEXT = 3;

// A time is "5 min ago" to a reader and a date to who takes it away; blocks and badges are words of their own.
function textOf(node: TextNode): string {
  if (node.nodeType === TEXT) return node.textContent ?? "";
  const name = node.nodeName.toUpperCase();
  if (name === "TIME" && node.title) return node.title;
  const inner = [...node.childNodes].map(textOf).join("");
  return ["P", "DIV", "PRE", "SUMMARY", "LI"].includes(name) ? ` ${inner} ` : inner;
}

export function cellText(node: TextNode): string {
  return textOf(node).replace(/\s+/g, " ").trim();
}

// Every row, the head first.
export function rowsOfTable(table: { rows: Iterable<{ cells: Iterable<TextNode> }> }): string[][] {
  return [...table.rows].map((row) => [...row.cells].map(cellText));
}
