import { createHash, createHmac, createPublicKey, timingSafeEqual, verify } from "node:crypto";
import type { KeyObject } from "node:crypto";
import type { Hidden, Instant } from "../../lib/lib.ts";
import { parseRfc3339, readPath, sha256 } from "../../lib/lib.ts";
import {
  hasPlaceholder,
  hasWholeBody,
  isForm,
  queryValue,
  readPlaceholders,
  signedForm,
  textAt,
  valueOf,
} from "./placeholders.ts";
import type { Placeholders, SentRequest } from "./placeholders.ts";
import type { BasicScheme, HmacScheme, KeyScheme, TokenScheme } from "./scheme.ts";

/** The signatures of a request, and the bytes that they sign. */
interface Claim {
  readonly signatures: readonly string[];
  readonly signed: readonly Uint8Array[];
  /** The time as it was sent; undefined for a scheme without one that is signed with the body. */
  readonly time: string | undefined;
}

const DEFAULT_TOLERANCE_SECONDS = 300;
const SECONDS_FORM = /^\d{1,12}(?:\.\d{1,9})?$/;
const MILLISECONDS_FORM = /^\d{1,15}(?:\.\d{1,9})?$/;
/** Programs write a space, a comma or a zone without its colon, which ISO 8601 has. */
const DATE_FORM = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(?:[.,](\d{1,9})\d{0,3})?(?:[Zz]|([+-]\d\d):?(\d\d))$/;
const BASE64_FORM = /^[A-Za-z0-9+/_-]+={0,2}$/;

/** Returns true if one of the secrets signed the request. The comparison takes constant time. */
export function isHmacSigned(
  scheme: HmacScheme,
  secrets: readonly Hidden[],
  request: SentRequest,
  now: Instant,
): boolean {
  return urlsOf(scheme, request).some((url) => isHmacOf(scheme, secrets, { ...request, url }, now));
}

function isHmacOf(scheme: HmacScheme, secrets: readonly Hidden[], request: SentRequest, now: Instant): boolean {
  const claim = claimOf(scheme, request);
  if (claim === undefined || (claim.time !== undefined && !isTimely(scheme, claim.time, now))) return false;
  const sent = claim.signatures.flatMap((one) => decoded(scheme.encoding, one) ?? []);
  const matches = secrets.map((secret) => {
    const hmac = createHmac(scheme.algorithm, hmacKey(scheme, secret.reveal()));
    for (const part of claim.signed) hmac.update(part);
    const wanted = hmac.digest();
    return sent.map((one) => one.length === wanted.length && timingSafeEqual(one, wanted)).includes(true);
  });
  return matches.includes(true) && coversBody(scheme, request);
}

