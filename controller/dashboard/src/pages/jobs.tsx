import { useRef, useState } from "preact/hooks";
import { farm } from "../api";
import type { JobView } from "../gen/shakedown/v1/farm_pb";
import { usePoll } from "../live";
import { lookOfJob } from "../outcome";
import { Badge, Empty, Foreign, Show, Table, Title, When } from "../parts";
import { asNumber } from "../route";
import { cut, plural } from "../text";

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

// What is being read does not move: jobs that come while it is read wait behind a button.
function useHeld(jobs: JobView[], first: boolean): { shown: JobView[]; waiting: number; release: () => void } {
  const newest = useRef<bigint>();
  const [, again] = useState(0);
  if (newest.current === undefined && jobs[0]) newest.current = jobs[0].job;
  if (!first || newest.current === undefined) return { shown: jobs, waiting: 0, release: () => {} };
  const limit = newest.current;
  const shown = jobs.filter((job) => job.job <= limit);
  const release = () => {
    newest.current = jobs[0]?.job;
    again((n) => n + 1);
  };
  return { shown, waiting: jobs.length - shown.length, release };
}

function List({ jobs, before }: { jobs: JobView[]; before: bigint }) {
  const { shown, waiting, release } = useHeld(jobs, before === 0n);
  if (shown.length === 0) {
    return before === 0n
      ? <Empty>No job was ever submitted. <a href="/submit">Submit one</a></Empty>
      : <Empty>No older jobs.</Empty>;
  }
  return (
    <>
      {waiting > 0 && <p role="status"><button type="button" onClick={release}>Show {plural(waiting, "new job")}</button></p>}
      <Table label="Jobs" head={["Job", "Title", "State", "Kernels", "Blocks", "Submitter", "Submitted"]}>
        {shown.map((job) => <Row key={String(job.job)} job={job} />)}
      </Table>
      <p class="pager">
        {before > 0n && <a href="/jobs">Newest</a>}
        {jobs.length >= PAGE && <a href={`/jobs?before=${shown.at(-1)!.job}`}>Older</a>}
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
