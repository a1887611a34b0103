import { createPublicKey, timingSafeEqual, verify as verifySignature } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { WebhookVerificationError } from "./errors.ts";
import type { CanonicalEventName, Delivered, SystemEventName } from "./generated/events.ts";
import { parseJson } from "./json.ts";
import { hmacHex, standardSignature } from "./signing.ts";

/** The raw bytes of a body. A parsed body can differ from the signed bytes. */
export type RawBody = string | Uint8Array | ArrayBuffer;

/**
 * Node's `request.headers`, a web `Headers`, a `Map`, pairs of names and values, or an object of them. Names are
 * case-insensitive, and a value can be a list.
 */
export type HeaderSource =
  | { get(name: string): string | null }
  | Iterable<readonly [string, string | readonly string[]]>
  | { readonly [name: string]: string | readonly string[] | undefined };

export interface VerifyOptions {
  /** The maximum difference between a delivery's timestamp and the current time, in seconds. Default: 300. */
  readonly tolerance?: number | undefined;
  /** The current Unix time in seconds, for tests. Default: now. */
  readonly now?: number | undefined;
}

export interface SignOptions {
  /** The id of the delivery. Default: the `delivery_id` of the body. */
  readonly id?: string | undefined;
  /** Unix time in seconds. Default: now. */
  readonly timestamp?: number | undefined;
}

const TOLERANCE_S = 300;

/**
 * Verifies the signatures and the age of a delivery, and returns the delivery. Throws `WebhookVerificationError` if it is not
 * valid. Pass several secrets during a rotation. A public key (`whpk_`) verifies the Ed25519 signatures of an endpoint that has them,
 * without a secret. Compares in constant time. An integer beyond `Number.MAX_SAFE_INTEGER` is a
 * bigint, and `$raw` is the text of the body.
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
  const secretKeys = keys.filter((key) => "decoded" in key);
  const isSigned = keys.some((key) => "publicKey" in key && isSignedBy(key.publicKey, given, covered));
  const isRight = secretKeys
    .map(({ decoded }) => matchesAny(given.signatures, standardSignature(decoded, covered)))
    .includes(true);
  // During a rotation, the older header is signed with the newer secret, which this receiver may not have yet.
  const isOlderRight =
    given.older === undefined || secretKeys.map(({ text }) => matches(given.older, hmacHex(text, body))).includes(true);
  if (!isSigned && (!isRight || (!isOlderRight && given.signatures.length < 2)))
    throw refusal("signature_invalid", "The signature does not match. The secret is wrong, or the body was changed.");
  if (!(Math.abs(now - Number(given.timestamp)) <= tolerance))
    throw refusal("timestamp_out_of_range", `The delivery's timestamp is more than ${tolerance} seconds from now.`);
  return parse(body);
}

/** Returns the headers that the service would send with this body, for tests of a receiver. */
export function sign(rawBody: RawBody, secret: string, options: SignOptions = {}): Record<string, string> {
  const body = bytesOf(rawBody);
  const [key] = readSecrets(secret);
  if (key === undefined || !("decoded" in key)) throw refusal("secret_missing", "The endpoint's secret is missing.");
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

/** Returns true if a delivery has this event type. Narrows the type of `data`. */
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
    `webhooks.verify needs the raw body, as text or bytes, and got ${what}. The signature covers the bytes as they were received; ` +
      "JSON that was parsed and serialized again has different bytes. In Express put express.raw({ type: 'application/json' }) before " +
      "the handler and pass request.body; in Next pass await request.text(); in Fastify use webhooks.fastify().",
  );
}

type Secret = { readonly text: string; readonly decoded: Uint8Array } | { readonly publicKey: KeyObject };

const PUBLIC_KEY = /^whpk_([A-Za-z0-9+/]{43}=)$/;

/** Returns true if one of the `v1a` signatures is of this key. */
function isSignedBy(
  publicKey: KeyObject,
  { publicSignatures }: Given,
  { id, timestamp, body }: { readonly id: string; readonly timestamp: string; readonly body: Uint8Array },
): boolean {
  const signed = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]);
  return publicSignatures.some((one) => verifySignature(null, signed, publicKey, Buffer.from(one, "base64")));
}

function readPublicKey(text: string): KeyObject | undefined {
  const [, base64] = PUBLIC_KEY.exec(text) ?? [];
  if (base64 === undefined) return undefined;
  const x = Buffer.from(base64, "base64").toString("base64url");
  return createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
}

