import {
  addActivity,
  contentOf,
  createMailService,
  find,
  fire,
  fixtureFor,
  http,
  readHttpRequest,
  upsert,
} from "../runtime/connector-runs.ts";
import type { CallContext, Fixture } from "../runtime/connector-runs.ts";
import { HostError } from "../sandbox/hosts.ts";
import type { Json } from "../../lib/lib.ts";
import { canonicalJson, systemClock, toRfc3339 } from "../../lib/lib.ts";
import { createTelemetry } from "../../platform/telemetry/telemetry.ts";

/** A request of the code with an effect that others can see. */
export interface Effect {
  readonly kind: "http" | "fire" | "mail" | "contact" | "activity";
  /** A short description for the report. */
  readonly what: string;
}

/** A request that was refused because connector.json does not declare it. */
export interface Undeclared {
  readonly service: string;
  readonly message: string;
}

/**
 * An in-memory service. It checks requests like the real one, answers from the connector's fixtures, and keeps its data
 * for all calls of the test.
 */
export type StandIn = ReturnType<typeof createStandIn>;

interface Memory {
  readonly kv: Map<string, Json>;
  readonly contacts: Map<string, Record<string, Json>>;
  /** The effects that happened for a cause. The service makes each only once. */
  readonly done: Set<string>;
  /** Idempotency keys that were already sent. */
  readonly idempotencyKeys: Set<string>;
  readonly effects: Effect[];
}

type Service = (context: CallContext, args: readonly Json[]) => Promise<Json>;

const GRANTED = { granted: true, limit: 1000, remaining: 999, resetSeconds: 60, retryAfterSeconds: 0 };
/** A database whose transactions store nothing. */
const NO_DB = { transaction: async (work: (tx: never) => Promise<unknown>) => await work({} as never) } as never;
const MAX_VALUE_BYTES = 64 * 1024;
const MAX_NAME = 200;

export function createStandIn(fixtures: readonly Fixture[] | null) {
  const memory: Memory = {
    kv: new Map(),
    contacts: new Map(),
    done: new Set(),
    idempotencyKeys: new Set(),
    effects: [],
  };
  const undeclared: Undeclared[] = [];
  const faults: string[] = [];
  const answers: string[] = [];
  const services = servicesOf(memory, fixtures);
  return {
    undeclared,
    /** The internal errors of this service, which are bugs of the kit. */
    faults,
    /** Every answer that was given, for the check for leaked secrets. */
    answers,
    /** Returns the effects since the last call. */
    takeEffects: (): Effect[] => memory.effects.splice(0),
    async answer(context: CallContext, name: string, args: readonly Json[]): Promise<Json> {
      const service = services.get(name);
      if (service === undefined) throw new HostError("invalid", `Unknown service: ${name.slice(0, 50)}.`);
      try {
        const value = await service(context, args);
        answers.push(JSON.stringify(value));
        return value;
      } catch (error) {
        if (!(error instanceof HostError))
          faults.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
        else if (error.code === "egress_undeclared" || error.code === "not_declared")
          undeclared.push({ service: name, message: error.message });
        throw error;
      }
    },
  };
}

function servicesOf(memory: Memory, fixtures: readonly Fixture[] | null): ReadonlyMap<string, Service> {
  const mail = createMailService({ db: NO_DB, log: createTelemetry("silent").log, mail: null });
  const people = peopleIn(memory);
  const kv = kvIn(memory);
  return new Map<string, Service>([
    ["http", async (context, args) => await askFixtures(memory, fixtures, context, args)],
    ["fire", async (context, args) => await fireOnce(memory, context, args)],
    [
      "mail",
      async (context, args) => {
        await mail.send(uncaused(context), args);
        const { to, subject } = args[0] as Record<string, Json>;
        noteOnce(memory, context, { kind: "mail", what: `mail to ${JSON.stringify(to)}: ${JSON.stringify(subject)}` });
        return null;
      },
    ],
    ["contacts.find", async (context, args) => await find(people, context, args)],
    ["contacts.upsert", async (context, args) => await upsert(people, context, args)],
    [
      "timeline.add",
      async (context, args) => {
        const answer = await addActivity(people, uncaused(context), args);
        noteOnce(memory, context, { kind: "activity", what: `activity of ${JSON.stringify(args[0])}` });
        return answer;
      },
    ],
    ...kv,
  ]);
}

/**
 * A POST is an effect unless the fixture allows its repetition, or unless its idempotency key was sent before. Other
 * methods may be repeated.
 */
