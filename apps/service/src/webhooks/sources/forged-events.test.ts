import fc from "fast-check";
import type { Arbitrary } from "fast-check";
import { expect, test } from "vitest";
import { hide, instant } from "../../lib/lib.ts";
import { answerTo, mayBeChallenge, signForStrangers, unsignedHandshake } from "./handshake.ts";
import type { Handshake } from "./handshake.ts";
import { handshakeFaults, unansweredFaults } from "./handshake-faults.ts";
import type { Placeholder, SentRequest } from "./placeholders.ts";
import { headerFrom, readPlaceholders } from "./placeholders.ts";
import { schemeFaults } from "./scheme-faults.ts";
import type { HmacScheme, Scheme } from "./scheme.ts";
import { namedSchemes } from "./named-schemes.ts";
import { senders } from "./senders.ts";
import { headOf, smallForm } from "./unproven.ts";
import { createVerifier, OWN_SCHEME } from "./verifier.ts";

/** No answer to an unsigned handshake can be the signature of an event of the same source (contract, section 13). */

interface Greeter {
  readonly name: string;
  readonly handshakes: readonly Handshake[];
  readonly scheme: Scheme;
}

const SECRET = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";
const NOW = instant(1_795_608_000_000);
const URL = "https://junction.example.com/api/v1/inbound.php?t=TOKEN";
const verifier = createVerifier({
  net: { send: () => Promise.reject(new Error("a forged event asked for an address")) },
  clock: { now: () => NOW } as never,
});

const word = fc.stringMatching(/^[A-Za-z0-9_+/=-]{1,40}$/);
const challenge = fc.oneof(
  word,
  fc.constantFrom("1795608000", "1795608000abc", "17956080001", "true", "null", "123", "a=b", "x".repeat(128)),
  // These are never signed, or the answer would be a forged event.
  fc.constantFrom("{}", "[]", '{"a":1}', "1795608000.{}", '{"type":"a"}', " {}", "[1]", "\uFEFF{}"),
);

const shipped: readonly Greeter[] = senders
  .filter(({ handshakes }) => handshakes.some(({ signed }) => !signed))
  .map(({ key, handshakes, scheme }) => ({ name: key, handshakes, scheme }));

const placeOfChallenge = fc.constantFrom("{query:c}", "{header:X-Challenge}", "{body:$.c}");
const ownHandshake: Arbitrary<Handshake> = fc
  .record({
    method: fc.constantFrom("GET", "HEAD", "OPTIONS", "POST"),
    of: placeOfChallenge,
    encoding: fc.constantFrom("hex", "base64"),
    more: fc.constantFrom("", "sha256=", "t=1795608000,v1=", '{"a":1}'),
    hasHeader: fc.boolean(),
  })
  .map(({ method, of, encoding, more, hasHeader }) => ({
    method,
    when: {
      ...(of.startsWith("{query") || method !== "POST" ? { query: ["c"] } : {}),
      ...(of.startsWith("{header") ? { header: ["X-Challenge"] } : {}),
      ...(of.startsWith("{body") ? { body: { "$.c": null } } : {}),
    },
    signed: false,
    hmac: { of, algorithm: "sha256", encoding },
    answer: {
      status: 200,
      content_type: "text/plain",
      body: `${more}{hmac}${of}`,
      ...(hasHeader ? { headers: { "WebHook-Allowed-Origin": of } } : {}),
    },
  }));

const pieceOfSigned = fc.constantFrom(
  "{body}",
  "{timestamp}",
  "{id}",
  "{method}",
  "{header:X-A}",
  "{query:q}",
  "",
  ".",
  "v0:",
);
const hmacScheme: Arbitrary<Scheme> = fc
  .record({
    signed: fc.array(pieceOfSigned, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("")),
    encoding: fc.constantFrom("hex", "base64", "base64url"),
    format: fc.constantFrom("plain", "list"),
    prefix: fc.constantFrom("", "sha256="),
    secret: fc.constantFrom("text", "base64"),
  })
  .map(({ signed, encoding, format, prefix, secret }): HmacScheme => ({
    kind: "hmac",
    algorithm: "sha256",
    encoding,
    header: "X-Sig",
    format,
    signed,
    secret_encoding: secret,
    ...(prefix === "" ? {} : { prefix }),
    ...(secret === "base64" ? { secret_prefix: "whsec_" } : {}),
    ...(signed.includes("{timestamp}") ? { timestamp_header: "X-Time" } : {}),
    ...(signed.includes("{id}") ? { id_header: "X-Id" } : {}),
  }));
const scheme = fc.oneof(
  { weight: 6, arbitrary: hmacScheme },
  {
    weight: 2,
    arbitrary: fc.constantFrom<Scheme>(
      ...Object.values(namedSchemes),
      ...senders.map((one) => one.scheme).filter(({ kind }) => kind === "hmac"),
    ),
  },
  fc.constantFrom<Scheme>(
    { kind: "basic" },
    { kind: "token", header: "X-Sig" },
    { kind: "jwt", header: "Authorization", algorithms: ["HS256"], key: "secret" },
  ),
);
const greeter: Arbitrary<Greeter> = fc.oneof(
  fc.constantFrom(...shipped),
  fc
    .tuple(fc.array(ownHandshake, { minLength: 1, maxLength: 2 }), scheme)
    .filter(([, one]) => schemeFaults(one, "").length === 0)
    .map(([handshakes, one]) => ({ name: "own", handshakes, scheme: one })),
);

function requestOf(method: string, url: string, headers: Record<string, string>, body: string): SentRequest {
  const header = headerFrom(headers);
  const bytes = Buffer.from(body);
  return {
    method,
    url,
    header,
    body: bytes,
    head: () => headOf(bytes) ?? smallForm({ header, body: bytes }),
    json: async () => await Promise.resolve(headOf(bytes)),
  };
}

