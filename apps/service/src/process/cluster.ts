import cluster from "node:cluster";
import type { Worker } from "node:cluster";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { StartRefusedError } from "./refusal.ts";
import { serve, stopOnSignal, createServer } from "./serve.ts";
import type { ProcessContext } from "./serve.ts";
import type { Config } from "../config/config.ts";
import { systemClock } from "../lib/lib.ts";
import { createTelemetry, metricsOfFleet } from "../platform/telemetry/telemetry.ts";
import type { Log } from "../platform/telemetry/telemetry.ts";

/**
 * Several processes of one machine behind one port (JUNCTION_PROCESSES). The first one serves no requests: it runs the
 * embedded database, distributes connections, and restarts a process that exited unexpectedly. The other processes are
 * nodes like any others.
 */
export interface Fleet {
  stop(): Promise<void>;
}

/**
 * Messages of the first process to the others. They contain secrets, which do not belong in the environment that other
 * users may read.
 */
type ToMember =
  | { readonly kind: "ground"; readonly databaseUrl: string; readonly masterKey: string }
  | { readonly kind: "metrics"; readonly id: number; readonly text: string | null };
type ToPrimary =
  | { readonly kind: "wanted" | "ready" }
  | { readonly kind: "refused"; readonly message: string; readonly exit: number }
  | { readonly kind: "metrics"; readonly id: number };

const FIRST_PAUSE_MS = 250;
const LAST_PAUSE_MS = 10_000;
/** A process that ran for this long counts as successfully started. */
const SOUND_MS = 30_000;

/** Resolves once all processes serve requests. Rejects if one of them exits before. */
export async function startFleet(
  count: number,
  { databaseUrl, masterKey, log }: Pick<ProcessContext, "databaseUrl" | "masterKey"> & { readonly log: Log },
): Promise<Fleet> {
  let stopping = false;
  const members = new Set<Worker>();
  const send = (member: Worker, message: ToMember): void => void member.send(message);

  function begin(): Worker {
    const member = cluster.fork();
    members.add(member);
    member.once("exit", () => members.delete(member));
    member.on("message", (message: ToPrimary) => {
      if (message.kind === "wanted")
        send(member, { kind: "ground", databaseUrl, masterKey: Buffer.from(masterKey).toString("base64") });
      if (message.kind === "metrics") void answerMetrics(member, message.id);
    });
    return member;
  }

  async function answerMetrics(member: Worker, id: number): Promise<void> {
    const text = await metricsOfFleet().catch((error: unknown) => {
      log.warn({ err: error }, "failed to collect the processes' metrics");
      return null;
    });
    if (member.isConnected()) send(member, { kind: "metrics", id, text });
  }

  /** Restarts a process each time that it exits, after a growing pause. */
  async function keep(first: Worker): Promise<void> {
    let pauseMs = FIRST_PAUSE_MS;
    for (let member = first; ; member = begin()) {
      member.on("message", (message: ToPrimary) => {
        if (message.kind === "refused") log.error({ reason: message.message }, "a process failed to start");
      });
      const begunMs = systemClock.monotonicMs();
      const [code, signal] = (await once(member, "exit")) as [number, string | null];
      if (stopping) return;
      if (systemClock.monotonicMs() - begunMs > SOUND_MS) pauseMs = FIRST_PAUSE_MS;
      log.error({ pid: member.process.pid, code, signal, again_in_ms: pauseMs }, "a process exited unexpectedly");
      await sleep(pauseMs, undefined, { ref: false });
      if (stopping) return;
      pauseMs = Math.min(LAST_PAUSE_MS, pauseMs * 2);
    }
  }

  const started = Array.from({ length: count }, begin);
  try {
    await Promise.all(started.map(isReady));
  } catch (error) {
    stopping = true;
    await endAll(members);
    throw error;
  }
  for (const member of started) void keep(member);
  return {
    async stop() {
      stopping = true;
      await endAll(members);
    },
  };
}

async function isReady(member: Worker): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    member.on("message", (message: ToPrimary) => {
      if (message.kind === "ready") resolve();
      if (message.kind === "refused") reject(new StartRefusedError(message.message, message.exit));
    });
    member.once("exit", (code) => reject(new Error(`a process ended with ${code} before it took requests`)));
  });
}

async function endAll(members: ReadonlySet<Worker>): Promise<void> {
  await Promise.all(
    [...members].map(async (member) => {
      if (member.isDead()) return;
      const ended = once(member, "exit");
      member.process.kill("SIGTERM");
      await ended;
    }),
  );
}

/** Reports to the first process why this one cannot start. The first process prints it once. */
export async function reportRefusal(refusal: { readonly message: string; readonly exit: number }): Promise<void> {
  const message: ToPrimary = { kind: "refused", ...refusal };
  // The message must be sent before this process exits.
  await new Promise((sent) => process.send?.(message, sent));
}

/** Runs one of the processes that serve requests. It ends with SIGTERM, SIGINT or the first process. */
export async function joinFleet(config: Config): Promise<void> {
  const own = createTelemetry(config.logLevel, config.logFormat, config.metricsTenants);
  own.shareMetrics();
  const waiting = new Map<number, (text: string | null) => void>();
  let asked = 0;
  const send = (message: ToPrimary): void => void process.send?.(message);
  const ground = await new Promise<Pick<ProcessContext, "databaseUrl" | "masterKey">>((resolve) => {
    process.on("message", (message: ToMember) => {
      if (message.kind === "ground")
        resolve({ databaseUrl: message.databaseUrl, masterKey: Buffer.from(message.masterKey, "base64") });
      if (message.kind === "metrics") waiting.get(message.id)?.(message.text);
    });
    send({ kind: "wanted" });
  });
  const telemetry = {
    ...own,
    metrics: async () =>
      await new Promise<string>((resolve, reject) => {
        asked += 1;
        const id = asked;
        waiting.set(id, (text) => {
          waiting.delete(id);
          if (text === null) reject(new Error("failed to collect the processes' metrics"));
          else resolve(text);
        });
        send({ kind: "metrics", id });
      }),
  };
  const service = await createServer({ config, telemetry, ...ground });
  stopOnSignal(own.log, await serve(service, { config, telemetry }));
  send({ kind: "ready" });
}
