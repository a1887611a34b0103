import { createHmac, timingSafeEqual } from "node:crypto";
import type { Hidden, Instant } from "../../lib/lib.ts";

export const SIGNATURE_SCHEMES = ["service", "standard_webhooks", "stripe", "github", "calendly", "slack"] as const;
export type SignatureScheme = (typeof SIGNATURE_SCHEMES)[number];

/** Returns a header's value by its lower-case name. A header that was sent twice is joined, and matches no form. */
export type Header = (name: string) => string | undefined;

export interface SignedBody {
  readonly header: Header;
  readonly body: Uint8Array;
  readonly now: Instant;
}

/** The content of a signature header: the bytes that should have been signed, and the MACs that were sent. */
interface Claim {
  readonly signed: readonly (string | Uint8Array)[];
  readonly macs: readonly Buffer[];
  /** The Unix seconds of the signature; null if the scheme has no time. */
  readonly timestamp: number | null;
}

interface Scheme {
  /** The header that selects this scheme by its presence. */
  readonly header: string;
  /** The maximum difference between the sender's clock and ours, in both directions. */
  readonly toleranceSeconds: number;
  key(secret: string): Uint8Array;
  claim(header: Header, body: Uint8Array): Claim | undefined;
}

const SECONDS_FORM = /^\d{1,12}$/;
const HEX_FORM = /^[0-9a-f]{64}$/i;
const BASE64_FORM = /^[A-Za-z0-9+/]{43}=$/;
const STANDARD_KEY_FORM = /^[A-Za-z0-9+/_-]{16,}={0,2}$/;

/** Implements the schemes as their senders document them: docs/decisions/0040-inbound-webhooks.md. */
const schemes: Readonly<Record<SignatureScheme, Scheme>> = {
  service: {
    header: "x-service-inbound-signature",
    toleranceSeconds: 0,
    key: textKey,
    claim: (header, body) => plain(header("x-service-inbound-signature"), "", body),
  },
  standard_webhooks: {
    header: "webhook-signature",
    toleranceSeconds: 300,
    key: (secret) => Buffer.from(secret.replace(/^whsec_/, ""), "base64"),
    claim: (header, body) => {
      const [id, time] = [header("webhook-id"), header("webhook-timestamp")];
      const macs = (header("webhook-signature") ?? "").split(" ").flatMap((one) => base64Of(afterPrefix("v1,", one)));
      return id === undefined ? undefined : timed(time, macs, [`${id}.${time}.`, body]);
    },
  },
  stripe: {
    header: "stripe-signature",
    toleranceSeconds: 300,
    key: textKey,
    claim: (header, body) => timeAndMacs(header("stripe-signature"), body),
  },
  github: {
    header: "x-hub-signature-256",
    toleranceSeconds: 0,
    key: textKey,
    claim: (header, body) => plain(header("x-hub-signature-256"), "sha256=", body),
  },
  calendly: {
    header: "calendly-webhook-signature",
    toleranceSeconds: 180,
    key: textKey,
    claim: (header, body) => timeAndMacs(header("calendly-webhook-signature"), body),
  },
  slack: {
    header: "x-slack-signature",
    toleranceSeconds: 300,
    key: textKey,
    claim: (header, body) => {
      const time = header("x-slack-request-timestamp");
      const macs = hexOf(afterPrefix("v0=", header("x-slack-signature")));
      return timed(time, macs, [`v0:${time}:`, body]);
    },
  },
};

/**
 * Returns true if one of the secrets signed the raw body (contract, section 6). The scheme's own header decides. If it
 * is absent, `X-Service-Inbound-Signature` is valid for every source. The comparison takes constant time.
 */
export function isSigned(scheme: SignatureScheme, secrets: readonly Hidden[], request: SignedBody): boolean {
  const own = schemes[scheme];
  const { header, key, claim, toleranceSeconds } = request.header(own.header) === undefined ? schemes.service : own;
  const made = request.header(header) === undefined ? undefined : claim(request.header, request.body);
  if (made === undefined) return false;
  const ageSeconds = made.timestamp === null ? 0 : Math.abs(Math.floor(request.now / 1000) - made.timestamp);
  const right = secrets.map((secret) => anyMatches(key(secret.reveal()), made));
  return ageSeconds <= toleranceSeconds && right.includes(true);
}

/** Returns the reason why a scheme cannot use a secret; undefined if it can. */
export function secretFault(scheme: SignatureScheme, secret: string): string | undefined {
  if (scheme !== "standard_webhooks" || STANDARD_KEY_FORM.test(secret.replace(/^whsec_/, ""))) return undefined;
  return "must be base64, with or without the prefix whsec_, for the scheme standard_webhooks";
}

export function signatureHeader(scheme: SignatureScheme): string {
  return schemes[scheme].header;
}

function anyMatches(key: Uint8Array, claim: Claim): boolean {
  const hmac = createHmac("sha256", key);
  for (const part of claim.signed) hmac.update(part);
  const wanted = hmac.digest();
  return claim.macs.map((mac) => timingSafeEqual(mac, wanted)).includes(true);
}

function textKey(secret: string): Uint8Array {
  return Buffer.from(secret, "utf8");
}

function plain(value: string | undefined, prefix: string, body: Uint8Array): Claim | undefined {
  const macs = hexOf(afterPrefix(prefix, value));
  return macs.length === 0 ? undefined : { signed: [body], macs, timestamp: null };
}

function timed(
  time: string | undefined,
  macs: readonly Buffer[],
  signed: readonly (string | Uint8Array)[],
): Claim | undefined {
  if (time === undefined || !SECONDS_FORM.test(time) || macs.length === 0) return undefined;
  return { signed, macs, timestamp: Number(time) };
}

/** Reads `t=<seconds>,v1=<hex>`, with several `v1` while a secret is rotated. Other members belong to older schemes. */
function timeAndMacs(value: string | undefined, body: Uint8Array): Claim | undefined {
  const members = (value ?? "").split(",").map((member) => member.trim());
  const times = members.flatMap((member) => afterPrefix("t=", member) ?? []);
  const macs = members.flatMap((member) => hexOf(afterPrefix("v1=", member)));
  const [time] = times;
  return times.length === 1 ? timed(time, macs, [`${time}.`, body]) : undefined;
}

function afterPrefix(prefix: string, text: string | undefined): string | undefined {
  return text?.startsWith(prefix) === true ? text.slice(prefix.length) : undefined;
}

function hexOf(text: string | undefined): Buffer[] {
  return text !== undefined && HEX_FORM.test(text) ? [Buffer.from(text, "hex")] : [];
}

function base64Of(text: string | undefined): Buffer[] {
  return text !== undefined && BASE64_FORM.test(text) ? [Buffer.from(text, "base64")] : [];
}
