import { startChild } from "./child.ts";
import type { Child } from "./child.ts";
import { residentBytes } from "./memory.ts";
import { readMessage } from "./sandbox-message.ts";
import type { Message } from "./sandbox-message.ts";
import { HookError, HostError } from "./program.ts";
import type { FailureKind, HookCall, LogLine, Program } from "./program.ts";
import type { Json } from "../../lib/lib.ts";

/** A call that waits for its result. */
export interface Job {
  readonly program: Program;
  readonly call: HookCall;
  /** True if the call was in a child that ended, and is repeated once, alone. */
  readonly again: boolean;
  resolve(value: Json): void;
  reject(failure: HookError): void;
}

export type CrashKind = Exclude<FailureKind, "threw" | "unavailable">;

/** The reason why a child was ended. */
export interface Crash {
  readonly kind: CrashKind;
  readonly message: string;
}

export interface SessionEnd {
  /** Undefined if the child was ended without a fault. */
  readonly crash: Crash | undefined;
  readonly wasReady: boolean;
  /** Calls that had no effect yet, and may be repeated. */
  readonly again: readonly Job[];
}

export interface SessionDeps {
  readonly command: readonly string[];
  readonly runtime: Program["runtime"];
  readonly memoryBytes: number;
  /** The maximum number of concurrent calls. */
  readonly calls: number;
  /** The time that the child may take to be ready, ms. */
  readonly startMs: number;
  /** Folders of this machine, which are removed from messages. */
  readonly hidden: readonly string[];
  /** Called when the session can accept a call. */
  changed(): void;
  /** Called when the session accepts no more calls and its child is being ended. */
  ended(end: SessionEnd): void;
  /** Called after the child has ended. */
  tidyUp(): Promise<void>;
}

/** A child that speaks the protocol. */
export interface Session {
  readonly ready: boolean;
  /** The maximum number of concurrent calls. */
  readonly calls: number;
  readonly running: number;
  /** True if the running call must stay alone. */
  readonly alone: boolean;
  take(job: Job): void;
  /** Ends the child. Running calls fail with `failure`. */
  end(failure: HookError): void;
  watch(): void;
  readonly gone: Promise<void>;
}

interface Running {
  readonly job: Job;
  readonly deadline: NodeJS.Timeout;
  services: number;
  unanswered: number;
  logged: number;
}

interface State {
  readonly child: Child;
  readonly deps: SessionDeps;
  readonly calls: Map<number, Running>;
  ready: boolean;
  over: boolean;
  lastService: number;
  /**
   * Ends the child because of its behavior. Only `culprit` is to blame. Without it, a single running call is to blame.
   */
  crash(crash: Crash, culprit?: number): void;
}

const MAX_LINE_BYTES = 4 * 1024 * 1024;
const MAX_UNANSWERED = 16;
const MAX_SERVICES = 10_000;
/** The last line reports the number of omitted lines. */
const MAX_LOGGED = 101;
const MAX_LOG_TEXT = 8192;
const MAX_LAST_WORDS = 2000;

export function openSession(deps: SessionDeps): Session {
  const fault = (what: string) =>
    state.crash({ kind: "protocol", message: `The connector's process violated the protocol: ${what}` });
  const child = startChild(deps.command, { line: (bytes) => handleMessage(state, readMessage(bytes), fault), fault });
  const state: State = {
    child,
    deps,
    calls: new Map(),
    ready: false,
    over: false,
    lastService: 0,
    crash: (crash, culprit) => {
      if (!close(state)) return;
      const again = rejectCalls(state, crash, culprit);
      deps.ended({ crash, wasReady: state.ready, again });
    },
  };
  const patience = setTimeout(() => {
    if (!state.ready) state.crash({ kind: "start", message: "The connector's process was not ready in time." });
  }, deps.startMs);
  let nextCall = 0;
  return {
    calls: deps.calls,
    get ready() {
      return state.ready && !state.over;
    },
    get running() {
      return state.calls.size;
    },
    get alone() {
      return state.calls.values().some(({ job }) => job.again);
    },
    take: (job) => {
      nextCall += 1;
      begin(state, nextCall, job);
    },
    end: (failure) => {
      if (!close(state)) return;
      for (const { job, deadline } of state.calls.values()) {
        clearTimeout(deadline);
        job.reject(failure);
      }
      state.calls.clear();
      deps.ended({ crash: undefined, wasReady: state.ready, again: [] });
    },
    watch: () => {
      if (state.over || child.pid === undefined || residentBytes(child.pid) <= deps.memoryBytes) return;
      state.crash({
        kind: "memory",
        message: `The connector's process used more than ${deps.memoryBytes / 1024 ** 2} MiB of memory.`,
      });
    },
    gone: child.gone.then(async (how) => {
      clearTimeout(patience);
      state.crash(lastWords(state, how));
      await deps.tidyUp();
    }),
  };
}

/** Ends the child. Returns false if the session was already closed. */
function close(state: State): boolean {
  if (state.over) return false;
  state.over = true;
  state.child.kill();
  return true;
}

