// A list that is read does not move: what comes, goes or changes places meanwhile waits behind a button.
import { useRef, useState } from "preact/hooks";
import { plural } from "./text";

export interface HeldRow<T> {
  item: T; // As it is now; of one that is gone, as it was last.
  gone: boolean;
}

export interface HeldList<T> {
  rows: HeldRow<T>[];
  waiting: number; // New ones.
  moved: boolean; // Some are gone, or stand in another order.
}

type Key = string | bigint;

// `was`: what is shown, in its order. What is gone at the very end is left out: nothing stands below it that would move.
export function heldList<T>(was: T[], now: T[], keyOf: (item: T) => Key): HeldList<T> {
  const latest = new Map(now.map((item) => [keyOf(item), item]));
  const rows = was.map((item) => ({ item: latest.get(keyOf(item)) ?? item, gone: !latest.has(keyOf(item)) }));
  while (rows.at(-1)?.gone) rows.pop();
  const shown = new Set(rows.map(({ item }) => keyOf(item)));
  const kept = now.filter((item) => shown.has(keyOf(item)));
  const there = rows.filter(({ gone }) => !gone);
  return {
    rows, waiting: now.length - kept.length,
    moved: there.length < rows.length || there.some(({ item }, i) => item !== kept[i]),
  };
}

// `held`: whether to hold at all. A component with a `key` of its page and filters begins anew with another.
export function useHeld<T>(now: T[], keyOf: (item: T) => Key, held = true): HeldList<T> & { release: () => void } {
  const was = useRef<T[]>([]);
  const [, again] = useState(0);
  const list = heldList(was.current, now, keyOf);
  // Of an empty list nothing is read.
  const shown = held && list.rows.length > 0 ? list : heldList(now, now, keyOf);
  was.current = shown.rows.map(({ item }) => item);
  const release = () => {
    was.current = [];
    again((n) => n + 1);
  };
  return { ...shown, release };
}

// `one`: "new job". Its place is there before it is: a button that comes moves nothing either.
export function News({ list, one }: { list: { waiting: number; moved: boolean; release: () => void }; one: string }) {
  return (
    <p class="news" role="status">
      {(list.waiting > 0 || list.moved) && (
        <button type="button" onClick={list.release}>
          {list.waiting > 0 ? `Show ${plural(list.waiting, one)}` : "Show the list as it is now"}
        </button>
      )}
    </p>
  );
}
