import * as crypto from "node:crypto";

/** The secret's text, ready to sign with: made once, it is quicker than the text each time. */
export type SigningKey = crypto.KeyObject;

export interface RequestToSign {
  readonly timestamp: number;
  readonly method: string;
  /** Path and query exactly as on the wire. */
  readonly target: string;
  /** Bare or in quotes; "" where there is none. */
  readonly idempotencyKey: string;
  readonly body: string | Uint8Array;
}

export function signingKey(secret: string): SigningKey {
  return crypto.createSecretKey(secret, "utf8");
}

/** Hex HMAC-SHA256, keyed by the secret's text. */
export function hmacHex(secret: string | SigningKey, bytes: string | Uint8Array): string {
  return crypto.createHmac("sha256", secret).update(bytes).digest("hex");
}

/** The text that scheme `v1` signs: six lines, no newline at the end. */
export function stringToSign({ timestamp, method, target, idempotencyKey, body }: RequestToSign): string {
  const key = idempotencyKey.replace(/^"(.*)"$/, "$1");
  return `v1\n${timestamp}\n${method}\n${target}\n${key}\n${sha256(body)}`;
}

/** `X-Service-Signature` of a request. */
export function signRequest(secret: string | SigningKey, request: RequestToSign): string {
  return hmacHex(secret, stringToSign(request));
}

/** One signature of `webhook-signature`, keyed by the decoded secret. */
export function standardSignature(secret: Uint8Array, signed: Standard): string {
  const mac = crypto.createHmac("sha256", secret).update(`${signed.id}.${signed.timestamp}.`).update(signed.body);
  return mac.digest("base64");
}

export interface Standard {
  readonly id: string;
  readonly timestamp: string;
  readonly body: string | Uint8Array;
}

/** By the quick way where the runtime has it: Node 18 does not. */
const { hash: atOnce } = crypto as { hash?: typeof crypto.hash };

function sha256(bytes: string | Uint8Array): string {
  return atOnce === undefined
    ? crypto.createHash("sha256").update(bytes).digest("hex")
    : atOnce("sha256", bytes, "hex");
}
