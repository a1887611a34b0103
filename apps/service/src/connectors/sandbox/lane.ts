import type { Occupant, Places } from "./places.ts";
import { HookError } from "./program.ts";
import type { HookCall, Program } from "./program.ts";
import type { Json } from "../../lib/lib.ts";
import type { Crash, SessionEnd, Job, Session } from "./session.ts";

/** Runs the calls of one program: a queue, and a child while there is one. */
export interface Lane {
  call(program: Program, call: HookCall): Promise<Json>;
  /** Checks the child, every `SWEEP_MS`. */
  sweep(): void;
  /** Stops permanently. */
  stop(): Promise<void>;
  readonly running: number;
  readonly waiting: number;
  readonly hasChild: boolean;
}

export interface LaneDeps {
  readonly places: Places;
  readonly idleSweeps: number;
  /** The time that a call waits for a child, ms. */
  readonly waitMs: number;
  /** Returns a number that increases with each call. */
  tick(): number;
  start(program: Program, events: SessionEvents): Promise<Session>;
  crashed(program: Program, crash: Crash): void;
  /** Called when the lane has neither calls nor a child. */
  emptied(): void;
}

export interface SessionEvents {
  changed(): void;
  ended(end: SessionEnd): void;
}

interface HeldSession {
  readonly session: Session;
  readonly program: Program;
  sweeps: number;
  idleSweeps: number;
  leaving: boolean;
}

interface State {
  readonly deps: LaneDeps;
  readonly queue: Job[];
  readonly patience: WeakMap<Job, NodeJS.Timeout>;
  readonly occupant: Occupant;
  held: HeldSession | undefined;
  /** Set while a child is being started. */
  starting: Promise<void> | undefined;
  idleSince: number | undefined;
  stopped: boolean;
}

export const SWEEP_MS = 250;
const MAX_WAITING = 256;
/** The number of sweeps after which a child may be asked to make room for another program. */
const SETTLED_SWEEPS = 4;

const STOPPED = "The connector was stopped.";

export function createLane(deps: LaneDeps): Lane {
  const state: State = {
    deps,
    queue: [],
    patience: new WeakMap(),
    occupant: {
      get idleSince() {
        return state.held !== undefined && state.held.idleSweeps > 0 ? state.idleSince : undefined;
      },
      get leaving() {
        return state.held?.leaving === true;
      },
      get settled() {
        return (state.held?.sweeps ?? 0) >= SETTLED_SWEEPS;
      },
      leave: () => leave(state),
    },
    held: undefined,
    starting: undefined,
    idleSince: undefined,
    stopped: false,
  };
  return {
    call: async (program, call) => await enqueue(state, program, call),
    sweep: () => sweep(state),
    stop: async () => {
      state.stopped = true;
      failWaiting(state, new HookError("unavailable", STOPPED));
      await state.starting;
      const gone = state.held?.session.gone;
      leave(state);
      await gone;
    },
    get running() {
      return state.held?.session.running ?? 0;
    },
    get waiting() {
      return state.queue.length;
    },
    get hasChild() {
      return state.held !== undefined;
    },
  };
}

async function enqueue(state: State, program: Program, call: HookCall): Promise<Json> {
  if (state.stopped) throw new HookError("unavailable", STOPPED);
  if (state.queue.length >= MAX_WAITING) {
    throw new HookError("unavailable", "Too many calls are waiting for the connector.");
  }
  return await new Promise<Json>((resolve, reject) => {
    const job: Job = { program, call, again: false, resolve, reject };
    state.queue.push(job);
    pump(state);
    if (state.queue.includes(job))
      state.patience.set(
        job,
        setTimeout(() => giveUp(state, job), state.deps.waitMs),
      );
  });
}

function limitWait(state: State, job: Job): void {
  if (state.queue.includes(job))
    state.patience.set(
      job,
      setTimeout(() => giveUp(state, job), state.deps.waitMs),
    );
}

