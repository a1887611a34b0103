import { pointerOf, ServiceError } from "../lib/lib.ts";
import type { ScannedJson, Violation } from "../lib/lib.ts";
import type { NamedOperation, ObjectSchema } from "./operation-table.ts";

/** A call of an operation by its name, with its arguments in the parts of the operation's request. */
export interface Bound<Entry extends NamedOperation> {
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
export interface Argument {
  readonly value: unknown;
  readonly path: readonly string[];
}

/** The arguments of a call by their names, and the faults that were found with them. */
export interface FoundArguments {
  readonly found: ReadonlyMap<string, Argument>;
  readonly violations: readonly Violation[];
}

/** Gives each argument its place in the operation's request. Never throws: faults are reported after the access checks. */
export function bindArguments<Entry extends NamedOperation>(
  entry: Entry,
  scanned: ScannedJson,
  { found, violations }: FoundArguments,
): Bound<Entry> {
  const parts = Map.groupBy(found, ([name]) => partOf(entry, name));
  const valuesOf = (part: Part): Record<string, unknown> =>
    Object.fromEntries((parts.get(part) ?? []).map(([name, { value }]) => [name, value]));
  const body = new Map(parts.get("body"));
  const missing = Object.keys(propertiesOf(entry.schema.params)).filter((name) => !found.has(name));
  const errors = [
    ...violations,
    ...missing.map((name) => ({ pointer: pointerOf([name]), code: "required", message: "is required" })),
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

function partOf({ schema }: NamedOperation, name: string): Part {
  if (Object.hasOwn(propertiesOf(schema.params), name)) return "params";
  if (Object.hasOwn(propertiesOf(schema.querystring), name)) return "query";
  return schema.body === undefined ? "query" : "body";
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

export function propertiesOf(schema: ObjectSchema | undefined): Readonly<Record<string, object>> {
  return schema?.properties ?? {};
}

export function requiredOf(schema: ObjectSchema | undefined): readonly string[] {
  return schema?.nullable === true ? [] : (schema?.required ?? []);
}
