import { pointerOf, scanJson, ServiceError, TooExpensiveError } from "../../lib/lib.ts";
import type { Violation, WorkBudget } from "../../lib/lib.ts";
import {
  compileSchema,
  incompatibilities,
  MAX_SCHEMA_BYTES,
  readValue,
  schemaFaults,
} from "../data-schemas/data-schema.ts";
import { findEventType } from "../catalogue/catalogue.ts";
import type { DataSchema } from "../data-schemas/data-schema.ts";
import type { StoredType, TypeInsert, VersionInsert } from "./event-types.store.ts";

/** The members of a type that a caller sends. A missing member stays as it is. */
export interface TypeInput {
  readonly title?: string;
  readonly description?: string;
  /** JSON text of a schema, or `null`. */
  readonly schema?: string | undefined;
  /** JSON text of a list of objects. */
  readonly examples?: string | undefined;
  readonly enforcement?: "off" | "warn" | "refuse";
  readonly visibility?: "public" | "private";
  readonly deprecated?: boolean;
}

/** The state of a type after a change: the rows to write. */
export interface NextState {
  readonly type: Omit<TypeInsert, "bucket" | "workspace_id" | "name">;
  readonly version: Pick<VersionInsert, "version" | "schema" | "examples">;
  /** False if the type already is as the caller wants it. */
  readonly isChanged: boolean;
}

export const MAX_EXAMPLES = 10;
const MAX_EXAMPLES_BYTES = 65_536;

/**
 * Returns what is wrong with the schema and the examples, with pointers into the type. A schema is also compiled, so that no event is
 * the first to meet one that takes too long.
 */
export function inputFaults(input: TypeInput, current: StoredType | undefined, budget: WorkBudget): Violation[] {
  try {
    return faultsOf(input, current, budget);
  } catch (error) {
    if (!(error instanceof TooExpensiveError)) throw error;
    const message =
      "takes too long to read: use fewer subschemas and values, simpler patterns, or fewer types in one call";
    return [{ pointer: "/schema", code: "too_expensive", message }];
  }
}

function faultsOf(input: TypeInput, current: StoredType | undefined, budget: WorkBudget): Violation[] {
  const { schema, examples } = input;
  const tooLarge = [
    ...sizeFaults("schema", schema, MAX_SCHEMA_BYTES),
    ...sizeFaults("examples", examples, MAX_EXAMPLES_BYTES),
  ];
  if (tooLarge.length > 0) return tooLarge;
  return schema === undefined && examples === undefined ? [] : contentFaults(input, current, budget);
}

function contentFaults(
  { schema, examples }: TypeInput,
  current: StoredType | undefined,
  budget: WorkBudget,
): Violation[] {
  const effective = schema ?? current?.schema ?? "null";
  if (effective === "null") return [];
  const faults = schema === undefined ? [] : schemaFaults(readValue(schema, budget), budget);
  if (faults.length > 0) return faults.map((one) => ({ ...one, pointer: `/schema${one.pointer}` }));
  const compiled = compileSchema(effective, budget);
  return examples === undefined ? [] : exampleFaults(examples, compiled, budget);
}

function sizeFaults(member: string, text: string | undefined, mostBytes: number): Violation[] {
  if (text === undefined || Buffer.byteLength(text) <= mostBytes) return [];
  return [{ pointer: `/${member}`, code: "too_large", message: `must have at most ${mostBytes} bytes` }];
}

function exampleFaults(examples: string, schema: DataSchema, budget: WorkBudget): Violation[] {
  const scan = scanJson(Buffer.from(examples));
  return (scan.value as readonly unknown[]).flatMap((_one, at) =>
    schema
      .violations(scan.slice([at]) ?? "{}", budget)
      .map((fault) => ({ ...fault, pointer: `${pointerOf(["examples", at])}${fault.pointer}` })),
  );
}

