import { createHash, createHmac } from "node:crypto";

export interface Signable {
  readonly secret: string;
  readonly method: string;
  /** The path and query as they are sent. */
  readonly target: string;
  readonly body?: string;
  readonly idempotencyKey?: string;
  /** Unix seconds. Default: now. */
  readonly timestamp?: number | string;
}

/** Signs with the `v1` scheme. Written from contract section 3, independently of the code under test. */
export function signV1(parts: Signable): Record<string, string> {
  const { secret, method, target, body = "", idempotencyKey = "", timestamp = nowSeconds() } = parts;
  const bodyHash = createHash("sha256").update(body).digest("hex");
  const text = ["v1", timestamp, method, target, idempotencyKey, bodyHash].join("\n");
  return {
    "X-Service-Signature": createHmac("sha256", secret).update(text).digest("hex"),
    "X-Service-Timestamp": String(timestamp),
    ...(idempotencyKey === "" ? {} : { "Idempotency-Key": idempotencyKey }),
  };
}

/** Signs with the `body` scheme. */
export function signBody(secret: string, body: string): Record<string, string> {
  return {
    "X-Service-Signature": createHmac("sha256", secret).update(body).digest("hex"),
    "X-Service-Timestamp": String(nowSeconds()),
  };
}

export function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}
