// Why a machine has nothing to do, from what the farm tells of its queue. Pure.
import type { QueueEntry } from "./gen/shakedown/v1/detail_pb";
import type { AgentView, MachineView } from "./gen/shakedown/v1/farm_pb";

// Active jobs that are looked at, those that are served first.
export const MOST_QUEUED = 200;

function fits(machine: MachineView, { machines, tags }: QueueEntry): boolean {
  return (machines.length === 0 || machines.includes(machine.name)) && tags.every((tag) => machine.tags.includes(tag));
}

function wish({ machines, tags }: QueueEntry): string {
  const parts: string[] = [];
  if (machines.length > 0) parts.push(machines.join(" or "));
  if (tags.length > 0) parts.push(`tag ${tags.join(", ")}`);
  return parts.join(" with ");
}

// `queue`: the active jobs in the order they are served, the first MOST_QUEUED; undefined: not known yet.
export function whyIdle(machine: MachineView, agent: AgentView, queue: QueueEntry[] | undefined): string {
  if (machine.state !== "idle") return "";
  const building = agent.buildSlots.find((slot) => slot.build !== "");
  if (building) return `its host builds ${building.build}: nothing is measured meanwhile`;
  if (queue === undefined) return "the queue is not known yet";
  if (queue.length === 0) return "no job is active";
  const first = queue.find((entry) => fits(machine, entry));
  if (first === undefined) {
    return queue.length < MOST_QUEUED
      ? `no active job may run here: job ${queue[0]!.job} wants ${wish(queue[0]!)}`
      : `none of the first ${queue.length} active jobs may run here, and no more were looked at`;
  }
  if (first.queued === 0 && first.builds.length > 0) return `job ${first.job} may run here, but waits for the build of ${first.builds.join(", ")}`;
  return `job ${first.job} may run here, but waits for a build or has its boots elsewhere`;
}
