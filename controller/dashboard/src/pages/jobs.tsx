import { farm } from "../api";
import type { JobView } from "../gen/shakedown/v1/farm_pb";
import { News, useHeld } from "../held";
import { usePoll } from "../live";
import { lookOfJob } from "../outcome";
import { Badge, Empty, Foreign, Show, Table, Title, When } from "../parts";
import { asNumber } from "../route";
import { cut } from "../text";

const PAGE = 50;

function Row({ job }: { job: JobView }) {
  const kernels = job.spec?.variants.map((variant) => variant.kernel) ?? [];
  return (
    <tr>
      <td class="num"><a href={`/jobs/${job.job}`}>{String(job.job)}</a></td>
      <td class="wide"><a href={`/jobs/${job.job}`}><Foreign text={cut(job.spec?.title || "no title", 160)} /></a></td>
      <td><Badge look={lookOfJob(job.state)} /></td>
      <td class="wide"><Foreign text={cut(kernels.join(", "), 120)} /></td>
      <td class="num">{job.spec?.blocks ? job.spec.blocks : "by rule"}</td>
      <td><Foreign text={job.submitter} /></td>
      <td><When at={job.submitted} /></td>
    </tr>
  );
}

function List({ jobs, before }: { jobs: JobView[]; before: bigint }) {
  const list = useHeld(jobs, ({ job }) => job, before === 0n);
  if (list.rows.length === 0) {
    return before === 0n
      ? <Empty>No job was ever submitted. <a href="/submit">Submit one</a></Empty>
      : <Empty>No older jobs.</Empty>;
  }
  return (
    <>
      <News list={list} one="new job" />
      <Table label="Jobs" head={["Job", "Title", "State", "Kernels", "Blocks", "Submitter", "Submitted"]}>
        {list.rows.map(({ item }) => <Row key={String(item.job)} job={item} />)}
      </Table>
      <p class="pager">
        {before > 0n && <a href="/jobs">Newest</a>}
        {jobs.length >= PAGE && <a href={`/jobs?before=${list.rows.at(-1)!.item.job}`}>Older</a>}
      </p>
    </>
  );
}

export function Jobs({ query }: { query: URLSearchParams }) {
  const before = asNumber(query.get("before"));
  const live = usePoll(
    async (signal) => (await farm.listJobs({ limit: PAGE, beforeJob: before }, { signal })).jobs,
    3000,
    [before],
  );
  return (
    <>
      <Title text="Jobs" />
      <Show live={live}>{(jobs) => <List key={String(before)} jobs={jobs} before={before} />}</Show>
    </>
  );
}
