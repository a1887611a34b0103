import {
  createMcpHandler,
  isLegacyRequest,
  MissingRequiredClientCapabilityError,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import type { StandardSchemaV1 } from "@modelcontextprotocol/server";
import { isRecord, parseJson, pointerOf } from "../../lib/lib.ts";
import { inOwnWords } from "./fault-words.ts";
import { createKept, shapeOf } from "./kept-requests.ts";
import { acceptsTask, namesEvent, paramsOf, TASKS } from "./mcp-message.ts";

/** A message as received. Each is served without a session, so that any node can serve it. */
export interface Incoming {
  readonly message: unknown;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The server instructions, which a model receives first. */
  readonly instructions: string;
}

/** A complete response. The body is null if the protocol sends none. */
export interface Answer {
  readonly status: number;
  readonly body: string | null;
}

/** A request that the protocol library accepted and that we answer. */
export interface McpRequest {
  readonly method: Method;
  /** True for the protocol versions with a handshake. */
  readonly isLegacy: boolean;
  /** The version that a client with a handshake names in each request; undefined for the oldest ones. */
  readonly version: string | undefined;
  /** Returns the whole response in the message's version of the protocol. `members` is the JSON text of the result's members. */
  frame(members: string): string;
  /** Returns the whole response with an error. */
  fail(error: RpcError): string;
}

const TOOLS = ["tools/list", "tools/call"] as const;
/** The methods of the extension for tasks. */
const TASK_METHODS = ["tasks/get", "tasks/update", "tasks/cancel"] as const;
/** The methods of the tasks of protocol version 2025-11-25. */
const LEGACY_TASK_METHODS = ["tasks/get", "tasks/result", "tasks/cancel"] as const;
/** Experimental: no version of the protocol has them. */
const EVENT_METHODS = [
  "events/list",
  "events/poll",
  "events/stream",
  "events/subscribe",
  "events/unsubscribe",
] as const;
export type Method = (typeof TOOLS | typeof TASK_METHODS | typeof LEGACY_TASK_METHODS | typeof EVENT_METHODS)[number];

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export type Opened = { readonly answer: Answer } | { readonly question: McpRequest };

export type Protocol = ReturnType<typeof createProtocol>;

export interface ProtocolDeps {
  readonly version: string;
}

/** Headers that the protocol versions share. The library decides which of them a request must have. */
const PASSED_ON = ["mcp-protocol-version", "mcp-method", "mcp-name"] as const;
const INVALID_PARAMS = -32602;
const BATCH = { code: -32600, message: "Send one message per request. Batches are not supported." };
const NO_STREAMS = {
  code: -32601,
  message: "This server does not support subscriptions. Request the lists when you need them.",
};

export function createProtocol(deps: ProtocolDeps) {
  const kept = createKept<Accepted>();
  return {
    /** Validates a message by its version of the protocol: the stateless version 2026-07-28, or the earlier ones with a handshake. */
    async open(incoming: Incoming): Promise<Opened> {
      const { message } = incoming;
      if (Array.isArray(message)) return rejected(400, null, BATCH);
      if (isRecord(message) && message["method"] === "subscriptions/listen")
        return rejected(404, idOf(message), NO_STREAMS);
      const shape = shapeOf(message, sharedHeaders(incoming.headers));
      const judged = kept.get(shape) ?? (await judge(deps, incoming));
      if ("answer" in judged) return judged;
      kept.set(shape, judged);
      const { around, ...question } = judged;
      return withKnownParams({ ...question, ...framesOf(isRecord(message) ? idOf(message) : null, around) }, message);
    },
  };
}

/** A request that the protocol library accepted, with the members of its result around the real ones. */
interface Accepted extends Pick<McpRequest, "method" | "isLegacy" | "version"> {
  readonly around: Readonly<Record<string, unknown>>;
}

/** Lets the protocol library judge a message. */
async function judge(
  deps: ProtocolDeps,
  { message, headers, instructions }: Incoming,
): Promise<{ readonly answer: Answer } | Accepted> {
  let method: Method | undefined;
  const request = webRequest(headers);
  const isLegacy = await isLegacyRequest(request, message);
  const server = serverOf({ ...deps, instructions }, isLegacy, (asked) => {
    if (!isLegacy) assertDeclared(asked, message);
    method = asked;
  });
  const response = await (isLegacy ? respondLegacy : respond)(server, request, message);
  const body = await response.text();
  if (method === undefined || response.status !== 200)
    return { answer: { status: response.status, body: body === "" ? null : inOwnWords(nameOf(message), body) } };
  const version = isLegacy ? (request.headers.get("mcp-protocol-version") ?? undefined) : undefined;
  const { tools: _none, content: _nothing, ...around } = (parseJson(body) as Framed).result;
  return { method, isLegacy, version, around };
}

/** The members that each method reads of its params. Anything else could narrow what the client asks for, so that it is refused. */
const MEMBERS: Readonly<Record<Method, readonly string[]>> = {
  "tools/list": ["cursor"],
  "tools/call": ["name", "arguments", "task", "inputResponses", "requestState"],
  "tasks/get": ["taskId"],
  "tasks/result": ["taskId"],
  "tasks/update": ["taskId", "inputResponses", "requestState"],
  "tasks/cancel": ["taskId"],
  "events/list": ["cursor"],
  "events/poll": ["events", "filter", "tenant", "cursor", "limit"],
  "events/stream": ["events", "filter", "tenant", "cursor", "maxSeconds"],
  "events/subscribe": ["events", "filter", "tenant", "delivery", "expiresInSeconds"],
  "events/unsubscribe": ["subscriptionId"],
};

/** Those of a message that names one event, as SEP-3415 does. */
const MEMBERS_WITH_NAME: Partial<Record<Method, readonly string[]>> = {
  "events/subscribe": ["name", "arguments", "delivery", "ttlMs", "cursor"],
  "events/unsubscribe": ["name", "arguments", "delivery"],
};

function membersOf(method: Method, message: unknown): readonly string[] {
  return (namesEvent(message) ? MEMBERS_WITH_NAME[method] : undefined) ?? MEMBERS[method];
}

/** The protocol lets clients and proxies put members of their own into `_meta`. */
function unknownMembers(known: readonly string[], message: unknown): string[] {
  return Object.keys(paramsOf(message)).filter((name) => name !== "_meta" && !known.includes(name));
}

function withKnownParams(question: McpRequest, message: unknown): Opened {
  const known = membersOf(question.method, message);
  const unknown = unknownMembers(known, message);
  if (unknown.length === 0) return { question };
  return { answer: { status: 200, body: question.fail(unknownParams({ method: question.method, known }, unknown)) } };
}

function unknownParams(
  { method, known }: { readonly method: Method; readonly known: readonly string[] },
  names: readonly string[],
): RpcError {
  const errors = names.map((name) => ({ pointer: pointerOf([name]), code: "unknown", message: "is not known" }));
  const message = `${method} does not know ${names.join(", ").slice(0, 200).toWellFormed()}. It takes ${known.join(", ")}.`;
  return { code: INVALID_PARAMS, message, data: { code: "validation_failed", errors } };
}

/** Returns a server whose handlers give empty results. Its response is the frame for the real result. */
function serverOf(
  { version, instructions }: ProtocolDeps & Pick<Incoming, "instructions">,
  isLegacy: boolean,
  asked: (method: Method) => void,
): Server {
  const server = new Server(
    { name: "junction", title: "Junction", version },
    {
      capabilities: {
        tools: {},
        ...(isLegacy ? LEGACY_TASKS : {}),
        extensions: { ...(isLegacy ? {} : { [TASKS]: {} }), [EVENTS_EXTENSION]: {} },
        experimental: { events: EVENTS },
        ...CLIENTS_EVENTS,
      },
      instructions,
      jsonSchemaValidator: NO_VALIDATOR,
    },
  );
  server.setRequestHandler("tools/list", () => {
    asked("tools/list");
    return { tools: [] };
  });
  server.setRequestHandler("tools/call", () => {
    asked("tools/call");
    return { content: [] };
  });
  const methods = isLegacy ? LEGACY_TASK_METHODS : TASK_METHODS;
  for (const [method, params] of [
    ...methods.map((one) => [one, TASK_PARAMS] as const),
    ...EVENT_METHODS.map((one) => [one, ANY_PARAMS] as const),
  ])
    server.setRequestHandler(method, { params }, () => {
      asked(method);
      return {};
    });
  return server;
}

/** Throws for a method of the extension for tasks from a client that does not declare it with the request (SEP-2663). */
function assertDeclared(method: Method, message: unknown): void {
  if (!TASK_METHODS.some((one) => one === method) || acceptsTask(message, false)) return;
  throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [TASKS]: {} } } });
}

