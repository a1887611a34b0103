import { useQueryClient } from "@tanstack/react-query";
import type { QueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent } from "react";
import type { OperationName } from "./client.ts";
import { scopeHeaders, sessionMayHaveEnded } from "./client.ts";
import { readEventStream } from "./event-stream.ts";
import type { StreamMessage } from "./event-stream.ts";
import { problemFrom } from "./problem.ts";
import { refresh } from "./queries.ts";
import { useScope } from "./scope.ts";
import { createStore } from "./store.ts";

/** Kinds of changes in the event stream. Their `data` is the object as its list shows it. */
export type LiveKind = "delivery" | "receipt" | "proposal" | "health";

/** `polling`: the stream is not available, so the data on the screen is requested again every few seconds. */
export type LiveState = "connecting" | "live" | "reconnecting" | "polling";

/** `data` is null where changes may have been missed: before the stream was open, or while it was interrupted. */
type Listener = (kind: LiveKind, data: unknown) => void;

/** Operations whose responses are stale after a change of a kind. Lists of several pages are not requested again: their screens use `useLive`. */
const STALE: Readonly<Record<LiveKind, readonly string[]>> = {
  delivery: ["deliveries.", "events.get", "usage.", "attention."],
  receipt: ["inbound_receipts.", "attention.", "usage."],
  proposal: ["proposals.", "runs.", "attention."],
  health: ["webhook_endpoints.", "attention."],
};
const KINDS = Object.keys(STALE) as LiveKind[];
const WAITS_MS = [500, 1000, 3000];
/** After this many failures in a row, the console polls. */
const FAILURES_UNTIL_POLLING = 3;
const POLL_MS = 8000;
/** Changes come in bursts. The screen is refreshed at most this often. */
const REFRESH_MS = 1000;

const listeners = new Set<Listener>();
const state = createStore<LiveState>("connecting");

/** Keeps the page's only stream open while the component is mounted. The shell calls it once. */
export function useLiveStream(): void {
  const client = useQueryClient();
  const { environment, workspaceId } = useScope();
  useEffect(() => {
    const ended = new AbortController();
    const refresher = createRefresher(client, ended.signal);
    const headers = scopeHeaders({ environment, workspaceId });
    void keepOpen({ signal: ended.signal, headers, lastId: "", failures: 0 }, (kind, data) => {
      refresher.stale(kind);
      for (const listener of listeners) listener(kind, data);
    });
    return () => ended.abort();
  }, [client, environment, workspaceId]);
}

export const useLiveState = state.useValue;

/** Subscribes to the changes of a kind: `useLive("delivery", (delivery) => …)`; null says that anything may have changed. */
export function useLive(kind: LiveKind, onNews: (data: unknown) => void): void {
  const hear = useEffectEvent((of: LiveKind, data: unknown) => {
    if (of === kind) onNews(data);
  });
  useEffect(() => {
    const listener: Listener = (of, data) => hear(of, data);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);
}

/** Reads an operation again after each change of a kind, including lists of several pages. */
export function useLiveRefresh(kind: LiveKind, operation: OperationName): void {
  const client = useQueryClient();
  useLive(kind, () => void refresh(client, [operation]));
}

interface Connection {
  readonly signal: AbortSignal;
  /** Each environment and workspace has another stream. */
  readonly headers: Readonly<Record<string, string>>;
  lastId: string;
  /** Number of failures in a row. */
  failures: number;
}

async function keepOpen(connection: Connection, tell: Listener): Promise<void> {
  const { signal } = connection;
  state.set("connecting");
  while (!signal.aborted) {
    try {
      await listen(connection, tell);
    } catch {
      connection.failures += 1;
    }
    if (signal.aborted) return;
    const isPolling = connection.failures >= FAILURES_UNTIL_POLLING;
    state.set(isPolling ? "polling" : "reconnecting");
    await pause(isPolling ? POLL_MS : (WAITS_MS[connection.failures] ?? POLL_MS), signal);
    if (isPolling) for (const kind of KINDS) tell(kind, null);
  }
}

async function listen(connection: Connection, tell: Listener): Promise<void> {
  const { signal, lastId } = connection;
  const resume = lastId === "" ? {} : { "Last-Event-ID": lastId };
  const headers = { Accept: "text/event-stream", ...connection.headers, ...resume };
  const response = await fetch("/v1/stream", { headers, signal, credentials: "same-origin", cache: "no-store" });
  if (!response.ok || response.body === null) {
    const problem = await problemFrom(response);
    sessionMayHaveEnded(problem);
    throw problem;
  }
  for await (const message of readEventStream(response.body)) {
    connection.failures = 0;
    if (message.id !== "") connection.lastId = message.id;
    state.set("live");
    if (mayHaveMissed(message)) for (const kind of KINDS) tell(kind, null);
    const kind = KINDS.find((one) => one === message.event);
    if (kind !== undefined) tell(kind, parsed(message.data));
  }
}

/** Returns true if changes may have been missed between reading the data on the screen and opening the stream. */
function mayHaveMissed({ event, data }: StreamMessage): boolean {
  if (event === "reset") return true;
  return event === "open" && (parsed(data) as { readonly resumed?: boolean } | null)?.resumed !== true;
}

function createRefresher(client: QueryClient, signal: AbortSignal): { stale(kind: LiveKind): void } {
  const waiting = new Set<LiveKind>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  signal.addEventListener("abort", () => clearTimeout(timer));
  const refreshNow = (): void => {
    timer = undefined;
    const names = [...waiting].flatMap((kind) => STALE[kind]);
    waiting.clear();
    void refresh(client, names, { pages: false });
  };
  return {
    stale(kind) {
      waiting.add(kind);
      timer ??= setTimeout(refreshNow, REFRESH_MS);
    },
  };
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  // Random jitter keeps the consoles of a workspace from reconnecting at the same moment.
  const waited = ms * (0.8 + Math.random() * 0.4);
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, waited);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
