import { WebhookVerificationError } from "./errors.ts";
import type { Delivered } from "./generated/events.ts";
import { verify } from "./verification.ts";
import type { HeaderSource, RawBody, VerifyOptions } from "./verification.ts";

/** The endpoint's secret, or several during a rotation. A function is called for each delivery. */
export type SecretSource = string | readonly string[] | (() => string | readonly string[]);

/** The request of Node, as Express passes it. */
export interface NodeRequest extends AsyncIterable<unknown> {
  readonly headers: { readonly [name: string]: string | string[] | undefined };
  readonly readableEnded?: boolean;
  body?: unknown;
  /** The verified delivery, for the next handlers. */
  junction?: Delivered;
}

export interface NodeResponse {
  statusCode: number;
  setHeader(name: string, value: string): unknown;
  end(text?: string): unknown;
}

/** The part of a Fastify instance that the plugin uses. */
export interface FastifyLike {
  removeAllContentTypeParsers(): void;
  addContentTypeParser(
    type: string,
    options: { parseAs: "buffer"; bodyLimit: number },
    parser: (request: unknown, body: Uint8Array, done: (error: null, body: unknown) => void) => void,
  ): void;
  post(path: string, handler: (request: FastifyRequestLike, reply: FastifyReplyLike) => Promise<unknown>): unknown;
}

interface FastifyRequestLike {
  readonly body: unknown;
  readonly headers: { readonly [name: string]: string | string[] | undefined };
}

interface FastifyReplyLike {
  code(status: number): { send(body?: unknown): unknown };
}

export interface FastifyWebhookOptions extends VerifyOptions {
  /** The path of the route. Default: `/webhooks`. */
  readonly path?: string;
  readonly secret: SecretSource;
  readonly handler: (delivery: Delivered) => unknown;
}

/** `Response`, if the types of the DOM or of Node are available. */
type WebResponse = typeof globalThis extends { Response: { prototype: infer Made } } ? Made : object;

interface WebRequest {
  readonly headers: { get(name: string): string | null };
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** The maximum size of a delivery: 256 KiB and its envelope. */
const MOST_BYTES = 1024 * 1024;

/**
 * Express middleware. Reads the raw body, or takes it from `express.raw()`, and passes the verified delivery to the next
 * handler as `request.junction`. Responds with 401 if the signature is not valid. Must be registered before `express.json()`.
 */
export function expressWebhook(
  secret: SecretSource,
  options: VerifyOptions = {},
): (request: NodeRequest, response: NodeResponse, next: (error?: unknown) => void) => Promise<void> {
  return async (request, response, next) => {
    const outcome = await receive(request, secret, options);
    if ("delivery" in outcome) {
      request.junction = outcome.delivery;
      next();
      return;
    }
    const { error } = outcome;
    if (!isRefusal(error)) {
      next(error);
      return;
    }
    response.statusCode = 401;
    response.setHeader("Content-Type", "application/json");
    response.end(JSON.stringify(answerOf(error)));
  };
}

/**
 * A Fastify plugin with one route: `app.register(webhooks.fastify({ secret, handler }))`. Fastify handles errors of
 * `handler`, so that the service retries the delivery.
 */
export function fastifyWebhook({ path = "/webhooks", secret, handler, ...options }: FastifyWebhookOptions) {
  return async (app: FastifyLike): Promise<void> => {
    // The parser applies only within the plugin: elsewhere JSON is still parsed.
    app.removeAllContentTypeParsers();
    app.addContentTypeParser("*", { parseAs: "buffer", bodyLimit: MOST_BYTES }, (_request, body, done) => {
      done(null, body);
    });
    app.post(path, async (request, reply) => {
      const outcome = judge(request.body ?? "", request.headers, { secret, options });
      if ("delivery" in outcome) {
        await handler(outcome.delivery);
        return reply.code(204).send();
      }
      if (isRefusal(outcome.error)) return reply.code(401).send(answerOf(outcome.error));
      throw outcome.error;
    });
  };
}

/**
 * A route handler for Next's App Router and other frameworks with a web `Request`: `export const POST =
 * webhooks.next(secret, handler)`. Returns the `Response` of `handler`, or 204.
 */
export function nextWebhook<Answer = unknown>(
  secret: SecretSource,
  handler: (delivery: Delivered) => Answer | Promise<Answer>,
  options: VerifyOptions = {},
): (request: WebRequest) => Promise<WebResponse> {
  return async (request) => {
    const outcome = judge(await request.arrayBuffer(), request.headers, { secret, options });
    if ("delivery" in outcome) {
      const answer = await handler(outcome.delivery);
      return answer instanceof Response ? answer : new Response(null, { status: 204 });
    }
    if (!isRefusal(outcome.error)) throw outcome.error;
    const headers = { "Content-Type": "application/json" };
    return new Response(JSON.stringify(answerOf(outcome.error)), { status: 401, headers });
  };
}

type Outcome = { readonly delivery: Delivered } | { readonly error: unknown };

/** Runs separately from the handlers, because their errors must not be reported as an invalid delivery. */
function judge(
  body: unknown,
  headers: HeaderSource,
  { secret, options }: { readonly secret: SecretSource; readonly options: VerifyOptions },
): Outcome {
  try {
    return { delivery: verify(body as RawBody, headers, secretsOf(secret), options) };
  } catch (error) {
    return { error };
  }
}

async function receive(request: NodeRequest, secret: SecretSource, options: VerifyOptions): Promise<Outcome> {
  // `verify` refuses a body that was already parsed, and explains the fix.
  const isRead = request.body !== undefined || request.readableEnded === true;
  try {
    const body = isRead ? request.body : await readAll(request);
    return judge(body, request.headers, { secret, options });
  } catch (error) {
    return { error };
  }
}

async function readAll(request: NodeRequest): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request) {
    const bytes = chunk as Uint8Array;
    length += bytes.length;
    if (length > MOST_BYTES)
      throw new WebhookVerificationError("body_invalid", "The body is larger than any delivery.");
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

function secretsOf(source: SecretSource): string | readonly string[] {
  return typeof source === "function" ? source() : source;
}

/** Responds to an invalid delivery. Throws configuration errors, for the developer. */
function isRefusal(error: unknown): error is WebhookVerificationError {
  return error instanceof WebhookVerificationError && !SETUP_FAULTS.has(error.reason);
}

const SETUP_FAULTS: ReadonlySet<string> = new Set(["body_not_raw", "secret_missing", "secret_invalid"]);

function answerOf({ reason, message }: WebhookVerificationError): object {
  return { code: reason, detail: message };
}
