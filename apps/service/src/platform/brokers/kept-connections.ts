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

interface State {
  readonly deps: BrokerDeps;
  readonly drivers: readonly AnyDriver[];
  readonly limits: Limits;
  readonly kept: Map<string, Kept>;
  /** All that are open or opening, also those that were replaced. */
  readonly open: Set<Kept>;
  readonly waiting: Set<() => void>;
}

const LIMITS: Limits = { most: 400, mostOfShare: 100 };
const OPEN_MS = 8000;
const IDLE_MS = 60_000;
/** The addresses and the certificate of a broker are judged again after this time. */
const OLD_MS = 3_600_000;
/** The time beyond its own after which a driver is taken to hang. */
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
  const state: State = { deps, drivers, limits, kept: new Map(), open: new Set(), waiting: new Set() };

  return {
    /** Sends a message, and resolves when the broker has confirmed it. Throws BrokerError within the time, and a little more. */
    async send(order: BrokerOrder, message: BrokerMessage, withinMs: number): Promise<Confirmation> {
      return await using(state, { order, endMs: clock.monotonicMs() + withinMs }, async (one, connection, leftMs) => {
        const confirmation = await withTimeout(asBroker("send", connection.send(message, leftMs)), leftMs + GRACE_MS);
        if (confirmation !== undefined) return confirmation;
        retire(state, one);
        throw new BrokerError("confirm", "The broker did not confirm the message in time.");
      });
    },
    /** Opens a connection of its own, signs in, and closes it. Throws BrokerError. */
    async test(order: BrokerOrder, withinMs: number): Promise<void> {
      await closeQuietly(await openDriver(state, order, withinMs));
    },
    async close(): Promise<void> {
      const all = [...state.open].map((one) => end(state, one));
      await Promise.all(all);
    },
  };
}

async function openDriver(
  { deps, drivers }: State,
  { kind, destination, credential }: BrokerOrder,
  withinMs: number,
): Promise<BrokerConnection> {
  const driver = drivers.find((one) => one.kind === kind);
  if (driver === undefined) throw new BrokerError("connect", `This version of the service has no driver for ${kind}.`);
  const opening = asBroker("connect", driver.open(deps, destination as never, credential, withinMs));
  const connection = await withTimeout(opening, withinMs + GRACE_MS);
  if (connection !== undefined) return connection;
  // One that comes after all is used by no one.
  void opening.then(closeQuietly, () => undefined);
  throw new BrokerError("connect", `The broker did not take a connection within ${withinMs / 1000} s.`);
}

function begin(state: State, order: BrokerOrder, print: string, withinMs: number): Kept {
  const opening = openDriver(state, order, Math.min(OPEN_MS, withinMs));
  const made: Kept = {
    order,
    print,
    opening,
    openedAtMs: state.deps.clock.monotonicMs(),
    connection: null,
    users: 0,
    isRetired: false,
    idle: undefined,
  };
  state.kept.set(order.owner, made);
  state.open.add(made);
  opening.then(
    (connection) => {
      made.connection = connection;
      if (!state.open.has(made)) void closeQuietly(connection);
      else if (made.isRetired && made.users === 0) void end(state, made);
    },
    () => void end(state, made),
  );
  return made;
}

/** Takes it out of use. It is closed when its last message has ended. */
function retire(state: State, one: Kept): void {
  one.isRetired = true;
  forget(state, one);
  if (one.users === 0 && one.connection !== null) void end(state, one);
}

function forget({ kept }: State, one: Kept): void {
  if (kept.get(one.order.owner) === one) kept.delete(one.order.owner);
}

/** Ends it at once. Resolves when it is closed; callers need not wait for that. */
async function end(state: State, one: Kept): Promise<void> {
  clearTimeout(one.idle);
  one.isRetired = true;
  forget(state, one);
  if (!state.open.delete(one)) return;
  freed(state);
  if (one.connection !== null) await closeQuietly(one.connection);
}

function freed({ waiting }: State): void {
  const all = [...waiting];
  waiting.clear();
  for (const go of all) go();
}

function isGood({ deps }: State, one: Kept): boolean {
  const isYoung = deps.clock.monotonicMs() - one.openedAtMs < OLD_MS;
  return !one.isRetired && isYoung && (one.connection === null || one.connection.isUsable);
}

/** Makes room for one of the workspace. Returns false if all are in use. */
function hasRoom(state: State, share: string): boolean {
  const { open, limits } = state;
  const own = [...open].filter((one) => one.order.share === share);
  if (own.length >= limits.mostOfShare) return endIdle(state, own);
  return open.size < limits.most || endIdle(state, [...open]);
}

function endIdle(state: State, among: readonly Kept[]): boolean {
  const idle = among.find((one) => one.users === 0 && one.connection !== null);
  if (idle !== undefined) void end(state, idle);
  return idle !== undefined;
}

/** Takes the kept connection of the owner, or a new one, and counts its user. */
async function take(state: State, order: BrokerOrder, endMs: number): Promise<Kept> {
  const print = printOf(order);
  for (;;) {
    const known = state.kept.get(order.owner);
    if (known?.print === print && isGood(state, known)) return taken(known);
    if (known !== undefined) retire(state, known);
    const leftMs = endMs - state.deps.clock.monotonicMs();
    if (leftMs < LEAST_MS) throw new BrokerError("connect", NO_ROOM);
    if (hasRoom(state, order.share)) return taken(begin(state, order, print, leftMs));
    const { promise, resolve } = Promise.withResolvers<boolean>();
    state.waiting.add(() => resolve(true));
    await withTimeout(promise, leftMs);
  }
}

function taken(one: Kept): Kept {
  clearTimeout(one.idle);
  one.users += 1;
  return one;
}

interface Use {
  readonly order: BrokerOrder;
  readonly endMs: number;
}

/** Uses a connection of the owner. */
async function using<Result>(
  state: State,
  { order, endMs }: Use,
  use: (one: Kept, connection: BrokerConnection, leftMs: number) => Promise<Result>,
): Promise<Result> {
  const { clock } = state.deps;
  const one = await take(state, order, endMs);
  const isReused = one.connection !== null;
  try {
    const connection = await within(one.opening, endMs - clock.monotonicMs());
    return await use(one, connection, endMs - clock.monotonicMs());
  } catch (error) {
    const isLost = one.connection !== null && !one.connection.isUsable;
    if (isLost) retire(state, one);
    // The broker may have closed it while it was idle.
    if (!isReused || !isLost || !isBefore(error)) throw error;
  } finally {
    release(state, one);
  }
  return await using(state, { order, endMs }, use);
}

function release(state: State, one: Kept): void {
  one.users -= 1;
  if (one.users > 0 || !state.open.has(one)) return;
  if (one.isRetired && one.connection !== null) return void end(state, one);
  one.idle = setTimeout(() => void end(state, one), IDLE_MS);
  one.idle.unref();
  freed(state);
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
