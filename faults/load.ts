import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Agent, request } from "undici";

/** Clients that fire numbered events until they are stopped. */
export interface Load {
  /** Returns the number of accepted events so far. */
  accepted(): number;
  /** Resolves when so many more were accepted; rejects after the limit. */
  more(count: number, limitMs?: number): Promise<void>;
  /** Lets every client finish its request, within a limit. */
  stop(): Promise<Fired>;
}

export interface Fired {
  /** The numbers that were answered 202, with the ids of their events. */
  readonly accepted: ReadonlyMap<number, string>;
  /** Numbers of requests that were not accepted, by status or by the connection's error. */
  readonly failed: Readonly<Record<string, number>>;
  /** Refusals without a problem document, or without a statement that the same request may succeed later. */
  readonly unclear: readonly string[];
  /** The longest time without an acceptance while clients tried, seconds. */
  readonly longestStallS: number;
}

export interface LoadOptions {
  /** Returns the port for the next request. */
  readonly port: () => number;
  readonly key: string;
  readonly event: string;
  readonly clients?: number;
  /** Makes a client that failed send the same event again with the same idempotency key, as the SDKs do. Default: true. */
  readonly again?: boolean;
  /** The pause of a client after each event. Default: 10 ms. */
  readonly thinkMs?: number;
  /** Further members of the data of an event. */
  readonly dataOf?: (n: number, client: number) => object;
}

interface Tally {
  readonly accepted: Map<number, string>;
  readonly failed: Record<string, number>;
  readonly unclear: Set<string>;
  lastMs: number;
  stallMs: number;
}

const AFTER_FAILURE_MS = 50;
const TRY_LIMIT_MS = 60_000;

export function startLoad({
  clients = 12,
  again = true,
  thinkMs = 10,
  dataOf = () => ({}),
  ...options
}: LoadOptions): Load {
  const agent = new Agent({ connections: clients, headersTimeout: TRY_LIMIT_MS, bodyTimeout: TRY_LIMIT_MS });
  const tally: Tally = { accepted: new Map(), failed: {}, unclear: new Set(), lastMs: performance.now(), stallMs: 0 };
  const run = randomUUID();
  const waiting = new Set<() => void>();
  let stopped = false;
  let numbered = 0;
  const client = async (_: unknown, at: number): Promise<void> => {
    while (!stopped) {
      numbered += 1;
      const n = numbered;
      const event = { ...options, agent, run, data: { n, ...dataOf(n, at) } };
      while (!(await fire(event, tally, n)) && again && !stopped) await sleep(AFTER_FAILURE_MS);
      for (const check of waiting) check();
      await sleep(thinkMs);
    }
  };
  const loops = Array.from({ length: clients }, client);
  return {
    accepted: () => tally.accepted.size,
    more: async (count, limitMs = 120_000) => {
      const wanted = tally.accepted.size + count;
      await new Promise<void>((resolve, reject) => {
        const check = (): void => {
          if (tally.accepted.size < wanted) return;
          waiting.delete(check);
          clearTimeout(timer);
          resolve();
        };
        const timer = setTimeout(() => {
          waiting.delete(check);
          reject(new Error(`no ${count} events were accepted in ${limitMs / 1000} s: ${JSON.stringify(tally.failed)}`));
        }, limitMs);
        waiting.add(check);
        check();
      });
    },
    async stop() {
      stopped = true;
      await Promise.all(loops);
      await agent.destroy();
      stall(tally);
      const { accepted, failed, unclear, stallMs } = tally;
      return { accepted, failed, unclear: [...unclear], longestStallS: stallMs / 1000 };
    },
  };
}

interface Firing extends Pick<LoadOptions, "port" | "key" | "event"> {
  readonly agent: Agent;
  readonly run: string;
  readonly data: object;
}

/** Returns true when the event was accepted. */
async function fire({ port, key, event, agent, run, data }: Firing, tally: Tally, n: number): Promise<boolean> {
  try {
    const answer = await request(`http://127.0.0.1:${port()}/v1/events/fire`, {
      method: "POST",
      dispatcher: agent,
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        "idempotency-key": `${run}-${n}`,
      },
      body: JSON.stringify({ event, data }),
    });
    const text = await answer.body.text();
    if (answer.statusCode === 202) {
      tally.accepted.set(n, (JSON.parse(text) as { id: string }).id);
      stall(tally);
      return true;
    }
    countFailure(tally, String(answer.statusCode));
    if (!isClear(text)) tally.unclear.add(`${answer.statusCode}: ${text.slice(0, 300)}`);
  } catch (error) {
    countFailure(tally, codeOf(error));
  }
  return false;
}

function stall(tally: Tally): void {
  const now = performance.now();
  tally.stallMs = Math.max(tally.stallMs, now - tally.lastMs);
  tally.lastMs = now;
}

function countFailure(tally: Tally, name: string): void {
  tally.failed[name] = (tally.failed[name] ?? 0) + 1;
}

/** Returns true for a problem document that says that the same request can succeed later. */
function isClear(text: string): boolean {
  try {
    const problem = JSON.parse(text) as { code?: unknown; title?: unknown; retryable?: unknown };
    return typeof problem.code === "string" && typeof problem.title === "string" && problem.retryable === true;
  } catch {
    return false;
  }
}

function codeOf(error: unknown): string {
  const { code, message } = error as { readonly code?: string; readonly message?: string };
  return code ?? message ?? String(error);
}
