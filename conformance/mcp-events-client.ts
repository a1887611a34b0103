import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * A client of MCP Events that does what ChatGPT and the public bridges do (SEP-3415). It subscribes with a secret of its own, repeats the
 * challenge and verifies each delivery. It refreshes before the end, rotates its secret, and refuses what it cannot use. See README.md.
 */
export interface EventsClient {
  /** The callback URL. */
  readonly url: string;
  /** The deliveries that passed every check, and those that did not, in order. */
  readonly received: readonly ReceivedEvent[];
  readonly challenges: readonly Challenge[];
  /** Sends one message. Returns the whole JSON-RPC response, or the problem document. */
  ask(method: string, params?: Record<string, unknown>): Promise<RpcResponse>;
  /** Subscribes, or refreshes what it subscribed to before, with the current secret. */
  subscribe(name: string, given?: Record<string, unknown>, more?: Record<string, unknown>): Promise<RpcResponse>;
  unsubscribe(name: string, given?: Record<string, unknown>): Promise<RpcResponse>;
  /** Returns the current secret, for another client that subscribes this callback URL. */
  secret(): string;
  /** Uses a new secret from now on, and accepts both for the overlap. */
  rotate(): void;
  /** Forgets the secret before the last rotation. */
  endOverlap(): void;
  /** Sets how challenges are answered: faithfully, with another text, or as a status. */
  answerChallenges(how: "echo" | "forge" | number): void;
  /** Sets the status of the responses to deliveries. Default: 200. */
  answerEvents(status: number): void;
  /** Resolves when this number of deliveries has arrived in total. */
  count(wanted: number): Promise<readonly ReceivedEvent[]>;
  close(): Promise<void>;
}

export interface ReceivedEvent {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly event: Readonly<Record<string, unknown>>;
  /** The reason for which a client would refuse the delivery. */
  readonly faults: readonly string[];
  /** True for an event that the client has processed: the id of the message is known. */
  readonly isRepeated: boolean;
}

export interface Challenge {
  readonly headers: IncomingHttpHeaders;
  readonly faults: readonly string[];
}

export interface RpcResponse {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly result: Readonly<Record<string, unknown>> | undefined;
  readonly error:
    | { readonly code: number; readonly message: string; readonly data?: Readonly<Record<string, unknown>> }
    | undefined;
}

export interface EventsClientOptions {
  /** The address of the MCP server. */
  readonly server: string;
  /** An API key, or an access token. */
  readonly token: string;
  readonly protocol?: "2026-07-28" | "2025-11-25";
  /** How it spells absent members. Clients in Python send null. */
  readonly absent?: "omitted" | "null";
}

const MOST_BYTES = 262_144;
const TOLERANCE_S = 300;
const PATIENCE_MS = 60_000;

export async function startEventsClient(options: EventsClientOptions): Promise<EventsClient> {
  const receiver = await startCallback();
  const { url } = receiver;
  const given = (args: Record<string, unknown> | undefined): Record<string, unknown> => {
    if (args !== undefined) return { arguments: args };
    return options.absent === "null" ? { arguments: null } : {};
  };
  const asked = async (method: string, params: Record<string, unknown> = {}): Promise<RpcResponse> =>
    await ask(options, method, params);
  return {
    ...receiver.controls,
    url,
    received: receiver.received,
    challenges: receiver.challenges,
    secret: receiver.secret,
    ask: asked,
    subscribe: async (name, args, more = {}) =>
      await asked("events/subscribe", {
        name,
        ...given(args),
        delivery: { mode: "webhook", url, secret: receiver.secret() },
        ...(options.absent === "null" ? { cursor: null, ttlMs: null } : {}),
        ...more,
      }),
    unsubscribe: async (name, args) =>
      await asked("events/unsubscribe", { name, ...given(args), delivery: { mode: "webhook", url } }),
  };
}

