import { bindArguments, propertiesOf, requiredOf } from "../../access/access.ts";
import type { Argument, Bound, FoundArguments, NamedOperation as Named, OperationSchema } from "../../access/access.ts";
import { isRecord, pointerOf } from "../../lib/lib.ts";
import type { ScannedJson, Violation } from "../../lib/lib.ts";

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
  if (entry !== undefined) {
    const { found, violations } = argumentsOf(entry, sent);
    const isNameless = needs(entry, NAME) && !found.has(NAME);
    return bindArguments(entry, scanned, { found, violations: isNameless ? [...violations, NAMELESS] : violations });
  }
  const contracts = table.get(CONTRACTS);
  if (contracts === undefined) return undefined;
  return bindArguments(contracts, scanned, { found: contractArguments(contracts, sent), violations: [] });
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

/** Returns the arguments, which are flat next to `action`, under `parameters`, or mixed. No name may occur twice. */
function argumentsOf(entry: Named, sent: Readonly<Record<string, unknown>>): FoundArguments {
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

/** Returns `listKeys` as "List keys". */
function inWords(name: string): string {
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replaceAll(/[._]/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
