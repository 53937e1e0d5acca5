import { detail } from "../api";
import type { QueueEntry } from "../gen/shakedown/v1/detail_pb";
import { News, useHeld } from "../held";
import { usePoll } from "../live";
import { Badge, Empty, Foreign, Show, Table, Title, When } from "../parts";
import { cut, duration, plural } from "../text";

// Of one that is gone: as it was last.
function Row({ entry, gone }: { entry: QueueEntry; gone: boolean }) {
  const runs = entry.running > 0 && !gone;
  const open = entry.running + entry.queued + entry.waiting;
  return (
    <tr>
      <td class="num">{gone ? "–" : entry.position}</td>
      <td class="num"><a href={`/jobs/${entry.job}`}>{String(entry.job)}</a></td>
      <td class="wide"><a href={`/jobs/${entry.job}`}><Foreign text={cut(entry.title || "no title", 160)} /></a></td>
      <td><Badge look={gone ? { word: "no more here", sign: "–", tone: "quiet" } : runs ? { word: "runs", sign: "▶", tone: "busy" } : { word: "waits", sign: "○", tone: "quiet" }} /></td>
      <td class="wide">{gone ? "it was done or cancelled meanwhile" : runs ? plural(entry.running, "boot") + " under way" : <Foreign text={cut(entry.reason, 300)} />}</td>
      <td class="num">{gone ? "–" : open}</td>
      <td class="num">{gone ? "–" : entry.remainingS > 0n ? duration(Number(entry.remainingS)) : "not known"}</td>
      <td class="num">{gone ? "–" : runs ? "now" : entry.startsInS > 0n ? `in ${duration(Number(entry.startsInS))}` : "–"}</td>
      <td><Foreign text={entry.submitter} /></td>
      <td><When at={entry.submitted} /></td>
    </tr>
  );
}

function List({ entries, after }: { entries: QueueEntry[]; after: bigint }) {
  const list = useHeld(entries, ({ job }) => job);
  if (list.rows.length === 0) return <Empty>{after > 0n ? "No more jobs." : "Nothing waits and nothing runs."}</Empty>;
  return (
    <>
      <News list={list} one="more job" />
      <Table label="Queue" head={["Place", "Job", "Title", "State", "Why", "Boots left", "Takes", "Starts", "Submitter", "Submitted"]}>
        {list.rows.map(({ item, gone }) => <Row key={String(item.job)} entry={item} gone={gone} />)}
      </Table>
      <p class="pager">
        {after > 0n && <a href="/queue">First</a>}
        {entries.length >= 100 && <a href={`/queue?after=${entries.at(-1)!.job}`}>Further back</a>}
      </p>
    </>
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
      <Show live={live}>{(entries) => <List key={String(after)} entries={entries} after={after} />}</Show>
    </>
  );
}
