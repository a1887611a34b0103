import { createHash, createHmac } from "node:crypto";

export interface RequestToSign {
  readonly timestamp: number;
  readonly method: string;
  /** Path and query exactly as on the wire. */
  readonly target: string;
  /** Bare or in quotes; "" where there is none. */
  readonly idempotencyKey: string;
  readonly body: string | Uint8Array;
}

/** Hex HMAC-SHA256, keyed by the secret's text. */
export function hmacHex(secret: string, bytes: string | Uint8Array): string {
  return createHmac("sha256", secret).update(bytes).digest("hex");
}

/** The text that scheme `v1` signs: six lines, no newline at the end. */
export function stringToSign({ timestamp, method, target, idempotencyKey, body }: RequestToSign): string {
  const hash = createHash("sha256").update(body).digest("hex");
  const key = idempotencyKey.replace(/^"(.*)"$/, "$1");
  return `v1\n${timestamp}\n${method}\n${target}\n${key}\n${hash}`;
}

/** `X-Service-Signature` of a request. */
export function signRequest(secret: string, request: RequestToSign): string {
  return hmacHex(secret, stringToSign(request));
}

/** One signature of `webhook-signature`, keyed by the decoded secret. */
export function standardSignature(secret: Uint8Array, signed: Standard): string {
  const mac = createHmac("sha256", secret).update(`${signed.id}.${signed.timestamp}.`).update(signed.body);
  return mac.digest("base64");
}

export interface Standard {
  readonly id: string;
  readonly timestamp: string;
  readonly body: string | Uint8Array;
}