/** Where clients of SEP-3415 look for the methods for events, and where ChatGPT does. */
const EVENTS_EXTENSION = "io.modelcontextprotocol/events";
const CLIENTS_EVENTS = { events: {} };

/** The ways in which a client of the experimental dialect can get events. */
const EVENTS = { delivery: ["poll", "push", "webhook"] };

/** A list of tasks is not offered: each task is known to the client that started it. */
const LEGACY_TASKS = { tasks: { cancel: {}, requests: { tools: { call: {} } } } };

const TASK_PARAMS: StandardSchemaV1<unknown, unknown> = {
  "~standard": {
    version: 1,
    vendor: "junction",
    validate: (value) =>
      isRecord(value) && typeof value["taskId"] === "string"
        ? { value }
        : { issues: [{ message: "taskId must be a string" }] },
  },
};

/** The handlers report all faults of these with pointers. */
const ANY_PARAMS: StandardSchemaV1<unknown, unknown> = {
  "~standard": { version: 1, vendor: "junction", validate: (value) => ({ value }) },
};

/** Validates elicited answers of people, which this server never requests. */
const NO_VALIDATOR = {
  getValidator: (): never => {
    throw new Error("nothing is elicited");
  },
};

async function respond(server: Server, request: Request, message: unknown): Promise<Response> {
  const modern = createMcpHandler(() => server, { legacy: "reject" });
  return await modern.fetch(request, { parsedBody: message });
}

