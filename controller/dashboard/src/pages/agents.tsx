import { timestampDate } from "@bufbuild/protobuf/wkt";
import { useContext, useState } from "preact/hooks";
import { detail, farm, words } from "../api";
import type { GetBootResponse, QueueEntry } from "../gen/shakedown/v1/detail_pb";
import { type AgentView, type MachineView, SetMachineRequest_Wish, type SlotView } from "../gen/shakedown/v1/farm_pb";
import { MOST_QUEUED, whyIdle } from "../idle";
import { useKnown, useNow, usePoll } from "../live";
import { MOST_MACHINES, activity, firstOf, fitting, health, secondsLeft } from "../machines";
import type { Look } from "../outcome";
import { Badge, Bar, Empty, Find, Foreign, Show, Title, When } from "../parts";
import { setQuery } from "../route";
import { clock, cut, duration, plural } from "../text";
import { Who } from "../who";

const BOOT = /\b(\d+)\.(\d+)([A-Z])(\.\d+)?\b/;

// "boots 17.3B: latt 2/3", with the boot as a link.
function Detail({ text }: { text: string }) {
  const boot = BOOT.exec(text);
  if (boot === null) return <Foreign text={text} />;
  return (
    <>
      <Foreign text={text.slice(0, boot.index)} />
      <a href={`/jobs/${boot[1]}?boot=${boot[0]}`}>{boot[0]}</a>
      <Foreign text={text.slice(boot.index + boot[0].length)} />
      {" "}<a class="small" href={`/logs/${boot[0]}?follow=1`}>console</a>
    </>
  );
}

const WISHES: [wish: SetMachineRequest_Wish, label: string, when: (machine: MachineView) => boolean][] = [
  [SetMachineRequest_Wish.HOLD, "Hold", ({ heldBy }) => heldBy === ""],
  [SetMachineRequest_Wish.DRAIN, "Drain", ({ heldBy }) => heldBy === ""],
  [SetMachineRequest_Wish.RELEASE, "Release", ({ heldBy }) => heldBy !== ""],
  [SetMachineRequest_Wish.POWER_CYCLE, "Switch off and on", ({ power }) => power],
];

// Each is asked for a second time with a reason: others will wonder.
function Controls({ machine }: { machine: MachineView }) {
  const who = useContext(Who);
  const [asked, setAsked] = useState<SetMachineRequest_Wish>();
  const [reason, setReason] = useState("");
  const [error, setError] = useState("");
  if (who === "") return null;
  const label = WISHES.find(([wish]) => wish === asked)?.[1] ?? "";
  const act = (event: Event) => {
    event.preventDefault();
    farm.setMachine({ name: machine.name, wish: asked!, reason }).then(
      () => {
        setAsked(undefined);
        setReason("");
        setError("");
      },
      (problem) => setError(words(problem)),
    );
  };
  return (
    <>
      {asked === undefined ? (
        <p class="tools">
          {WISHES.filter(([, , when]) => when(machine)).map(([wish, name]) => (
            <button type="button" key={name} onClick={() => setAsked(wish)} aria-label={`${name} ${machine.name}…`}>{name}…</button>
          ))}
        </p>
      ) : (
        <form class="row" onSubmit={act}>
          <label>Why<input value={reason} maxLength={200} onInput={(e) => setReason(e.currentTarget.value)} /></label>
          <button type="submit">{label} {machine.name}</button>
          <button type="button" onClick={() => setAsked(undefined)}>No</button>
        </form>
      )}
      {error !== "" && <p class="error" role="alert"><Foreign text={error} /></p>}
    </>
  );
}

// What runs, and for how long yet.
function InHand({ boot, progress }: { boot: GetBootResponse; progress: number }) {
  const now = useNow();
  const started = boot.view?.started;
  const left = secondsLeft(progress, started && now.getTime() / 1000 - Number(started.seconds));
  return (
    <p class="detail">
      Kernel <strong><Foreign text={cut(boot.variant, 200)} /></strong>{left !== undefined && <>, about {duration(left)} left of this boot</>}
    </p>
  );
}

// What stands around the machines. `queue`: undefined, not known (yet). `boots`: those in hand, as far as they are known.
interface Around {
  queue: QueueEntry[] | undefined;
  boots: Map<string, GetBootResponse>;
}

function Machine({ machine, agent, around }: { machine: MachineView; agent: AgentView; around: Around }) {
  const boot = around.boots.get(machine.boot);
  const facts = Object.entries(machine.facts).sort(([a], [b]) => a.localeCompare(b));
  const running = machine.state === "running" || machine.state === "unknown";
  return (
    <li class="machine">
      <div class="line">
        <strong><Foreign text={machine.name} /></strong>
        <Badge look={activity(machine)} />
        <Badge look={health(machine)} />
        {machine.tags.map((tag) => <span class="tag" key={tag}><Foreign text={tag} /></span>)}
      </div>
      {running && <Bar part={machine.progress} label={`Progress of ${machine.name}`} />}
      <p class="detail">
        {machine.state === "idle"
          ? <>Why idle: <Foreign text={whyIdle(machine, agent, around.queue)} /></>
          : <Detail text={machine.detail} />}
      </p>
      {running && boot && <InHand boot={boot} progress={machine.progress} />}
      {machine.state === "needs_hands" && machine.hands !== "" && <p class="error">To do: <Foreign text={machine.hands} /></p>}
      {machine.darkUntil && <p class="detail">Away on purpose until {clock(timestampDate(machine.darkUntil))}</p>}
      <Controls machine={machine} />
      {facts.length > 0 && (
        <details>
          <summary>{plural(facts.length, "fact")}</summary>
          <dl>
            {facts.map(([name, value]) => (
              <div key={name}><dt><Foreign text={name} /></dt><dd><Foreign text={value} /></dd></div>
            ))}
          </dl>
        </details>
      )}
    </li>
  );
}

