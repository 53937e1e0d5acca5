// Values of single boots in the order they ran, a symbol a variant; a boot without a number is hollow and says why.
import { type Dot, number, placeInBlock, withUnit } from "./comparison";

export interface DotSet {
  letter: string;
  dots: Dot[];
}

const WIDTH = 640;
const HEIGHT = 170;
const LEFT = 62;
const BOTTOM = 26;

// Circle, square, triangle, diamond: never colour alone.
function Symbol({ shape, x, y, hollow }: { shape: number; x: number; y: number; hollow: boolean }) {
  const name = `dot s${shape % 4}${hollow ? " hollow" : ""}`;
  switch (shape % 4) {
    case 0: return <circle class={name} cx={x} cy={y} r={4.5} />;
    case 1: return <rect class={name} x={x - 4.2} y={y - 4.2} width={8.4} height={8.4} />;
    case 2: return <path class={name} d={`M${x} ${y - 5.5} L${x + 5} ${y + 4} L${x - 5} ${y + 4} Z`} />;
    default: return <path class={name} d={`M${x} ${y - 6} L${x + 5} ${y} L${x} ${y + 6} L${x - 5} ${y} Z`} />;
  }
}

// `order`: of each block, as drawn: "BA".
export function Dots({ sets, order, unit, label }: { sets: DotSet[]; order: string[]; unit: string; label: string }) {
  const values = sets.flatMap(({ dots }) => dots.flatMap(({ value }) => (value === undefined ? [] : [value])));
  const blocks = Math.max(1, ...sets.map(({ dots }) => dots.length));
  if (values.length === 0) return <p class="dim">No boot has a value.</p>;
  const low = Math.min(...values);
  const high = Math.max(...values);
  const margin = (high - low) * 0.1 || Math.abs(high) * 0.05 || 1;
  const [bottom, top] = [low - margin, high + margin];
  const letters = sets.map(({ letter }) => letter);
  const place = (block: number, letter: string) => placeInBlock(order[block - 1], letters, letter);
  const x = (block: number) => LEFT + ((block - 0.5) / blocks) * (WIDTH - LEFT - 8);
  const xOf = (block: number, letter: string) => x(block) + (place(block, letter) - (sets.length - 1) / 2) * (sets.length === 2 ? 10 : 6);
  // As they ran, also for the keyboard.
  const all = sets
    .flatMap(({ letter, dots }, shape) => dots.map((dot) => ({ letter, shape, dot })))
    .sort((a, b) => a.dot.block - b.dot.block || place(a.dot.block, a.letter) - place(b.dot.block, b.letter));
  const y = (value: number) => 8 + (1 - (value - bottom) / (top - bottom)) * (HEIGHT - BOTTOM - 8);
  const floor = HEIGHT - BOTTOM - 4;
  const step = Math.ceil(blocks / 24);
  return (
    <figure>
      <svg class="dots" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="group" aria-label={label}>
        {[low, (low + high) / 2, high].map((tick, i) => (
          <g key={i}>
            <line class="gridline" x1={LEFT} x2={WIDTH - 8} y1={y(tick)} y2={y(tick)} />
            <text x={LEFT - 6} y={y(tick) + 4} text-anchor="end">{number(tick)}</text>
          </g>
        ))}
        {Array.from({ length: blocks }, (_, i) => i + 1).filter((block) => (block - 1) % step === 0).map((block) => (
          <text key={block} x={x(block)} y={HEIGHT - 8} text-anchor="middle">{block}</text>
        ))}
        {sets.length === 2 && sets[0]!.dots.map((a, i) => {
          const b = sets[1]!.dots[i];
          if (a.value === undefined || b?.value === undefined) return null;
          return <line key={i} class="pair" x1={xOf(a.block, letters[0]!)} x2={xOf(a.block, letters[1]!)} y1={y(a.value)} y2={y(b.value)} />;
        })}
        {all.map(({ letter, shape, dot }) => {
          const what = dot.value === undefined ? `no value: ${dot.reason}` : withUnit(dot.value, unit);
          const text = `${letter}, block ${dot.block}, ${dot.boot || "no boot"}: ${what}`;
          const symbol = (
            <Symbol shape={shape} x={xOf(dot.block, letter)} y={dot.value === undefined ? floor : y(dot.value)} hollow={dot.value === undefined} />
          );
          return dot.boot === "" ? <g key={`${letter}${dot.block}`}><title>{text}</title>{symbol}</g> : (
            <a key={`${letter}${dot.block}`} href={`/boots/${dot.boot}`} aria-label={text}><title>{text}</title>{symbol}</a>
          );
        })}
      </svg>
      <figcaption class="small dim">
        {sets.map(({ letter }, shape) => (
          <span key={letter} class="key">
            <svg viewBox="0 0 14 14" width="14" height="14" aria-hidden="true"><Symbol shape={shape} x={7} y={7} hollow={false} /></svg> {letter}
          </span>
        ))}
        by block, in each in the order they were drawn to run{unit !== "1" ? `, in ${unit}` : ""}; hollow: no value. Each links to its boot.
      </figcaption>
    </figure>
  );
}
