import { farm } from "../api";
import type { Kernel } from "../gen/shakedown/v1/kernel_pb";
import { usePoll } from "../live";
import { Badge, Empty, Find, Foreign, Show, Table, Title } from "../parts";
import { cut, plural } from "../text";

function source({ source: { case: kind, value } }: Kernel): string {
  switch (kind) {
    case "debianSource": return `${value.package} ${value.version || "newest"}`;
    case "debianImage": return `ready: ${value.package} ${value.version || "newest"}`;
    case "tarball": return value.location;
    case "git": return `${value.location} ${value.commit.slice(0, 12)}`;
    case "localTree": return value.path;
    default: return "none";
  }
}

function config(kernel: Kernel): string {
  const parts = [...(kernel.config?.fragments ?? []), ...(kernel.config?.options ?? [])];
  return parts.join(" ");
}

function Row({ kernel }: { kernel: Kernel }) {
  return (
    <tr>
      <td><strong><Foreign text={kernel.name} /></strong></td>
      <td>
        {kernel.unbuildable === ""
          ? <Badge look={{ word: "can run", sign: "✓", tone: "good" }} />
          : <Badge look={{ word: "can not be built", sign: "–", tone: "ours" }} />}
      </td>
      <td class="wide">
        <Foreign text={cut(kernel.description, 300)} />
        {kernel.unbuildable !== "" && <p class="small"><Foreign text={kernel.unbuildable} /></p>}
        {kernel.note !== "" && <p class="small dim"><Foreign text={cut(kernel.note, 400)} /></p>}
      </td>
      <td class="wide">
        <Foreign text={source(kernel)} />
        {kernel.patches.length > 0 && <p class="small">{plural(kernel.patches.length, "patch", "patches")}</p>}
      </td>
      <td class="wide small"><Foreign text={cut(config(kernel), 300)} /></td>
    </tr>
  );
}

export function Kernels({ query }: { query: URLSearchParams }) {
  const live = usePoll(async (signal) => (await farm.listKernels({}, { signal })).kernels, 15_000, []);
  const wanted = (query.get("q") ?? "").toLowerCase();
  const match = (kernel: Kernel) => `${kernel.name} ${kernel.description} ${source(kernel)}`.toLowerCase().includes(wanted);
  return (
    <>
      <Title text="Kernels" />
      <Find query={query} />
      <Show live={live}>
        {(kernels) => {
          const shown = kernels.filter(match);
          if (kernels.length === 0) return <Empty>The catalog is empty.</Empty>;
          if (shown.length === 0) return <Empty>None of {plural(kernels.length, "kernel")} matches.</Empty>;
          return (
            <>
              <p class="summary">{shown.length} of {plural(kernels.length, "kernel")}</p>
              <Table label="Kernels" head={["Name", "State", "What it is", "Source", "Configuration"]}>
                {shown.map((kernel) => <Row key={kernel.name} kernel={kernel} />)}
              </Table>
            </>
          );
        }}
      </Show>
    </>
  );
}
