import { HEADER_NAME, isRecord, locate, pointerOf } from "../lib/lib.ts";
import type { Path, ScannedJson, Steps, Template, Violation } from "../lib/lib.ts";
import { compileFill, readCondition, readText, pathsOf } from "../events/events.ts";
import type { Fill } from "../events/events.ts";
import type { Method } from "../platform/outbound-http/outbound-http.ts";
import { authFaults, hasParameter, isOwnHeader, isSignatureHeader, keyParameter, ORIGIN } from "./auth.ts";

/** A compiled HTTP call of a rule or a workflow, whose texts can contain values. */
export interface HttpTemplate {
  readonly method: Method;
  readonly url: Template;
  readonly query: readonly Named[];
  readonly headers: readonly Named[];
  readonly body: BodyTemplate;
  /** JSON texts of the members without templates, as they were written. */
  readonly settings: Readonly<Record<(typeof SETTINGS)[number], string>>;
  /** All paths that it reads. */
  readonly paths: readonly Path[];
}

export interface Named {
  readonly name: string;
  readonly value: Template;
}

export type BodyTemplate =
  | { readonly kind: "none" }
  | { readonly kind: "json"; readonly json: Fill }
  | { readonly kind: "form"; readonly fields: readonly Named[] }
  | { readonly kind: "text"; readonly text: Template };

export const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const satisfies readonly Method[];

/** The members of an HTTP call, besides those of the action or step that contains it. */
export const HTTP_MEMBERS = {
  required: ["method", "url"],
  optional: [
    "query",
    "headers",
    "body",
    "form",
    "text",
    "auth",
    "success_when",
    "timeout_ms",
    "retries",
    "expose",
    "sign",
  ],
} as const;

const SETTINGS = ["auth", "success_when", "timeout_ms", "retries", "expose", "sign"] as const;
const BODIES = ["body", "form", "text"] as const;
const WITH_BODY: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"]);
const MAX_NAMES = 50;
const MAX_TEXT = 65_536;
const MAX_URL = 2048;
const MAX_TIMEOUT_MS = 30_000;
const MAX_RETRIES = 5;
const MAX_EXPOSED = 50;
/** Headers whose value is a credential, which must be stored encrypted. */
const CREDENTIAL = /^(?:authorization|cookie)$|(?:api[-_]?key|token|secret|password)/i;
/** The names with which paths of `success_when` can begin. */
export const ANSWER_ROOTS = ["status", "headers", "body", "text"] as const;

/** A call in a larger JSON text. */
export interface WrittenCall {
  readonly scan: ScannedJson;
  readonly place: Steps;
  /** The names with which its paths can begin. */
  readonly roots: readonly string[];
}

interface Reading extends WrittenCall {
  readonly call: Readonly<Record<string, unknown>>;
  readonly faults: Violation[];
  readonly paths: Path[];
}

/** Compiles a call. Faults have pointers from the root of the whole text. */
export function readHttpCall(written: WrittenCall): {
  readonly call: HttpTemplate;
  readonly faults: readonly Violation[];
} {
  const found = locate(written.scan.value, written.place)?.value;
  const reading: Reading = { ...written, call: isRecord(found) ? found : {}, faults: [], paths: [] };
  const method = METHODS.find((known) => known === reading.call["method"]);
  if (method === undefined) refuse(reading, "method", `must be one of ${METHODS.join(", ")}`);
  refuseRepeatedKey(reading);
  const call = {
    method: method ?? "GET",
    url: readUrl(reading),
    query: readNamed(reading, "query"),
    headers: readHeaders(reading),
    body: readBody(reading, method ?? "POST"),
    settings: readSettings(reading),
    paths: reading.paths,
  };
  return { call, faults: reading.faults };
}

function refuse({ faults, place }: Reading, member: string, message: string, code = "http_call"): void {
  faults.push({ pointer: pointerOf([...place, ...member.split("/")]), code, message });
}

function readUrl(reading: Reading): Template {
  const { url } = reading.call;
  if (typeof url !== "string" || url.length > MAX_URL) {
    refuse(reading, "url", `must be a URL of at most ${MAX_URL} characters`);
    return [];
  }
  const template = textAt(reading, "url", url);
  const fault = hostFault(url, template);
  if (fault !== undefined) refuse(reading, "url", fault);
  if (url.includes("#")) refuse(reading, "url", "must not contain a fragment (#)");
  return template;
}

/** A value in the host could lead the request, and with it a secret, to anywhere. */
function hostFault(url: string, [first, ...others]: Template): string | undefined {
  const [literal = ""] = url.split("${", 1);
  const origin = typeof first === "string" ? ORIGIN.exec(first)?.[0] : undefined;
  if (origin === undefined || URL.parse(literal) === null)
    return "must begin with http:// or https:// and a host without values of the event";
  return others.length > 0 && origin === first ? "must have a / after the host, before the first value" : undefined;
}

function textAt(reading: Reading, member: string, text: string): Template {
  const template = readText(text, reading.roots);
  if (template === undefined) {
    refuse(
      reading,
      member,
      `must contain \${…} tokens with paths that begin with one of ${reading.roots.join(", ")}`,
      "template",
    );
    return [];
  }
  reading.paths.push(...pathsOf(template));
  return template;
}

