import { createHmac } from "node:crypto";
import { locate, readPath } from "../../lib/lib.ts";
import type { Hidden } from "../../lib/lib.ts";
import type { Net } from "../../platform/outbound-http/outbound-http.ts";
import { queryValue, readPlaceholders, textAt, valueOf } from "./placeholders.ts";
import type { Placeholder, SentRequest } from "./placeholders.ts";
import { isSnsUrl } from "./sns.ts";

/** A request with which a sender checks the URL, and its answer (contract, section 12). It fires nothing. */
export interface Handshake {
  readonly method: "GET" | "HEAD" | "POST";
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
  readonly answer: Answer;
  /** An address to open: Amazon SNS confirms a subscription so. */
  readonly visit?: string;
}

export interface Answer {
  readonly status: number;
  readonly content_type: string;
  readonly body: string;
}

/** A value of a request that is sent back may not be longer, so that an answer stays a short one. */
const MAX_ECHO = 2048;

/**
 * The values that an answer may contain signed if the request itself is not. Anyone who knows the URL can ask, and the answer to a
 * text such as `{"type":…}` would be the signature of a forged event.
 */
const CHALLENGE = /^[A-Za-z0-9_+/=-]{1,128}$/;

/** Returns true if strangers get texts signed with the secret, so that only JSON objects and arrays may be events of the source. */
export function signsForStrangers(handshakes: readonly Handshake[]): boolean {
  return handshakes.some(({ signed, hmac }) => !signed && hmac !== undefined);
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
      method === request.method &&
      (signed || hmac === undefined || CHALLENGE.test(filledWith(hmac.of, request))) &&
      (when.query ?? []).every((name) => queryValue(request, name) !== undefined) &&
      (when.header ?? []).every((name) => request.header(name.toLowerCase()) !== undefined) &&
      Object.entries(when.body ?? {}).every(([path, wanted]) => hasValue(request, path, wanted)),
  );
}

function hasValue(request: SentRequest, path: string, wanted: string | number | boolean | null): boolean {
  const found = locate(request.head("handshake")?.value, readPath(path)?.steps ?? []);
  return found !== undefined && (wanted === null || found.value === wanted);
}

/** Returns the answer to a handshake. In JSON, inserted values are escaped. */
export function answerTo(handshake: Handshake, secrets: readonly Hidden[], request: SentRequest): Answer {
  const { hmac, answer } = handshake;
  const isJson = answer.content_type === "application/json";
  const escaped = (value: string): string => JSON.stringify(value).slice(1, -1);
  const signed =
    hmac === undefined
      ? ""
      : createHmac(hmac.algorithm, secrets[0]?.reveal() ?? "")
          .update(filledWith(hmac.of, request))
          .digest(hmac.encoding);
  return { ...answer, body: filledWith(answer.body, request, { insert: isJson ? escaped : plain, hmac: signed }) };
}

function filledWith(
  text: string,
  request: SentRequest,
  { insert, hmac }: { readonly insert: (value: string) => string; readonly hmac: string } = { insert: plain, hmac: "" },
): string {
  return (readPlaceholders(text) ?? [])
    .map((part) => {
      if (typeof part === "string") return part;
      const value = part.name === "hmac" ? hmac : askedFor(part, request);
      return insert(value.slice(0, MAX_ECHO));
    })
    .join("");
}

function askedFor(part: Placeholder, request: SentRequest): string {
  return part.name === "body" ? (textAt(request.head("handshake"), part.steps) ?? "") : valueOf(part, request);
}

function plain(value: string): string {
  return value;
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
