import { createHmac } from "node:crypto";
import { locate, readPath } from "../../lib/lib.ts";
import type { Hidden } from "../../lib/lib.ts";
import type { Net } from "../../platform/outbound-http/outbound-http.ts";
import { queryValue, readPlaceholders, textAt, valueOf } from "./placeholders.ts";
import type { Placeholder, SentRequest } from "./placeholders.ts";
import { looksLikeJson } from "./body.ts";
import type { Scheme } from "./scheme.ts";
import { isSnsUrl } from "./sns.ts";
import { signsWholeBody } from "./verifier.ts";

/** A request with which a sender checks the URL, and its answer (contract, section 12). It fires nothing. */
export interface Handshake {
  /** GET and HEAD stand for each other. */
  readonly method: "GET" | "HEAD" | "OPTIONS" | "POST";
  /** The parts that the request contains. A path of the body with null needs any value there. */
  readonly when: {
    readonly query?: readonly string[];
    readonly header?: readonly string[];
    readonly body?: Readonly<Record<string, string | number | boolean | null>>;
  };
  /** True if the sender signs this request like its events. */
  readonly signed: boolean;
  /** A value of the request that the answer contains signed, as `{hmac}`. */
  readonly hmac?: { readonly of: string; readonly algorithm: "sha256"; readonly encoding: "hex" | "base64" };
  readonly answer: HandshakeAnswer;
  /** An address to open: Amazon SNS confirms a subscription so. */
  readonly visit?: string;
}

export interface Answer {
  readonly status: number;
  readonly content_type: string;
  readonly body: string;
}

export interface HandshakeAnswer extends Answer {
  /** Headers with placeholders. One without a value that a header can have is left out. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The names that headers of an answer may have: those with which CloudEvents' web hooks grant permission. */
export const ALLOWED_HEADER = /^WebHook-Allowed-[A-Za-z-]{1,40}$/i;
const HEADER_VALUE = /^[\x21-\x7e](?:[\x20-\x7e]{0,254}[\x21-\x7e])?$/;

/** A value of a request that is sent back may not be longer, so that an answer stays a short one. */
const MAX_ECHO = 2048;

/**
 * The values that an answer may contain signed if the request itself is not. Anyone who knows the URL can ask, and the answer to a
 * text such as `{"type":…}` would be the signature of a forged event.
 */
const CHALLENGE = /^[A-Za-z0-9_+/=-]{1,128}$/;

/** The part of a source that strangers see. */
interface Greeter {
  readonly handshakes: readonly Handshake[];
  readonly scheme: Scheme;
}

/** A signature for strangers is answered only where the whole body is signed: `mayBeChallenge` can tell it from an event's then. */
export function unsignedHandshake({ handshakes, scheme }: Greeter, request: SentRequest): Handshake | undefined {
  const found = handshakeOf(handshakes, request, false);
  return found?.hmac === undefined || signsWholeBody(scheme) ? found : undefined;
}

/** Returns true if anyone can have texts signed with the secret. */
export function signForStrangers(handshakes: readonly Handshake[]): boolean {
  return handshakes.some(({ signed, hmac }) => !signed && hmac !== undefined);
}

/**
 * Returns true if a signature of the body may be the answer to a handshake: anyone can have a challenge signed, which contains no
 * bracket, so that only a JSON object or array proves its sender.
 */
export function mayBeChallenge(source: { readonly hasSignedForStrangers: boolean }, body: Uint8Array): boolean {
  return source.hasSignedForStrangers && !looksLikeJson(body);
}

/** Returns the handshake that a request is, or undefined. Only those that the sender signs, or only those that it does not. */
export function handshakeOf(
  handshakes: readonly Handshake[],
  request: SentRequest,
  isSigned: boolean,
): Handshake | undefined {
  const candidates = handshakes.filter(({ signed }) => signed === isSigned);
  return candidates.find(
    ({ method, when, signed, hmac }) =>
      asGet(method) === asGet(request.method) &&
      (signed || hmac === undefined || CHALLENGE.test(filledWith(hmac.of, request))) &&
      (when.query ?? []).every((name) => queryValue(request, name) !== undefined) &&
      (when.header ?? []).every((name) => request.header(name.toLowerCase()) !== undefined) &&
      Object.entries(when.body ?? {}).every(([path, wanted]) => hasValue(request, path, wanted)),
  );
}

/** A HEAD is answered as the GET is, without the body. */
function asGet(method: string): string {
  return method === "HEAD" ? "GET" : method;
}

function hasValue(request: SentRequest, path: string, wanted: string | number | boolean | null): boolean {
  const found = locate(request.head("handshake")?.value, readPath(path)?.steps ?? []);
  return found !== undefined && (wanted === null || found.value === wanted);
}

/** Returns the answer to a handshake. In JSON, inserted values are escaped. */
export function answerTo(handshake: Handshake, secrets: readonly Hidden[], request: SentRequest): HandshakeAnswer {
  const { hmac, answer } = handshake;
  const signed =
    hmac === undefined
      ? ""
      : createHmac(hmac.algorithm, secrets[0]?.reveal() ?? "")
          .update(filledWith(hmac.of, request))
          .digest(hmac.encoding);
  const headers = Object.entries(answer.headers ?? {})
    .map(([name, text]) => [name, filledWith(text, request)] as const)
    .filter(([, value]) => HEADER_VALUE.test(value));
  const body = answerBody(answer, (part) => (part.name === "hmac" ? signed : askedFor(part, request)));
  return { ...answer, body, headers: Object.fromEntries(headers) };
}

/** Returns the body of an answer with these values. In JSON, they are escaped. */
export function answerBody({ content_type: type, body }: Answer, valueFor: (part: Placeholder) => string): string {
  const isJson = type === "application/json";
  return filled(body, (part) => {
    const value = valueFor(part).slice(0, MAX_ECHO);
    return isJson ? JSON.stringify(value).slice(1, -1) : value;
  });
}

function filledWith(text: string, request: SentRequest): string {
  return filled(text, (part) => askedFor(part, request).slice(0, MAX_ECHO));
}

function filled(text: string, valueFor: (part: Placeholder) => string): string {
  return (readPlaceholders(text) ?? []).map((part) => (typeof part === "string" ? part : valueFor(part))).join("");
}

function askedFor(part: Placeholder, request: SentRequest): string {
  return part.name === "body" ? (textAt(request.head("handshake"), part.steps) ?? "") : valueOf(part, request);
}

/** Opens the address of a confirmation through the guard. Returns false if it is not one of Amazon SNS, or fails. */
export async function visit(
  net: Pick<Net, "send">,
  { visit: address }: Handshake,
  request: SentRequest,
): Promise<boolean> {
  const [part] = readPlaceholders(address ?? "") ?? [];
  const url = part === undefined || typeof part === "string" ? "" : askedFor(part, request);
  if (!isSnsUrl(url)) return false;
  const { status } = await net.send({ method: "GET", url, headers: {}, body: null, totalTimeoutMs: 5000 });
  return status !== null && status >= 200 && status < 300;
}
