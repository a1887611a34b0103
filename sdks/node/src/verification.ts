import { timingSafeEqual } from "node:crypto";
import { WebhookVerificationError } from "./errors.ts";
import type { CanonicalEventName, Delivered, SystemEventName } from "./generated/events.ts";
import { parseJson } from "./json.ts";
import { hmacHex, standardSignature } from "./signing.ts";

/** The bytes of a body as they came: what a framework parsed is no longer what was signed. */
export type RawBody = string | Uint8Array | ArrayBuffer;

/** Node's `request.headers`, a web `Headers`, or plain names and values; whatever the letters' case. */
export type HeaderSource =
  | { get(name: string): string | null }
  | { readonly [name: string]: string | readonly string[] | undefined };

export interface VerifyOptions {
  /** Seconds that a delivery's timestamp may be away from now: 300. */
  readonly tolerance?: number | undefined;
  /** Unix seconds in place of now; for tests. */
  readonly now?: number | undefined;
}

export interface SignOptions {
  /** The delivery's id; by default the body's `delivery_id`. */
  readonly id?: string | undefined;
  /** Unix seconds; by default now. */
  readonly timestamp?: number | undefined;
}

const TOLERANCE_S = 300;

/**
 * The delivery that `rawBody` holds, after its signatures and its age were found right; `WebhookVerificationError` if not.
 * Several secrets are for the time in which one replaces another. Compares in constant time. An integer beyond
 * `Number.MAX_SAFE_INTEGER` is a bigint, and `$raw` is the body's text.
 */
export function verify(
  rawBody: RawBody,
  headers: HeaderSource,
  secrets: string | readonly string[],
  { tolerance = TOLERANCE_S, now = Date.now() / 1000 }: VerifyOptions = {},
): Delivered {
  const body = bytesOf(rawBody);
  const keys = readSecrets(secrets);
  const given = readHeaders(headers);
  const covered = { id: given.id, timestamp: given.timestamp, body };
  const isRight = keys
    .map(({ decoded }) => matchesAny(given.signatures, standardSignature(decoded, covered)))
    .includes(true);
  // While a secret overlaps, the older header is made with the newer secret, which this receiver may not have yet.
  const isOlderRight =
    given.older === undefined || keys.map(({ text }) => matches(given.older, hmacHex(text, body))).includes(true);
  if (!isRight || (!isOlderRight && given.signatures.length < 2))
    throw refusal("signature_invalid", "The signature does not match: wrong secret, or the body is not what was sent.");
  if (!(Math.abs(now - Number(given.timestamp)) <= tolerance))
    throw refusal("timestamp_out_of_range", `The delivery's timestamp is more than ${tolerance} seconds from now.`);
  return parse(body);
}

