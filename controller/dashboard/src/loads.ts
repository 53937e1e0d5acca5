// The loads that the form offers. What is not set has the values that the command assumes: a short boot.
import { create } from "@bufbuild/protobuf";
import { type Load, LoadSchema } from "./gen/shakedown/v1/job_pb";

export const BENCHMARKS = ["Audio", "Video", "X", "Gaming"];
export const BACKGROUNDS = ["None", "Video", "X", "Burn", "Write", "Read", "Compile", "Memload"];

export interface Loads {
  make: { on: boolean; iterations: number };
  latt: { on: boolean; clients: number; seconds: number };
  interbench: { on: boolean; benchmarks: string[]; loads: string[]; seconds: number };
}

export function startLoads(): Loads {
  return {
    make: { on: true, iterations: 1 },
    latt: { on: true, clients: 4, seconds: 15 },
    interbench: { on: false, benchmarks: ["Video", "X"], loads: ["Burn"], seconds: 10 },
  };
}

export function makeLoads({ make, latt, interbench }: Loads): Load[] {
  const loads: Load[] = [];
  if (make.on) {
    loads.push(create(LoadSchema, { iterations: make.iterations, kind: { case: "make", value: {} } }));
  }
  if (latt.on) {
    const value = { clients: latt.clients, minSleepMs: 100, sleepWidthMs: 500, seconds: latt.seconds, make: {} };
    loads.push(create(LoadSchema, { iterations: 1, kind: { case: "latt", value } }));
  }
  if (interbench.on) {
    const { benchmarks, loads: backgrounds, seconds } = interbench;
    const value = { benchmarks, loads: backgrounds, seconds };
    loads.push(create(LoadSchema, { iterations: 1, kind: { case: "interbench", value } }));
  }
  return loads;
}

// The same for --load.
export function loadWords({ make, latt, interbench }: Loads): string[] {
  const words: string[] = [];
  if (make.on) words.push(make.iterations === 1 ? "make" : `make iterations=${make.iterations}`);
  if (latt.on) words.push(`latt clients=${latt.clients} seconds=${latt.seconds}`);
  if (interbench.on) {
    words.push(
      `interbench benchmarks=${interbench.benchmarks.join(",")} loads=${interbench.loads.join(",")} ` +
        `seconds=${interbench.seconds}`,
    );
  }
  return words;
}