function lastWords({ child, deps, ready }: State, how: string): Crash {
  const said = deps.hidden.reduce((text, path) => text.replaceAll(path, ""), child.stderr()).trim();
  if (/out of memory|memory exhausted|allowed memory size/i.test(said))
    return { kind: "memory", message: "The connector's process ran out of memory." };
  const words = said === "" ? "" : ` Output: ${said.slice(-MAX_LAST_WORDS)}`;
  return { kind: ready ? "crashed" : "start", message: `The connector's process ${how}.${words}` };
}

function begin(state: State, id: number, job: Job): void {
  const { hook, name, args, facts, deadlineMs } = job.call;
  const line = JSON.stringify({ t: "call", id, hook, name, args, facts });
  if (isTooLong(line)) return job.reject(new HookError("unavailable", "The input of the hook is larger than 4 MiB."));
  const deadline = setTimeout(() => {
    state.crash({ kind: "deadline", message: `${hook} ${name} took longer than ${deadlineMs} ms.` }, id);
  }, deadlineMs);
  state.calls.set(id, { job, deadline, services: 0, unanswered: 0, logged: 0 });
  state.child.send(line);
}

/** Rejects the culprit and the calls that cannot be repeated. Returns the others, which had no effect yet. */
function rejectCalls(state: State, crash: Crash, culprit: number | undefined): Job[] {
  const again: Job[] = [];
  const suspects = state.calls.size;
  for (const [id, running] of state.calls) {
    clearTimeout(running.deadline);
    const { job, services, logged } = running;
    const blamed = culprit === undefined ? suspects === 1 : id === culprit;
    if (blamed) job.reject(new HookError(crash.kind, crash.message));
    else if (services === 0 && logged === 0 && !job.again) again.push({ ...job, again: true });
    else job.reject(new HookError("crashed", `Another call ended the process. ${crash.message}`));
  }
  state.calls.clear();
  return again;
}

function handleMessage(state: State, message: Message | undefined, fault: (what: string) => void): void {
  if (state.over) return;
  if (message === undefined) return fault("a line is not a valid message.");
  if ((message.t === "ready") === state.ready) return fault("a line came too early or too late.");
  if (message.t === "ready") return handleReady(state, message.runtime, fault);
  const id = message.t === "done" || message.t === "failed" ? message.id : message.call;
  const running = state.calls.get(id);
  if (running === undefined) return fault("a line belongs to a call that is not running.");
  if (message.t === "service") handleService(state, running, message, fault);
  else if (message.t === "log") handleLog(running, message, fault);
  else handleEnd(state, running, message);
}

function handleEnd(
  state: State,
  { job, deadline }: Running,
  message: Extract<Message, { t: "done" | "failed" }>,
): void {
  state.calls.delete(message.id);
  clearTimeout(deadline);
  if (message.t === "done") job.resolve(message.value);
  else job.reject(failureOf(message.error));
  state.deps.changed();
}

function handleReady(state: State, runtime: string, fault: (what: string) => void): void {
  if (runtime !== state.deps.runtime) return fault("the process has another runtime.");
  state.ready = true;
  state.deps.changed();
}

function failureOf({ message, stack, code }: Extract<Message, { t: "failed" }>["error"]): HookError {
  return new HookError("threw", message, {
    ...(stack === undefined ? {} : { trace: stack }),
    ...(code === undefined ? {} : { code }),
  });
}

type ServiceRequest = Extract<Message, { t: "service" }>;

function handleService(state: State, running: Running, asked: ServiceRequest, fault: (what: string) => void): void {
  if (asked.id <= state.lastService) return fault("the id of a service call was already used.");
  state.lastService = asked.id;
  running.services += 1;
  running.unanswered += 1;
  if (running.unanswered > MAX_UNANSWERED || running.services > MAX_SERVICES)
    return fault("the call has too many service calls.");
  void answer(running.job.call, asked).then((line) => {
    running.unanswered -= 1;
    if (!state.over) state.child.send(line);
  });
}

async function answer(call: HookCall, { id, name, args }: ServiceRequest): Promise<string> {
  try {
    const value = (await call.service(name, args)) as Json | undefined;
    const line = JSON.stringify({ t: "answer", id, ok: true, value: value ?? null });
    return isTooLong(line) ? refusal(id, new HostError("too_large", "The response is larger than 4 MiB.")) : line;
  } catch (error) {
    // The connector does not see internal errors.
    return refusal(id, error instanceof HostError ? error : new HostError("failed", `${name} failed.`));
  }
}

function refusal(id: number, { code, message }: HostError): string {
  return JSON.stringify({ t: "answer", id, ok: false, error: { code, message } });
}

function handleLog(running: Running, line: LogLine, fault: (what: string) => void): void {
  running.logged += 1;
  if (running.logged > MAX_LOGGED) return fault("the call logs too much.");
  const { level, fields } = line;
  const message = line.message.slice(0, MAX_LOG_TEXT);
  const kept = fields !== undefined && JSON.stringify(fields).length <= MAX_LOG_TEXT;
  running.job.call.log(kept ? { level, message, fields } : { level, message });
}

function isTooLong(line: string): boolean {
  return line.length * 3 >= MAX_LINE_BYTES && Buffer.byteLength(line) >= MAX_LINE_BYTES;
}