/** Asks a source for the answer to a challenge, wherever its handshakes look for one. */
function ask({ handshakes, scheme: signing }: Greeter, text: string): string[] {
  const names = handshakes.flatMap(({ when }) => [...(when.query ?? []), "c"]);
  const headers = Object.fromEntries(
    handshakes.flatMap(({ when }) => [...(when.header ?? []), "X-Challenge"]).map((one) => [one, text]),
  );
  const query = [...new Set(names)].map((name) => `&${name}=${encodeURIComponent(text)}`).join("");
  const bodies = [JSON.stringify({ c: text, challenge: text, verification_token: text, webhook_id: text }), ""];
  return ["GET", "HEAD", "OPTIONS", "POST"].flatMap((method) =>
    bodies.flatMap((body) => {
      const request = requestOf(method, URL + query, headers, body);
      const handshake = unsignedHandshake({ handshakes, scheme: signing }, request);
      if (handshake === undefined) return [];
      const { body: answer, headers: more = {} } = answerTo(handshake, [hide(SECRET)], request);
      return [answer, ...Object.values(more)];
    }),
  );
}

/** Returns all that may be a signature in the texts, in each encoding. */
function signaturesIn(answers: readonly string[]): string[] {
  const found = answers.flatMap((answer) => answer.match(/[A-Za-z0-9+/_=-]{16,}/g) ?? []);
  const cut = found.flatMap((one) => [
    one,
    one.slice(0, 64),
    one.slice(0, 44),
    ...one.split("=").map((part) => part),
    one.replace(/^sha256=/, ""),
  ]);
  const bytes = [...new Set(cut)].flatMap((one) => [
    ...(/^[0-9a-f]{64}$/.test(one) ? [Buffer.from(one, "hex")] : []),
    ...(/^[A-Za-z0-9+/]{43}=?$/.test(one) ? [Buffer.from(one, "base64")] : []),
  ]);
  const encoded = bytes.flatMap((one) => [one.toString("hex"), one.toString("base64"), one.toString("base64url")]);
  return [...new Set([...cut.slice(0, 20), ...encoded])];
}

/** The parts of a request that are taken from a challenge. */
interface Forged {
  readonly headers: Record<string, string>;
  query: string;
  body: string;
}

/** Builds a request whose signed text is the challenge: its pieces stand where the scheme takes them from. */
function forgery(own: Scheme, text: string, signature: string): SentRequest {
  const { header, prefix = "", signed = "{body}" } = { ...OWN_SCHEME, ...own } as HmacScheme & { header: string };
  const forged: Forged = {
    headers: { "Content-Type": "text/plain", [header]: prefix + signature },
    query: "",
    body: text,
  };
  const parts = readPlaceholders(signed) ?? [];
  let rest = text;
  for (const [at, part] of parts.entries()) {
    const literal = literalOf(part);
    const piece = literal ?? rest.slice(0, at === parts.length - 1 ? rest.length : lengthFor(part, rest));
    if (rest.startsWith(piece)) rest = rest.slice(piece.length);
    if (literal === undefined) place(forged, own as HmacScheme, part as Placeholder, piece);
  }
  return requestOf("POST", URL + forged.query, forged.headers, forged.body);
}

function literalOf(part: string | Placeholder): string | undefined {
  if (typeof part === "string") return part;
  return part.name === "method" ? "POST" : undefined;
}

function lengthFor(part: string | Placeholder, rest: string): number {
  return typeof part === "object" && part.name === "timestamp" ? 10 : Math.ceil(rest.length / 2);
}

function place(forged: Forged, own: HmacScheme, { name, argument }: Placeholder, piece: string): void {
  const { timestamp_header: time = "", id_header: id = "" } = own;
  if (name === "body") forged.body = piece;
  else if (name === "query") forged.query += `&${argument}=${encodeURIComponent(piece)}`;
  else forged.headers[{ timestamp: time, id }[name] ?? argument] = piece;
}

async function isEvent(
  source: Greeter,
  request: SentRequest,
): Promise<{ readonly isProven: boolean; readonly isTaken: boolean }> {
  const isProven = (await verifier.verify(source.scheme, [hide(SECRET)], request)) === "valid";
  const hasSignedForStrangers = signForStrangers(source.handshakes);
  return { isProven, isTaken: isProven && !mayBeChallenge({ hasSignedForStrangers }, request.body) };
}

test("no answer to an unsigned handshake is the signature of an event", async () => {
  const seen = { answers: 0, own: 0, proven: 0 };
  await fc.assert(
    fc.asyncProperty(greeter, challenge, async (source, text) => {
      const isSavable =
        source.name !== "own" ||
        [...handshakeFaults(source.handshakes, ""), ...unansweredFaults(source.handshakes, source.scheme, "")]
          .length === 0;
      const answers = ask(source, text);
      seen.answers += answers.length;
      for (const signature of signaturesIn(answers)) {
        const byOwn = requestOf(
          "POST",
          URL,
          { "Content-Type": "text/plain", "X-Service-Inbound-Signature": signature },
          text,
        );
        for (const request of [forgery(source.scheme, text, signature), byOwn]) {
          const { isProven, isTaken } = await isEvent(source, request);
          seen.proven += Number(isProven);
          seen.own += Number(isSavable && source.name === "own");
          expect([source, text, isTaken]).toEqual([source, text, false]);
        }
      }
    }),
    { numRuns: 3000 },
  );
  // Attacks that only the rule for JSON stops are among them: otherwise this would prove nothing.
  expect(seen.answers).toBeGreaterThan(300);
  expect(seen.own).toBeGreaterThan(300);
  expect(seen.proven).toBeGreaterThan(20);
});
