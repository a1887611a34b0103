import { isRecord, pointerOf, rememberByText, scanJson } from "../../lib/lib.ts";
import type { Path, ScannedJson, Template, Violation } from "../../lib/lib.ts";
import { compileFill, isEventName, pathsOf, readText } from "../../events/events.ts";
import type { Fill } from "../../events/events.ts";
import { headerFaults } from "../requests/headers.ts";

/** A compiled transformation of an endpoint (contract, section 10). */
export type Transform = TemplateTransform | ScriptTransform;

/** A function in TypeScript or JavaScript. It runs apart from this process. */
export interface ScriptTransform {
  readonly kind: "script";
  readonly source: string;
}

export interface TemplateTransform {
  readonly kind: "template";
  readonly method: TransformMethod;
  readonly headers: readonly (readonly [name: string, value: Template])[];
  readonly body: Fill;
  /** All paths that it reads. */
  readonly paths: readonly Path[];
}

export const TRANSFORM_METHODS = ["POST", "PUT", "PATCH"] as const;
export type TransformMethod = (typeof TRANSFORM_METHODS)[number];

/** The names with which paths in a template can begin. */
export const TRANSFORM_ROOTS = ["event", "data", "id", "timestamp", "tenant", "attempt"] as const;

/** The maximum size of a transformation in bytes. */
const MAX_BYTES = 65_536;
/** The maximum size of the texts of all compiled transformations, in UTF-16 units. */
const MAX_KEPT_UNITS = 8 * 1024 * 1024;
const CONTENT_TYPE = "content-type";
const JSON_TYPE = /^application\/(?:[a-z0-9!#$&^_.+-]+\+)?json(?:;[\x20-\x7e]*)?$/i;
/** Headers whose value is a credential, which must be stored encrypted. */
const CREDENTIAL = /^(?:authorization|cookie)$|(?:api[-_]?key|token|secret|password)/i;

/** Compiles transformations and keeps the results by their text, so that endpoints with the same transformation share one. */
export function createCompiledTransforms() {
  return { of: rememberByText((text) => readTransform(text).transform, { units: MAX_KEPT_UNITS }) };
}

/** Returns the faults of a transformation that a caller sends as `transform`. */
export function transformFaults(text: string): readonly Violation[] {
  if (Buffer.byteLength(text) > MAX_BYTES)
    return [{ pointer: "/transform", code: "too_large", message: `must have at most ${MAX_BYTES} bytes` }];
  return readTransform(text).faults;
}

/** Compiles a transformation. The text is an object of the form of the API's schema. */
export function readTransform(text: string): { readonly transform: Transform; readonly faults: readonly Violation[] } {
  const scan = scanJson(Buffer.from(text));
  const given = isRecord(scan.value) ? scan.value : {};
  const read = given["kind"] === "script" ? readScriptTransform(given) : readTemplateTransform(scan, given);
  return { ...read, faults: [...foreignFaults(given), ...read.faults, ...caseFaults(given["cases"])] };
}

/** The members of each kind, besides `kind` and `cases`. */
const MEMBERS: Readonly<Record<Transform["kind"], readonly string[]>> = {
  template: ["method", "headers", "body"],
  script: ["source"],
};

function foreignFaults(given: Readonly<Record<string, unknown>>): Violation[] {
  const kind = given["kind"] === "script" ? "script" : "template";
  const known = new Set(["kind", "cases", ...MEMBERS[kind]]);
  return Object.keys(given)
    .filter((name) => !known.has(name))
    .map((name) => ({
      pointer: pointerOf(["transform", name]),
      code: "unknown_member",
      message: `must be omitted from a ${kind}`,
    }));
}

function readScriptTransform(given: Readonly<Record<string, unknown>>): {
  readonly transform: ScriptTransform;
  readonly faults: readonly Violation[];
} {
  const { source } = given;
  if (typeof source === "string") return { transform: { kind: "script", source }, faults: [] };
  const fault = { pointer: "/transform/source", code: "required", message: "must be present in a script" };
  return { transform: { kind: "script", source: "" }, faults: [fault] };
}

function readTemplateTransform(
  scan: ScannedJson,
  given: Readonly<Record<string, unknown>>,
): { readonly transform: TemplateTransform; readonly faults: readonly Violation[] } {
  const faults: Violation[] = [];
  if (given["body"] === undefined)
    faults.push({ pointer: "/transform/body", code: "required", message: "must be present in a template" });
  const { fill, faults: ofBody } = compileFill({ scan, place: ["body"], roots: TRANSFORM_ROOTS });
  faults.push(...ofBody.map((fault) => ({ ...fault, pointer: `/transform${fault.pointer}` })));
  const headers = readHeaders(given["headers"], faults);
  const method = TRANSFORM_METHODS.find((known) => known === given["method"]) ?? "POST";
  const paths = [...fill.paths, ...headers.flatMap(([, value]) => pathsOf(value))];
  return { transform: { kind: "template", method, headers, body: fill, paths }, faults };
}

function caseFaults(cases: unknown): Violation[] {
  const list: readonly unknown[] = Array.isArray(cases) ? cases : [];
  return list.flatMap((one, at) =>
    isRecord(one) && isEventName(String(one["event"]))
      ? []
      : [
          {
            pointer: `/transform/cases/${at}/event`,
            code: "event_name",
            message: "must be an event name such as order.created",
          },
        ],
  );
}

function readHeaders(given: unknown, faults: Violation[]): TemplateTransform["headers"] {
  const entries = isRecord(given) ? Object.entries(given).map(([name, value]) => [name, String(value)] as const) : [];
  faults.push(...savedHeaderFaults(Object.fromEntries(entries)));
  return entries.map(([name, value]) => {
    const template = readText(value, TRANSFORM_ROOTS);
    if (template === undefined)
      faults.push({
        pointer: pointerOf(["transform", "headers", name]),
        code: "template",
        message: `must contain \${…} tokens with paths that begin with one of ${TRANSFORM_ROOTS.join(", ")}`,
      });
    return [name, template ?? []] as const;
  });
}

/** Returns the faults of headers that are saved: also those of names that look like credentials. */
function savedHeaderFaults(headers: Readonly<Record<string, string>>): Violation[] {
  const credentials = Object.keys(headers)
    .filter((name) => CREDENTIAL.test(name))
    .map((name) => ({
      pointer: pointerOf(["transform", "headers", name]),
      code: "header_credential",
      message: "looks like a credential: use the endpoint's own headers, whose values are stored encrypted",
    }));
  const others = sentHeaderFaults(headers).map((fault) => ({ ...fault, pointer: `/transform${fault.pointer}` }));
  return [...credentials, ...others];
}

/** Returns the faults of the headers that a transformation would send. Of the headers of content, only the type can be set. */
export function sentHeaderFaults(headers: Readonly<Record<string, string>>): Violation[] {
  const isType = ([name]: readonly [string, string]): boolean => name.toLowerCase() === CONTENT_TYPE;
  const entries = Object.entries(headers);
  const faults = headerFaults(Object.fromEntries(entries.filter((entry) => !isType(entry))));
  const types = entries.filter(isType);
  for (const [name, value] of types)
    if (!JSON_TYPE.test(value) || types.length > 1)
      faults.push({
        pointer: pointerOf(["headers", name]),
        code: "content_type",
        message: "must be one media type of JSON without values of the event, such as application/cloudevents+json",
      });
  return faults;
}
