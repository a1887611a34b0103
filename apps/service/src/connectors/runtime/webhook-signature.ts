import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { instant } from "../../lib/lib.ts";
import type { Instant } from "../../lib/lib.ts";

export type Scheme = "hex" | "sha256=hex" | "base64" | "t=,v1=" | "token";

const TOLERANCE_MS = 300_000;
const HEX = /^[0-9a-f]{64}$/i;
const BASE64 = /^[A-Za-z0-9+/]{43}=$/;
const SECONDS = /^\d{1,12}$/;

/**
 * Returns true if a sender with the secret signed this exact body. `value` is the header's value, or undefined if it
 * was not sent. A header that was sent twice arrives joined, and matches no form. Comparisons take constant time.
 */
export function isSigned(scheme: Scheme, secret: string, { value, body, now }: SignedRequest): boolean {
  return value !== undefined && secret !== "" && schemes[scheme](value, secret, { body, now });
}

interface SignedRequest {
  readonly value: string | undefined;
  readonly body: Uint8Array;
  readonly now: Instant;
}

type Verifier = (value: string, secret: string, request: Omit<SignedRequest, "value">) => boolean;

const schemes: Readonly<Record<Scheme, Verifier>> = {
  hex: (value, secret, { body }) => HEX.test(value) && matches(Buffer.from(value, "hex"), secret, [body]),
  "sha256=hex": (value, secret, of) => value.startsWith("sha256=") && schemes.hex(value.slice(7), secret, of),
  base64: (value, secret, { body }) => BASE64.test(value) && matches(Buffer.from(value, "base64"), secret, [body]),
  "t=,v1=": (value, secret, of) => isTimed(value, secret, of),
  // Hashing hides the length of the secret as well.
  token: (value, secret) => timingSafeEqual(hashOf(value), hashOf(secret)),
};

/**
 * Verifies `t=<seconds>,v1=<hex>`. There may be several `v1` during a secret rotation, and members of older schemes.
 */
function isTimed(
  value: string,
  secret: string,
  { body, now }: { readonly body: Uint8Array; readonly now: Instant },
): boolean {
  const members = value.split(",").map((member) => member.trim());
  const times = members.flatMap((member) => (member.startsWith("t=") ? [member.slice(2)] : []));
  const macs = members
    .flatMap((member) => (member.startsWith("v1=") ? [member.slice(3)] : []))
    .filter((mac) => HEX.test(mac));
  const [time = ""] = times;
  if (times.length !== 1 || !SECONDS.test(time)) return false;
  const isFresh = Math.abs(now - instant(Number(time) * 1000)) <= TOLERANCE_MS;
  const right = macs.slice(0, 5).map((mac) => matches(Buffer.from(mac, "hex"), secret, [`${time}.`, body]));
  return right.includes(true) && isFresh;
}

function matches(mac: Buffer, secret: string, parts: readonly (string | Uint8Array)[]): boolean {
  const hmac = createHmac("sha256", secret);
  for (const part of parts) hmac.update(part);
  return timingSafeEqual(mac, hmac.digest());
}

function hashOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
