import type { Delivered, EventName } from "./generated/events.ts";
import { errorFixtures, eventFixtures, operationFixtures } from "./generated/fixtures.ts";
import type { OperationName } from "./generated/fixtures.ts";
import { parseJson, toJson } from "./json.ts";
import type { FetchInit, FetchResponse, JunctionOptions } from "./settings.ts";
import { sign } from "./verification.ts";

export type { OperationName } from "./generated/fixtures.ts";

/** A request that the mock received. */
export interface MockCall {
  /** The dotted name. Null for a path without an operation. */
  readonly operation: string | null;
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** The parsed body. Undefined without a body. */
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

export interface MockReply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Mock {
  /** The options for `new Junction(mock.options)`. No request leaves the process, and retries do not wait. */
  readonly options: JunctionOptions;
  /** All requests, including retries. */
  readonly calls: readonly MockCall[];
  /** Sets the response of an operation, instead of the contract's example. A function is called for each request. */
  reply(operation: OperationName, body: object | ((call: MockCall) => object), reply?: MockReply): Mock;
  /** Sets the error of the next response only. Default status: the status of `code` in the error catalog. */
  fail(operation: OperationName, code: string, more?: object & { status?: number }): Mock;
  /** Breaks the connection of the next request. */
  disconnect(operation: OperationName): Mock;
}

const API_KEY = "jn_test_00000000000000000000000000000000000000000002X4FHy";

/** Test data: deliveries as the service sends them, and the contract's examples. */
export const fixtures = {
  /** A well-formed API key for `new Junction({ apiKey })` that no service accepts. */
  apiKey: API_KEY,
  /** The secret of `webhooks.fixtures.delivery`: whsec_ and 32 public bytes. */
  secret: "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
  /** Returns a body and its signed headers, as an endpoint receives them. */
  delivery,
  /** Returns a copy of the contract's example response of an operation. */
  answer(operation: OperationName): unknown {
    return structuredClone(operationFixtures[operation].body);
  },
  /** Returns a copy of the catalog's example data of an event. */
  data<Name extends keyof typeof eventFixtures>(event: Name): (typeof eventFixtures)[Name] {
    return structuredClone(eventFixtures[event]);
  },
};

export interface DeliveryOptions {
  readonly data?: object;
  readonly secret?: string;
  /** Unix time in seconds. Default: now. */
  readonly timestamp?: number;
  readonly id?: string;
}

/** Creates a transport that responds to every operation with the contract's example, and records all requests. */
export function mockTransport(): Mock {
  const calls: MockCall[] = [];
  const replies = new Map<string, (call: MockCall) => FetchResponse>();
  const once = new Map<string, (() => FetchResponse)[]>();
  const nextTime = (operation: string, give: () => FetchResponse): Mock => {
    once.set(operation, [...(once.get(operation) ?? []), give]);
    return mock;
  };
  const answer = (call: MockCall): FetchResponse => {
    const operation = call.operation ?? "";
    const planned = once.get(operation)?.shift();
    if (planned !== undefined) return planned();
    return replies.get(operation)?.(call) ?? example(call);
  };
  const mock: Mock = {
    calls,
    options: {
      apiKey: API_KEY,
      baseUrl: "http://127.0.0.1:4000",
      // The mock is asynchronous because the `fetch` that it replaces is.
      fetch: async (url, init) => {
        const call = callOf(url, init);
        calls.push(call);
        return await Promise.resolve(answer(call));
      },
      timing: { sleep: async () => undefined },
    },
    reply(operation, body, { status = operationFixtures[operation].status, headers = {} } = {}) {
      replies.set(operation, (call) => responseOf(status, typeof body === "function" ? body(call) : body, headers));
      return mock;
    },
    fail(operation, code, more = {}) {
      return nextTime(operation, () => problem(code, more));
    },
    disconnect(operation) {
      return nextTime(operation, () => {
        throw new TypeError("fetch failed", { cause: { code: "ECONNRESET" } });
      });
    },
  };
  return mock;
}

function delivery(
  event: EventName,
  { data, secret = fixtures.secret, timestamp, id = "dlv_7k2m9qaw01m7w4rx14e06t8399tk5zr5ty" }: DeliveryOptions = {},
): { body: string; headers: Record<string, string> } {
  const shown = (eventFixtures as object as Record<string, object>)[event];
  const message: Omit<Delivered, "signature" | "$raw"> = {
    event,
    delivery_id: id,
    idempotency_key: `idk_${id.slice("dlv_".length)}`,
    id: "evt_7k2m9qaw01m7w4q17jeay9df1b7sqp908g",
    type: event,
    timestamp: "2026-11-21T13:00:00.000Z",
    scope_kind: "workspace",
    scope_key: "ws_7k2m9qaw01m7w4trtpe5fa2qm9ja6ten3h",
    environment: "sandbox",
    data: { ...(data ?? shown) },
  };
  const unsigned = toJson({ ...message, signature: "" });
  const signature = sign(unsigned, secret)["X-Service-Signature"];
  const body = toJson({ ...message, signature: `sha256=${signature}` });
  return { body, headers: sign(body, secret, { timestamp, id }) };
}

interface Route {
  readonly operation: string;
  readonly method: string;
  readonly pattern: RegExp;
}

const routes: readonly Route[] = Object.entries(operationFixtures).map(([operation, { method, path }]) => ({
  operation,
  method,
  pattern: new RegExp(`^${path.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}$`),
}));

function callOf(url: string, { method, headers, body }: FetchInit): MockCall {
  const { pathname, searchParams } = new URL(url);
  const fitting = routes.filter((one) => one.method === method && one.pattern.test(pathname));
  // `/runs/{id}` is preferred to `/{id}/runs`: the pattern with the longer fixed beginning matches.
  const route = fitting.reduce<Route | undefined>(
    (best, one) => (best === undefined || fixedLength(one) > fixedLength(best) ? one : best),
    undefined,
  );
  return {
    operation: route?.operation ?? null,
    method,
    path: pathname,
    query: Object.fromEntries(searchParams),
    body: body === undefined ? undefined : parseJson(body),
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
  };
}

function fixedLength({ pattern }: Route): number {
  return pattern.source.indexOf("[");
}

function example({ operation }: MockCall): FetchResponse {
  if (operation === null) return problem("route_not_found", {});
  const { status, body } = operationFixtures[operation as OperationName];
  return responseOf(status, body, {});
}

function problem(code: string, more: object & { status?: number }): FetchResponse {
  const known = errorFixtures[code];
  const { status, title, retryable } = { status: 500, title: code, retryable: false, ...known };
  const body = {
    type: `http://127.0.0.1:4000/docs/errors/${code}`,
    title,
    status: more.status ?? status,
    code,
    detail: title,
    instance: "/mock",
    request_id: "req_mock",
    retryable,
    errors: [],
    ...more,
  };
  return responseOf(body.status, body, { "content-type": "application/problem+json" });
}

function responseOf(status: number, body: unknown, headers: Readonly<Record<string, string>>): FetchResponse {
  const all = { "content-type": "application/json", "x-service-request-id": "req_mock", ...headers };
  const text = body === null ? "" : toJson(body);
  return {
    status,
    headers: {
      forEach(each) {
        for (const [name, value] of Object.entries(all)) each(value, name);
      },
    },
    text: async () => await Promise.resolve(text),
  };
}