async function askFixtures(
  memory: Memory,
  fixtures: readonly Fixture[] | null,
  context: CallContext,
  args: readonly Json[],
): Promise<Json> {
  const net = { send: async () => await Promise.reject(new Error("the kit does not send requests")) };
  const answer = await http(
    { net, clock: systemClock, fixtures: async () => await Promise.resolve(fixtures) },
    context,
    args,
  );
  const request = readHttpRequest(args[0]);
  const url = new URL(request.url);
  const asked = { method: request.method, url, content: contentOf(request) };
  if (request.method !== "POST" || fixtureFor(fixtures, asked, context.handles)?.request.repeatable === true)
    return answer;
  const key = Object.entries(request.headers ?? {}).find(([name]) => name.toLowerCase() === "idempotency-key")?.[1];
  const isRepeat = key !== undefined && memory.idempotencyKeys.has(key);
  if (key !== undefined) memory.idempotencyKeys.add(key);
  if (!isRepeat) memory.effects.push({ kind: "http", what: `POST ${url.origin}${url.pathname}` });
  return answer;
}

async function fireOnce(memory: Memory, context: CallContext, args: readonly Json[]): Promise<Json> {
  const events = { fireWithin: async () => await Promise.resolve([{ id: "evt_00000000kit00000000000000000fired" }]) };
  const rates = { take: async () => await Promise.resolve(GRANTED), peek: async () => await Promise.resolve(GRANTED) };
  const answer = await fire({ db: NO_DB, events: events as never, rates: rates as never }, uncaused(context), args);
  noteOnce(memory, context, { kind: "fire", what: `fire ${JSON.stringify(args[0])}` });
  return answer;
}

/** Removes the cause, because only `noteOnce` records effects by cause here. */
function uncaused(context: CallContext): CallContext {
  return { ...context, request: { ...context.request, cause: null } };
}

/** Records an effect once for its cause and its place in the call, as the service does. */
function noteOnce({ done, effects }: Memory, context: CallContext, effect: Effect): void {
  const { cause } = context.request;
  const place = `${cause ?? ""} ${effect.kind}:${context.count(`kit:${effect.kind}`, Number.MAX_SAFE_INTEGER)}`;
  if (cause !== null && done.has(place)) return;
  done.add(place);
  effects.push(effect);
}

function peopleIn({ contacts, effects }: Memory): Parameters<typeof find>[0] {
  const found = ({
    externalId,
    email,
  }: {
    readonly externalId?: string | undefined;
    readonly email?: string | undefined;
  }) =>
    [...contacts.values()].find(
      (one) =>
        (externalId !== undefined && (one["external_ids"] as string[]).includes(externalId)) ||
        (email !== undefined && one["email"] === email.toLowerCase()),
    );
  const customers = {
    find: async (_scope: unknown, by: Parameters<typeof found>[0]) => await Promise.resolve(found(by)),
    async upsert(_scope: unknown, input: Record<string, Json>) {
      const { external_id: externalId, email, ...told } = input as Record<string, string | undefined>;
      const before = found({ externalId, email });
      const after = {
        ...newContact(contacts.size + 1),
        ...before,
        ...told,
        ...(email === undefined ? {} : { email: email.toLowerCase() }),
        external_ids: [
          ...new Set([
            ...((before?.["external_ids"] as string[]) ?? []),
            ...(externalId === undefined ? [] : [externalId]),
          ]),
        ],
      } as Record<string, Json>;
      if (before === undefined || canonicalJson(before) !== canonicalJson(after))
        effects.push({ kind: "contact", what: `contact ${externalId ?? email ?? ""}` });
      contacts.set(after["id"] as string, after);
      return await Promise.resolve(after);
    },
  };
  const timeline = {
    addWithin: async () => await Promise.resolve({ id: "act_00000000kit0000000000000000added" }),
  };
  return { db: NO_DB, contacts: { customers, timeline } as never };
}

function newContact(number: number): Record<string, Json> {
  const created = toRfc3339(systemClock.now());
  return {
    id: `con_00000000kit${String(number).padStart(23, "0")}`,
    object: "customer",
    email: null,
    email_aliases: [],
    name: null,
    lifecycle_stage: null,
    score: 0,
    tags: [],
    tickets_open: 0,
    last_activity_at: null,
    created_at: created,
  };
}

function kvIn({ kv }: Memory): [string, Service][] {
  const named = (given: Json | undefined): string => {
    if (typeof given === "string" && given.length > 0 && given.length <= MAX_NAME && !given.includes("\u0000"))
      return given;
    throw new HostError("invalid", "kv: a key must be a string of 1 to 200 characters.");
  };
  const put = (name: string, value: Json): void => {
    if (value === null) kv.delete(name);
    else if (Buffer.byteLength(JSON.stringify(value)) > MAX_VALUE_BYTES)
      throw new HostError("too_large", "A value of kv must not be larger than 64 KiB.");
    else kv.set(name, value);
  };
  return [
    ["kv.get", async (_context, [key]) => await Promise.resolve(kv.get(named(key)) ?? null)],
    [
      "kv.set",
      async (_context, [key, value]) => {
        put(named(key), value ?? null);
        return await Promise.resolve(null);
      },
    ],
    [
      "kv.cas",
      async (_context, [key, expected, value]) => {
        const name = named(key);
        if (canonicalJson(kv.get(name) ?? null) !== canonicalJson(expected ?? null))
          return await Promise.resolve(false);
        put(name, value ?? null);
        return true;
      },
    ],
  ];
}
