import { createHmac, hash } from "node:crypto";

/** A request to our API as its signature sees it. Contract section 2, scheme `v1`. */
export interface SignedRequest {
  readonly timestamp: number | string;
  readonly method: string;
  /** Path and query exactly as on the wire. */
  readonly target: string;
  /** Without quotes; "" when there is none. */
  readonly idempotencyKey: string;
  readonly body: string | Uint8Array;
  /** Hex SHA-256 of the body, for those who have it already. */
  readonly bodyHash?: string;
}

/** Hex HMAC-SHA256, keyed by the secret's text as shown: `X-Service-Signature` of webhooks, and scheme `body`. */
export function hmacHex(secretText: string, bytes: string | Uint8Array): string {
  return createHmac("sha256", secretText).update(bytes).digest("hex");
}

/** The exact text that scheme `v1` signs: six lines, no newline at the end. */
export function stringToSign(request: SignedRequest): string {
  const { timestamp, method, target, idempotencyKey, body, bodyHash = hash("sha256", body, "hex") } = request;
  return `v1\n${timestamp}\n${method}\n${target}\n${idempotencyKey}\n${bodyHash}`;
}

/** `X-Service-Signature` of an API request in scheme `v1`. */
export function signRequest(secretText: string, request: SignedRequest): string {
  return hmacHex(secretText, stringToSign(request));
}

/**
 * One signature for the `webhook-signature` header, over `id.timestamp.body`, keyed by the bytes that the base64 after
 * `whsec_` stands for, or by the text of a secret that is not of that form. While a secret overlaps the header holds two, separated by a blank. Contract section 5.
 */
export function signStandard(secret: string, id: string, timestamp: number, body: string | Uint8Array): string {
  const mac = createHmac(
    "sha256",
    secret.startsWith(PREFIX) ? Buffer.from(secret.slice(PREFIX.length), "base64") : secret,
  );
  return `v1,${mac.update(`${id}.${timestamp}.`).update(body).digest("base64")}`;
}

const PREFIX = "whsec_";
const EMPTY_SIGNATURE = '"signature":""}';

/**
 * Fills the empty `signature` that a webhook body ends with: `sha256=` and the hex HMAC of the body as it was given.
 * It cannot cover itself; the header does. Contract section 5.
 */
export function bodyWithSignature(secretText: string, bodyBefore: string): string {
  if (!bodyBefore.endsWith(EMPTY_SIGNATURE)) throw new Error("a webhook body must end with an empty signature");
  return `${bodyBefore.slice(0, -2)}sha256=${hmacHex(secretText, bodyBefore)}"}`;
}
