// What became of a boot: a word, a sign and a colour. Never a colour without a sign.
import { Outcome } from "./gen/shakedown/v1/boot_pb";
import { type BootView, JobState, WorkState } from "./gen/shakedown/v1/farm_pb";

export interface Look {
  word: string;
  sign: string;
  // Class of style.css: good, bad (a finding about the kernel), ours (the farm's fault), busy, quiet.
  tone: "good" | "bad" | "ours" | "busy" | "quiet";
}

const OUTCOMES: Record<Outcome, Look> = {
  [Outcome.UNSPECIFIED]: { word: "unknown", sign: "?", tone: "ours" },
  [Outcome.MEASURED]: { word: "measured", sign: "✓", tone: "good" },
  [Outcome.BUILD_FAILED]: { word: "build failed", sign: "C", tone: "bad" },
  [Outcome.BOOT_FAILED]: { word: "boot failed", sign: "B", tone: "bad" },
  [Outcome.PANICKED]: { word: "panicked", sign: "P", tone: "bad" },
  [Outcome.HUNG]: { word: "hung", sign: "H", tone: "bad" },
  [Outcome.WRONG_KERNEL]: { word: "wrong kernel", sign: "W", tone: "bad" },
  [Outcome.SCHEDULER_EJECTED]: { word: "scheduler ejected", sign: "E", tone: "bad" },
  [Outcome.LOAD_FAILED]: { word: "load failed", sign: "L", tone: "bad" },
  [Outcome.DISTURBED]: { word: "disturbed", sign: "~", tone: "ours" },
  [Outcome.FARM_FAILED]: { word: "farm failed", sign: "F", tone: "ours" },
  [Outcome.CANCELLED]: { word: "cancelled", sign: "–", tone: "quiet" },
};

const STATES: Record<WorkState, Look> = {
  [WorkState.UNSPECIFIED]: { word: "unknown", sign: "?", tone: "ours" },
  [WorkState.WAITING]: { word: "waits for a build", sign: "·", tone: "quiet" },
  [WorkState.QUEUED]: { word: "queued", sign: "○", tone: "quiet" },
  [WorkState.RUNNING]: { word: "running", sign: "▶", tone: "busy" },
  [WorkState.ENDED]: { word: "ended", sign: "?", tone: "ours" },
};

// A later controller may know more than this page.
const UNKNOWN: Look = { word: "unknown", sign: "?", tone: "ours" };

export function lookOfBoot(boot: Pick<BootView, "state" | "outcome">): Look {
  const look = boot.state === WorkState.ENDED ? OUTCOMES[boot.outcome] : STATES[boot.state];
  return look ?? UNKNOWN;
}

export function lookOfWork(state: WorkState): Look {
  return STATES[state] ?? UNKNOWN;
}

export function lookOfJob(state: JobState): Look {
  switch (state) {
    case JobState.ACTIVE: return { word: "active", sign: "▶", tone: "busy" };
    case JobState.DONE: return { word: "done", sign: "✓", tone: "good" };
    case JobState.CANCELLED: return { word: "cancelled", sign: "–", tone: "quiet" };
    default: return UNKNOWN;
  }
}

export const LEGEND: Look[] = [
  ...[WorkState.WAITING, WorkState.QUEUED, WorkState.RUNNING].map((state) => STATES[state]),
  ...Object.values(OUTCOMES).filter((look) => look.sign !== "?"),
];