function giveUp(state: State, job: Job): void {
  const place = state.queue.indexOf(job);
  if (place < 0) return;
  state.queue.splice(place, 1);
  job.reject(new HookError("unavailable", `The connector was busy for ${state.deps.waitMs / 1000} seconds.`));
}

function failWaiting(state: State, failure: HookError): void {
  for (const job of state.queue.splice(0)) {
    clearTimeout(state.patience.get(job));
    job.reject(failure);
  }
}

/** Passes waiting calls to the child, as far as it can accept them. Starts a child if there is none. */
function pump(state: State): void {
  const { held, queue } = state;
  if (held === undefined) {
    if (queue.length > 0) state.starting ??= begin(state);
  } else if (!held.leaving && held.session.ready) {
    if (mustGo(state, held)) leaveWhenIdle(state, held);
    else feed(state, held);
  }
}

function leaveWhenIdle(state: State, { session }: HeldSession): void {
  if (session.running === 0) leave(state);
}

function feed(state: State, held: HeldSession): void {
  while (mayTake(state.queue[0], held)) take(state, held);
  if (held.session.running > 0) return;
  state.idleSince ??= state.deps.tick();
}

/** Returns true if the next call needs another version, or if another program waits for a place. */
function mustGo({ queue, deps, occupant, idleSince }: State, held: HeldSession): boolean {
  const [next] = queue;
  if (next !== undefined && next.program.digest !== held.program.digest) return true;
  return idleSince === undefined && deps.places.yields(occupant);
}

function mayTake(job: Job | undefined, { session, program }: HeldSession): job is Job {
  if (job === undefined || job.program.digest !== program.digest) return false;
  return session.running === 0 || (session.running < session.calls && !job.again && !session.alone);
}

function take(state: State, held: HeldSession): void {
  const job = state.queue.shift();
  if (job === undefined) return;
  clearTimeout(state.patience.get(job));
  state.idleSince = undefined;
  held.idleSweeps = 0;
  held.session.take(job);
}

async function begin(state: State): Promise<void> {
  const { deps, queue, occupant } = state;
  await deps.places.take(occupant);
  const program = queue[0]?.program;
  if (program === undefined) return over(state);
  try {
    const session = await deps.start(program, {
      changed: () => pump(state),
      ended: (end) => void afterEnd(state, end),
    });
    state.held = { session, program, sweeps: 0, idleSweeps: 0, leaving: false };
    state.starting = undefined;
  } catch (error) {
    const failure =
      error instanceof HookError ? error : new HookError("start", "The connector's process could not be started.");
    failWaiting(state, failure);
    over(state);
  }
}

async function afterEnd(state: State, { crash, wasReady, again }: SessionEnd): Promise<void> {
  const { held, deps, queue } = state;
  if (held === undefined) return;
  held.leaving = true;
  if (crash !== undefined) {
    // Waiting calls would fail in the same way, so they are not retried.
    if (!wasReady) failWaiting(state, new HookError(crash.kind, crash.message));
    deps.crashed(held.program, crash);
  }
  if (state.stopped) for (const job of again) job.reject(new HookError("unavailable", STOPPED));
  else queue.unshift(...again);
  for (const job of again) limitWait(state, job);
  await held.session.gone;
  state.held = undefined;
  over(state);
}

/** Releases the place, because there is no child. */
function over(state: State): void {
  state.starting = undefined;
  state.idleSince = undefined;
  state.deps.places.give(state.occupant);
  if (state.queue.length > 0) pump(state);
  else state.deps.emptied();
}

function leave(state: State): void {
  const { held } = state;
  if (held === undefined || held.leaving) return;
  held.leaving = true;
  held.session.end(new HookError("unavailable", STOPPED));
}

function sweep(state: State): void {
  const { held } = state;
  if (held === undefined) return;
  // A slow start does not count as work.
  if (held.session.ready) held.sweeps += 1;
  held.session.watch();
  if (state.idleSince !== undefined) held.idleSweeps += 1;
  if (held.idleSweeps >= state.deps.idleSweeps) leave(state);
  pump(state);
}
