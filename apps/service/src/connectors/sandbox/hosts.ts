import type { Log } from "../../platform/telemetry/telemetry.ts";
import type { Backend } from "./backend.ts";
import { createLane, SWEEP_MS } from "./lane.ts";
import type { Lane, LaneDeps, SessionEvents } from "./lane.ts";
import { openGrounds } from "./layout.ts";
import type { Grounds } from "./layout.ts";
import { chooseBackend, chooseWall } from "./machine.ts";
import type { ChosenBackend, ChosenWall } from "./machine.ts";
import { canMeasure } from "./memory.ts";
import { createPlaces } from "./places.ts";
import { HookError, RUNTIMES } from "./program.ts";
import type { HookCall, Program, Runtime } from "./program.ts";
import { ownContext } from "../../lib/lib.ts";
import type { Json } from "../../lib/lib.ts";
import { openSession } from "./session.ts";
import type { CrashKind, Session } from "./session.ts";
import { commandOf, WALLS } from "./wall.ts";
import type { Wall } from "./wall.ts";

export { HookError, HostError } from "./program.ts";
export type { Facts, FailureKind, Hook, HookCall, HostErrorCode, LogLine, Program, Runtime } from "./program.ts";
export type { Backend, ProcessPlace } from "./backend.ts";
export type { CrashKind } from "./session.ts";
export { nodeBackend } from "./node-backend.ts";
export { phpBackends } from "./php-backends.ts";

/** Runs the code of connectors in child processes, one for each program. */
export type Hosts = ReturnType<typeof createHosts>;

export interface HostsDeps {
  readonly log: Log;
  /** The folder for the files of running programs. It is created if it does not exist. */
  readonly directory: string;
  /** The first backend of a runtime whose probe succeeds is used. */
  readonly backends: readonly Backend[];
  /** The maximum number of children. The one that has been idle longest is ended first. Default 32. */
  readonly maxChildren?: number;
  /** The time for which a child without calls is kept, ms. Default 60 000. */
  readonly idleMs?: number;
  /** The time that a child may take to be ready, ms. Default 30 000, because the machine may be busy. */
  readonly startMs?: number;
  /** The time that a call may wait for a busy child, ms. Default 10 000. */
  readonly waitMs?: number;
  /** The isolation levels that may be tried. Default: all. */
  readonly walls?: readonly Wall[];
  /** Called when a child was ended because of its behavior. A listener must not throw. */
  readonly crashListeners?: () => readonly ((program: Program, kind: CrashKind) => void)[];
}

export interface HostsReport {
  /** The isolation of a child, in addition to the restrictions of its runtime. */
  readonly wall: Wall;
  /** The reason why no stronger isolation is available; empty if the strongest is. */
  readonly wallReason: string;
  /** True if children that use too much memory are detected. */
  readonly memoryWatched: boolean;
  readonly runtimes: Readonly<
    Record<Runtime, { readonly backend: string; readonly version: string } | { readonly missing: string }>
  >;
  readonly children: number;
  readonly running: number;
  readonly waiting: number;
}

interface SandboxContext {
  readonly grounds: Grounds;
  readonly chosen: ChosenWall;
}

export function createHosts(deps: HostsDeps) {
  const lanes = new Map<string, Lane>();
  const machine = askOnce(deps);
  const places = createPlaces(deps.maxChildren ?? 32);
  const outside = ownContext();
  let ticks = 0;
  let stopping: Promise<void> | undefined;
  const sweep = setInterval(() => {
    for (const lane of lanes.values()) lane.sweep();
    places.makeRoom();
  }, SWEEP_MS).unref();

  const laneDeps: Omit<LaneDeps, "emptied"> = {
    places,
    waitMs: deps.waitMs ?? 10_000,
    idleSweeps: Math.ceil((deps.idleMs ?? 60_000) / SWEEP_MS),
    tick: () => {
      ticks += 1;
      return ticks;
    },
    start: async (program, events) => await start(deps, machine, program, events),
    crashed: (program, { kind, message }) => {
      deps.log.warn({ connector: program.key, program: program.id, kind, message }, "connector process terminated");
      for (const notify of deps.crashListeners?.() ?? []) notify(program, kind);
    },
  };

  function laneOf(id: string): Lane {
    const found = lanes.get(id);
    if (found !== undefined) return found;
    const lane = createLane({ ...laneDeps, emptied: () => void (lanes.get(id) === lane && lanes.delete(id)) });
    lanes.set(id, lane);
    return lane;
  }

  return {
    /** Runs one hook. Throws HookError. */
    call: async (program: Program, call: HookCall): Promise<Json> => {
      if (stopping !== undefined) throw new HookError("unavailable", "The service is stopping.");
      const own = inCallersContext(call);
      return await outside(async () => await laneOf(program.id).call(program, own));
    },
    /** Ends a program's child, if there is one. Its calls fail as `unavailable`. */
    end: async (programId: string): Promise<void> => {
      const lane = lanes.get(programId);
      lanes.delete(programId);
      await lane?.stop();
    },
    /** Ends all children permanently. */
    stop: async (): Promise<void> => {
      clearInterval(sweep);
      stopping ??= stopAll([...lanes.values()], machine);
      await stopping;
    },
    report: async (): Promise<HostsReport> => {
      const { chosen } = await machine.ground();
      const all = [...lanes.values()];
      const sum = (count: (lane: Lane) => number) => all.reduce((total, lane) => total + count(lane), 0);
      return {
        wall: chosen.wall,
        wallReason: chosen.reason,
        memoryWatched: canMeasure,
        runtimes: await runtimesOf(machine),
        children: sum((lane) => (lane.hasChild ? 1 : 0)),
        running: sum((lane) => lane.running),
        waiting: sum((lane) => lane.waiting),
      };
    },
  };
}

