import { createHash, createHmac } from "node:crypto";

export interface Signable {
  readonly secret: string;
  readonly method: string;
  /** Path and query as on the wire. */
  readonly target: string;
  readonly body?: string;
  readonly idempotencyKey?: string;
  /** Unix seconds; now, unless told. */
  readonly timestamp?: number | string;
}

/** The `v1` request signature, written from contract section 3 alone so that it can judge the service's own. */
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

/** The `body` scheme. */
export function signBody(secret: string, body: string): Record<string, string> {
  return {
    "X-Service-Signature": createHmac("sha256", secret).update(body).digest("hex"),
    "X-Service-Timestamp": String(nowSeconds()),
  };
}

export function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}
