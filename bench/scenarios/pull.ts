import { setTimeout as sleep } from "node:timers/promises";
import { assertAccepted, CONNECTIONS, ORDER, warm } from "../scenario.ts";
import { startStage } from "../stage.ts";
import type { Stage } from "../stage.ts";
import { custom } from "../workload.ts";
import { row } from "../bench.ts";
import type { Bench, Row } from "../bench.ts";

const PULLED = "bench.pulled";
const AT_ONCE = 500;
const PULLS = 41;
const WAITING = 1000;

interface Pulled {
  readonly messages: readonly object[];
  readonly lease: { readonly id: string } | null;
}

/** A pull endpoint: the rate of events with it, a pull of 500 messages, and what a thousand waiting pulls cost. */
export async function pull(bench: Bench): Promise<Row[]> {
  const stage = await startStage(bench);
  await stage.endpoint({ path: "order", events: [ORDER] });
  const { id } = await stage.post<{ id: string }>("/v1/webhook-endpoints", { kind: "pull", events: [PULLED] });
  await warm(stage);
  const forMs = bench.seconds * 1000;
  const load = await stage.closed(custom(PULLED), { connections: CONNECTIONS, forMs });
  assertAccepted(load);
  const ms = await pullAll(stage, id, load.accepted);
  const idle = await idleCost(stage, id, forMs);
  return [
    row("Pull endpoint: events accepted and numbered", (load.accepted * 1000) / forMs, "/s"),
    row(`A pull of ${AT_ONCE} messages, p50`, ms, "ms", { goal: { atMost: 15 } }),
    row(`${WAITING} waiting pulls: processor time in a second`, idle, "ms"),
  ];
}

/** Pulls all messages, and returns the median duration of a pull of 500. Throws unless each event is a message. */
async function pullAll(stage: Stage, endpoint: string, events: number): Promise<number> {
  const took: number[] = [];
  let got = 0;
  for (;;) {
    const startedMs = performance.now();
    const body = { consumer: "bench", limit: AT_ONCE };
    const { messages, lease } = await stage.post<Pulled>(`/v1/webhook-endpoints/${endpoint}/pull`, body);
    if (messages.length === AT_ONCE) took.push(performance.now() - startedMs);
    got += messages.length;
    if (lease === null) break;
    await stage.post(`/v1/webhook-endpoints/${endpoint}/commit`, { consumer: "bench", lease_id: lease.id });
  }
  if (got !== events) throw new Error(`${events} events were accepted, and ${got} messages were pulled`);
  const last = took.slice(-PULLS).toSorted((a, b) => a - b);
  return last[Math.floor(last.length / 2)] ?? Number.NaN;
}

/** Returns the processor time of service and database in a second of many waiting pulls, beyond that without them. */
async function idleCost(stage: Stage, endpoint: string, forMs: number): Promise<number> {
  const measureMs = Math.min(forMs, 10_000);
  const measure = async (name: string): Promise<number> => {
    const stop = stage.meter(name);
    await sleep(measureMs);
    const { serviceMs, databaseMs } = stop();
    return ((serviceMs + databaseMs) * 1000) / measureMs;
  };
  const without = await measure("no waiting pulls");
  const waiting = Array.from({ length: WAITING }, async (_, at) =>
    stage.post<Pulled>(`/v1/webhook-endpoints/${endpoint}/pull`, {
      consumer: `w${at % 50}`,
      wait_seconds: 25,
      start: "end",
    }),
  );
  // Until all of them wait.
  await sleep(5000);
  const waited = await measure("waiting pulls");
  await Promise.all(waiting);
  return waited - without;
}
