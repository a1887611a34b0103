import { createHash } from "node:crypto";
import { isRecord, rememberByText } from "../../lib/lib.ts";
import type { Clock, Json } from "../../lib/lib.ts";
import type { Log } from "../../platform/telemetry/telemetry.ts";
import { ScriptsBusyError } from "../../webhooks/webhooks.ts";
import type { OwnedScript, ScriptResult, ScriptRunner } from "../../webhooks/webhooks.ts";
import { createHosts, HookError } from "../sandbox/hosts.ts";
import type { FailureKind, HookCall, Program } from "../sandbox/hosts.ts";
import { createPenalties } from "./penalties.ts";
import { scriptBackend } from "./script-backend.ts";
import { createTurnQueue } from "./turn-queue.ts";
import type { TurnQueue } from "./turn-queue.ts";

/**
 * Runs the scripts of endpoints in processes of their own, one for each workspace and environment, and a second one for scripts that were
 * stopped. A process has one script at a time, so that a script that ends it is known. Tenants and scripts take turns.
 */
export interface Scripts extends ScriptRunner {
  stop(): Promise<void>;
}

export interface ScriptsDeps {
  readonly log: Log;
  readonly clock: Clock;
  /** The folder for running processes. */
  readonly directory: string;
}

/** A run of a script, or a check of it, that waits for its turn. */
interface Job {
  readonly script: OwnedScript;
  /** Those with the same name run together. */
  readonly name: string;
  /** Those of a group share its turns. */
  readonly group: string;
  /** JSON text; null to only check the script. */
  readonly input: string | null;
  /** True if it ran together with others when the process ended. */
  alone: boolean;
  resolve(result: ScriptResult): void;
  reject(error: Error): void;
}

/** The queues of one process. */
interface Lane {
  readonly program: Program;
  /** True if its scripts were stopped before: it rests after each that is stopped again. */
  readonly isApart: boolean;
  readonly turns: TurnQueue<Job>;
  running: boolean;
}

interface State {
  readonly clock: Pick<Clock, "monotonicMs">;
  readonly call: (program: Program, call: HookCall) => Promise<Json>;
  readonly lanes: Map<string, Lane>;
  readonly penalties: ReturnType<typeof createPenalties>;
}

/** Together with an attempt, these are shorter than the lease of a delivery. */
const WAIT_MS = 5000;
/** A turn ends earlier, unless one operation of the engine takes too long. It ends before the others that wait give up. */
const DEADLINE_MS = 2500;
/**
 * The rest of a process whose scripts are stopped again and again, in relation to the turn, and at most: endless scripts have a tenth of a
 * processor.
 */
const REST = 9;
const MOST_REST_MS = 1000;
const MOST_CHILDREN = 16;
/** Limits of the jobs that wait: of one group, and for one process. */
const MOST_OF_GROUP = 300;
const MOST_WAITING = 1000;
/** Limits of one turn. */
const MOST_TOGETHER = 32;
const MOST_CHARACTERS = 1024 ** 2;
/** How many digests are kept of scripts, by their source. */
const MOST_DIGESTS = 1000;

const MESSAGES: Readonly<Record<Exclude<FailureKind, "start" | "unavailable">, string>> = {
  threw: "The script could not be run.",
  deadline: "The script took longer than 100 ms.",
  memory: "The script used more than 32 MiB of memory.",
  crashed: "The script ended its process.",
  protocol: "The script ended its process.",
};

export function createScripts({ log, clock, directory }: ScriptsDeps): Scripts {
  const hosts = createHosts({
    log,
    directory,
    backends: [scriptBackend()],
    maxChildren: MOST_CHILDREN,
    waitMs: WAIT_MS,
  });
  const state: State = {
    clock,
    call: hosts.call,
    lanes: new Map(),
    penalties: createPenalties(() => clock.monotonicMs()),
  };
  const nameOf = rememberByText((owned) => createHash("sha256").update(owned).digest("hex"), { results: MOST_DIGESTS });

  async function asked(script: OwnedScript, input: string | null): Promise<ScriptResult> {
    const name = nameOf(`${script.tenant ?? ""}\n${script.source}`);
    const group = script.tenant === null ? `script:${name}` : `tenant:${script.tenant}`;
    return await new Promise((resolve, reject) => {
      enqueue(state, { script, name, group, input, alone: false, resolve, reject });
    });
  }

  return {
    run: async (script, input) => await asked(script, input),
    async fault(script) {
      const result = await asked(script, null);
      return result.kind === "failed" ? result.message : undefined;
    },
    stop: async () => await hosts.stop(),
  };
}

function enqueue(state: State, job: Job): void {
  const { turns } = laneOf(state, job);
  if (turns.sizeOf(job.group) >= MOST_OF_GROUP || turns.size >= MOST_WAITING) return job.reject(new ScriptsBusyError());
  const patience = setTimeout(() => giveUp(state, waiting), WAIT_MS);
  const waiting: Job = {
    ...job,
    resolve: (result) => {
      clearTimeout(patience);
      job.resolve(result);
    },
    reject: (error) => {
      clearTimeout(patience);
      job.reject(error);
    },
  };
  turns.push(job.group, job.name, waiting);
  pump(state, laneOf(state, job));
}

function giveUp({ lanes }: State, job: Job): void {
  for (const { turns } of lanes.values())
    if (turns.remove(job.group, job.name, job)) job.reject(new ScriptsBusyError());
}

function laneOf({ lanes, penalties }: State, { script: { tag }, group }: Job): Lane {
  const isApart = penalties.applies(group);
  const id = isApart ? `scripts:${tag}:apart` : `scripts:${tag}`;
  const lane = lanes.get(id) ?? { program: programOf(id), isApart, turns: createTurnQueue<Job>(), running: false };
  lanes.set(id, lane);
  return lane;
}