async function respondLegacy(server: Server, request: Request, message: unknown): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await transport.handleRequest(request, { parsedBody: message });
  } finally {
    await server.close();
  }
}

/** Requests JSON: every response is one JSON text, regardless of what else the client accepts. */
function webRequest(headers: Incoming["headers"]): Request {
  return new Request("http://mcp.invalid/mcp", {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...sharedHeaders(headers),
    },
  });
}

function sharedHeaders(headers: Incoming["headers"]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    PASSED_ON.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])] as const])),
  );
}

/** Returns functions that put the library's frame of an empty result around the real one. */
function framesOf(id: unknown, around: Accepted["around"]): Pick<McpRequest, "frame" | "fail"> {
  const start = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},`;
  return {
    frame(members) {
      // The result of a call can name another type than a complete result.
      const { resultType: _complete, ...others } = around;
      const rest = members.startsWith('"resultType":') ? others : around;
      const end = JSON.stringify(rest).slice(1, -1);
      return `${start}"result":{${[members, end].filter((part) => part !== "").join(",")}}}`;
    },
    fail: (error) => `${start}"error":${JSON.stringify(error)}}`,
  };
}

interface Framed {
  readonly result: Readonly<Record<string, unknown>>;
}

function rejected(status: number, id: unknown, error: RpcError): Opened {
  return { answer: { status, body: JSON.stringify({ jsonrpc: "2.0", id, error }) } };
}

function nameOf(message: unknown): string {
  return isRecord(message) && typeof message["method"] === "string" ? message["method"].slice(0, 100) : "The message";
}

function idOf({ id }: Readonly<Record<string, unknown>>): unknown {
  return typeof id === "string" || typeof id === "number" ? id : null;
}
