import { createHmac, hash } from "node:crypto";

/** A request to our API, as its signature covers it. Contract section 2, scheme `v1`. */
export interface SignedRequest {
  readonly timestamp: number | string;
  readonly method: string;
  /** The path and query exactly as sent. */
  readonly target: string;
  /** The idempotency key without quotes; "" if there is none. */
  readonly idempotencyKey: string;
  readonly body: string | Uint8Array;
  /** The hex SHA-256 of the body, for callers that have computed it already. */
  readonly bodyHash?: string;
}

/**
 * Returns the hex HMAC-SHA256, keyed by the secret's text as shown: `X-Service-Signature` of webhooks, and scheme
 * `body`.
 */
export function hmacHex(secretText: string, bytes: string | Uint8Array): string {
  return createHmac("sha256", secretText).update(bytes).digest("hex");
}

/** Returns the exact text that scheme `v1` signs: six lines, without a newline at the end. */
export function stringToSign(request: SignedRequest): string {
  const { timestamp, method, target, idempotencyKey, body, bodyHash = hash("sha256", body, "hex") } = request;
  return `v1\n${timestamp}\n${method}\n${target}\n${idempotencyKey}\n${bodyHash}`;
}

/** Returns the `X-Service-Signature` of an API request in scheme `v1`. */
export function signRequest(secretText: string, request: SignedRequest): string {
  return hmacHex(secretText, stringToSign(request));
}

/**
 * Returns one signature for the `webhook-signature` header, over `id.timestamp.body`. Its key is the decoded base64
 * after `whsec_`, or the text of a secret without that prefix. During a rotation, the header contains two signatures,
 * separated by a space. Contract section 5.
 */
export function signStandard(secret: string, id: string, timestamp: number, body: string | Uint8Array): string {
  const mac = createHmac(
    "sha256",
    secret.startsWith(PREFIX) ? Buffer.from(secret.slice(PREFIX.length), "base64") : secret,
  );
  return `v1,${mac.update(`${id}.${timestamp}.`).update(body).digest("base64")}`;
}

/** A request as Standard Webhooks sign it. `timestamp` is in seconds. */
export interface StandardRequest {
  readonly id: string;
  readonly timestamp: number;
  readonly body: string;
}

/** Returns the headers of Standard Webhooks with a signature of each secret, the newest first. */
export function standardHeaders(
  secrets: readonly string[],
  { id, timestamp, body }: StandardRequest,
): Record<"webhook-id" | "webhook-timestamp" | "webhook-signature", string> {
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": secrets.map((secret) => signStandard(secret, id, timestamp, body)).join(" "),
  };
}

const PREFIX = "whsec_";
const EMPTY_SIGNATURE = '"signature":""}';

/**
 * Fills the empty `signature` at the end of a webhook body with `sha256=` and the hex HMAC of the body as given.
 * The value cannot cover itself, but the header does. Contract section 5.
 */
export function bodyWithSignature(secretText: string, bodyBefore: string): string {
  if (!bodyBefore.endsWith(EMPTY_SIGNATURE)) throw new Error("a webhook body must end with an empty signature");
  return `${bodyBefore.slice(0, -2)}sha256=${hmacHex(secretText, bodyBefore)}"}`;
}
