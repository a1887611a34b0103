import type { Operation } from "../../access/access.ts";
import { isRecord, pointerOf, ServiceError } from "../../lib/lib.ts";
import type { ScannedJson, Violation } from "../../lib/lib.ts";

/** The part of JSON Schema that this file reads. */
export interface ObjectSchema {
  readonly [keyword: string]: unknown;
  readonly properties?: Readonly<Record<string, object>>;
  readonly required?: readonly string[];
  readonly nullable?: boolean;
}

export interface OperationSchema {
  readonly summary?: string;
  readonly operationId?: string;
  readonly params?: ObjectSchema;
  readonly querystring?: ObjectSchema;
  readonly body?: ObjectSchema;
}

/** An operation that can be called by its name. */
export interface Named {
  readonly operation: Operation;
  readonly schema: OperationSchema;
}

/** One call of the General API, with its arguments in the parts of the operation's request. */
export interface Bound<Entry extends Named> {
  readonly entry: Entry;
  readonly params: Record<string, unknown>;
  readonly query: Record<string, unknown>;
  /** The body; undefined if the operation gets none. */
  readonly body: unknown;
  /** The scanned body, with its parts spelled as sent. */
  readonly scanned: ScannedJson;
  /** The fault that prevents the call. The access checks come before it. */
  readonly fault: ServiceError | undefined;
  /** Returns the position in the caller's body for a pointer of the operation. */
  pointer(ofOperation: string): string;
}

type Part = "params" | "query" | "body";

/** The position of one argument in the caller's body. */
interface Argument {
  readonly value: unknown;
  readonly path: readonly string[];
}

/** The operation that runs the workspace's registered contracts, which have no name of their own here. */
export const CONTRACTS = "actions.run";
const CONTAINER = "parameters";
/** The member of the body that names the operation. An argument of this name must be in the container. */
const NAME = "action";

/**
 * Returns undefined if the body names no operation. Never throws: faults of the arguments are reported after the access
 * checks.
 */
export function bind<Entry extends Named>(
  table: ReadonlyMap<string, Entry>,
  scanned: ScannedJson | undefined,
): Bound<Entry> | undefined {
  const sent = scanned?.value;
  if (scanned === undefined || !isRecord(sent) || typeof sent["action"] !== "string") return undefined;
  const entry = table.get(sent["action"]);
  if (entry !== undefined) return bound(entry, scanned, argumentsOf(entry, sent));
  const contracts = table.get(CONTRACTS);
  if (contracts === undefined) return undefined;
  return bound(contracts, scanned, { found: contractArguments(contracts, sent), violations: [] });
}

/**
 * Returns the arguments of a contract. Its parameters are under `parameters`, or flat next to the arguments of running
 * an action.
 */
function contractArguments(contracts: Named, sent: Readonly<Record<string, unknown>>): Map<string, Argument> {
  const [own, others] = [true, false].map((wanted) =>
    topLevel(sent).filter(([name]) => takes(contracts, name) === wanted),
  );
  const isNested = Object.hasOwn(sent, CONTAINER) || Object.hasOwn(sent, "params");
  if (isNested || others === undefined || others.length === 0) return new Map(topLevel(sent));
  const parameters = Object.fromEntries(others.map(([name, { value }]) => [name, value]));
  return new Map([...(own ?? []), [CONTAINER, { value: parameters, path: [] }]]);
}

interface GeneralOperation {
  readonly found: ReadonlyMap<string, Argument>;
  readonly violations: readonly Violation[];
}

/** Returns the arguments, which are flat next to `action`, under `parameters`, or mixed. No name may occur twice. */
function argumentsOf(entry: Named, sent: Readonly<Record<string, unknown>>): GeneralOperation {
  const flat = topLevel(sent).filter(
    ([name]) => name !== NAME && name !== CONTAINER && (name !== "confirmed" || takes(entry, name)),
  );
  if (!Object.hasOwn(sent, CONTAINER)) return { found: new Map(flat), violations: [] };
  const container = sent[CONTAINER];
  // An operation with an argument of that name receives it if other arguments are flat too. One that needs an argument
  // called `action` has it in the container, because `action` itself names the operation.
  if (takes(entry, CONTAINER) && !needs(entry, NAME) && flat.some(([name]) => name !== "confirmed")) {
    return { found: new Map([...flat, [CONTAINER, { value: container, path: [CONTAINER] }]]), violations: [] };
  }
  if (!isRecord(container)) {
    return { found: new Map(flat), violations: [{ pointer: "/parameters", code: "type", message: "must be object" }] };
  }
  const found = new Map(flat);
  const violations: Violation[] = [];
  for (const [name, value] of Object.entries(container)) {
    if (found.has(name))
      violations.push({ pointer: pointerOf([CONTAINER, name]), code: "duplicate", message: "must be sent only once" });
    found.set(name, { value, path: [CONTAINER, name] });
  }
  return { found, violations };
}

function topLevel(sent: Readonly<Record<string, unknown>>): [string, Argument][] {
  return Object.entries(sent).map(([name, value]) => [name, { value, path: [name] }]);
}

