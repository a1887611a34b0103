import { AsyncLocalStorage } from "node:async_hooks";
import { inspect } from "node:util";
import type { Binding } from "./binding.ts";
import { HostError } from "./host-error.ts";
import type { ConnectorEvent, HostErrorCode, Json, LogLevel, Sayable } from "./types.ts";
import { lineOf, Unsayable } from "./wire.ts";
import type { Message, Wire } from "./wire.ts";

const MAX_OPEN = 16;
const MAX_SERVICES = 10_000;
const MAX_LOGS = 100;
const MAX_LOG_MESSAGE = 8192;

/** One call of a hook while it runs. */
export interface Call {
  readonly id: number;
  readonly binding: Binding;
  log(level: LogLevel, message: string, fields?: Readonly<Record<string, Sayable>>): void;
  /** Ends the call once. Lines that are sent afterwards are ignored. */
  end(line: string): void;
  readonly over: boolean;
}

export interface Calls {
  begin(message: Message): Call;
  answer(message: Message): void;
  /** Returns the call whose code is running, or undefined. */
  current(): Call | undefined;
  run<T>(call: Call, work: () => T): T;
}

interface Waiting {
  readonly resolve: (value: Json) => void;
  readonly reject: (error: HostError) => void;
}

interface Facts {
  readonly event: ConnectorEvent | null;
  readonly settings: Readonly<Record<string, Json>>;
  readonly now: string;
}

const elapsedMs = performance.now.bind(performance);

export function createCalls(wire: Wire): Calls {
  const store = new AsyncLocalStorage<Call>();
  const waiting = new Map<number, Waiting>();
  let lastService = 0;

  async function ask(call: number, name: string, args: readonly Sayable[]): Promise<Json> {
    const id = lastService + 1;
    const line = sayable({ t: "service", id, call, name, args }, `What ${name} is asked`);
    lastService = id;
    return await new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      wire.send(line);
    });
  }

  return {
    begin: (message) => beginCall(message, wire, ask),
    answer: (message) => {
      const asked = waiting.get(message["id"] as number);
      if (asked === undefined) return;
      waiting.delete(message["id"] as number);
      if (message["ok"] === true) return asked.resolve(message["value"] ?? null);
      const { code, message: text } = message["error"] as { code: HostErrorCode; message: string };
      asked.reject(new HostError(code, text));
    },
    current: () => store.getStore(),
    run: (call, work) => store.run(call, work),
  };
}

type Ask = (call: number, name: string, args: readonly Sayable[]) => Promise<Json>;

function beginCall(message: Message, wire: Wire, ask: Ask): Call {
  const id = message["id"] as number;
  const facts = message["facts"] as unknown as Facts;
  const startedMs = elapsedMs();
  const turns = takeTurns(MAX_OPEN);
  let asked = 0;
  let logged = 0;
  let over = false;

  const log: Call["log"] = (level, text, fields) => {
    if (over) return;
    logged += 1;
    if (logged <= MAX_LOGS) wire.send(logLine(id, level, text, fields));
  };
  const binding: Binding = {
    event: facts.event,
    ask: async (service, args) => {
      asked += 1;
      if (asked > MAX_SERVICES)
        throw new HostError("rate_limited", `One call can request at most ${MAX_SERVICES} services.`);
      return await turns(async () => {
        if (over) throw new HostError("invalid", "The call has ended. It cannot request services.");
        return await ask(id, service, args);
      });
    },
    log: (level, text, fields) => log(LEVELS.has(level) ? level : "info", shown(text), fields),
    setting: (name) => (Object.hasOwn(facts.settings, name) ? (facts.settings[name] ?? null) : null),
    now: () => new Date(Date.parse(facts.now) + elapsedMs() - startedMs).toISOString(),
    read: readJson,
  };
  return {
    id,
    binding,
    log,
    end: (line) => {
      if (over) return;
      over = true;
      if (logged > MAX_LOGS)
        wire.send(logLine(id, "warning", `${logged - MAX_LOGS} more lines are left out.`, undefined));
      wire.send(line);
    },
    get over() {
      return over;
    },
  };
}

const LEVELS: ReadonlySet<string> = new Set<LogLevel>(["debug", "info", "warning", "error"]);

function shown(text: unknown): string {
  return typeof text === "string" ? text : inspect(text);
}

/** Runs at most `places` tasks at once, in order. */
function takeTurns(places: number): <T>(work: () => Promise<T>) => Promise<T> {
  const queue: (() => void)[] = [];
  let free = places;
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => queue.push(resolve));
    try {
      return await work();
    } finally {
      const next = queue.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}

function logLine(
  call: number,
  level: LogLevel,
  text: string,
  fields: Readonly<Record<string, Sayable>> | undefined,
): string {
  const message = text.slice(0, MAX_LOG_MESSAGE);
  const plain = { t: "log", call, level, message };
  if (fields === undefined || fields === null) return lineOf(plain, "A log line");
  try {
    const line = lineOf({ ...plain, fields: { ...fields } }, "A log line");
    return line.length < 3 * MAX_LOG_MESSAGE ? line : lineOf(plain, "A log line");
  } catch {
    return lineOf(plain, "A log line");
  }
}

function sayable(message: Readonly<Record<string, unknown>>, what: string): string {
  try {
    return lineOf(message, what);
  } catch (error) {
    if (error instanceof Unsayable) throw new HostError(error.tooLarge ? "too_large" : "invalid", error.message);
    throw error;
  }
}

function readJson(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}
