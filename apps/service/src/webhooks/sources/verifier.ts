import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from "jose";
import type { JSONWebKeySet, JWTPayload, JWTVerifyOptions } from "jose";
import { foreignJson, isRecord, newSigningSecret, randomText, sha256, toDate } from "../../lib/lib.ts";
import type { Clock, Hidden } from "../../lib/lib.ts";
import type { Net } from "../../platform/outbound-http/outbound-http.ts";
import { createRemoteTexts } from "./remote-texts.ts";
import type { RemoteTexts } from "./remote-texts.ts";
import { hasWholeBody } from "./placeholders.ts";
import type { SentRequest } from "./placeholders.ts";
import {
  hasBasic,
  hasToken,
  isHmacSigned,
  isKeySigned,
  isSignedHeader,
  isTimelyInBody,
  onceOf,
  signingSecretFault,
  signsBodyAlone,
  signedText,
} from "./proof.ts";
import type { HmacScheme, JwtScheme, KeyScheme, Scheme } from "./scheme.ts";
import { isSnsSigned, isTopicArn } from "./sns.ts";

/** `undecided`: the keys of the sender cannot be read at the moment, so that the sender is to try again. */
export type Verdict = "valid" | "invalid" | "undecided";

export type Verifier = ReturnType<typeof createVerifier>;

export interface VerifierDeps {
  readonly net: Pick<Net, "send">;
  readonly clock: Clock;
}

/** Senders that cannot sign otherwise may use the service's own signature, in X-Service-Inbound-Signature. */
export const OWN_SCHEME: HmacScheme = {
  kind: "hmac",
  algorithm: "sha256",
  encoding: "hex",
  header: "x-service-inbound-signature",
};

export function createVerifier({ net, clock }: VerifierDeps) {
  const texts = createRemoteTexts({ net, clock });
  return {
    /** Checks whether a request is the sender's own. `secrets` are the secret, and the previous one while they overlap. */
    async verify(scheme: Scheme, secrets: readonly Hidden[], request: SentRequest): Promise<Verdict> {
      if (mayUseOwn(scheme, request)) return judged(isHmacSigned(OWN_SCHEME, secrets, request, clock.now()));
      if (scheme.kind === "hmac")
        return await timed(scheme, request, isHmacSigned(scheme, secrets, request, clock.now()));
      if (scheme.kind === "basic") return judged(hasBasic(scheme, secrets, request));
      if (scheme.kind === "token") return judged(hasToken(scheme, secrets, request));
      if (scheme.kind === "jwt") return await verifyJwt({ texts, clock }, scheme, secrets, request);
      if (scheme.kind === "sns") return await isSnsSigned(texts, secrets, request);
      return await timed(scheme, request, isKeySigned(scheme, secrets, request, clock.now()));
    },
    /** Returns the hash of what a valid request proves, if that is not its body: such a proof counts once. */
    once(scheme: Scheme, request: SentRequest): Buffer | null {
      if (scheme.kind === "jwt") return scheme.body_hash === undefined ? tokenOnce(scheme, request) : null;
      if (!isSigning(scheme) || mayUseOwn(scheme, request)) return null;
      return onceOf(scheme, request);
    },
  };

  async function timed(scheme: HmacScheme | KeyScheme, request: SentRequest, isValid: boolean): Promise<Verdict> {
    return judged(isValid && (await isTimelyInBody(scheme, request, clock.now())));
  }
}

/** Returns true if the signature covers the body as it was sent. */
export function signsWholeBody(scheme: Scheme): boolean {
  return isSigning(scheme) && hasWholeBody(signedText(scheme));
}

/**
 * Returns a function that tells whether a scheme's proof covers a header. Who recorded a password or a token can send any request, so
 * that the attributes of a CloudEvent need no other proof: events with equal data differ only in them.
 */
export function signedHeadersOf(scheme: Scheme): (name: string) => boolean {
  if (scheme.kind === "basic" || scheme.kind === "token") return (name) => /^ce-/i.test(name);
  return (name) => isSigning(scheme) && isSignedHeader(scheme, name);
}

/** Returns true for a signature of content that the scheme describes. */
export function isSigning(scheme: Scheme): scheme is HmacScheme | KeyScheme {
  return scheme.kind === "hmac" || scheme.kind === "ed25519" || scheme.kind === "ecdsa_p256";
}

/** Returns the hash of what a token's signature covers. The signature itself can have several forms. */
function tokenOnce(scheme: JwtScheme, { header }: SentRequest): Buffer {
  const token = (header(scheme.header.toLowerCase()) ?? "").slice((scheme.prefix ?? "").length);
  return sha256(`token\n${token.slice(0, token.lastIndexOf("."))}`);
}

function judged(isValid: boolean): Verdict {
  return isValid ? "valid" : "invalid";
}

/**
 * Returns true if the service's own signature decides: the sender's is absent. Only where the secret is a shared one: a
 * public key, or an ARN of Amazon, is known to others. And only where the sender signs the body alone: a recorded
 * signature of a time and a body would else be that of another body, permanently.
 */
function mayUseOwn(scheme: Scheme, { header }: SentRequest): boolean {
  if (scheme.kind !== "hmac" || scheme.header === undefined || !signsBodyAlone(scheme)) return false;
  return header(scheme.header.toLowerCase()) === undefined && header("x-service-inbound-signature") !== undefined;
}

