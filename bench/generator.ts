import { setTimeout as sleep } from "node:timers/promises";
import { Pool } from "undici";
import { serveCommands } from "./child.ts";
import { openConnection } from "./connection.ts";
import type { Connection } from "./connection.ts";
import { createHistogram } from "./histogram.ts";
import type { Latencies } from "./histogram.ts";
import { createActionMaker, createFireMaker, createInboundMaker, machineMicros, signedPost } from "./wire.ts";
import type { ActionTarget, FireTarget, InboundTarget } from "./wire.ts";

/** What a run of the generator did. */
export interface Generated {
  readonly accepted: number;
  /** Answers that were not 2xx, by status. */
  readonly refused: Readonly<Record<string, number>>;
  readonly wallMs: number;
  /** From the moment a request was due to its answer. */
  readonly latencies: Latencies;
}

export interface Closed extends FireTarget {
  readonly connections: number;
  readonly forMs: number;
}

export interface Inbound extends InboundTarget {
  readonly connections: number;
  readonly forMs: number;
}

export interface Actions extends ActionTarget {
  readonly connections: number;
  readonly forMs: number;
}

export interface Open extends FireTarget {
  readonly perSecond: number;
  readonly forMs: number;
}

export interface Raw {
  readonly port: number;
  readonly connections: number;
  readonly forMs: number;
}

const SECRET = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";

serveCommands({ actions, closed, inbound, open, raw });

/** Each connection fires its next event as soon as the last was answered. */
async function closed(options: Closed): Promise<Generated> {
  return await pressed(createFireMaker(options), options);
}

/** The same with signed events of an inbound source. */
async function inbound(options: Inbound): Promise<Generated> {
  return await pressed(createInboundMaker(options), options);
}

/** The same with runs of an action that confirm themselves. */
async function actions(options: Actions): Promise<Generated> {
  return await pressed(createActionMaker(options), options);
}

async function pressed(
  make: (sentMicros: number) => Buffer,
  { port, connections, forMs }: Pick<Closed, "port" | "connections" | "forMs">,
): Promise<Generated> {
  const tally = createTally();
  const opened = await Promise.all(Array.from({ length: connections }, async () => await openConnection(port)));
  const startedAt = machineMicros();
  const endAt = startedAt + forMs * 1000;
  const drive = async (connection: Connection): Promise<void> => {
    for (let sentAt = machineMicros(); sentAt < endAt; sentAt = machineMicros()) {
      tally.add(await connection.send(make(sentAt)), sentAt);
    }
    connection.close();
  };
  await Promise.all(opened.map(drive));
  return tally.read(startedAt);
}

/** Fires at fixed moments whatever the answers do: a slow answer delays no later event, and its wait counts from when it was due. */
async function open({ perSecond, forMs, ...target }: Open): Promise<Generated> {
  const make = createFireMaker(target);
  const tally = createTally();
  const idle: Connection[] = [];
  const active = new Set<Promise<void>>();
  const total = Math.floor((perSecond * forMs) / 1000);
  const fire = async (dueAt: number): Promise<void> => {
    // In turn, so that none is idle until the service closes it.
    const connection = idle.shift() ?? (await openConnection(target.port));
    tally.add(await connection.send(make(dueAt)), dueAt);
    idle.push(connection);
  };
  idle.push(...(await Promise.all(Array.from({ length: 16 }, async () => await openConnection(target.port)))));
  const startedAt = machineMicros();
  for (let n = 0; n < total; n += 1) {
    const dueAt = Math.round(startedAt + (n * 1e6) / perSecond);
    const waitMs = (dueAt - machineMicros()) / 1000;
    if (waitMs > 0) await sleep(waitMs);
    const firing = fire(dueAt).finally(() => active.delete(firing));
    active.add(firing);
  }
  await Promise.all(active);
  for (const connection of idle) connection.close();
  return tally.read(startedAt);
}

/** The ceiling: signs the same POSTs and sends them straight to the receiver, with the HTTP client that the service uses. */
async function raw({ port, connections, forMs }: Raw): Promise<Generated> {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections, pipelining: 1 });
  const tally = createTally();
  const startedAt = machineMicros();
  const endAt = startedAt + forMs * 1000;
  const drive = async (): Promise<void> => {
    for (let sentAt = machineMicros(); sentAt < endAt; sentAt = machineMicros()) {
      tally.add(await post(pool, sentAt), sentAt);
    }
  };
  await Promise.all(Array.from({ length: connections }, drive));
  await pool.close();
  return tally.read(startedAt);
}

async function post(pool: Pool, sentAt: number): Promise<number> {
  const { headers, body } = signedPost(SECRET, "bench.order", sentAt);
  return await new Promise((resolve, reject) => {
    let answered = 0;
    pool.dispatch(
      { method: "POST", path: "/raw", headers, body },
      {
        onRequestStart: () => undefined,
        onResponseStart: (_controller, status) => {
          answered = status;
        },
        onResponseData: () => undefined,
        onResponseEnd: () => resolve(answered),
        onResponseError: (_controller, error) => reject(error),
      },
    );
  });
}

function createTally() {
  const histogram = createHistogram();
  const refused: Record<string, number> = {};
  let accepted = 0;
  return {
    add(status: number, since: number): void {
      histogram.add((machineMicros() - since) / 1000);
      if (status >= 200 && status < 300) accepted += 1;
      else refused[status] = (refused[status] ?? 0) + 1;
    },
    read: (startedAt: number): Generated => ({
      accepted,
      refused,
      wallMs: (machineMicros() - startedAt) / 1000,
      latencies: histogram.read(),
    }),
  };
}
