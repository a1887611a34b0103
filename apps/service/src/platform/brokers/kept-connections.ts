import { sha256, withTimeout } from "../../lib/lib.ts";
import type { Hidden } from "../../lib/lib.ts";
import { BrokerError } from "./broker.ts";
import type { BrokerConnection, BrokerDeps, BrokerKind, BrokerMessage, Confirmation } from "./broker.ts";
import type { AnyDriver } from "./drivers.ts";

/** Where messages of one owner go, and with which credential. */
export interface BrokerOrder {
  /** The endpoint: it has one connection at a time. */
  readonly owner: string;
  /** The workspace, which has a share of the connections. */
  readonly share: string;
  readonly kind: BrokerKind;
  readonly destination: unknown;
  readonly credential: Hidden | null;
}

export type Brokers = ReturnType<typeof createBrokers>;

export interface KeptDeps extends BrokerDeps {
  readonly drivers: readonly AnyDriver[];
  readonly limits?: Limits;
}

interface Limits {
  readonly most: number;
  readonly mostOfShare: number;
}

interface Kept {
  readonly order: BrokerOrder;
  readonly print: string;
  readonly openedAtMs: number;
  readonly opening: Promise<BrokerConnection>;
  connection: BrokerConnection | null;
  users: number;
  isRetired: boolean;
  idle: NodeJS.Timeout | undefined;
}

const LIMITS: Limits = { most: 400, mostOfShare: 100 };
const OPEN_MS = 8000;
const IDLE_MS = 60_000;
/** The addresses and the certificate of a broker are judged again after this time. */
const OLD_MS = 3_600_000;
/** What a driver may take beyond its time before it is taken to hang. */
const GRACE_MS = 500;
const LEAST_MS = 500;
/** Steps that fail before the broker has a message. */
const BEFORE: ReadonlySet<string> = new Set(["connect", "tls", "sign_in", "send"]);

/**
 * Keeps one connection for each endpoint while it is used. Another destination or credential gets another connection. Opening happens once
 * at a time for an endpoint, and its attempts wait for it; endpoints wait for no other. The connections of a node and of a workspace are
 * limited: an idle one is closed for a new one, and without one the attempt waits for it.
 */