/** Returns the forms of the URL that a sender may sign: some of them leave out its port, others write the usual one. */
function urlsOf(scheme: HmacScheme, { url }: SentRequest): string[] {
  const [, origin, port = "", rest = ""] = /^(https?:\/\/[^/?#]*?)(:\d+)?([/?#].*)?$/i.exec(url) ?? [];
  if (origin === undefined || !hasPlaceholder(signedText(scheme), "url")) return [url];
  const usual = origin.toLowerCase().startsWith("https") ? ":443" : ":80";
  return [url, `${origin}${port === "" ? usual : ""}${rest}`];
}

/** Returns true if the private key of one of these public keys signed the request. */
export function isKeySigned(
  scheme: KeyScheme,
  secrets: readonly Hidden[],
  request: SentRequest,
  now: Instant,
): boolean {
  const claim = claimOf(scheme, request);
  if (claim === undefined || (claim.time !== undefined && !isTimely(scheme, claim.time, now))) return false;
  const signed = Buffer.concat(claim.signed);
  const sent = claim.signatures.flatMap((one) => decoded(scheme.encoding, one) ?? []);
  return secrets.some((secret) => {
    const key = publicKeyOf(scheme, secret.reveal());
    if (key === undefined) return false;
    const isEd25519 = scheme.kind === "ed25519";
    const dsaEncoding = scheme.signature_form === "p1363" ? "ieee-p1363" : "der";
    return sent.some((one) =>
      isEd25519 ? verify(null, signed, key, one) : verify("sha256", signed, { key, dsaEncoding }, one),
    );
  });
}

/** Returns true if the request has HTTP Basic credentials that are one of the secrets. */
export function hasBasic(_scheme: BasicScheme, secrets: readonly Hidden[], { header }: SentRequest): boolean {
  const [, encoded = ""] = /^basic ([A-Za-z0-9+/=_-]+)$/i.exec(header("authorization") ?? "") ?? [];
  return encoded !== "" && isOneOf(secrets, Buffer.from(encoded, "base64").toString("utf8"));
}

/** Returns true if the request contains one of the secrets. */
export function hasToken(scheme: TokenScheme, secrets: readonly Hidden[], request: SentRequest): boolean {
  const { header, query, path, prefix = "" } = scheme;
  const value =
    header === undefined
      ? query === undefined
        ? textAt(request.head("scheme"), readPath(path ?? "")?.steps ?? [])
        : queryValue(request, query)
      : request.header(header.toLowerCase());
  const token = value === undefined ? undefined : behind(prefix, value);
  return token !== undefined && isOneOf(secrets, token);
}

/** Returns why a scheme cannot use a secret; undefined if it can. */
export function signingSecretFault(scheme: HmacScheme | KeyScheme, secret: string): string | undefined {
  if (scheme.kind !== "hmac")
    return publicKeyOf(scheme, secret) === undefined
      ? `must be the sender's public key (${scheme.kind === "ed25519" ? "Ed25519" : "P-256"}) as ${scheme.secret_encoding}`
      : undefined;
  const plain = withoutPrefix(scheme, secret);
  if (scheme.secret_encoding === "base64")
    return BASE64_FORM.test(plain) && Buffer.from(plain, "base64").length >= 8 ? undefined : BASE64_ADVICE(scheme);
  if (scheme.secret_encoding === "hex")
    return /^(?:[0-9a-f]{2}){8,}$/i.test(plain) ? undefined : "must be hexadecimal, of at least 8 bytes";
  return undefined;
}

function BASE64_ADVICE({ secret_prefix: prefix }: HmacScheme): string {
  return prefix === undefined ? "must be base64" : `must be base64, with or without the prefix ${prefix}`;
}

function isOneOf(secrets: readonly Hidden[], value: string): boolean {
  // Hashes have one length, so that the comparison does not show the length of the secret.
  const sent = createHash("sha256").update(value).digest();
  return secrets
    .map((secret) => timingSafeEqual(createHash("sha256").update(secret.reveal()).digest(), sent))
    .includes(true);
}

/** Returns undefined if the request has no signature of this form. */
function claimOf(scheme: HmacScheme | KeyScheme, request: SentRequest): Claim | undefined {
  const value = signatureValue(scheme, request);
  if (value === undefined) return undefined;
  const members = membersOf(scheme, value);
  const prefix = scheme.prefix ?? "";
  const signatures = members.signatures.flatMap((one) => behind(prefix, one)?.trim() ?? []);
  const time = timeOf(scheme, request, members.times);
  if (signatures.length === 0) return undefined;
  const id = scheme.id_header === undefined ? "" : request.header(scheme.id_header.toLowerCase());
  if (time === "" || id === undefined || isUnreadableForm(scheme, request)) return undefined;
  return {
    signatures,
    time,
    signed: signedText(scheme).map((part) => bytesOf(part, request, { timestamp: time, id })),
  };
}

/** Returns what follows a prefix, such as `sha256=` or `Bearer `, in any case. */
function behind(prefix: string, value: string): string | undefined {
  return value.slice(0, prefix.length).toLowerCase() === prefix.toLowerCase() ? value.slice(prefix.length) : undefined;
}

function isUnreadableForm(scheme: HmacScheme | KeyScheme, request: SentRequest): boolean {
  return hasPlaceholder(signedText(scheme), "form") && signedForm(request) === undefined;
}

function signatureValue(scheme: HmacScheme | KeyScheme, request: SentRequest): string | undefined {
  return scheme.header === undefined
    ? textAt(request.head("scheme"), readPath(scheme.signature_path ?? "")?.steps ?? [])
    : request.header(scheme.header.toLowerCase());
}

/** `known` are the values that the scheme finds in places of its own. */
function bytesOf(
  part: Placeholders[number],
  request: SentRequest,
  known: Readonly<Record<string, string | undefined>>,
): Uint8Array {
  if (typeof part === "string") return Buffer.from(part, "utf8");
  if (part.name === "body" && part.argument === "") return request.body;
  return Buffer.from(known[part.name] ?? valueOf(part, request), "utf8");
}

const templates = new WeakMap<object, Placeholders>();

export function signedText(scheme: HmacScheme | KeyScheme): Placeholders {
  let template = templates.get(scheme);
  if (template === undefined) {
    template = readPlaceholders(scheme.signed ?? "{body}") ?? [];
    templates.set(scheme, template);
  }
  return template;
}

interface Members {
  readonly signatures: readonly string[];
  readonly times: readonly string[];
}

function membersOf(scheme: HmacScheme | KeyScheme, value: string): Members {
  const { format = "plain", separator = "," } = scheme;
  if (format === "plain") return { signatures: [value], times: [] };
  const members = value.split(separator).map((member) => member.trim());
  if (format === "list") return { signatures: members, times: [] };
  const of = (name: string | undefined): string[] =>
    name === undefined
      ? []
      : members.flatMap((member) => (member.startsWith(`${name}=`) ? [member.slice(name.length + 1)] : []));
  return { signatures: of(scheme.signature_member), times: of(scheme.timestamp_member) };
}

/** Returns the time as it was sent; undefined for a scheme without one, and empty if it is missing or ambiguous. */
function timeOf(scheme: HmacScheme | KeyScheme, request: SentRequest, members: readonly string[]): string | undefined {
  if (scheme.timestamp_member !== undefined) return members.length === 1 ? members[0] : "";
  if (scheme.timestamp_header !== undefined) return request.header(scheme.timestamp_header.toLowerCase()) ?? "";
  if (scheme.timestamp_path === undefined || !hasPlaceholder(signedText(scheme), "timestamp")) return undefined;
  return textAt(request.head("scheme"), readPath(scheme.timestamp_path)?.steps ?? []) ?? "";
}

/** Judges a time in the body of a request whose signature is right. */
export async function isTimelyInBody(
  { timestamp_path: path, ...scheme }: HmacScheme | KeyScheme,
  request: SentRequest,
  now: Instant,
): Promise<boolean> {
  if (path === undefined) return true;
  return isTimely(scheme, textAt(await request.json(), readPath(path)?.steps ?? []) ?? "", now);
}

/**
 * Returns what of a valid request may count only once: the signed text, where it is not the whole body, since the rest can be
 * changed. Null if the proof covers the body.
 */
export function onceOf(scheme: HmacScheme | KeyScheme, request: SentRequest): Buffer | null {
  if (hasWholeBody(signedText(scheme))) return null;
  return sha256(Buffer.concat([Buffer.from("proof\n"), ...(claimOf(scheme, request)?.signed ?? [])]));
}

/** Returns true if a scheme signs the body and nothing else, so that its signature means what the service's own does. */
export function signsBodyAlone(scheme: HmacScheme): boolean {
  const { timestamp_header: header, timestamp_member: member, timestamp_path: path } = scheme;
  const [part, ...others] = signedText(scheme);
  const isAlone = typeof part === "object" && others.length === 0 && hasWholeBody([part]);
  return isAlone && header === undefined && member === undefined && path === undefined;
}

/** Returns true if the signature covers this header. */
export function isSignedHeader(scheme: HmacScheme | KeyScheme, name: string): boolean {
  const wanted = name.toLowerCase();
  return signedText(scheme).some(
    (part) =>
      typeof part !== "string" &&
      ((part.name === "id" && scheme.id_header?.toLowerCase() === wanted) ||
        (part.name === "header" && part.argument.toLowerCase() === wanted)),
  );
}

function isTimely(scheme: HmacScheme | KeyScheme, time: string, now: Instant): boolean {
  const at = millisecondsOf(scheme.timestamp_unit ?? "seconds", time);
  if (at === undefined) return false;
  // Whole seconds, so that a time at the edge does not depend on the sender's milliseconds.
  const ageSeconds = Math.abs(Math.floor(now / 1000) - Math.floor(at / 1000));
  return ageSeconds <= (scheme.tolerance_seconds ?? DEFAULT_TOLERANCE_SECONDS);
}

function millisecondsOf(unit: NonNullable<HmacScheme["timestamp_unit"]>, time: string): number | undefined {
  if (unit === "seconds") return SECONDS_FORM.test(time) ? Number(time) * 1000 : undefined;
  if (unit === "milliseconds") return MILLISECONDS_FORM.test(time) ? Number(time) : undefined;
  const [whole, day, clock, digits = "0", hours = "+00", minutes = "00"] = DATE_FORM.exec(time) ?? [];
  return whole === undefined ? undefined : parseRfc3339(`${day}T${clock}.${digits}${hours}:${minutes}`);
}

/** Twilio signs the URL of a body that is not a form, and adds the hash of the body to it. */
function coversBody({ body_hash: hash, signed }: HmacScheme, request: SentRequest): boolean {
  if (hash === undefined) return true;
  if (isForm(request) && signed !== undefined && hasPlaceholder(readPlaceholders(signed) ?? [], "form")) return true;
  const sent = decoded(hash.encoding, queryValue(request, hash.query) ?? "");
  const wanted = createHash(hash.algorithm).update(request.body).digest();
  return sent !== undefined && sent.length === wanted.length && timingSafeEqual(sent, wanted);
}

/** Returns the bytes, or undefined for a text that is not exactly of this encoding. */
function decoded(encoding: HmacScheme["encoding"], text: string): Buffer | undefined {
  const bytes = Buffer.from(text, encoding);
  const again = bytes.toString(encoding);
  if (encoding === "hex") return again === text.toLowerCase() && text !== "" ? bytes : undefined;
  const plain = (value: string): string => value.replace(/={1,2}$/, "");
  return plain(again) === plain(text) && text !== "" ? bytes : undefined;
}

function hmacKey(scheme: HmacScheme, secret: string): Buffer {
  const { secret_encoding: encoding = "text" } = scheme;
  return Buffer.from(withoutPrefix(scheme, secret), encoding === "text" ? "utf8" : encoding);
}

function withoutPrefix({ secret_prefix: prefix }: HmacScheme, secret: string): string {
  return prefix !== undefined && secret.startsWith(prefix) ? secret.slice(prefix.length) : secret;
}

/** The DER header of an Ed25519 public key (RFC 8410), which its 32 bytes follow. */
const ED25519_HEADER = Buffer.from("302a300506032b6570032100", "hex");

/** Returns undefined for a text that is not a public key of this kind. */
function publicKeyOf({ kind, secret_encoding: encoding }: KeyScheme, secret: string): KeyObject | undefined {
  try {
    const key = encoding === "pem" ? createPublicKey(secret) : keyOfBytes(kind, decoded(encoding, secret.trim()));
    return key !== undefined && isOfKind(kind, key) ? key : undefined;
  } catch {
    return undefined;
  }
}

function keyOfBytes(kind: KeyScheme["kind"], bytes: Buffer | undefined): KeyObject | undefined {
  if (bytes === undefined) return undefined;
  const key = kind === "ed25519" && bytes.length === 32 ? Buffer.concat([ED25519_HEADER, bytes]) : bytes;
  return createPublicKey({ key, format: "der", type: "spki" });
}

function isOfKind(
  kind: KeyScheme["kind"],
  { asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject,
): boolean {
  return kind === "ed25519" ? type === "ed25519" : type === "ec" && details?.namedCurve === "prime256v1";
}
