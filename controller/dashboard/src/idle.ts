// Why a machine has nothing to do, from what the farm tells of its jobs. Pure.
import { type AgentView, type JobView, JobState, type MachineView } from "./gen/shakedown/v1/farm_pb";

function fits(machine: MachineView, job: JobView): boolean {
  const wanted = job.spec?.machines;
  if (wanted === undefined) return true;
  if (wanted.names.length > 0 && !wanted.names.includes(machine.name)) return false;
  return wanted.tags.every((tag) => machine.tags.includes(tag));
}

function wish(job: JobView): string {
  const names = job.spec?.machines?.names ?? [];
  const tags = job.spec?.machines?.tags ?? [];
  const parts: string[] = [];
  if (names.length > 0) parts.push(names.join(" or "));
  if (tags.length > 0) parts.push(`tag ${tags.join(", ")}`);
  return parts.join(" with ");
}

export function whyIdle(machine: MachineView, agent: AgentView, jobs: JobView[]): string {
  if (machine.state !== "idle") return "";
  const building = agent.buildSlots.find((slot) => slot.build !== "");
  if (building) return `its host builds ${building.build}: nothing is measured meanwhile`;
  const active = jobs.filter((job) => job.state === JobState.ACTIVE);
  if (active.length === 0) return "no job is active";
  const fitting = active.filter((job) => fits(machine, job));
  if (fitting.length === 0) {
    const first = active[0]!;
    return `no active job may run here: job ${first.job} wants ${wish(first)}`;
  }
  return `job ${fitting[0]!.job} may run here, but waits for a build or has its boots elsewhere`;
}
