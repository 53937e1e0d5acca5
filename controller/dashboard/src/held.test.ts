import { describe, expect, it } from "vitest";
import { heldList } from "./held";

interface Item {
  key: bigint;
  text: string;
}
const items = (...texts: string[]): Item[] => texts.map((text) => ({ key: BigInt(text.charCodeAt(0)), text }));
const held = (was: Item[], now: Item[]) => {
  const { rows, waiting, moved } = heldList(was, now, ({ key }) => key);
  return [rows.map(({ item, gone }) => (gone ? `(${item.text})` : item.text)).join(" "), waiting, moved];
};

describe("a list that is read", () => {
  it("has what is new of its rows, and no other rows", () => {
    expect(held(items("a", "b"), items("a2", "b2"))).toEqual(["a2 b2", 0, false]);
    expect(held(items("c", "b"), items("e", "d", "c", "b"))).toEqual(["c b", 2, false]);
    expect(held(items("a"), items("a", "b"))).toEqual(["a", 1, false]);
  });
  it("keeps what is gone in its place, but at the end", () => {
    expect(held(items("a", "b", "c"), items("b", "c"))).toEqual(["(a) b c", 0, true]);
    expect(held(items("c", "b", "a"), items("d", "c", "b"))).toEqual(["c b", 1, false]);
    expect(held(items("a", "b"), [])).toEqual(["", 0, false]);
  });
  it("keeps its order", () => {
    expect(held(items("a", "b"), items("b", "a"))).toEqual(["a b", 0, true]);
  });
});