function bound<Entry extends Named>(
  entry: Entry,
  scanned: ScannedJson,
  { found, violations }: GeneralOperation,
): Bound<Entry> {
  const parts = Map.groupBy(found, ([name]) => partOf(entry, name));
  const valuesOf = (part: Part): Record<string, unknown> =>
    Object.fromEntries((parts.get(part) ?? []).map(([name, { value }]) => [name, value]));
  const body = new Map(parts.get("body"));
  const missing = Object.keys(propertiesOf(entry.schema.params)).filter((name) => !found.has(name));
  const errors = [
    ...violations,
    ...missing.map((name) => ({ pointer: pointerOf([name]), code: "required", message: "is required" })),
    ...(needs(entry, NAME) && !found.has(NAME) ? [NAMELESS] : []),
  ];
  const none = entry.schema.body === undefined || (entry.schema.body.nullable === true && body.size === 0);
  return {
    entry,
    params: valuesOf("params"),
    query: valuesOf("query"),
    body: none ? undefined : valuesOf("body"),
    scanned: partOfScan(scanned, body),
    fault: errors.length === 0 ? undefined : new ServiceError("validation_failed", { errors }),
    pointer: (inner) => {
      const [, first = "", ...rest] = inner.replace(/^\/query(?=\/)/, "").split("/");
      const path = found.get(first.replaceAll("~1", "/").replaceAll("~0", "~"))?.path;
      return path === undefined ? inner.replace(/^\/query(?=\/)/, "") : [pointerOf(path), ...rest].join("/");
    },
  };
}

function partOf({ schema }: Named, name: string): Part {
  if (Object.hasOwn(propertiesOf(schema.params), name)) return "params";
  if (Object.hasOwn(propertiesOf(schema.querystring), name)) return "query";
  return schema.body === undefined ? "query" : "body";
}

/** The fault of a call without an argument called `action`. */
const NAMELESS: Violation = {
  pointer: pointerOf([CONTAINER, NAME]),
  code: "required",
  message: "is required: the action at the top names the operation, and its own argument action is under parameters",
};

function needs({ schema }: Named, name: string): boolean {
  return [schema.params, schema.querystring, schema.body].some((part) => requiredOf(part).includes(name));
}

function takes({ schema }: Named, name: string): boolean {
  return [schema.params, schema.querystring, schema.body].some((part) => Object.hasOwn(propertiesOf(part), name));
}

/** Returns the body that the operation would have received, composed of the original texts. */
function partOfScan(whole: ScannedJson, body: ReadonlyMap<string, Argument>): ScannedJson {
  const text = (): string =>
    `{${[...body].map(([name, { path }]) => `${JSON.stringify(name)}:${whole.slice(path) ?? "null"}`).join(",")}}`;
  return {
    value: Object.fromEntries([...body].map(([name, { value }]) => [name, value])),
    get text() {
      return text();
    },
    slice: ([name, ...rest]) => {
      if (name === undefined) return text();
      const argument = body.get(String(name));
      return argument === undefined ? undefined : whole.slice([...argument.path, ...rest]);
    },
  };
}

/** Wraps a response. `result` is the operation's response under /v1, byte for byte. */
export function envelope(action: string, requestId: string): (body: string, status: number) => string {
  return (body, status) => {
    if (status === 204) return body;
    if (status >= 400) return `{"ok":false,${body.replace(/^\s*\{/, "")}`;
    const result = body === "" ? "null" : body;
    return `{"ok":true,"action":${JSON.stringify(action)},"result":${result},"request_id":${JSON.stringify(requestId)}}`;
  };
}

export interface ActionView {
  readonly object: "action";
  readonly name: string;
  readonly access: "read" | "write";
  readonly description: string;
  /** JSON Schema of the operation's arguments. */
  readonly parameters: object;
  /** Calls per minute and key. Operations with the same `shared` value share one limit. */
  readonly limits: { readonly per_minute: number; readonly shared: string };
}

/** A contract that a caller may run, by its key. */
export interface CallableContract {
  readonly key: string;
  readonly label: string;
  /** JSON Schema. */
  readonly parameters: object;
}

export function contractActionView({ key, label, parameters }: CallableContract, perMinute: number): ActionView {
  const limits = { per_minute: perMinute, shared: CONTRACTS };
  return { object: "action", name: key, access: "write", description: label, parameters, limits };
}

/** Returns one entry of the catalog of actions. */
export function actionView({ operation, schema }: Named, perMinute: number): ActionView {
  return {
    object: "action",
    name: operation.name,
    access: operation.access,
    description: schema.summary ?? inWords(schema.operationId ?? operation.name),
    parameters: parametersOf(schema),
    limits: { per_minute: perMinute, shared: operation.limit },
  };
}

function parametersOf({ params, querystring, body }: OperationSchema): object {
  const inPath = propertiesOf(params);
  return {
    type: "object",
    // Arguments in the path take precedence.
    properties: { ...propertiesOf(body), ...propertiesOf(querystring), ...inPath },
    required: [...Object.keys(inPath), ...requiredOf(querystring), ...requiredOf(body)],
    additionalProperties: false,
  };
}

function propertiesOf(schema: ObjectSchema | undefined): Readonly<Record<string, object>> {
  return schema?.properties ?? {};
}

function requiredOf(schema: ObjectSchema | undefined): readonly string[] {
  return schema?.nullable === true ? [] : (schema?.required ?? []);
}

/** Returns `listKeys` as "List keys". */
function inWords(name: string): string {
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replaceAll(/[._]/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