/** Returns a new secret of the form that the scheme needs. Public keys and ARNs cannot be generated: the result does not fit. */
export function newSecretFor(scheme: Scheme): string {
  if (scheme.kind === "basic") return `junction:${randomText(43)}`;
  if (scheme.kind === "token" || scheme.kind === "jwt") return randomText(43);
  if (scheme.kind !== "hmac") return "";
  if (scheme.secret_encoding === "hex") return randomBytes(32).toString("hex");
  if (scheme.secret_encoding === "base64" && scheme.secret_prefix === undefined)
    return randomBytes(32).toString("base64");
  return newSigningSecret().reveal();
}

/** Returns why a scheme cannot use a secret; undefined if it can. */
export function secretFault(scheme: Scheme, secret: string): string | undefined {
  if (scheme.kind === "basic") return /^[^:]+:.+$/s.test(secret) ? undefined : "must be user:password for HTTP Basic";
  if (scheme.kind === "sns")
    return isTopicArn(secret)
      ? undefined
      : "must be the ARN of the topic, such as arn:aws:sns:eu-west-1:123456789012:orders";
  return scheme.kind === "hmac" || scheme.kind === "ed25519" || scheme.kind === "ecdsa_p256"
    ? signingSecretFault(scheme, secret)
    : undefined;
}

interface JwtDeps {
  readonly texts: RemoteTexts;
  readonly clock: Clock;
}

const CLOCK_TOLERANCE_SECONDS = 60;
/** The keys of what was seen are kept for at least 7 days, so that a token which counts once must end before. */
const MAX_TOKEN_SECONDS = 6 * 86_400;

async function verifyJwt(
  { texts, clock }: JwtDeps,
  scheme: JwtScheme,
  secrets: readonly Hidden[],
  request: SentRequest,
): Promise<Verdict> {
  const value = request.header(scheme.header.toLowerCase()) ?? "";
  const prefix = scheme.prefix ?? "";
  if (!value.toLowerCase().startsWith(prefix.toLowerCase())) return "invalid";
  const token = value.slice(prefix.length);
  const options: JWTVerifyOptions = {
    algorithms: [...scheme.algorithms],
    clockTolerance: CLOCK_TOLERANCE_SECONDS,
    currentDate: toDate(clock.now()),
    ...(scheme.issuer === undefined ? {} : { issuer: scheme.issuer }),
    ...(scheme.audience === undefined ? {} : { audience: scheme.audience === "url" ? request.url : scheme.audience }),
  };
  const claims =
    scheme.jwks_url === undefined
      ? await claimsBySecret(token, secrets, options)
      : await claimsByJwks(texts, scheme.jwks_url, token, options);
  if (claims === "undecided") return "undecided";
  return judged(claims !== undefined && standsFor(scheme, claims, request, clock));
}

function standsFor(scheme: JwtScheme, claims: JWTPayload, request: SentRequest, clock: Clock): boolean {
  return hashesBody(scheme, claims, request) && ends(scheme, claims, clock);
}

/** A token that does not cover the body stands for any body until its end, so that it needs one. */
function ends({ body_hash: hash }: JwtScheme, { exp }: JWTPayload, clock: Clock): boolean {
  return hash !== undefined || (exp !== undefined && exp <= clock.now() / 1000 + MAX_TOKEN_SECONDS);
}

async function claimsBySecret(
  token: string,
  secrets: readonly Hidden[],
  options: JWTVerifyOptions,
): Promise<JWTPayload | undefined> {
  for (const secret of secrets) {
    const claims = await verified(async () => (await jwtVerify(token, Buffer.from(secret.reveal()), options)).payload);
    if (claims !== undefined) return claims;
  }
  return undefined;
}

/** Reads the keys again if the token's is missing: the sender may have replaced them. */
async function claimsByJwks(
  texts: RemoteTexts,
  url: string,
  token: string,
  options: JWTVerifyOptions,
): Promise<JWTPayload | "undecided" | undefined> {
  for (const isFresh of [false, true]) {
    const text = await texts.read(url, { isFresh });
    const keys = text === undefined ? undefined : readKeys(text);
    if (keys === undefined) return "undecided";
    if (!isFresh && !hasKey(keys, token)) continue;
    return await verified(async () => (await jwtVerify(token, createLocalJWKSet(keys), options)).payload);
  }
  return undefined;
}

function hasKey(keys: JSONWebKeySet, token: string): boolean {
  try {
    const { kid } = decodeProtectedHeader(token);
    return kid === undefined || keys.keys.some((key) => key.kid === kid);
  } catch {
    return true;
  }
}

function readKeys(text: string): JSONWebKeySet | undefined {
  const value = foreignJson(text);
  return isRecord(value) && Array.isArray(value["keys"]) ? (value as unknown as JSONWebKeySet) : undefined;
}

async function verified(work: () => Promise<JWTPayload>): Promise<JWTPayload | undefined> {
  try {
    return await work();
  } catch {
    // A token that cannot be verified, or a key that does not fit its algorithm. The work is of the library alone, whose
    // errors for a stranger's keys are of many classes.
    return undefined;
  }
}

function hashesBody({ body_hash: hash }: JwtScheme, claims: JWTPayload, { body }: SentRequest): boolean {
  if (hash === undefined) return true;
  const sent = claims[hash.claim];
  const wanted = createHash(hash.algorithm).update(body).digest();
  const found = typeof sent === "string" ? Buffer.from(sent, hash.encoding) : undefined;
  return found !== undefined && found.length === wanted.length && timingSafeEqual(found, wanted);
}
