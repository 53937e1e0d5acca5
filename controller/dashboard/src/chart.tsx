// Charts on a canvas, with what they show as words beside them: a canvas says nothing to who can not see it.
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";

export interface Line {
  name: string;
  values: (number | null)[]; // null: a gap.
  dots?: boolean; // Points without a line.
  thin?: boolean;
  stepped?: boolean;
  points?: boolean; // Each value as a dot on its line.
}
export interface Mark {
  at: number; // On x.
  tone: "bad" | "ours" | "good" | "quiet";
}
export interface ChartProps {
  label: string; // What it shows, for who does not see it.
  x: number[]; // Ascending.
  lines: Line[];
  xName: string;
  unit: string;
  logX?: boolean;
  height?: number;
  marks?: Mark[];
  xText?: (value: number) => string;
  range?: [number, number]; // Of x; undefined: all.
  onZoom?: (range: [number, number] | undefined) => void;
  onPick?: (index: number) => void; // A click on the nearest point.
}

// Told apart by dash as well as by colour; each keeps 3:1 on both backgrounds.
const STROKES: [light: string, dark: string, dash: number[]][] = [
  ["#0a58b8", "#7db7ff", []], ["#b3420b", "#ff9d5c", [8, 4]], ["#0b7a3b", "#6fe09a", [2, 3]],
  ["#8a1a8f", "#e39be8", [10, 3, 2, 3]], ["#6a5a00", "#e0cd4d", [4, 4]], ["#a3123f", "#ff8fb1", [1, 3]],
];

export function strokeOf(i: number): { color: string; dash: number[] } {
  const [light, dark, dash] = STROKES[i % STROKES.length]!;
  return { color: matchMedia("(prefers-color-scheme: dark)").matches ? dark : light, dash };
}

function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function drawMarks(plot: uPlot, marks: Mark[]): void {
  const { ctx, bbox } = plot;
  ctx.save();
  for (const { at, tone } of marks) {
    const x = plot.valToPos(at, "x", true);
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.strokeStyle = colour(`--${tone}`);
    ctx.lineWidth = 2;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
  }
  ctx.restore();
}

// What x shows; a single value stands in the middle.
function extent({ x, range }: ChartProps): [number, number] {
  if (range !== undefined) return range;
  const [first = 0, last = 1] = [x[0], x[x.length - 1]];
  return first === last ? [first - 1, last + 1] : [first, last];
}

function options(props: ChartProps, width: number, latest: { current: ChartProps }): uPlot.Options {
  const text = colour("--text");
  const grid = { stroke: colour("--line"), width: 1 };
  const axis = { stroke: text, grid, ticks: grid, font: "12px system-ui", labelFont: "12px system-ui" };
  return {
    width, height: props.height ?? 220,
    scales: {
      x: { time: false, distr: props.logX ? 3 : 1, min: extent(props)[0], max: extent(props)[1] },
    },
    axes: [
      { ...axis, label: props.xName, labelSize: 18, ...(props.xText ? { values: (_, ticks) => ticks.map((t) => props.xText!(t)) } : {}) },
      { ...axis, label: props.unit === "1" ? "" : props.unit, labelSize: 18, size: 62 },
    ],
    series: [
      { label: props.xName },
      ...props.lines.map((line, i) => {
        const { color, dash } = strokeOf(i);
        return {
          label: line.name, stroke: color, dash: line.dots ? undefined : dash, width: line.thin ? 1 : 2, spanGaps: false,
          ...(line.stepped ? { paths: uPlot.paths.stepped!({ align: 1 }) } : {}),
          ...(line.dots ? { paths: () => null, points: { show: true, size: 7, stroke: color, fill: color } } : { points: { show: line.points === true, size: 6, stroke: color, fill: color } }),
        };
      }),
    ],
    cursor: { drag: { x: true, y: false, setScale: props.onZoom === undefined } },
    hooks: {
      draw: [(plot) => drawMarks(plot, latest.current.marks ?? [])],
      setSelect: [(plot) => {
        if (latest.current.onZoom === undefined || plot.select.width < 5) return;
        const from = plot.posToVal(plot.select.left, "x");
        const to = plot.posToVal(plot.select.left + plot.select.width, "x");
        plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        latest.current.onZoom([from, to]);
      }],
    },
  };
}

function dataOf(props: ChartProps): uPlot.AlignedData {
  return [props.x, ...props.lines.map((line) => line.values)] as uPlot.AlignedData;
}

export function Chart(props: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>();
  const latest = useRef(props);
  latest.current = props;
  const shape = JSON.stringify([props.lines.map(({ name, dots, thin }) => [name, dots, thin]), props.xName, props.unit, props.logX, props.height]);
  useEffect(() => {
    const element = box.current!;
    const make = () => {
      plot.current?.destroy();
      plot.current = new uPlot(options(latest.current, element.clientWidth, latest), dataOf(latest.current), element);
    };
    make();
    const sized = new ResizeObserver(() => {
      const made = plot.current!;
      if (element.clientWidth > 0 && element.clientWidth !== made.width) made.setSize({ width: element.clientWidth, height: made.height });
    });
    sized.observe(element);
    const theme = matchMedia("(prefers-color-scheme: dark)");
    theme.addEventListener("change", make);
    return () => {
      sized.disconnect();
      theme.removeEventListener("change", make);
      plot.current?.destroy();
      plot.current = undefined;
    };
  }, [shape]);
  // New values of the same lines: no flicker, and the zoom stays.
  useEffect(() => {
    plot.current?.setData(dataOf(props), false);
    const [min, max] = extent(props);
    plot.current?.setScale("x", { min, max });
  }, [props.x, props.lines]);
  useEffect(() => {
    const [min, max] = extent(latest.current);
    plot.current?.setScale("x", { min, max });
  }, [props.range?.[0], props.range?.[1]]);
  const pick = () => {
    const index = plot.current?.cursor.idx;
    if (index !== null && index !== undefined) latest.current.onPick?.(index);
  };
  return (
    <div
      class="chart" role="img" aria-label={props.label} ref={box}
      onClick={props.onPick ? pick : undefined} onDblClick={props.onZoom ? () => props.onZoom!(undefined) : undefined}
    />
  );
}
