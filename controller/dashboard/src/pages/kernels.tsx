import { farm } from "../api";
import { type Kernel as Proto, KernelSchema } from "../gen/shakedown/v1/kernel_pb";
import { textProto } from "../jobtext";
import { usePoll } from "../live";
import { Notes } from "../notes";
import { Badge, Copy, Empty, Find, Foreign, Show, Table, Title } from "../parts";
import { cut, plural } from "../text";

function source({ source: { case: kind, value } }: Proto): string {
  switch (kind) {
    case "debianSource": return `${value.package} ${value.version || "newest"}`;
    case "debianImage": return `ready: ${value.package} ${value.version || "newest"}`;
    case "tarball": return value.location;
    case "git": return `${value.location} ${value.commit.slice(0, 12)}`;
    case "localTree": return value.path;
    default: return "none";
  }
}

function config(kernel: Proto): string {
  const parts = [...(kernel.config?.fragments ?? []), ...(kernel.config?.options ?? [])];
  return parts.join(" ");
}

function Row({ kernel }: { kernel: Proto }) {
  return (
    <tr>
      <td><a href={`/kernels/${kernel.name}`}><strong><Foreign text={kernel.name} /></strong></a></td>
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
  const match = (kernel: Proto) => `${kernel.name} ${kernel.description} ${source(kernel)}`.toLowerCase().includes(wanted);
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

function Whole({ kernel }: { kernel: Proto }) {
  const facts: [string, string][] = [
    ["Source", source(kernel)], ["Configuration", config(kernel)], ["Patches", kernel.patches.length > 0 ? plural(kernel.patches.length, "patch", "patches") : "none"],
    ["Remark", kernel.note], ["Can not be built", kernel.unbuildable],
  ];
  const text = textProto(KernelSchema, kernel);
  return (
    <>
      <section class="card" aria-label="The kernel">
        <p class="lead"><Foreign text={cut(kernel.description || "no description", 1000)} /></p>
        <dl>
          {facts.filter(([, value]) => value !== "").map(([name, value]) => (
            <div key={name}><dt>{name}</dt><dd><Foreign text={cut(value, 2000)} /></dd></div>
          ))}
        </dl>
        <p>
          {kernel.unbuildable === "" && <><a href={`/submit?${new URLSearchParams({ challenger: kernel.name })}`}>Submit a job with it</a>, </>}
          <a href={`/imports?${new URLSearchParams({ kernel: kernel.name })}`}>imports of it</a>,{" "}
          <a href={`/compare?${new URLSearchParams({ kernel: kernel.name })}`}>compare it with another</a>
        </p>
      </section>
      <h2>What people saw</h2>
      <Notes subject={`kernel:${kernel.name}`} />
      <details>
        <summary>Catalog entry</summary>
        <p><Copy text={text} /></p>
        <pre class="output" tabIndex={0}><Foreign text={cut(text, 100_000)} /></pre>
      </details>
    </>
  );
}

export function Kernel({ name }: { name: string }) {
  const live = usePoll(async (signal) => (await farm.listKernels({}, { signal })).kernels, 0, []);
  return (
    <>
      <Title text={`Kernel ${name}`} />
      <p><a href="/kernels">All of them</a></p>
      <Show live={live}>
        {(kernels) => {
          const kernel = kernels.find((one) => one.name === name);
          return kernel !== undefined ? <Whole kernel={kernel} /> : (
            <Empty>
              No kernel of this name is in the catalog. Imports may be of one:{" "}
              <a href={`/imports?${new URLSearchParams({ kernel: name })}`}>imports of <Foreign text={name} /></a>
            </Empty>
          );
        }}
      </Show>
    </>
  );
}
