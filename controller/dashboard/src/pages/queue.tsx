import { detail } from "../api";
import type { QueueEntry } from "../gen/shakedown/v1/detail_pb";
import { usePoll } from "../live";
import { Badge, Empty, Foreign, Show, Table, Title, When } from "../parts";
import { cut, duration, plural } from "../text";

function Row({ entry }: { entry: QueueEntry }) {
  const runs = entry.running > 0;
  const open = entry.running + entry.queued + entry.waiting;
  return (
    <tr>
      <td class="num">{entry.position}</td>
      <td class="num"><a href={`/jobs/${entry.job}`}>{String(entry.job)}</a></td>
      <td class="wide"><a href={`/jobs/${entry.job}`}><Foreign text={cut(entry.title || "no title", 160)} /></a></td>
      <td><Badge look={runs ? { word: "runs", sign: "▶", tone: "busy" } : { word: "waits", sign: "○", tone: "quiet" }} /></td>
      <td class="wide">{runs ? plural(entry.running, "boot") + " under way" : <Foreign text={cut(entry.reason, 300)} />}</td>
      <td class="num">{open}</td>
      <td class="num">{entry.remainingS > 0n ? duration(Number(entry.remainingS)) : "not known"}</td>
      <td class="num">{runs ? "now" : entry.startsInS > 0n ? `in ${duration(Number(entry.startsInS))}` : "–"}</td>
      <td><Foreign text={entry.submitter} /></td>
      <td><When at={entry.submitted} /></td>
    </tr>
  );
}

export function Queue({ query }: { query: URLSearchParams }) {
  const text = query.get("after") ?? "";
  const after = /^[1-9]\d{0,17}$/.test(text) ? BigInt(text) : 0n;
  const live = usePoll(async (signal) => (await detail.listQueue({ limit: 100, after }, { signal })).entries, 3000, [after]);
  return (
    <>
      <Title text="Queue" />
      <p class="summary">Jobs are served in this order, each on every machine it may use. Times are estimates from past boots of the same loads.</p>
      <Show live={live}>
        {(entries) => entries.length === 0 ? <Empty>{after > 0n ? "No more jobs." : "Nothing waits and nothing runs."}</Empty> : (
          <>
            <Table label="Queue" head={["Place", "Job", "Title", "State", "Why", "Boots left", "Takes", "Starts", "Submitter", "Submitted"]}>
              {entries.map((entry) => <Row key={String(entry.job)} entry={entry} />)}
            </Table>
            <p class="pager">
              {after > 0n && <a href="/queue">First</a>}
              {entries.length >= 100 && <a href={`/queue?after=${entries.at(-1)!.job}`}>Further back</a>}
            </p>
          </>
        )}
      </Show>
    </>
  );
}
