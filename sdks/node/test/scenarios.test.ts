import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect } from "vitest";
import { startMock } from "../../../conformance/mock.ts";
import type { MockServer, Seen } from "../../../conformance/mock.ts";
import { covers } from "../../../requirements/covers.ts";
import * as sdk from "../src/index.ts";
import type { Answered, JunctionOptions, Page } from "../src/index.ts";

/** conformance/README.md describes the members. */
interface Scenario {
  readonly name: string;
  readonly about: string;
  readonly client?: Readonly<Record<string, number | boolean>>;
  readonly random?: readonly number[];
  readonly call: ScenarioCall;
  readonly expect: Readonly<Record<string, unknown>>;
}

interface ScenarioCall {
  readonly operation?: string;
  readonly path?: readonly string[];
  readonly query?: object;
  readonly body?: {
    readonly event?: string;
    readonly data?: object;
    readonly action?: string;
    readonly parameters?: Record<string, unknown>;
  };
  readonly idempotency_key?: string;
  readonly request?: { readonly method: string; readonly path: string; readonly body?: unknown };
  readonly iterate?: boolean;
  readonly take?: number;
}

/** The outcome of a call. */
interface Outcome {
  readonly result?: Answered<object>;
  readonly items?: string[];
  readonly error?: unknown;
  readonly waits: readonly number[];
  readonly requests: readonly Seen[];
}

const CLASSES: Readonly<Record<string, unknown>> = {
  service: sdk.ServiceError,
  authentication: sdk.AuthenticationError,
  permission: sdk.PermissionError,
  rate_limit: sdk.RateLimitError,
  idempotency: sdk.IdempotencyError,
  validation: sdk.ValidationError,
  not_found: sdk.NotFoundError,
  conflict: sdk.ConflictError,
  server: sdk.ServerError,
  connection: sdk.ConnectionError,
  timeout: sdk.TimeoutError,
};

const OPTIONS: Readonly<Record<string, keyof JunctionOptions>> = {
  max_retries: "maxRetries",
  timeout_ms: "timeoutMs",
  deadline_ms: "deadlineMs",
  sign: "sign",
};

const REQUIREMENTS = [
  ["retry", "sdk.handles.retries"],
  ["signatures", "sdk.handles.signing"],
  ["idempotency_key", "sdk.handles.idempotency"],
] as const;

const file = await readFile(new URL("../../../conformance/scenarios.json", import.meta.url), "utf8");
const { key, scenarios } = JSON.parse(file) as { readonly key: string; readonly scenarios: readonly Scenario[] };

let mock: MockServer;

beforeAll(async () => {
  mock = await startMock();
});

afterAll(async () => {
  await mock.close();
});

for (const scenario of scenarios) {
  covers(requirementOf(scenario), `${scenario.name}: ${scenario.about}`, async () => {
    const outcome = await play(scenario);
    for (const [name, expected] of Object.entries(scenario.expect)) {
      const check = CHECKS[name];
      if (check === undefined) throw new Error(`This SDK does not know the expectation ${name}.`);
      check(outcome, expected);
    }
    if (!("error" in scenario.expect)) expect(outcome.error).toBeUndefined();
  });
}

type Check = (outcome: Outcome, expected: unknown) => void;

const CHECKS: Readonly<Record<string, Check>> = {
  requests: ({ requests }, expected) => expect(requests).toHaveLength(expected as number),
  waits_ms: ({ waits }, expected) => expect(waits).toEqual(expected),
  paths: ({ requests }, expected) => expect(requests.map(({ path }) => path)).toEqual(expected),
  bodies: ({ requests }, expected) =>
    expect(requests.map(({ body }) => (body === "" ? null : (JSON.parse(body) as unknown)))).toEqual(expected),
  signatures: ({ requests }, expected) => expect(requests.map(({ signature }) => signature)).toEqual(expected),
  sent_headers: ({ requests }, expected) => expect(requests[0]?.headers).toMatchObject(expected as object),
  sent_header_names: ({ requests }, expected) =>
    expect(Object.keys(requests[0]?.headers ?? {})).toEqual(expect.arrayContaining(expected as string[])),
  idempotency_key: ({ requests }, expected) => {
    const sent = requests[0]?.headers["idempotency-key"] ?? null;
    if (expected === "uuid4") expect(sent).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    else expect(sent).toBe(expected);
  },
  same_idempotency_key: ({ requests, result, error }) => {
    const sent = new Set(requests.map(({ headers }) => headers["idempotency-key"]));
    const visible = result?.$response.idempotencyKey ?? (error as sdk.ServiceError).idempotencyKey;
    expect([...sent]).toEqual([visible]);
    expect(visible).toMatch(/./);
  },
  result: ({ result }, expected) => expect(result).toMatchObject(expected as object),
  attempts: ({ result }, expected) => expect(result?.$response.attempts).toBe(expected),
  replayed: ({ result }, expected) => expect(result?.$response.replayed).toBe(expected),
  request_id: ({ result }, expected) => expect(result?.$response.requestId).toBe(expected),
  page: ({ result }, expected) => {
    const { data, has_more, next_cursor } = result as unknown as Page<{ id: string }>;
    expect({ ids: data.map(({ id }) => id), has_more, next_cursor }).toEqual(expected);
  },
  items: ({ items }, expected) => expect(items).toEqual(expected),
  error: ({ error }, expected) => {
    const { class: name, ...facts } = expected as Record<string, unknown> & { class: string };
    expect(error).toBeInstanceOf(sdk.ServiceError);
    expect((error as Error).constructor).toBe(CLASSES[name]);
    const pairs = Object.entries(facts).map(([fact, value]) => [camel(fact), value]);
    expect(error).toMatchObject(Object.fromEntries(pairs) as object);
  },
};

