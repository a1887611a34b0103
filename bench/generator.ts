import { setTimeout as sleep } from "node:timers/promises";
import { Pool as HttpPool } from "undici";
import { serveCommands } from "./child.ts";
import { openConnection } from "./connection.ts";
import type { Answer, Connection } from "./connection.ts";
import { createHistogram } from "./histogram.ts";
import type { Latencies } from "./histogram.ts";
import { createPool } from "./pool.ts";
import {
  createActionMaker,
  createFireMaker,
  createInboundMaker,
  machineMicros,
  messageOf,
  signedPost,
} from "./wire.ts";
import type { ActionTarget, FireTarget, InboundTarget, MessageTarget } from "./wire.ts";

/** Result of a run of the generator. */
export interface Generated {
  readonly accepted: number;
  /** Responses 503 with `Retry-After`. */
  readonly shed: number;
  /** The other responses that were not 2xx, by status. The status is "none" where the connection ended without a response. */
  readonly refused: Readonly<Record<string, number>>;
  readonly wallMs: number;
  /** Latencies of the accepted requests, from the moment a request was due to its response. */
  readonly latencies: Latencies;
  /** Delays of the generator itself. Recorded only where requests have a fixed moment. */
  readonly late: Latencies;
}

export interface Closed extends FireTarget {
  readonly connections: number;
  readonly forMs: number;
  /** Opens a new connection for each event, as clients without a pool do, such as PHP's. */
  readonly isEachNew?: boolean;
}

export interface Inbound extends InboundTarget {
  readonly connections: number;
  readonly forMs: number;
}

export interface Actions extends ActionTarget {
  readonly connections: number;
  readonly forMs: number;
}

export interface Messages extends MessageTarget {
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
  /** The certificate authority of a port with TLS, as PEM, and the name there. */
  readonly tls?: { readonly ca: string; readonly servername: string };
}

/** An event that is due while all connections are in use waits in the generator. Its waiting time counts. */
const OPEN_CONNECTIONS = { size: 16, limit: 2000 };

const SECRET = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";

serveCommands({ actions, closed, inbound, messages, open, raw });

/** Fires the next event on each connection as soon as the last one has its response. */
async function closed(options: Closed): Promise<Generated> {
  return await pressed(createFireMaker(options), options);
}

/** Sends signed requests to a source at the same pace as `closed`. */
async function inbound(options: Inbound): Promise<Generated> {
  return await pressed(createInboundMaker(options), options);
}

/** Requests runs of an action that confirm themselves, at the same pace as `closed`. */
async function actions(options: Actions): Promise<Generated> {
  return await pressed(createActionMaker(options), options);
}

/** Lists the tools of an AI client, at the same pace as `closed`. */
async function messages(options: Messages): Promise<Generated> {
  const message = messageOf(options);
  return await pressed(() => message, options);
}

async function pressed(
  make: (sentMicros: number) => Buffer,
  { port, connections, forMs, isEachNew = false }: Pick<Closed, "port" | "connections" | "forMs" | "isEachNew">,
): Promise<Generated> {
  const tally = createTally();
  const opened = await Promise.all(Array.from({ length: connections }, async () => await openConnection(port)));
  const startedAt = machineMicros();
  const endAt = startedAt + forMs * 1000;
  const drive = async (first: Connection): Promise<void> => {
    let connection = first;
    for (let sentAt = machineMicros(); sentAt < endAt; sentAt = machineMicros()) {
      if (isEachNew) {
        connection.close();
        connection = await openConnection(port);
      }
      const answer = await connection.send(make(sentAt));
      tally.add(answer, sentAt);
      // A refused client waits for `Retry-After`, as every SDK does.
      if (isShed(answer)) await sleep((answer.retryAfterSeconds ?? 0) * 1000);
    }
    connection.close();
  };
  await Promise.all(opened.map(drive));
  return tally.read(startedAt);
}

/** Fires at fixed moments, independent of the responses. A slow response delays no later event, and its latency counts from the moment its event was due. */
async function open({ perSecond, forMs, ...target }: Open): Promise<Generated> {
  const make = createFireMaker(target);
  const tally = createTally();
  const pool = await createPool(target.port, OPEN_CONNECTIONS);
  const active = new Set<Promise<void>>();
  const total = Math.floor((perSecond * forMs) / 1000);
  const fire = async (dueAt: number): Promise<void> => {
    try {
      const connection = await pool.take();
      const answer = await connection.send(make(dueAt)).finally(() => pool.give(connection));
      tally.add(answer, dueAt);
    } catch {
      tally.unanswered();
    }
  };
  const startedAt = machineMicros();
  for (let n = 0; n < total; n += 1) {
    const dueAt = Math.round(startedAt + (n * 1e6) / perSecond);
    const waitMs = (dueAt - machineMicros()) / 1000;
    if (waitMs > 0) await sleep(waitMs);
    tally.begun(dueAt);
    const firing = fire(dueAt).finally(() => active.delete(firing));
    active.add(firing);
  }
  await Promise.all(active);
  pool.close();
  return tally.read(startedAt);
}

/** Measures the ceiling: signs the same POSTs and sends them straight to the receiver, with the HTTP client that the service uses. */
async function raw({ port, connections, forMs, tls }: Raw): Promise<Generated> {
  const origin = `${tls === undefined ? "http" : "https"}://127.0.0.1:${port}`;
  const pool = new HttpPool(origin, { connections, pipelining: 1, ...(tls === undefined ? {} : { connect: tls }) });
  const tally = createTally();
  const startedAt = machineMicros();
  const endAt = startedAt + forMs * 1000;
  const drive = async (): Promise<void> => {
    for (let sentAt = machineMicros(); sentAt < endAt; sentAt = machineMicros()) {
      tally.add({ status: await post(pool, sentAt) }, sentAt);
    }
  };
  await Promise.all(Array.from({ length: connections }, drive));
  await pool.close();
  return tally.read(startedAt);
}

async function post(pool: HttpPool, sentAt: number): Promise<number> {
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

function isShed({ status, retryAfterSeconds }: Answer): boolean {
  return status === 503 && retryAfterSeconds !== undefined;
}

function createTally() {
  const [latencies, late] = [createHistogram(), createHistogram()];
  const refused: Record<string, number> = {};
  let accepted = 0;
  let shed = 0;
  const refuse = (status: number | "none"): void => {
    refused[status] = (refused[status] ?? 0) + 1;
  };
  return {
    begun: (dueAt: number): void => late.add((machineMicros() - dueAt) / 1000),
    add(answer: Answer, since: number): void {
      if (isShed(answer)) shed += 1;
      else if (answer.status < 200 || answer.status >= 300) refuse(answer.status);
      else {
        accepted += 1;
        latencies.add((machineMicros() - since) / 1000);
      }
    },
    unanswered: (): void => refuse("none"),
    read: (startedAt: number): Generated => ({
      accepted,
      shed,
      refused,
      wallMs: (machineMicros() - startedAt) / 1000,
      latencies: latencies.read(),
      late: late.read(),
    }),
  };
}
