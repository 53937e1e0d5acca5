import { farm } from "../api";
import { type BuildView, WorkState } from "../gen/shakedown/v1/farm_pb";
import { News, useHeld } from "../held";
import { usePoll } from "../live";
import { type Look, lookOfWork } from "../outcome";
import { Badge, Bar, Empty, Find, Foreign, Show, Table, Title, When } from "../parts";
import { cut, duration } from "../text";

export function lookOfBuild(build: BuildView): Look {
  if (build.state !== WorkState.ENDED) {
    return build.state === WorkState.WAITING ? lookOfWork(WorkState.QUEUED) : lookOfWork(build.state);
  }
  switch (build.status) {
    case "built": return { word: "built", sign: "✓", tone: "good" };
    case "failed": return { word: "failed", sign: "C", tone: "bad" };
    case "cancelled": return { word: "cancelled", sign: "–", tone: "quiet" };
    default: return { word: "farm failed", sign: "F", tone: "ours" };
  }
}

export function BuildTable({ builds }: { builds: BuildView[] }) {
  return (
    <Table label="Builds" head={["Kernel", "State", "Took", "Where", "Source and tools", "Since", "Log"]}>
      {builds.map((build) => (
        <tr key={build.buildId}>
          <td><strong><Foreign text={build.kernel} /></strong></td>
          <td>
            <Badge look={lookOfBuild(build)} />
            {build.state === WorkState.RUNNING && (
              <>
                <Bar part={build.progress} label={`Progress of ${build.kernel}`} />
                <p class="small"><Foreign text={build.phase} /></p>
              </>
            )}
          </td>
          <td class="num">{build.durationMs > 0n ? duration(Number(build.durationMs) / 1000) : "–"}</td>
          <td><Foreign text={build.agent || "–"} /></td>
          <td class="wide small">
            <Foreign text={cut(build.sourceVersion, 200)} />
            {build.toolchain !== "" && <p class="dim"><Foreign text={cut(build.toolchain, 200)} /></p>}
            {build.error !== "" && (
              <details>
                <summary>Error</summary>
                <pre class="output" tabIndex={0}><Foreign text={build.error} /></pre>
              </details>
            )}
          </td>
          <td><When at={build.created} /></td>
          <td><a href={`/logs/${build.buildId}`} aria-label={`Log of the build of ${build.kernel}`}>log</a></td>
        </tr>
      ))}
    </Table>
  );
}

function List({ builds, wanted }: { builds: BuildView[]; wanted: string }) {
  const list = useHeld(builds, ({ buildId }) => buildId);
  const shown = list.rows.map(({ item }) => item).filter((b) => `${b.kernel} ${lookOfBuild(b).word}`.toLowerCase().includes(wanted));
  if (builds.length === 0) return <Empty>Nothing was ever built.</Empty>;
  return (
    <>
      <News list={list} one="new build" />
      {shown.length === 0 ? <Empty>None of the latest {builds.length} builds matches.</Empty> : <BuildTable builds={shown} />}
    </>
  );
}

export function Builds({ query }: { query: URLSearchParams }) {
  const live = usePoll(async (signal) => (await farm.listBuilds({ limit: 200 }, { signal })).builds, 3000, []);
  return (
    <>
      <Title text="Builds" />
      <Find query={query} />
      <Show live={live}>{(builds) => <List builds={builds} wanted={(query.get("q") ?? "").toLowerCase()} />}</Show>
    </>
  );
}