async function ask(
  { server, token, protocol = "2026-07-28" }: EventsClientOptions,
  method: string,
  params: Record<string, unknown>,
): Promise<RpcResponse> {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": protocol,
    "io.modelcontextprotocol/clientInfo": { name: "mock-events-client", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const isStateless = protocol === "2026-07-28";
  const answer = await fetch(server, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${token}`,
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      "MCP-Protocol-Version": protocol,
      ...(isStateless ? { "Mcp-Method": method, ...nameHeader(params["name"]) } : {}),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: isStateless ? { ...params, _meta } : params }),
  });
  const body = (await answer.json()) as Record<string, unknown>;
  const { result, error } = body as Pick<RpcResponse, "result" | "error">;
  return { status: answer.status, body, result, error };
}

function nameHeader(name: unknown): Record<string, string> {
  return typeof name === "string" ? { "Mcp-Name": name } : {};
}

interface Callback extends Pick<EventsClient, "url" | "received" | "challenges"> {
  readonly controls: Pick<
    EventsClient,
    "rotate" | "endOverlap" | "answerChallenges" | "answerEvents" | "count" | "close"
  >;
  secret(): string;
}

/** The receiver of the client. */
async function startCallback(): Promise<Callback> {
  let secrets = [newSecret()];
  let challenged: "echo" | "forge" | number = "echo";
  let status = 200;
  const received: ReceivedEvent[] = [];
  const challenges: Challenge[] = [];
  const seen = new Set<string>();
  const waiting = createWaiting(() => received);

  function respond(headers: IncomingHttpHeaders, bytes: Buffer, response: ServerResponse): void {
    const faults = signatureFaults(secrets, headers, bytes);
    const body = bytes.toString();
    const event = parsed(body);
    const id = String(headers["webhook-id"]);
    if (event["type"] === "verification") {
      challenges.push({ headers, faults: [...faults, ...(id.startsWith("msg_verification_") ? [] : ["webhook-id"])] });
      return answerChallenge(response, event["challenge"], challenged);
    }
    const isRepeated = seen.has(id);
    received.push({ headers, body, event, faults: [...faults, ...eventFaults(headers, bytes, event)], isRepeated });
    if (status < 300) seen.add(id);
    response.writeHead(status).end();
    waiting.check();
  }

  const server = createServer((request, response) => {
    void readAll(request).then((body) => respond(request.headers, body, response));
  });
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp-events`,
    received,
    challenges,
    secret: () => secrets[0] ?? "",
    controls: {
      rotate() {
        secrets = [newSecret(), ...secrets.slice(0, 1)];
      },
      endOverlap() {
        secrets = secrets.slice(0, 1);
      },
      answerChallenges(how) {
        challenged = how;
      },
      answerEvents(next) {
        status = next;
      },
      count: waiting.count,
      async close() {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      },
    },
  };
}

function answerChallenge(response: ServerResponse, challenge: unknown, how: "echo" | "forge" | number): void {
  if (typeof how === "number") return void response.writeHead(how, { Location: "/" }).end();
  const answer = how === "echo" ? challenge : `${String(challenge)}x`;
  response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify({ challenge: answer }));
}

function createWaiting(received: () => readonly ReceivedEvent[]): Pick<EventsClient, "count"> & { check(): void } {
  const waiting = new Set<() => void>();
  return {
    check() {
      for (const one of waiting) one();
    },
    count: async (wanted) =>
      await new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(check);
          reject(new Error(`received ${received().length} of ${wanted} events`));
        }, PATIENCE_MS);
        const check = (): void => {
          if (received().length < wanted) return;
          clearTimeout(timer);
          waiting.delete(check);
          resolve(received());
        };
        waiting.add(check);
        check();
      }),
  };
}

function newSecret(): string {
  return `whsec_${randomBytes(32).toString("base64")}`;
}

/** Verifies as the libraries of Standard Webhooks do. */
function signatureFaults(secrets: readonly string[], headers: IncomingHttpHeaders, body: Buffer): string[] {
  const [id, timestamp, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) =>
    String(headers[name]),
  );
  const signed = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]);
  const offered = String(signatures)
    .split(" ")
    .map((one) => Buffer.from(one.replace(/^v1,/, ""), "base64"));
  const isValid = secrets.some((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
    const expected = createHmac("sha256", key).update(signed).digest();
    return offered.some((one) => one.length === expected.length && timingSafeEqual(one, expected));
  });
  const isTimely = Math.abs(Date.now() / 1000 - Number(timestamp)) <= TOLERANCE_S;
  return [...(isValid ? [] : ["webhook-signature"]), ...(isTimely ? [] : ["webhook-timestamp"])];
}

const MEMBERS = ["eventId", "name", "timestamp", "data", "cursor"];

function eventFaults(
  headers: IncomingHttpHeaders,
  bytes: Buffer,
  event: Readonly<Record<string, unknown>>,
): readonly string[] {
  return [
    ...(bytes.length <= MOST_BYTES ? [] : ["size"]),
    ...(headers["webhook-id"] === event["eventId"] ? [] : ["webhook-id"]),
    ...(String(headers["x-mcp-subscription-id"]).startsWith("sub_") ? [] : ["x-mcp-subscription-id"]),
    ...(JSON.stringify(Object.keys(event)) === JSON.stringify(MEMBERS) ? [] : ["members"]),
    ...(event["cursor"] === null ? [] : ["cursor"]),
    ...(Number.isNaN(Date.parse(String(event["timestamp"]))) ? ["timestamp"] : []),
    ...Object.keys(headers).filter((name) => name.startsWith("x-service-")),
  ];
}

function parsed(body: string): Record<string, unknown> {
  try {
    return JSON.parse(body) as Record<string, unknown>;
  } catch {
    return {};
  }
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
