// Setup steps and background activities as the command reads them: one line each.
import { create } from "@bufbuild/protobuf";
import { type Activity, ActivitySchema, type SetupStep, SetupStepSchema } from "./gen/shakedown/v1/job_pb";
import { splitWords } from "./loads";

const SETTLE: Record<string, string> = { load: "maxLoad", celsius: "maxCelsius", seconds: "seconds", limit: "limitS" };

export const SETUP_HELP = "stop cron · drop_caches · governor performance · turbo off · autogroup off · sysctl NAME=VALUE · settle:load=0.5,limit=60 · require_ac";
export const BACKGROUND_HELP = "audio · video nice=5 · command name=backup PROGRAM ARGUMENT";

function settle(text: string): Record<string, number> {
  const out: Record<string, number> = {};
  for (const part of text.split(",").filter((word) => word !== "")) {
    const [name, value] = part.split("=");
    const field = SETTLE[name ?? ""];
    if (field === undefined || value === undefined || !/^\d+(\.\d+)?$/.test(value)) {
      throw new Error(`settle: ${part}: want load=N, celsius=N, seconds=N or limit=N`);
    }
    out[field] = Number(value);
  }
  return out;
}

function onOff(text: string): boolean {
  if (text !== "on" && text !== "off") throw new Error(`${text}: want on or off`);
  return text === "on";
}

function stepKind(line: string): object {
  const [verb = "", value = ""] = [line.split(/[\s:]/)[0], line.slice(line.search(/[\s:]|$/) + 1).trim()];
  const equals = value.indexOf("=");
  switch (verb) {
    case "stop": return { case: "stopService", value };
    case "drop_caches": return { case: "dropCaches", value: true };
    case "governor": return { case: "governor", value };
    case "turbo": return { case: "turbo", value: onOff(value) };
    case "autogroup": return { case: "autogroup", value: onOff(value) };
    case "sysctl":
      if (equals < 1) throw new Error(`${value}: want NAME=VALUE`);
      return { case: "tunable", value: { name: value.slice(0, equals), value: value.slice(equals + 1) } };
    case "settle": return { case: "settle", value: settle(value) };
    case "require_ac": return { case: "requireAc", value: true };
    default: throw new Error(`${verb}: want stop, drop_caches, governor, turbo, autogroup, sysctl, settle or require_ac`);
  }
}

export const linesOf = (text: string): string[] => text.split("\n").map((line) => line.trim()).filter((line) => line !== "");

export function parseSetup(text: string): SetupStep[] {
  return linesOf(text).map((line, i) => {
    try {
      return create(SetupStepSchema, { kind: stepKind(line) } as never);
    } catch (problem) {
      throw new Error(`setup step ${i + 1}: ${(problem as Error).message}`);
    }
  });
}

export function parseBackground(text: string): Activity[] {
  return linesOf(text).map((line, i) => {
    const [kind = "", ...words] = splitWords(line);
    const out: Record<string, unknown> = {};
    while (words[0] !== undefined && /^(name|nice)=/.test(words[0])) {
      const [name, value] = words.shift()!.split("=") as [string, string];
      out[name] = name === "nice" ? Number(value) : value;
    }
    if (words[0] === "--") words.shift();
    if (kind === "audio" || kind === "video") out.kind = { case: kind, value: true };
    else if (kind === "command") out.kind = { case: "command", value: { words } };
    else throw new Error(`background ${i + 1}: ${kind}: want audio, video or command`);
    if (Number.isNaN(out.nice ?? 0)) throw new Error(`background ${i + 1}: nice: want a number`);
    return create(ActivitySchema, out as never);
  });
}
