// The farm's API: the client is made from the protos, the words of its errors from the controller.
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import { BisectService } from "./gen/shakedown/v1/bisect_pb";
import { DetailService } from "./gen/shakedown/v1/detail_pb";
import { FarmService } from "./gen/shakedown/v1/farm_pb";
import { HistoryService } from "./gen/shakedown/v1/history_pb";
import { ImportService } from "./gen/shakedown/v1/import_pb";

const transport = createConnectTransport({ baseUrl: location.origin, useBinaryFormat: false });

export const farm = createClient(FarmService, transport);
export const detail = createClient(DetailService, transport);
export const history = createClient(HistoryService, transport);
export const bisects = createClient(BisectService, transport);
export const imports = createClient(ImportService, transport);

export interface Session {
  name: string; // Empty: nobody is signed in.
  publicRead: boolean;
}

async function answer(response: Response): Promise<unknown> {
  if (response.ok) return response.json();
  const text = await response.text();
  let message = `the controller answered ${response.status}`;
  try {
    message = String((JSON.parse(text) as { message?: unknown }).message ?? message);
  } catch {
    // Not a Connect error: a proxy's page.
  }
  throw new ConnectError(message, response.status === 401 ? Code.Unauthenticated : Code.Unknown);
}

function post(path: string, body: unknown): Promise<unknown> {
  const request = {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  };
  return fetch(path, request).then(answer);
}

export async function readSession(): Promise<Session> {
  return (await fetch("/session").then(answer)) as Session;
}

export async function login(token: string): Promise<void> {
  await post("/login", { token });
}

export async function logout(): Promise<void> {
  await post("/logout", {});
}

// A failed call in words; the network's own errors are never worth reading.
export function words(error: unknown): string {
  const known = ConnectError.from(error);
  if (known.rawMessage === "Failed to fetch" || error instanceof TypeError) {
    return "the controller does not answer";
  }
  return known.rawMessage || "the controller does not answer";
}

export function isSignedOut(error: unknown): boolean {
  return ConnectError.from(error).code === Code.Unauthenticated;
}

// Trying again does not help.
export function isFinal(error: unknown): boolean {
  const code = ConnectError.from(error).code;
  return code === Code.NotFound || code === Code.InvalidArgument || code === Code.PermissionDenied;
}
