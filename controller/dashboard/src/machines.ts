// How a machine is, in words, and which agents a word means. Pure.
import type { AgentView, MachineView } from "./gen/shakedown/v1/farm_pb";
import type { Look } from "./outcome";

// What a machine does and how it is are two things: one that is silent may well be running.
export function activity(machine: MachineView): Look {
  switch (machine.state) {
    case "running": return { word: "running", sign: "▶", tone: "busy" };
    case "unknown": return { word: "running?", sign: "?", tone: "busy" };
    case "held": return { word: "held", sign: "‖", tone: "quiet" };
    default: return { word: "idle", sign: "○", tone: "quiet" };
  }
}

export function health(machine: MachineView): Look {
  switch (machine.state) {
    case "running":
    case "idle": return { word: "well", sign: "✓", tone: "good" };
    case "unknown": return { word: "silent", sign: "?", tone: "ours" };
    case "problem": return { word: "problem", sign: "!", tone: "bad" };
    case "needs_hands": return { word: "needs hands", sign: "✋", tone: "bad" };
    case "held": return { word: "well", sign: "✓", tone: "good" };
    default: return { word: machine.state || "unknown", sign: "–", tone: "ours" };
  }
}

// The agents with those machines that fit: by name, tag, state or what they do. An agent's own name stands for all it has.
export function fitting(agents: AgentView[], wanted: string): AgentView[] {
  const word = wanted.trim().toLowerCase();
  if (word === "") return agents;
  const has = (...texts: string[]) => texts.some((text) => text.toLowerCase().includes(word));
  return agents.flatMap((agent) => {
    if (has(agent.name)) return [agent];
    const machines = agent.machines.filter((one) => has(one.name, ...one.tags, activity(one).word, health(one).word, one.detail));
    return machines.length > 0 ? [{ ...agent, machines, buildSlots: [] }] : [];
  });
}

// Of one agent, at first: what a person reads, and what a browser lays out in no time.
export const MOST_MACHINES = 100;

// Those that want somebody, then those that are at work, then the others; each in their order.
export function firstOf(machines: MachineView[], limit: number): MachineView[] {
  if (machines.length <= limit) return machines;
  const rank = (one: MachineView) => ["bad", "ours"].includes(health(one).tone) ? 0 : activity(one).tone === "busy" ? 1 : 2;
  return [...machines].sort((a, b) => rank(a) - rank(b)).slice(0, limit);
}

// Seconds until what began `elapsed` seconds ago and has come so far (0 to 1) is done, if it goes on like this.
// Undefined: too little is known.
export function secondsLeft(progress: number, elapsed: number | undefined): number | undefined {
  if (elapsed === undefined || elapsed < 5 || progress < 0.02 || progress >= 1) return undefined;
  return (elapsed * (1 - progress)) / progress;
}