async function play(scenario: Scenario): Promise<Outcome> {
  const made = await fetch(`${mock.url}/_runs`, { method: "POST", body: JSON.stringify({ scenario: scenario.name }) });
  const { id, base_url: baseUrl } = (await made.json()) as { id: string; base_url: string };
  const waits: number[] = [];
  const random = [...(scenario.random ?? [])];
  const options = Object.entries(scenario.client ?? {}).map(([name, value]) => [OPTIONS[name], value]);
  const junction = new sdk.Junction({
    apiKey: key,
    baseUrl,
    timing: {
      sleep: async (ms) => {
        waits.push(ms);
        await Promise.resolve();
      },
      random: () => random.shift() ?? 0.5,
    },
    ...(Object.fromEntries(options) as JunctionOptions),
  });
  const came = await make(junction, scenario.call);
  const seen = await fetch(`${mock.url}/_runs/${id}`);
  const { requests } = (await seen.json()) as { requests: Seen[] };
  return { ...came, waits, requests };
}

async function make(junction: sdk.Junction, call: ScenarioCall): Promise<Pick<Outcome, "result" | "items" | "error">> {
  const items: string[] = [];
  try {
    if (call.iterate !== true) return { result: await send(junction, call) };
    for await (const { id } of listOf(junction, call)) {
      items.push(id);
      if (items.length === call.take) break;
    }
    return { items };
  } catch (error) {
    return { error, items };
  }
}

async function send(junction: sdk.Junction, call: ScenarioCall): Promise<Answered<object>> {
  const [id = ""] = call.path ?? [];
  if (call.request !== undefined) {
    const { method, path, body } = call.request;
    return await junction.request(method, path, { body });
  }
  if (call.operation?.endsWith(".list") === true) return await listOf(junction, call);
  const operate = OPERATIONS[call.operation ?? ""];
  if (operate === undefined) throw new Error(`This SDK's test does not know the operation ${String(call.operation)}.`);
  return await operate(junction, { ...call, id });
}

type Listing = AsyncIterable<{ readonly id: string }> & PromiseLike<Answered<object>>;

const LISTS: Readonly<Record<string, (junction: sdk.Junction, query?: object) => Listing>> = {
  "tickets.list": (junction, query) => junction.tickets.list(query),
  "standing_approvals.list": (junction, query) => junction.standingApprovals.list(query),
  "connected_apps.list": (junction, query) => junction.connectedApps.list(query),
};

function listOf(junction: sdk.Junction, { operation = "", query }: ScenarioCall): Listing {
  const list = LISTS[operation];
  if (list === undefined) throw new Error(`This SDK's test does not know the list ${operation}.`);
  return list(junction, query);
}

type Operate = (junction: sdk.Junction, call: ScenarioCall & { readonly id: string }) => PromiseLike<Answered<object>>;

const OPERATIONS: Readonly<Record<string, Operate>> = {
  "events.fire": async (junction, { body, idempotency_key: idempotencyKey }) =>
    await junction.events.fire(body?.event ?? "", body?.data ?? {}, { idempotencyKey }),
  "actions.run": async (junction, { body }) => await junction.actions.run(body?.action ?? "", body?.parameters ?? {}),
  "customers.get": async (junction, { id }) => await junction.customers.get(id),
  "webhook_endpoints.delete": async (junction, { id }) => await junction.webhookEndpoints.delete(id),
  "standing_approvals.end": async (junction, { id }) => await junction.standingApprovals.end(id),
  "connected_apps.end": async (junction, { id }) => await junction.connectedApps.end(id),
};

function requirementOf(scenario: Scenario) {
  const text = JSON.stringify(scenario);
  return REQUIREMENTS.find(([word]) => text.includes(word))?.[1] ?? "sdk.wrapper.thin";
}

function camel(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}
