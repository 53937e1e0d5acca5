// The charts of a load run's telemetry: of one that has ended, or of the one that runs.
import { detail } from "./api";
import { Chart } from "./chart";
import type { LiveTelemetry } from "./gen/shakedown/v1/boot_pb";
import { usePoll } from "./live";
import { Foreign } from "./parts";
import { type Panel, lineText, panelsOfLive } from "./telemetry";
import { cut, duration } from "./text";

export function Panels({ panels, over }: { panels: Panel[]; over: string }) {
  return (
    <div class="charts">
      {panels.map((panel) => (
        <figure key={`${panel.title} ${panel.unit} ${panel.lines[0]?.name}`}>
          <figcaption><Foreign text={panel.title} /> <span class="dim">{over}</span></figcaption>
          <Chart
            height={170} label={`${panel.title}. ${panel.lines.map(({ name, values }) => lineText(name, values)).join("; ")}`}
            x={panel.x} lines={panel.lines} xName="seconds since the load began" unit={panel.unit}
          />
        </figure>
      ))}
    </div>
  );
}

// `load`: its text. Nothing while there are no samples: most of a boot is no load.
export function LivePanels({ live, load }: { live: LiveTelemetry | undefined; load: string }) {
  const panels = live === undefined ? [] : panelsOfLive(live);
  if (live === undefined || panels.length === 0) return null;
  return (
    <section aria-label="Telemetry now">
      <h3>Telemetry now</h3>
      <p class="summary">
        <Foreign text={cut(load, 200)} /> runs; its first {duration(live.atMs.at(-1)! / 1000)}. The load run will have all series.
      </p>
      <Panels panels={panels} over="until now" />
    </section>
  );
}

// Of a boot that runs, asked for as its agent speaks: every few seconds.
export function LiveOfBoot({ name }: { name: string }) {
  const asked = usePoll((signal) => detail.getBoot({ boot: name }, { signal }), 2500, [name]);
  const { live, loads } = asked.data ?? {};
  return <LivePanels live={live} load={loads?.[live?.load ?? 0] ?? ""} />;
}
