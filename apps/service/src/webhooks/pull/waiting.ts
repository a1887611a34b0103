import { setTimeout as sleep } from "node:timers/promises";
import { ownContext } from "../../lib/lib.ts";
import type { Tag } from "../../lib/lib.ts";
import type { Db } from "../../platform/db/db.ts";
import type { Log } from "../../platform/telemetry/telemetry.ts";
import { lastOffsets } from "./pull.store.ts";
import type { ConsumerKey, LogKey } from "./pull.store.ts";

/** A place in which a pull waits. It needs no connection of the database. */
export interface WaitingPlace {
  /**
   * Resolves when the log has an offset from this one on, when the consumer or its endpoint was changed since the last wait, after this
   * time, or when the client or the service ends.
   */
  until(offset: number, ms: number): Promise<void>;
  leave(): void;
}

/** The pulls of this process that wait for messages. */
export interface Waiting {
  /** True once the service stops: pulls are then answered at once. */
  readonly isDraining: boolean;
  /**
   * Takes a place. Messages that are numbered and changes that are made from then on end its waits. Undefined if the process, the
   * workspace or the tenant of the caller has as many as it may have.
   */
  enter(key: ConsumerKey, tenant: string | null, signal: AbortSignal): WaitingPlace | undefined;
  /** Reports the last offset of a log. */
  numbered(key: Pick<LogKey, "endpointId">, last: number): void;
  readonly size: number;
  start(): Promise<void>;
  stop(): Promise<void>;
}

const CHANNEL = "junction_pull";
const MOST = 10_000;
const MOST_OF_WORKSPACE = 2000;
const MOST_OF_TENANT = 500;
/** Notifications of this time lead to one look. */
const GATHER_MS = 10;

interface Waiter {
  readonly key: ConsumerKey;
  /** The highest offset that was reported since the pull entered. */
  last: number;
  /** True if the consumer or its endpoint was changed since the last wait. */
  isChanged: boolean;
  wake: (() => void) | undefined;
  wanted: number;
}

export function createWaiting({ db, log }: { readonly db: Db; readonly log: Log }): Waiting {
  const waiters = new Map<string, Set<Waiter>>();
  const counts = new Map<string, number>();
  const outside = ownContext();
  let size = 0;
  let isDraining = false;
  let looking: Promise<void> | undefined;
  let again = false;
  let unlisten: (() => Promise<void>) | undefined;

  function numbered({ endpointId }: Pick<LogKey, "endpointId">, last: number): void {
    for (const waiter of waiters.get(endpointId) ?? []) {
      waiter.last = Math.max(waiter.last, last);
      if (waiter.last >= waiter.wanted) waiter.wake?.();
    }
  }

  async function look(): Promise<void> {
    do {
      again = false;
      await sleep(GATHER_MS);
      const keys = [...waiters.values()].flatMap((set) => [...set].slice(0, 1).map(({ key }) => key));
      if (keys.length === 0) return;
      try {
        for (const { endpoint_id: endpointId, last } of await lastOffsets(db, keys)) numbered({ endpointId }, last);
      } catch (error) {
        log.warn({ err: error }, "failed to look for pulled messages; waiting pulls end in time");
      }
    } while (again);
  }

  /** Without a payload, a node has numbered messages, or notifications may have been missed. */
  function heard(payload: string): void {
    if (payload !== "") return wakeChanged(waiters, payload);
    again = true;
    if (waiters.size === 0) return;
    looking ??= outside(async () => await look()).finally(() => {
      looking = undefined;
    });
  }

  return {
    get isDraining() {
      return isDraining;
    },
    get size() {
      return size;
    },
    numbered,
    enter(key, tenant, signal) {
      const shares = sharesOf(key.tag, tenant);
      if (size >= MOST || shares.some(({ of, most }) => (counts.get(of) ?? 0) >= most)) return undefined;
      const waiter: Waiter = { key, last: 0, isChanged: false, wake: undefined, wanted: 0 };
      const set = waiters.get(key.endpointId) ?? new Set();
      waiters.set(key.endpointId, set.add(waiter));
      for (const { of } of shares) counts.set(of, (counts.get(of) ?? 0) + 1);
      size += 1;
      return {
        until: async (offset, ms) => await until(waiter, { offset, ms, signal, isDraining: () => isDraining }),
        leave() {
          if (!set.delete(waiter)) return;
          if (set.size === 0) waiters.delete(key.endpointId);
          for (const { of } of shares) leaveShare(counts, of);
          size -= 1;
        },
      };
    },
    async start() {
      unlisten = await db.listen(CHANNEL, heard);
    },
    async stop() {
      isDraining = true;
      for (const set of waiters.values()) for (const { wake } of set) wake?.();
      await unlisten?.();
    },
  };
}

/** `payload`: the endpoint, and the consumer that was moved or deleted. All of an endpoint that was deleted or is no longer active. */
function wakeChanged(waiters: ReadonlyMap<string, ReadonlySet<Waiter>>, payload: string): void {
  const [endpointId = "", name] = payload.split(" ");
  for (const waiter of waiters.get(endpointId) ?? []) {
    if (name !== undefined && waiter.key.consumer !== name) continue;
    waiter.isChanged = true;
    waiter.wake?.();
  }
}

interface Share {
  readonly of: string;
  readonly most: number;
}

/** The waits of a tenant's keys leave room for those of the workspace and its other tenants. */
function sharesOf(tag: Tag, tenant: string | null): Share[] {
  const workspace = { of: tag, most: MOST_OF_WORKSPACE };
  return tenant === null ? [workspace] : [workspace, { of: `${tag} ${tenant}`, most: MOST_OF_TENANT }];
}

function leaveShare(counts: Map<string, number>, of: string): void {
  const rest = (counts.get(of) ?? 1) - 1;
  if (rest === 0) counts.delete(of);
  else counts.set(of, rest);
}

interface Until {
  readonly offset: number;
  readonly ms: number;
  readonly signal: AbortSignal;
  isDraining(): boolean;
}

async function until(waiter: Waiter, { offset, ms, signal, isDraining }: Until): Promise<void> {
  const isOver = waiter.isChanged || waiter.last >= offset || ms <= 0 || signal.aborted || isDraining();
  waiter.isChanged = false;
  if (isOver) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(end, ms);
    function end(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      waiter.wake = undefined;
      waiter.isChanged = false;
      resolve();
    }
    signal.addEventListener("abort", end, { once: true });
    waiter.wanted = offset;
    waiter.wake = end;
  });
}