/**
 * Returns the call with services that run in the caller's context. A child outlives the request that started it, so it
 * runs in the context of the hosts, and its messages may belong to any call.
 */
function inCallersContext(call: HookCall): HookCall {
  const inside = ownContext();
  return {
    ...call,
    service: async (name, args) => await inside(async () => await call.service(name, args)),
    log: (line) => inside(() => call.log(line)),
  };
}

/** The machine's capabilities, determined on first use. */
interface HostMachine {
  ground(): Promise<SandboxContext>;
  backend(runtime: Runtime): Promise<ChosenBackend>;
  readonly asked: boolean;
}

function askOnce(deps: HostsDeps): HostMachine {
  let ground: Promise<SandboxContext> | undefined;
  const backends = new Map<Runtime, Promise<ChosenBackend>>();
  return {
    ground: async () => await (ground ??= openGround(deps)),
    backend: async (runtime) => {
      const known = backends.get(runtime) ?? choose(deps, runtime);
      backends.set(runtime, known);
      return await known;
    },
    get asked() {
      return ground !== undefined;
    },
  };
}

async function choose({ backends, log }: HostsDeps, runtime: Runtime): Promise<ChosenBackend> {
  const chosen = await chooseBackend(runtime, backends);
  if ("missing" in chosen) log.warn({ runtime, reason: chosen.missing }, "connectors of this runtime cannot run here");
  return chosen;
}

async function openGround({ directory, walls, log }: HostsDeps): Promise<SandboxContext> {
  const grounds = await openGrounds(directory);
  const chosen = await chooseWall(walls ?? WALLS, grounds.empty);
  log.info({ wall: chosen.wall, reason: chosen.reason }, "connector processes can be sandboxed");
  return { grounds, chosen };
}

async function runtimesOf(machine: HostMachine): Promise<HostsReport["runtimes"]> {
  const found = RUNTIMES.map(async (runtime) => {
    const chosen = await machine.backend(runtime);
    return [runtime, "missing" in chosen ? chosen : { backend: chosen.backend.name, version: chosen.version }] as const;
  });
  return Object.fromEntries(await Promise.all(found)) as HostsReport["runtimes"];
}

async function start(deps: HostsDeps, machine: HostMachine, program: Program, events: SessionEvents): Promise<Session> {
  const chosen = await machine.backend(program.runtime);
  if ("missing" in chosen) throw new HookError("unavailable", chosen.missing);
  const { backend } = chosen;
  const { grounds, chosen: around } = await machine.ground();
  const laid = await grounds.lay(await program.files());
  const memoryBytes = program.memoryBytes ?? backend.memoryBytes;
  const argv = backend.argv({ directory: laid.directory, memoryBytes });
  const enclosure = { root: grounds.empty, sees: [...backend.reads, laid.directory], memoryBytes };
  return openSession({
    command: commandOf(around.wall, argv, enclosure) ?? argv,
    runtime: program.runtime,
    memoryBytes,
    calls: backend.calls,
    startMs: deps.startMs ?? 30_000,
    hidden: [`file://${laid.directory}/`, `${laid.directory}/`, laid.directory, ...backend.reads],
    tidyUp: async () => {
      await laid
        .remove()
        .catch((error: unknown) => deps.log.error({ err: error }, "failed to delete a program's folder"));
    },
    ...events,
  });
}

async function stopAll(lanes: readonly Lane[], machine: HostMachine): Promise<void> {
  await Promise.all(lanes.map(async (lane) => await lane.stop()));
  if (machine.asked) await (await machine.ground()).grounds.remove();
}
