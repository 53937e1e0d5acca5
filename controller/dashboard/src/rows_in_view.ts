// Which rows of a long table stand in the document. Pure.
export interface RowsInView {
  first: number;
  end: number; // Behind the last.
  above: number; // Pixels that the rows before `first` would take.
  below: number;
}

// `top` and `height`: what of the rows is seen, in pixels from the first row's upper edge; `margin`: rows more on each
// side, so that a short scroll shows no gap. All rows are `row` pixels high.
export function rowsInView(top: number, height: number, row: number, count: number, margin: number): RowsInView {
  const seen = Math.ceil(height / row) + 1;
  // A table that became shorter is seen from its new end.
  const at = Math.max(0, Math.min(Math.floor(top / row), count - seen));
  const first = Math.max(0, at - margin);
  const end = Math.min(count, at + seen + margin);
  return { first, end, above: first * row, below: (count - end) * row };
}
