import { foreignJson, readPath } from "../../lib/lib.ts";
import type { Violation } from "../../lib/lib.ts";
import { ALLOWED_HEADER, answerBody } from "./handshake.ts";
import type { Handshake } from "./handshake.ts";
import { isKeptHeader } from "./kept-headers.ts";
import { readPlaceholders } from "./placeholders.ts";
import type { Placeholder, Placeholders } from "./placeholders.ts";
import type { Scheme } from "./scheme.ts";
import { signsWholeBody } from "./verifier.ts";

/** Each value of a request may have 2048 characters, so that their number bounds the answer. */
const MAX_VALUES = 10;
const PLACES = "must contain only {query:name}, {header:Name} and {body:$.path}";

/** Returns what is wrong with handshakes. `at` is the pointer to their list. */
export function handshakeFaults(handshakes: readonly Handshake[], at: string): Violation[] {
  return handshakes.flatMap((handshake, index) => [
    ...conditionFaults(handshake, `${at}/${index}`),
    ...answerFaults(handshake, `${at}/${index}/answer`),
    ...hmacFaults(handshake, `${at}/${index}/hmac`),
  ]);
}

/** Returns the faults of handshakes with the scheme of their source: they would never be answered. */
export function unansweredFaults(handshakes: readonly Handshake[], scheme: Scheme, at: string): Violation[] {
  return handshakes.flatMap(({ signed, hmac }, index) =>
    signed || hmac === undefined || signsWholeBody(scheme)
      ? []
      : [
          fault(
            `${at}/${index}/hmac`,
            "needs a signature_scheme or scheme that signs the whole body, or a signed handshake",
          ),
        ],
  );
}

/** Something that the conditions of a handshake must not be. */
interface Rule {
  readonly place: string;
  readonly message: string;
  breaks(handshake: Handshake): boolean;
}

const RULES: readonly Rule[] = [
  {
    place: "signed",
    message: "must be false, because only a POST is signed",
    breaks: ({ method, signed }) => signed && method !== "POST",
  },
  {
    place: "when",
    message: "must contain a condition, because every event is a POST",
    breaks: ({ method, when }) => method === "POST" && Object.values(when).flatMap(Object.keys).length === 0,
  },
  {
    place: "when/body",
    message: "is available for POST only",
    breaks: ({ method, when: { body = {} } }) => method !== "POST" && Object.keys(body).length > 0,
  },
  {
    place: "when/query",
    message: "must not contain t, the token of the URL",
    breaks: ({ when: { query = [] } }) => query.includes("t"),
  },
];
const MAX_WANTED = 200;

function conditionFaults(handshake: Handshake, at: string): Violation[] {
  const { when, signed } = handshake;
  return [
    ...RULES.filter((rule) => rule.breaks(handshake)).map(({ place, message }) => fault(`${at}/${place}`, message)),
    ...Object.entries(when.body ?? {}).flatMap(([path, value]) => {
      const message = isReadable(path, signed) ? valueFault(value) : adviceOn(path, signed);
      return message === undefined ? [] : [fault(`${at}/when/body`, message)];
    }),
  ];
}

function valueFault(value: unknown): string | undefined {
  if (typeof value === "object" && value !== null) return "must contain texts, numbers, Booleans and null only";
  return String(value).length > MAX_WANTED ? `must contain values of at most ${MAX_WANTED} characters` : undefined;
}

/** Only an object is read of a request that is not signed, and a path with an index at its start never matches one. */
function isReadable(path: string, signed: boolean): boolean {
  const first = readPath(path)?.steps[0];
  return first !== undefined && (signed || typeof first === "string");
}

function adviceOn(path: string, signed: boolean): string {
  return `${JSON.stringify(path)} must be an RFC 9535 singular query${signed ? "" : " that begins with a name, because only objects are read of unsigned requests"}`;
}

function answerFaults({ answer, hmac, signed }: Handshake, at: string): Violation[] {
  const { status, content_type: type, body, headers = {} } = answer;
  const faults = textFaults(body, { at: `${at}/body`, signed, mayHaveHmac: hmac !== undefined });
  if (status === 204 && body !== "") faults.push(fault(`${at}/body`, "must be empty with the status 204"));
  if (
    faults.length === 0 &&
    status !== 204 &&
    type === "application/json" &&
    foreignJson(answerBody(answer, () => "x")) === undefined
  )
    faults.push(fault(`${at}/body`, "must be JSON with its placeholders inside of strings"));
  return [...faults, ...Object.entries(headers).flatMap((header) => headerFaults(header, signed, at))];
}

function headerFaults([name, text]: readonly [string, string], signed: boolean, at: string): Violation[] {
  const pointer = `${at}/headers/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  if (!ALLOWED_HEADER.test(name)) return [fault(pointer, "must be a name that begins with WebHook-Allowed-")];
  if (!/^[\x20-\x7e]*$/.test(text)) return [fault(pointer, "must contain only visible ASCII characters and spaces")];
  return textFaults(text, { at: pointer, signed, mayHaveHmac: false });
}

function hmacFaults({ hmac, signed, answer }: Handshake, at: string): Violation[] {
  if (hmac === undefined) return [];
  const faults = textFaults(hmac.of, { at: `${at}/of`, signed, mayHaveHmac: false });
  const parts = readPlaceholders(hmac.of) ?? [];
  if (parts.length !== 1 || typeof parts[0] === "string")
    faults.push(fault(`${at}/of`, "must be exactly one placeholder"));
  if (!answer.body.includes("{hmac}")) faults.push(fault(at, "is not used: the answer's body must contain {hmac}"));
  return faults;
}

interface TextRules {
  readonly at: string;
  readonly signed: boolean;
  readonly mayHaveHmac: boolean;
}

/** Returns the faults of a text that is filled with values of the request. */
function textFaults(text: string, { at, signed, mayHaveHmac }: TextRules): Violation[] {
  const parts = readPlaceholders(text);
  if (parts === undefined) return [fault(at, PLACES)];
  const values = valuesOf(parts);
  if (values.length > MAX_VALUES) return [fault(at, `must contain at most ${MAX_VALUES} placeholders`)];
  const wrong = values.some((part) => !(part.name === "hmac" ? mayHaveHmac : isValue(part, signed)));
  return wrong ? [fault(at, mayHaveHmac ? `${PLACES}, and {hmac}` : PLACES)] : [];
}

function valuesOf(parts: Placeholders): Placeholder[] {
  return parts.filter((part) => typeof part !== "string");
}

/** An answer never has a credential of its caller: a browser would show it. */
function isValue({ name, argument }: Placeholder, signed: boolean): boolean {
  if (name === "header") return isKeptHeader(argument.toLowerCase());
  if (name === "query") return argument !== "t";
  return name === "body" && argument !== "" && isReadable(argument, signed);
}

function fault(pointer: string, message: string): Violation {
  return { pointer, code: "handshake", message };
}