function readSecrets(secrets: string | readonly string[]): readonly Secret[] {
  const texts: readonly unknown[] = Array.isArray(secrets) ? secrets : [secrets];
  if (texts.length === 0 || texts.some((text) => text === undefined || text === null))
    throw refusal("secret_missing", "The endpoint's secret is missing. Pass the text that begins with whsec_.");
  return texts.map((given) => {
    // A file has the end of its line.
    const text = String(given).trim();
    const publicKey = readPublicKey(text);
    if (publicKey !== undefined) return { publicKey };
    const [, base64 = ""] = /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/.exec(text) ?? [];
    if (base64 === "")
      throw refusal(
        "secret_invalid",
        "The secret must be whsec_ followed by base64, or the public key whpk_ followed by base64, as shown for the endpoint. (The value is not shown here.)",
      );
    return { text, decoded: Buffer.from(base64, "base64") };
  });
}

interface Given {
  readonly id: string;
  readonly timestamp: string;
  /** The base64 signatures of version 1. */
  readonly signatures: readonly string[];
  /** The base64 signatures of Ed25519. */
  readonly publicSignatures: readonly string[];
  readonly older: string | undefined;
}

function readHeaders(headers: HeaderSource): Given {
  const header = headerReader(headers);
  const id = header("webhook-id");
  const signatures = header("webhook-signature");
  if (id === undefined || signatures === undefined)
    throw refusal(
      "signature_missing",
      "webhook-id and webhook-signature are required. Pass all headers of the request. (X-Service-Signature alone does " +
        "not cover the time, so an old delivery could be replayed.)",
    );
  const timestamp = header("webhook-timestamp");
  if (timestamp === undefined)
    throw refusal("timestamp_missing", "webhook-timestamp is missing. Pass all headers of the request.");
  if (!/^\d{1,15}$/.test(timestamp))
    throw refusal("timestamp_invalid", "webhook-timestamp must be Unix time in whole seconds.");
  // Repeated headers are joined by commas, by some gateways without a space.
  const all = signatures.split(/,?\s+|,(?=v1a?,)/);
  const of = (version: string): string[] =>
    all.filter((one) => one.startsWith(version)).map((one) => one.slice(version.length));
  return {
    id,
    timestamp,
    signatures: of("v1,"),
    publicSignatures: of("v1a,"),
    older: header("x-service-signature"),
  };
}

/** Returns a header, case-insensitively. Returns undefined if it is missing or empty. */
function headerReader(headers: HeaderSource): (name: string) => string | undefined {
  if (headers === null || typeof headers !== "object") throw noHeaders();
  const pairs = pairsOf(headers);
  if (pairs === undefined) return (name) => textOf((headers as { get(name: string): unknown }).get(name));
  const byName = new Map<string, string[]>();
  for (const [name, value] of pairs) {
    const text = textOf(value);
    const key = String(name).toLowerCase();
    if (text !== undefined) byName.set(key, [...(byName.get(key) ?? []), text]);
  }
  return (name) => byName.get(name)?.join(", ");
}

/** Returns the names and values. Undefined if the headers can only be asked for by name. */
function pairsOf(headers: object): readonly (readonly [unknown, unknown])[] | undefined {
  if (!(Symbol.iterator in headers))
    return "get" in headers && typeof headers.get === "function" ? undefined : Object.entries(headers);
  const items = [...(headers as Iterable<unknown>)];
  // Node's `rawHeaders` has names and values in turn.
  if (items.every((item) => typeof item === "string"))
    return items.flatMap((name, at) => (at % 2 === 0 ? [[name, items[at + 1]] as const] : []));
  if (!items.every((item) => Array.isArray(item) && item.length === 2)) throw noHeaders();
  return items as (readonly [unknown, unknown])[];
}

function noHeaders(): WebhookVerificationError {
  return refusal(
    "signature_missing",
    "The headers are missing. Pass all headers of the request, such as request.headers, or event.headers in AWS Lambda.",
  );
}

/** Returns the text of a header's value. Undefined if it is empty or of another type. */
function textOf(value: unknown): string | undefined {
  if (Array.isArray(value))
    return textOf(value.flatMap((one: unknown) => (Array.isArray(one) ? [] : (textOf(one) ?? []))).join(", "));
  if (value instanceof Uint8Array) return textOf(Buffer.from(value).toString("latin1"));
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
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
    // The error is thrown below.
  }
  throw refusal("body_invalid", "The body is signed, but is not a JSON object.");
}

/** Returns the strings of a JSON object. Empty if the body is not a JSON object. */
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
