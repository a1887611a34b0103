import { setTimeout as sleep } from "node:timers/promises";
import { Junction, ServiceError } from "../../sdks/node/src/index.ts";
import type { Body, Call, Operation } from "./history.ts";
import type { Random } from "./random.ts";
import type { World } from "./world.ts";

/** One of several programs that use the service at the same time. */
export interface Client {
  readonly number: number;
  readonly random: Random;
  /**
   * Does an operation, and repeats it with the same idempotency key until there is a final answer or the client gives up. Returns the
   * response, or undefined if it was refused or its outcome is unknown.
   */
  call(operation: Operation, request: ClientRequest): Promise<Body | undefined>;
  /** Makes calls give up at once. */
  giveUp(): void;
}

export interface ClientRequest {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: string;
  readonly body?: object;
  /** Default: the owner's key. */
  readonly credential?: string | undefined;
  /** Give up after the first try. */
  readonly once?: boolean;
}

const TRY_MS = 15_000;
const PATIENCE_MS = 75_000;
const AFTER_FAILURE_MS = 250;
const SDK_RETRIES = 2;

export function createClient(world: World, number: number, random: Random, usesSdk: boolean): Client {
  let made = 0;
  let isOver = false;
  return {
    number,
    random,
    giveUp: () => {
      isOver = true;
    },
    async call(operation, request) {
      made += 1;
      const key = `nemesis-${number}-${made}`;
      const endMs = performance.now() + PATIENCE_MS;
      for (;;) {
        const { port } = random.pick([nodeOf(world, 0), nodeOf(world, 1)]);
        const startMs = world.history.now();
        const credential = request.credential ?? world.keys.owner;
        const tried = await (usesSdk ? bySdk : byFetch)(port, { ...request, credential, key });
        const call: Call = {
          kind: "call",
          client: number,
          operation,
          key,
          startMs,
          endMs: world.history.now(),
          ...tried,
        };
        world.history.add(call);
        if (isFinal(call)) return isDone(call) ? (call.body ?? {}) : undefined;
        if (isOver || request.once === true || performance.now() > endMs) return undefined;
        await sleep(AFTER_FAILURE_MS);
      }
    },
  };
}

/** True if the operation took effect. */
export function isDone({ status }: Pick<Call, "status">): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** True if it is known whether the operation took effect: what a 5xx or a lost connection did not say. */
export function isFinal(call: Pick<Call, "status" | "body">): boolean {
  if (isDone(call)) return true;
  const { status } = call;
  if (status === null || status >= 500 || status === 429 || status === 408) return false;
  return call.body?.["code"] !== "idempotency_in_progress";
}

function nodeOf(world: World, at: number): { readonly port: number } {
  return { port: world.nodes[at]?.node.port ?? 0 };
}

type Tried = Pick<Call, "status" | "body" | "error">;
type Sent = ClientRequest & { readonly credential: string; readonly key: string };

async function byFetch(port: number, { method, path, body, credential, key }: Sent): Promise<Tried> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${credential}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(method === "GET" ? {} : { "idempotency-key": key }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(TRY_MS),
    });
    const text = await answer.text();
    return { status: answer.status, body: text === "" ? null : (JSON.parse(text) as Body) };
  } catch (error) {
    return { status: null, body: null, error: describe(error) };
  }
}

async function bySdk(port: number, { method, path, body, credential, key }: Sent): Promise<Tried> {
  const baseUrl = `http://127.0.0.1:${port}`;
  const junction = new Junction({ apiKey: credential, baseUrl, timeoutMs: TRY_MS, maxRetries: SDK_RETRIES });
  try {
    const sent = { ...(body === undefined ? {} : { body }), ...(method === "GET" ? {} : { idempotencyKey: key }) };
    const { $response: response, ...answer } = await junction.request<Record<string, unknown>>(method, path, sent);
    return { status: response.status, body: answer };
  } catch (error) {
    if (!(error instanceof ServiceError)) return { status: null, body: null, error: describe(error) };
    return { status: error.status, body: error.problem, error: error.code };
  }
}

function describe(error: unknown): string {
  const { message, cause } = error as { readonly message?: string; readonly cause?: { readonly code?: string } };
  return cause?.code ?? message ?? String(error);
}