function Slot({ slot, number }: { slot: SlotView; number: number }) {
  if (slot.problem !== "") {
    return (
      <li class="machine">
        <div class="line">Build slot {number} <Badge look={{ word: "problem", sign: "!", tone: "bad" }} /></div>
        <p class="detail"><Foreign text={slot.problem} /></p>
      </li>
    );
  }
  return (
    <li class="machine">
      <div class="line">
        Build slot {number}
        <Badge look={slot.build ? { word: "builds", sign: "▶", tone: "busy" } : { word: "idle", sign: "○", tone: "quiet" }} />
      </div>
      {slot.build !== "" && (
        <>
          <Bar part={slot.progress} label={`Progress of build slot ${number}`} />
          <p class="detail"><Foreign text={slot.build} />: <Foreign text={slot.phase || "begins"} /></p>
        </>
      )}
    </li>
  );
}

function Agent({ agent, around, all }: { agent: AgentView; around: Around; all: boolean }) {
  const machines = firstOf(agent.machines, all ? Infinity : MOST_MACHINES);
  const look: Look = agent.online
    ? { word: "online", sign: "✓", tone: "good" }
    : { word: "offline", sign: "–", tone: "ours" };
  return (
    <section class="card" aria-label={`Agent ${agent.name}`}>
      <h2><Foreign text={agent.name} /> <Badge look={look} /></h2>
      <p class="dim">Last seen <When at={agent.lastSeen} />, version <Foreign text={agent.version || "not said"} /></p>
      <ul class="plain">
        {machines.map((machine) => (
          <Machine key={machine.name} machine={machine} agent={agent} around={around} />
        ))}
        {agent.buildSlots.map((slot, i) => <Slot key={i} slot={slot} number={i + 1} />)}
      </ul>
      {agent.machines.length > MOST_MACHINES && (
        <p>
          {machines.length} of {plural(agent.machines.length, "machine")}{!all && ", those that want somebody first"}.{" "}
          <button type="button" aria-pressed={all} onClick={() => setQuery({ all: all ? null : "1" })}>{all ? `Only ${MOST_MACHINES}` : "All of them"}</button>
        </p>
      )}
      {agent.machines.length + agent.buildSlots.length === 0 && <Empty>It offers nothing.</Empty>}
    </section>
  );
}

function Summary({ agents, queue }: { agents: AgentView[]; queue: QueueEntry[] | undefined }) {
  const machines = agents.flatMap((agent) => agent.machines);
  const running = machines.filter((machine) => machine.state === "running").length;
  return (
    <p class="summary">
      {plural(agents.length, "agent")}, {agents.filter((agent) => agent.online).length} online;{" "}
      {plural(machines.length, "machine")}, {running} running
      {queue && <>; <a href="/queue">{queue.length < MOST_QUEUED ? plural(queue.length, "active job") : `${queue.length} active jobs or more`}</a></>}
    </p>
  );
}

function Fleet({ agents, queue, query }: { agents: AgentView[]; queue: QueueEntry[] | undefined; query: URLSearchParams }) {
  const shown = fitting(agents, query.get("q") ?? "");
  const all = query.get("all") === "1";
  const inHand = shown.flatMap(({ machines }) => firstOf(machines, all ? Infinity : MOST_MACHINES)).flatMap(({ boot }) => (boot === "" ? [] : [boot]));
  const boots = useKnown(inHand, (boot, signal) => detail.getBoot({ boot }, { signal }));
  return (
    <>
      <Summary agents={agents} queue={queue} />
      {agents.length === 0 && (
        <Empty>
          No agent has ever called. <code>deploy/quickstart</code> starts one on this host;{" "}
          <code>shakedown-agent --help</code> says how to add another.
        </Empty>
      )}
      {agents.length > 0 && <Find query={query} />}
      {agents.length > 0 && shown.length === 0 && <Empty>None of {plural(agents.length, "agent")} matches, nor a machine of theirs.</Empty>}
      <div class="cards">
        {shown.map((agent) => <Agent key={agent.name} agent={agent} around={{ queue, boots }} all={all} />)}
      </div>
    </>
  );
}

export function Agents({ query }: { query: URLSearchParams }) {
  const live = usePoll(async (signal) => (await farm.listAgents({}, { signal })).agents, 2000, []);
  const queue = usePoll(async (signal) => (await detail.listQueue({ limit: MOST_QUEUED }, { signal })).entries, 2000, ["queue"]).data;
  return (
    <>
      <Title text="Agents" />
      <Show live={live}>{(agents) => <Fleet agents={agents} queue={queue} query={query} />}</Show>
    </>
  );
}
