import { ServiceError, timingSafeEqualText, unixSeconds } from "../lib/lib.ts";
import type { Instant } from "../lib/lib.ts";
import { hmacHex, stringToSign } from "../platform/outbound-http/outbound-http.ts";

export type SignatureScheme = "v1" | "body";

/** The parts of a request that its signature covers, as they were on the wire. */
export interface SignedParts {
  readonly method: string;
  /** Path and query as sent. */
  readonly target: string;
  /** Without quotes; empty when none was sent. */
  readonly idempotencyKey: string;
  readonly body: Uint8Array;
  /** Hex SHA-256 of the body. */
  readonly bodyHash: string;
}

export interface Signature {
  readonly signature: string;
  readonly timestamp: string | undefined;
}

export interface SchemeRules {
  readonly secret: string;
  readonly allowBody: boolean;
  readonly now: Instant;
}

const WINDOW_SECONDS = 300;

/**
 * Returns the scheme that matches. Throws the refusal of contract section 3 otherwise. Both comparisons take constant
 * time.
 */
export function verifyRequest(given: Signature, parts: SignedParts, rules: SchemeRules): SignatureScheme {
  const timestamp = checkTimestamp(given.timestamp, rules.now);
  if (!/^[0-9a-f]{64}$/.test(given.signature)) {
    throw new ServiceError("signature_invalid", {
      detail: "X-Service-Signature must be exactly 64 lowercase hexadecimal digits, sent once.",
    });
  }
  const { method, target, idempotencyKey, body, bodyHash } = parts;
  const text = stringToSign({ timestamp, method, target, idempotencyKey, body, bodyHash });
  const isV1 = timingSafeEqualText(hmacHex(rules.secret, text), given.signature);
  const mayBeBody = rules.allowBody && body.length > 0 && method !== "GET" && looksLikeJson(body);
  const isBody = mayBeBody && timingSafeEqualText(hmacHex(rules.secret, body), given.signature);
  if (isV1) return "v1";
  if (isBody) return "body";
  throw new ServiceError("signature_invalid", {
    detail:
      "Sign the exact bytes that you send with the key's text or its signing secret, as described in the guide on request signing.",
  });
}

function checkTimestamp(text: string | undefined, now: Instant): number {
  if (text === undefined)
    throw new ServiceError("timestamp_missing", { detail: "Send X-Service-Timestamp with the signature." });
  // Thirteen digits are milliseconds, the most common mistake.
  if (!/^\d{1,12}$/.test(text))
    throw new ServiceError("timestamp_invalid", { detail: "X-Service-Timestamp must be Unix time in whole seconds." });
  const timestamp = Number(text);
  const serverTime = unixSeconds(now);
  if (Math.abs(timestamp - serverTime) > WINDOW_SECONDS) {
    throw new ServiceError("timestamp_out_of_range", {
      detail: `The timestamp must be within ${WINDOW_SECONDS} seconds of the server's time.`,
      extra: { server_time: serverTime },
    });
  }
  return timestamp;
}

/** Returns true if the body begins like JSON. A v1 string to sign does not, so that it cannot pass as a body. */
function looksLikeJson(body: Uint8Array): boolean {
  const first = body.find((byte) => byte !== 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d);
  return first === 0x7b || first === 0x5b;
}