/** Reads an object of texts, numbers and Booleans. */
function readNamed(reading: Reading, member: "query" | "headers" | "form"): Named[] {
  const object = reading.call[member];
  if (object === undefined || object === null) return [];
  if (!isRecord(object) || Object.keys(object).length > MAX_NAMES) {
    refuse(reading, member, `must be an object with at most ${MAX_NAMES} members`);
    return [];
  }
  return Object.entries(object).flatMap(([name, value]) => {
    const place = `${member}/${name}`;
    if (typeof value === "number" || typeof value === "boolean")
      return [{ name, value: [reading.scan.slice([...reading.place, member, name]) ?? ""] }];
    if (typeof value === "string" && value.length <= MAX_TEXT) return [{ name, value: textAt(reading, place, value) }];
    refuse(reading, place, "must be a string, a number or a Boolean");
    return [];
  });
}

function readHeaders(reading: Reading): Named[] {
  const headers = readNamed(reading, "headers");
  for (const { name } of headers) {
    const place = `headers/${name}`;
    if (!HEADER_NAME.test(name)) refuse(reading, place, "must be the name of a header");
    else if (isOwnHeader(name) || (reading.call["sign"] === true && isSignatureHeader(name)))
      refuse(reading, place, "is set by the service");
    else if (CREDENTIAL.test(name))
      refuse(reading, place, "looks like a credential: use auth with a secret_ref, whose value is stored encrypted");
  }
  return headers;
}

function readBody(reading: Reading, method: Method): BodyTemplate {
  const given = BODIES.filter((name) => reading.call[name] !== undefined);
  const [kind, other] = given;
  if (kind === undefined) return { kind: "none" };
  if (other !== undefined) refuse(reading, other, `must be omitted if ${kind} is set`);
  if (!WITH_BODY.has(method)) refuse(reading, kind, `must be omitted: a ${method} request has no body`);
  if (kind === "form") return { kind, fields: readNamed(reading, "form") };
  if (kind === "text") {
    const { text } = reading.call;
    if (typeof text === "string" && text.length <= MAX_TEXT) return { kind, text: textAt(reading, "text", text) };
    refuse(reading, "text", `must be a string of at most ${MAX_TEXT} characters`);
    return { kind: "none" };
  }
  const place = [...reading.place, "body"];
  const { fill, faults } = compileFill({ ...reading, place });
  reading.faults.push(...faults);
  reading.paths.push(...fill.paths);
  return { kind: "json", json: fill };
}

function readSettings(reading: Reading): HttpTemplate["settings"] {
  const { call, scan, place } = reading;
  whole(reading, "timeout_ms", [100, MAX_TIMEOUT_MS]);
  whole(reading, "retries", [0, MAX_RETRIES]);
  const { expose, success_when: success } = call;
  const isList =
    Array.isArray(expose) && expose.length <= MAX_EXPOSED && expose.every((name) => typeof name === "string");
  if (expose !== undefined && expose !== null && !isList)
    refuse(reading, "expose", `must be a list of at most ${MAX_EXPOSED} names of members of the response's body`);
  if (success !== undefined && success !== null) {
    const { faults } = readCondition({ scan, place: [...place, "success_when"], roots: ANSWER_ROOTS });
    reading.faults.push(...faults);
  }
  readAuth(reading);
  readSign(reading);
  const textOf = (name: string): string => scan.slice([...place, name]) ?? "null";
  return Object.fromEntries(SETTINGS.map((name) => [name, textOf(name)])) as HttpTemplate["settings"];
}

function whole(reading: Reading, name: string, [least, most]: readonly [number, number]): void {
  const value = reading.call[name];
  if (value === undefined || value === null) return;
  if (!Number.isInteger(value) || Number(value) < least || Number(value) > most)
    refuse(reading, name, `must be a whole number from ${least} to ${most}`);
}

function readSign(reading: Reading): void {
  const { sign = null } = reading.call;
  if (sign !== null && typeof sign !== "boolean") refuse(reading, "sign", "must be true or false");
}

function readAuth(reading: Reading): void {
  const { auth } = reading.call;
  if (auth === undefined || auth === null) return;
  for (const { member, code, message } of authFaults(auth)) refuse(reading, `auth/${member}`, message, code);
  if (reading.call["sign"] !== true || keyParameter(auth) !== undefined || !isRecord(auth)) return;
  for (const member of ["name", "header"])
    if (isSignatureHeader(String(auth[member]))) refuse(reading, `auth/${member}`, "is set by the service");
}

/** An API would read only one of two parameters of the same name, and perhaps not the key. */
function refuseRepeatedKey(reading: Reading): void {
  const { url, query, auth } = reading.call;
  const name = keyParameter(auth);
  if (name === undefined) return;
  const message = `must not contain the parameter ${name}, in which auth sends the API key`;
  // The name of a parameter is checked again when its values are filled in.
  if (typeof url === "string" && hasParameter(url, name)) refuse(reading, "url", message, "conflict");
  if (isRecord(query) && Object.hasOwn(query, name)) refuse(reading, `query/${name}`, message, "conflict");
}