/** The headers that the service would send with this body, for tests of a receiver. */
export function sign(rawBody: RawBody, secret: string, options: SignOptions = {}): Record<string, string> {
  const body = bytesOf(rawBody);
  const [key] = readSecrets(secret);
  if (key === undefined) throw refusal("secret_missing", "Give the secret of the endpoint.");
  const message = memberTexts(body);
  const id = options.id ?? message["delivery_id"] ?? "dlv_test";
  const timestamp = String(options.timestamp ?? Math.floor(Date.now() / 1000));
  return {
    "Content-Type": "application/json",
    "X-Service-Signature": hmacHex(key.text, body),
    "X-Service-Timestamp": timestamp,
    "X-Service-Event": message["event"] ?? "",
    "X-Service-Delivery": id,
    "X-Service-Idempotency": message["idempotency_key"] ?? "",
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${standardSignature(key.decoded, { id, timestamp, body })}`,
  };
}

/** Whether a delivery is of this event; then its `data` is typed. */
export function isEvent<Name extends CanonicalEventName | SystemEventName | (string & {})>(
  delivery: Delivered,
  name: Name,
): delivery is Delivered & Delivered<Name> {
  return delivery.event === name;
}

function refusal(reason: WebhookVerificationError["reason"], message: string): WebhookVerificationError {
  return new WebhookVerificationError(reason, message);
}

function bytesOf(body: unknown): Uint8Array {
  if (typeof body === "string") return Buffer.from(body, "utf8");
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  const what =
    body === undefined || body === null ? "nothing" : Array.isArray(body) ? "a list" : `a parsed ${typeof body}`;
  throw refusal(
    "body_not_raw",
    `webhooks.verify needs the raw body, as text or bytes, and got ${what}. The signature covers the bytes as they came; ` +
      "JSON that was parsed and printed again is other bytes. In Express put express.raw({ type: 'application/json' }) before " +
      "the handler and pass request.body; in Next pass await request.text(); in Fastify use webhooks.fastify().",
  );
}

interface Secret {
  readonly text: string;
  readonly decoded: Uint8Array;
}

function readSecrets(secrets: string | readonly string[]): readonly Secret[] {
  const texts: readonly unknown[] = Array.isArray(secrets) ? secrets : [secrets];
  if (texts.length === 0 || texts.some((text) => text === undefined || text === null))
    throw refusal("secret_missing", "Give the endpoint's secret: the text that begins with whsec_.");
  return texts.map((text) => {
    const [, base64 = ""] =
      /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/.exec(String(text)) ?? [];
    if (base64 === "")
      throw refusal(
        "secret_invalid",
        "A secret is whsec_ and base64, as the endpoint showed it. (It is not shown here.)",
      );
    return { text: String(text), decoded: Buffer.from(base64, "base64") };
  });
}

interface Given {
  readonly id: string;
  readonly timestamp: string;
  /** Base64, of version 1. */
  readonly signatures: readonly string[];
  readonly older: string | undefined;
}

function readHeaders(headers: HeaderSource): Given {
  const header = headerReader(headers);
  const id = header("webhook-id");
  const signatures = header("webhook-signature");
  if (id === undefined || signatures === undefined)
    throw refusal(
      "signature_missing",
      "webhook-id and webhook-signature must be there: pass all headers of the request. (X-Service-Signature alone does " +
        "not cover the time, so that an old delivery could be sent again.)",
    );
  const timestamp = header("webhook-timestamp");
  if (timestamp === undefined)
    throw refusal("timestamp_missing", "webhook-timestamp is missing: pass all headers of the request.");
  if (!/^\d{1,15}$/.test(timestamp)) throw refusal("timestamp_invalid", "webhook-timestamp is not whole Unix seconds.");
  const ours = signatures.split(" ").filter((one) => one.startsWith("v1,"));
  return {
    id,
    timestamp,
    signatures: ours.map((one) => one.slice("v1,".length)),
    older: header("x-service-signature"),
  };
}

/** Looks a header up whatever its case; undefined where it is missing or empty. */
function headerReader(headers: HeaderSource): (name: string) => string | undefined {
  if (headers === null || typeof headers !== "object")
    throw refusal("signature_missing", "Give the headers of the request: request.headers.");
  if (typeof headers.get === "function") {
    const { get } = headers as { get(name: string): string | null };
    return (name) => get.call(headers, name) ?? undefined;
  }
  const pairs = Object.entries(headers as Record<string, string | readonly string[] | undefined>);
  const byName = new Map(pairs.map(([name, value]) => [name.toLowerCase(), value]));
  return (name) => {
    const value = byName.get(name);
    const text = typeof value === "string" ? value : value?.join(", ");
    return text === "" ? undefined : text;
  };
}

function matchesAny(given: readonly string[], expected: string): boolean {
  return given.map((one) => matches(one, expected)).includes(true);
}

function matches(given: string | undefined, expected: string): boolean {
  const a = Buffer.from(given ?? "");
  const b = Buffer.from(expected);
  return a.length === b.length && timingSafeEqual(a, b);
}

function parse(body: Uint8Array): Delivered {
  try {
    const raw = new TextDecoder("utf-8", { fatal: true }).decode(body);
    const value = parseJson(raw);
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      return Object.defineProperty(value, "$raw", { value: raw, configurable: true }) as Delivered;
  } catch {
    // Told below.
  }
  throw refusal("body_invalid", "The body is signed, but no JSON object.");
}

/** The texts of a JSON object; none where the body is no such thing. */
function memberTexts(body: Uint8Array): Readonly<Record<string, string | undefined>> {
  try {
    const value: unknown = JSON.parse(Buffer.from(body).toString("utf8"));
    const entries = Object.entries(value ?? {}).filter(
      (entry): entry is [string, string] => typeof entry[1] === "string",
    );
    return Object.fromEntries(entries);
  } catch {
    return {};
  }
}