function pump(state: State, lane: Lane): void {
  if (lane.running) return;
  const jobs = lane.turns.take(turnLength);
  const [first] = jobs;
  if (first === undefined) return void state.lanes.delete(lane.program.id);
  lane.running = true;
  const begunMs = state.clock.monotonicMs();
  void runTurn(state, lane, { jobs, first }).then((wasStopped) => {
    const goOn = (): void => {
      lane.running = false;
      pump(state, lane);
    };
    const restMs = Math.min(REST * (state.clock.monotonicMs() - begunMs), MOST_REST_MS);
    if (lane.isApart && wasStopped) setTimeout(goOn, restMs).unref();
    else goOn();
  });
}

/** Returns how many of these run in one turn. */
function turnLength(jobs: readonly Job[]): number {
  let characters = 0;
  const end = jobs.findIndex(({ alone, input }, at) => {
    characters += input?.length ?? 0;
    return at > 0 && (alone || at >= MOST_TOGETHER || characters > MOST_CHARACTERS);
  });
  if (jobs[0]?.alone === true) return 1;
  return end < 0 ? jobs.length : end;
}

interface Turn {
  readonly jobs: readonly Job[];
  readonly first: Job;
}

/** Returns true if a script was stopped. */
async function runTurn(state: State, lane: Lane, turn: Turn): Promise<boolean> {
  try {
    return settle(state, turn, await answerTo(state, lane, turn));
  } catch (error) {
    if (error instanceof HookError) return settleFailure(state, turn, error.kind);
    for (const job of turn.jobs) job.reject(error instanceof Error ? error : new Error("a script was not run"));
    return false;
  }
}

async function answerTo({ call }: State, lane: Lane, { jobs, first }: Turn): Promise<Json> {
  const inputs = jobs.flatMap(({ input }) => (input === null ? [] : [input]));
  const known = await call(lane.program, callOf(first.name, [inputs]));
  const isUnknown = isRecord(known) && known["kind"] === "unknown";
  // The process is new, or has dropped the script.
  return isUnknown ? await call(lane.program, callOf(first.name, [inputs, first.script.source])) : known;
}

/**
 * Gives each job its result. The process is not trusted: another form of an answer is a failure. Returns true if a script was stopped.
 */
function settle(state: State, { jobs, first }: Turn, answer: Json): boolean {
  const runs = jobs.filter(({ input }) => input !== null);
  const results = resultsOf(answer);
  if (results === undefined || (runs.length > 0 && results.length === 0)) {
    for (const job of jobs) job.resolve(resultOf(answer));
    return false;
  }
  const wasStopped = results.some((result) => result.kind === "failed" && result.stopped === true);
  if (wasStopped) state.penalties.stopped(first.group);
  for (const job of jobs) if (job.input === null) job.resolve({ kind: "filtered", lines: [] });
  for (const [at, result] of results.entries()) runs[at]?.resolve(result);
  again(state, first, runs.slice(results.length));
  return wasStopped;
}

function resultsOf(answer: Json): readonly ScriptResult[] | undefined {
  if (!isRecord(answer) || answer["kind"] !== "ran") return undefined;
  const { results } = answer;
  return Array.isArray(results) ? results.map(resultOf) : undefined;
}

/** A process that ended says nothing about which of several inputs ended it, so they are run one by one. */
function settleFailure(state: State, { jobs, first }: Turn, kind: FailureKind): boolean {
  if (kind === "start" || kind === "unavailable") {
    for (const job of jobs) job.reject(new ScriptsBusyError());
    return false;
  }
  state.penalties.stopped(first.group);
  state.penalties.stopped(first.group);
  if (jobs.length === 1) {
    first.resolve({ kind: "failed", message: MESSAGES[kind], stopped: true, lines: [] });
    return true;
  }
  for (const job of jobs) job.alone = true;
  again(state, first, jobs);
  return true;
}

/** Lets jobs wait for the next turn of their script, and moves what waits of the group if it runs apart from now on. */
function again(state: State, first: Job, jobs: readonly Job[]): void {
  const lane = laneOf(state, first);
  for (const other of state.lanes.values()) {
    if (other === lane || !isOfSame(other, lane)) continue;
    for (const [name, items] of other.turns.drain(first.group)) lane.turns.putBack(first.group, name, items);
  }
  lane.turns.putBack(first.group, first.name, jobs);
  pump(state, lane);
}

/** Tags have no colon. */
function isOfSame(left: Lane, right: Lane): boolean {
  return left.program.id.split(":")[1] === right.program.id.split(":")[1];
}

function programOf(id: string): Program {
  return { id, digest: "", runtime: "ts", key: "transforms", files: async () => await Promise.resolve(new Map()) };
}

function callOf(name: string, args: readonly Json[]): HookCall {
  return {
    hook: "action",
    name,
    args,
    deadlineMs: DEADLINE_MS,
    facts: { event: null, settings: {}, environment: "live", now: "" },
    service: async () => await Promise.reject(new Error("scripts have no services")),
    log: () => undefined,
  };
}

function resultOf(value: Json): ScriptResult {
  const { kind, body, headers, message, lines, stopped } = isRecord(value) ? value : {};
  const log = Array.isArray(lines) ? lines.map(String) : [];
  if (kind === "filtered") return { kind, lines: log };
  if (kind === "request" && typeof body === "string" && typeof headers === "string")
    return { kind, body, headers, lines: log };
  const failure = typeof message === "string" ? message : MESSAGES.protocol;
  return { kind: "failed", message: failure, stopped: stopped === true, lines: log };
}