/** Returns the differences that a new version needs, with pointers into the type. */
export function schemaDifferences(from: string | null, to: string | null, budget: WorkBudget): Violation[] {
  if (from === to) return [];
  const [a, b] = [from, to].map((text) => (text === null ? {} : readValue(text)));
  return incompatibilities(a, b, budget).map((one) => ({ ...one, pointer: `/schema${one.pointer}` }));
}

export function incompatible(errors: readonly Violation[]): ServiceError {
  return new ServiceError("schema_incompatible", {
    detail:
      "Data that was valid could be refused, or receivers could miss what they rely on. Make a new version of the type instead.",
    errors,
  });
}

/** The members of a new type that its caller leaves out. The workspace's own types are shown to its customers. */
const DEFAULTS = {
  title: "",
  description: "",
  enforcement: "off",
  visibility: "public",
  visibility_chosen: false,
  schema: null,
  examples: "[]",
  revision: 0,
  deprecated_at: null,
} as const;

type Before = Pick<StoredType, Exclude<keyof typeof DEFAULTS, "examples">> & { readonly examples: string };

/** Returns the state after a change within the current version, or of the next version. */
export function nextState(
  input: TypeInput,
  current: StoredType | undefined,
  { isNewVersion, now }: { readonly isNewVersion: boolean; readonly now: Date },
): NextState {
  const before = beforeOf(current);
  const isNew = current === undefined || current.archived_at !== null;
  const isNext = !isNew && isNewVersion;
  const data = dataOf(input, before);
  const described = descriptionOf(input, before, now);
  const version = versionOf(current, isNew || isNext);
  const isRevised = data.schema !== before.schema;
  const revision = isNew || isNext ? 1 : before.revision + Number(isRevised);
  const isSame = !isRevised && data.examples === before.examples && !isDifferent(described, before, isOwn(current));
  return {
    type: { ...described, version, revision },
    version: { version, ...data },
    isChanged: isNew || isNext || !isSame,
  };
}

/** Returns what a change starts from. A type that was archived starts without its earlier members, but stays private. */
function beforeOf(current: StoredType | undefined): Before {
  if (current === undefined) return DEFAULTS;
  const { visibility, visibility_chosen } = current;
  if (current.archived_at !== null) return { ...DEFAULTS, visibility, visibility_chosen };
  return { ...current, examples: current.examples ?? DEFAULTS.examples };
}

/** The version numbers of an archived type continue. */
function versionOf(current: StoredType | undefined, isNext: boolean): number {
  return current === undefined ? 1 : current.version + Number(isNext);
}

function dataOf({ schema, examples }: TypeInput, before: Before): { schema: string | null; examples: string } {
  const written = schema === "null" ? null : schema;
  return { schema: written === undefined ? before.schema : written, examples: examples ?? before.examples };
}

type Described = Pick<TypeInsert, (typeof DESCRIBED)[number]>;

const DESCRIBED = [
  "title",
  "description",
  "enforcement",
  "visibility",
  "visibility_chosen",
  "deprecated_at",
] as const satisfies readonly (keyof TypeInsert)[];

function descriptionOf(input: TypeInput, before: Before, now: Date): Described {
  return {
    title: input.title ?? before.title,
    description: input.description ?? before.description,
    enforcement: input.enforcement ?? before.enforcement,
    visibility: input.visibility ?? before.visibility,
    visibility_chosen: input.visibility !== undefined || (before.visibility_chosen ?? false),
    deprecated_at: deprecatedAt(input.deprecated, before.deprecated_at, now),
  };
}

function isDifferent(described: Described, before: Before, own: boolean): boolean {
  return DESCRIBED.some((name) => described[name] !== before[name] && !(own && name === "visibility_chosen"));
}

/** The visibility of the workspace's own types is always its choice. */
function isOwn(current: StoredType | undefined): boolean {
  return current !== undefined && findEventType(current.name) === undefined;
}

function deprecatedAt(deprecated: boolean | undefined, before: Date | null, now: Date): Date | null {
  if (deprecated === undefined) return before;
  return deprecated ? (before ?? now) : null;
}
