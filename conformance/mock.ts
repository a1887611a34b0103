import { createHash, createHmac, randomUUID, timingSafeEqual } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** One step of a script; conformance/README.md says what each member does. */
export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly text?: string;
  readonly delay_ms?: number;
  readonly hang?: boolean;
  readonly reset?: "before" | "body";
  readonly stall?: boolean;
}

export interface Script {
  readonly answers: readonly Answer[];
  /** How far the server's clock is ahead of the real one. It refuses signed requests made by another clock. */
  readonly clock_ahead_s?: number;
}

export interface Seen {
  readonly method: string;
  /** The request target as on the wire. */
  readonly target: string;
  /** The target after `base_url`. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Milliseconds since the run was made. */
  readonly at_ms: number;
  /** Result of checking the signature of scheme `v1` with `MOCK_KEY`. */
  readonly signature: "valid" | "invalid" | "absent";
}

export interface MockServer {
  readonly url: string;
  close(): Promise<void>;
}

/** The API key whose signatures the mock server knows: that of signing.json. */
export const MOCK_KEY = "jn_live_9hT2mQe7xR4vK1pZ8cW6nB3yL5sD0fGaJuEo3kQ1xM741e8TL";
const CLOCK_WINDOW_S = 300;

interface Run {
  readonly script: Script;
  readonly startedAt: number;
  readonly seen: Seen[];
  /** Number of responses given so far. */
  given: number;
}

/** The scripted server of conformance/README.md on a free loopback port. */
export async function startMock(): Promise<MockServer> {
  const file = await readFile(new URL("scenarios.json", import.meta.url), "utf8");
  const { scenarios } = JSON.parse(file) as { readonly scenarios: readonly (Script & { readonly name: string })[] };
  const known = new Map(scenarios.map((scenario) => [scenario.name, scenario]));
  const runs = new Map<string, Run>();
  const server = createServer((request, response) => {
    serve({ known, runs }, request, response).catch((error: unknown) => {
      if (!response.headersSent) sendJson(response, 500, { detail: String(error) });
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface State {
  readonly known: ReadonlyMap<string, Script>;
  readonly runs: Map<string, Run>;
}

async function serve(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const target = request.url ?? "/";
  const body = await bodyOf(request);
  const origin = `http://${request.headers.host ?? ""}`;
  if (target === "/_runs") {
    startRun(state, { body, origin, response });
    return;
  }
  const [, id = ""] = /^\/(?:_runs|runs)\/([\w-]+)/.exec(target) ?? [];
  const run = state.runs.get(id);
  if (run === undefined) {
    sendJson(response, 404, { detail: "No such run." });
    return;
  }
  if (target.startsWith("/_runs/")) {
    sendJson(response, 200, { requests: run.seen, unused_answers: run.script.answers.length - run.given });
    return;
  }
  const prefix = `/runs/${id}`;
  const seen = seenOf(request, { body, path: target.slice(prefix.length), startedAt: run.startedAt });
  run.seen.push(seen);
  const answer = clockAnswer(run, seen) ?? next(run);
  await give(filled(answer, origin + prefix), response);
}

function startRun(
  { known, runs }: State,
  { body, origin, response }: { body: string; origin: string; response: ServerResponse },
): void {
  const wanted = JSON.parse(body) as Partial<Script> & { readonly scenario?: string };
  const script = wanted.scenario === undefined ? wanted : known.get(wanted.scenario);
  if (script?.answers === undefined) {
    sendJson(response, 422, { detail: "Name a scenario of scenarios.json, or send answers." });
    return;
  }
  const id = randomUUID();
  runs.set(id, { script: { ...script, answers: script.answers }, startedAt: Date.now(), seen: [], given: 0 });
  sendJson(response, 201, { id, base_url: `${origin}/runs/${id}` });
}

function next(run: Run): Answer {
  const answer = run.script.answers[run.given];
  if (answer === undefined) {
    const detail = "The script has no answer left: the client sent more requests than it should.";
    return { status: 418, json: { code: "request_too_many", detail, retryable: false } };
  }
  run.given += 1;
  return answer;
}

/** Refuses a timestamp more than 300 seconds from the server's time, as the service does. Undefined where it is close enough. */
function clockAnswer({ script }: Run, seen: Seen): Answer | undefined {
  const sent = seen.headers["x-service-timestamp"];
  if (script.clock_ahead_s === undefined || sent === undefined) return undefined;
  const serverTime = Math.floor(Date.now() / 1000) + script.clock_ahead_s;
  if (Math.abs(Number(sent) - serverTime) <= CLOCK_WINDOW_S) return undefined;
  const detail = "The timestamp is too far from the server's time.";
  const problem = { status: 401, code: "timestamp_out_of_range", detail, retryable: false, server_time: serverTime };
  return { status: 401, json: problem };
}

async function give(answer: Answer, response: ServerResponse): Promise<void> {
  await sleep(answer.delay_ms ?? 0, undefined, { ref: false });
  if (answer.hang === true) return;
  if (answer.reset === "before") {
    response.socket?.resetAndDestroy();
    return;
  }
  const body = bodyBytes(answer);
  response.writeHead(answer.status ?? 200, headersOf(answer, body.length));
  if (answer.reset === "body" || answer.stall === true) await giveHalf(answer, body, response);
  else response.end(body);
}

async function giveHalf(answer: Answer, body: Buffer, response: ServerResponse): Promise<void> {
  response.write(body.subarray(0, Math.floor(body.length / 2)));
  if (answer.stall === true) return;
  // The half must leave before the reset, which would discard it.
  await sleep(50);
  response.socket?.resetAndDestroy();
}

function bodyBytes({ json, text = "" }: Answer): Buffer {
  return Buffer.from(json === undefined ? text : JSON.stringify(json));
}

function headersOf({ status = 200, headers, json }: Answer, length: number): Record<string, string> {
  const type = status >= 400 ? "application/problem+json" : "application/json";
  return {
    ...(json === undefined ? {} : { "content-type": type }),
    "x-service-request-id": "req_mock",
    ...(status === 204 ? {} : { "content-length": String(length) }),
    ...headers,
  };
}

/** `{base_url}` in headers stands for the run's own, so that a redirect can lead back to it. */
function filled(answer: Answer, baseUrl: string): Answer {
  const headers = Object.entries(answer.headers ?? {}).map(([name, value]) => [
    name,
    value.replace("{base_url}", baseUrl),
  ]);
  return { ...answer, headers: Object.fromEntries(headers) as Record<string, string> };
}

interface Facts {
  readonly body: string;
  readonly path: string;
  readonly startedAt: number;
}

function seenOf(request: IncomingMessage, { body, path, startedAt }: Facts): Seen {
  const { method = "", url: target = "", headers } = request;
  return { method, target, path, headers, body, at_ms: Date.now() - startedAt, signature: judge(request, body) };
}

function judge({ method = "", url = "", headers }: IncomingMessage, body: string): Seen["signature"] {
  const signature = headers["x-service-signature"];
  if (typeof signature !== "string") return "absent";
  const key = String(headers["idempotency-key"] ?? "").replaceAll('"', "");
  const hash = createHash("sha256").update(body).digest("hex");
  const text = ["v1", headers["x-service-timestamp"], method, url, key, hash].join("\n");
  const expected = Buffer.from(createHmac("sha256", MOCK_KEY).update(text).digest("hex"));
  const given = Buffer.from(signature);
  return given.length === expected.length && timingSafeEqual(given, expected) ? "valid" : "invalid";
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}