export function createBrokers({ drivers, limits = LIMITS, ...deps }: KeptDeps) {
  const { clock } = deps;
  const kept = new Map<string, Kept>();
  /** All that are open or opening, also those that were replaced. */
  const open = new Set<Kept>();
  const waiting = new Set<() => void>();

  async function openDriver(
    { kind, destination, credential }: BrokerOrder,
    withinMs: number,
  ): Promise<BrokerConnection> {
    const driver = drivers.find((one) => one.kind === kind);
    if (driver === undefined)
      throw new BrokerError("connect", `This version of the service has no driver for ${kind}.`);
    const opening = asBroker("connect", driver.open(deps, destination as never, credential, withinMs));
    const connection = await withTimeout(opening, withinMs + GRACE_MS);
    if (connection !== undefined) return connection;
    // One that comes after all is used by no one.
    void opening.then(closeQuietly, () => undefined);
    throw new BrokerError("connect", `The broker did not take a connection within ${withinMs / 1000} s.`);
  }

  function begin(order: BrokerOrder, print: string, withinMs: number): Kept {
    const opening = openDriver(order, Math.min(OPEN_MS, withinMs));
    const made: Kept = {
      order,
      print,
      opening,
      openedAtMs: clock.monotonicMs(),
      connection: null,
      users: 0,
      isRetired: false,
      idle: undefined,
    };
    kept.set(order.owner, made);
    open.add(made);
    opening.then(
      (connection) => {
        made.connection = connection;
        if (made.isRetired && made.users === 0) end(made);
      },
      () => end(made),
    );
    return made;
  }

  /** Takes it out of use. It is closed when its last message has ended. */
  function retire(one: Kept): void {
    one.isRetired = true;
    if (kept.get(one.order.owner) === one) kept.delete(one.order.owner);
    if (one.users === 0 && one.connection !== null) end(one);
  }

  function end(one: Kept): void {
    clearTimeout(one.idle);
    one.isRetired = true;
    if (kept.get(one.order.owner) === one) kept.delete(one.order.owner);
    if (!open.delete(one)) return;
    if (one.connection !== null) void closeQuietly(one.connection);
    freed();
  }

  function freed(): void {
    const all = [...waiting];
    waiting.clear();
    for (const go of all) go();
  }

  function isGood(one: Kept): boolean {
    const isYoung = clock.monotonicMs() - one.openedAtMs < OLD_MS;
    return !one.isRetired && isYoung && (one.connection === null || one.connection.isUsable);
  }

  /** Makes room for one of the workspace. Returns false if all are in use. */
  function hasRoom(share: string): boolean {
    const own = [...open].filter((one) => one.order.share === share);
    if (own.length >= limits.mostOfShare) return endIdle(own);
    return open.size < limits.most || endIdle([...open]);
  }

  function endIdle(among: readonly Kept[]): boolean {
    const idle = among.find((one) => one.users === 0 && one.connection !== null);
    if (idle !== undefined) end(idle);
    return idle !== undefined;
  }

  /** Takes the kept connection of the owner, or a new one. */
  async function take(order: BrokerOrder, endMs: number): Promise<Kept> {
    const print = printOf(order);
    for (;;) {
      const known = kept.get(order.owner);
      if (known?.print === print && isGood(known)) return known;
      if (known !== undefined) retire(known);
      const leftMs = endMs - clock.monotonicMs();
      if (leftMs < LEAST_MS) throw new BrokerError("connect", NO_ROOM);
      if (hasRoom(order.share)) return begin(order, print, leftMs);
      const { promise, resolve } = Promise.withResolvers<boolean>();
      waiting.add(() => resolve(true));
      await withTimeout(promise, leftMs);
    }
  }

  /** Uses a connection of the owner. */
  async function using<Result>(
    order: BrokerOrder,
    endMs: number,
    use: (connection: BrokerConnection, leftMs: number) => Promise<Result>,
  ): Promise<Result> {
    const one = await take(order, endMs);
    clearTimeout(one.idle);
    one.users += 1;
    const isReused = one.connection !== null;
    try {
      const connection = await within(one.opening, endMs - clock.monotonicMs());
      return await use(connection, endMs - clock.monotonicMs());
    } catch (error) {
      const isLost = one.connection !== null && !one.connection.isUsable;
      if (isLost) retire(one);
      // The broker may have closed it while it was idle.
      if (!isReused || !isLost || !isBefore(error)) throw error;
    } finally {
      release(one);
    }
    return await using(order, endMs, use);
  }

  function release(one: Kept): void {
    one.users -= 1;
    if (one.users > 0) return;
    if (one.isRetired && one.connection !== null) return end(one);
    one.idle = setTimeout(() => end(one), IDLE_MS);
    one.idle.unref();
    freed();
  }

  return {
    /** Sends a message, and resolves when the broker has confirmed it. Throws BrokerError within the time, and a little more. */
    async send(order: BrokerOrder, message: BrokerMessage, withinMs: number): Promise<Confirmation> {
      return await using(order, clock.monotonicMs() + withinMs, async (connection, leftMs) => {
        const sending = asBroker("send", connection.send(message, leftMs));
        const confirmation = await withTimeout(sending, leftMs + GRACE_MS);
        if (confirmation !== undefined) return confirmation;
        const known = kept.get(order.owner);
        if (known?.connection === connection) retire(known);
        throw new BrokerError("confirm", "The broker did not confirm the message in time.");
      });
    },
    /** Opens a connection of its own, signs in, and closes it. Throws BrokerError. */
    async test(order: BrokerOrder, withinMs: number): Promise<void> {
      await closeQuietly(await openDriver(order, withinMs));
    },
    get size(): number {
      return open.size;
    },
    async close(): Promise<void> {
      const all = [...open];
      for (const one of all) end(one);
      await Promise.all(all.map(async ({ connection }) => await connection?.close().catch(() => undefined)));
    },
  };
}

const NO_ROOM =
  "All connections to brokers that this node may have for the workspace are in use. Use fewer endpoints with brokers, or more nodes.";

async function within(opening: Promise<BrokerConnection>, leftMs: number): Promise<BrokerConnection> {
  const connection = await withTimeout(opening, Math.max(1, leftMs));
  if (connection !== undefined) return connection;
  throw new BrokerError("connect", "The broker did not take the connection in time.");
}

/** An error that a driver should not throw is a failed step too. Its text may contain what it was given, so that it is not shown. */
async function asBroker<Result>(step: "connect" | "send", work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof BrokerError) throw error;
    const name = error instanceof Error ? error.name : "an error";
    throw new BrokerError(step, `The connection to the broker failed (${name}).`);
  }
}

async function closeQuietly(connection: BrokerConnection): Promise<void> {
  await connection.close().catch(() => undefined);
}

function isBefore(error: unknown): boolean {
  return error instanceof BrokerError && BEFORE.has(error.step);
}

function printOf({ kind, destination, credential }: BrokerOrder): string {
  return sha256(JSON.stringify([kind, destination, credential?.reveal() ?? null])).toString("base64");
}
