// A table of any length: only the rows in view are in the document.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { rowsInView } from "./rows_in_view";

// As style.css has them for .long.
const ROW = 32;
const HEIGHT = 480;
const MARGIN = 20;

// `cells(i)` are the <td>s of row i, each of one line.
export function LongTable({ head, label, count, cells }: { head: string[]; label: string; count: number; cells: (i: number) => ComponentChildren }) {
  const [top, setTop] = useState(0);
  const { first, end, above, below } = rowsInView(top, HEIGHT, ROW, count, MARGIN);
  const rows = Array.from({ length: end - first }, (_, i) => first + i);
  return (
    <div class="scroll long" role="region" aria-label={label} tabIndex={0} onScroll={(e) => setTop(e.currentTarget.scrollTop)}>
      <table aria-rowcount={count + 1}>
        <thead>
          <tr aria-rowindex={1}>{head.map((name) => <th scope="col" key={name}>{name}</th>)}</tr>
        </thead>
        {above > 0 && <tbody aria-hidden="true"><tr class="gap" style={{ height: `${above}px` }} /></tbody>}
        <tbody>{rows.map((i) => <tr key={i} aria-rowindex={i + 2}>{cells(i)}</tr>)}</tbody>
        {below > 0 && <tbody aria-hidden="true"><tr class="gap" style={{ height: `${below}px` }} /></tbody>}
      </table>
    </div>
  );
}
