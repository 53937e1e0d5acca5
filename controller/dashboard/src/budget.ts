// What is left of a job's time, as `shakedown watch` tells it. Pure.
import { type JobView, JobState } from "./gen/shakedown/v1/farm_pb";
import { duration } from "./text";

// "4 h, 2 h 10 min left", counted from when the first boot began; "none" without a budget.
export function budgetText(job: Pick<JobView, "boots" | "spec" | "state">, now: Date): string {
  const budget = Number(job.spec?.budgetS ?? 0n);
  if (budget === 0) return "none";
  const starts = job.boots.flatMap(({ started }) => (started === undefined ? [] : [Number(started.seconds)]));
  if (job.state !== JobState.ACTIVE) return duration(budget);
  if (starts.length === 0) return `${duration(budget)}, none of it spent`;
  const spent = Math.max(0, now.getTime() / 1000 - starts.reduce((a, b) => Math.min(a, b)));
  return `${duration(budget)}, ${duration(Math.max(0, budget - spent))} left`;
}
