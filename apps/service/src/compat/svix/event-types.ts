import type { Scope } from "../../accounts/accounts.ts";
import { isCanonical, isPublic, isSystem, nameOf } from "../../events/events.ts";
import type { AnyType, TypeInput } from "../../events/events.ts";
import { instant, ServiceError, timeText, toRfc3339 } from "../../lib/lib.ts";
import { t } from "../../lib/lib.ts";
import type { ScannedJson } from "../../lib/lib.ts";
import type { SvixDeps } from "./deps.ts";
import { givenOf } from "./endpoints.ts";
import { saveSvixType, svixTypes } from "./event-types.store.ts";
import type { SvixTypeRow } from "./event-types.store.ts";
import type { EventTypeChange } from "./shapes.schemas.ts";

/** An event type, and the members that only Svix has. */
export interface ShownType {
  readonly type: AnyType;
  readonly more: SvixTypeRow | undefined;
}

/** Returns the workspace's own types and the canonical ones that its customers see, in the order of their names. */
export async function typesOf({ types, db }: SvixDeps, scope: Scope): Promise<ShownType[]> {
  const all = (await types.every(scope)).filter(
    (type) => !isSystem(nameOf(type)) && (type.catalogued === undefined || isPublic(type)),
  );
  const shown = (scope.tenant ?? null) === null ? all : all.filter(isPublic);
  const more = await svixTypes(db.query, scope);
  return shown.map((type) => ({ type, more: more.get(nameOf(type)) }));
}

/** Returns the type of a name; undefined for none. A canonical type exists, whether or not it is used. */
export async function findType({ types, db }: SvixDeps, scope: Scope, name: string): Promise<ShownType | undefined> {
  const type = await types.find(scope, name);
  const isHidden = type === undefined || isSystem(name) || ((scope.tenant ?? null) !== null && !isPublic(type));
  return isHidden ? undefined : { type, more: (await svixTypes(db.query, scope)).get(name) };
}

/** The catalogue is as old as the service. */
const EPOCH = toRfc3339(instant(0));

/** Returns a type as JSON text, with its schema as it was written. */
export function typeText(shown: ShownType, withSchemas: boolean): string {
  const { type, more } = shown;
  const view = { name: nameOf(type), description: descriptionOf(type), ...stateOf(type.row), ...labelsOf(more) };
  const schema = withSchemas ? schemaTextOf(type) : "null";
  const schemas = schema === "null" ? schema : `{"${versionOf(type)}":${schema}}`;
  return `${JSON.stringify(view).slice(0, -1)},"schemas":${schemas}}`;
}

function descriptionOf({ catalogued, row }: AnyType): string {
  return catalogued?.description ?? row?.description ?? "";
}

function versionOf({ row }: AnyType): number {
  return row?.version ?? 1;
}

function labelsOf(more: SvixTypeRow | undefined): object {
  if (more === undefined) return { groupName: null, featureFlag: null, featureFlags: null };
  const { group_name: groupName, feature_flags: featureFlags } = more;
  return { groupName, featureFlag: featureFlags?.[0] ?? null, featureFlags };
}

function stateOf(row: AnyType["row"]): object {
  if (row === undefined) return { archived: false, deprecated: false, createdAt: EPOCH, updatedAt: EPOCH };
  return {
    archived: row.archived_at !== null,
    deprecated: row.deprecated_at !== null,
    createdAt: timeText(row.created_at),
    updatedAt: timeText(row.updated_at),
  };
}

function schemaTextOf({ catalogued, row }: AnyType): string {
  return catalogued === undefined ? (row?.schema ?? "null") : JSON.stringify(catalogued.schema);
}

export type EventTypeFields = Partial<t.Static<typeof EventTypeChange>>;

/** Writes a type: a new one, or the members that a body gives of an existing one. */
export async function saveType(deps: SvixDeps, scope: Scope, { name, body, scanned, current }: Saving): Promise<void> {
  await writeType(deps, scope, { name, body, scanned, current });
  if (body.archived === true) await deps.types.archive(scope, name);
  await saveMore(deps, scope, { name, body, scanned, current });
}

export interface Saving {
  readonly name: string;
  readonly body: EventTypeFields;
  /** The body as it was written, for the digits in its schemas. */
  readonly scanned: ScannedJson | null;
  readonly current: ShownType | undefined;
}

/** An archived type is taken out of the archive. */
async function writeType({ types }: SvixDeps, scope: Scope, { name, body, scanned, current }: Saving): Promise<void> {
  const { description, deprecated } = body;
  const schema = schemaOf(body, scanned);
  const visibility = visibilityOf(body, current);
  const input = givenOf<TypeInput>({ description, deprecated, schema: schema?.text, ...visibility });
  const row = current?.type.row;
  if (isCanonical(name)) await types.change(scope, name, visibility);
  else if (row === undefined || row.archived_at !== null)
    await types.create(scope, name, { description: row?.description ?? "", ...input, enforcement: "off" });
  else if (schema !== undefined && schema.version > row.version) await types.addVersion(scope, name, input);
  else await types.change(scope, name, input);
}

/** A type behind a feature is not shown to all customers. */
function visibilityOf(body: EventTypeFields, current: ShownType | undefined): Pick<TypeInput, "visibility"> {
  const flags = flagsOf(body);
  if (flags === undefined) return current === undefined ? { visibility: "public" } : {};
  return { visibility: flags === null || flags.length === 0 ? "public" : "private" };
}

function flagsOf({ featureFlag, featureFlags }: EventTypeFields): readonly string[] | null | undefined {
  if (featureFlags !== undefined) return featureFlags;
  return typeof featureFlag === "string" ? [featureFlag] : featureFlag;
}

/** Returns the schema of the highest version that a body gives, as it was written. */
function schemaOf(
  { schemas }: EventTypeFields,
  scanned: ScannedJson | null,
): { readonly version: number; readonly text: string } | undefined {
  if (schemas === undefined) return undefined;
  const versions = Object.keys(schemas ?? {});
  const wrong = versions.find((one) => !/^[1-9]\d{0,3}$/.test(one));
  if (wrong !== undefined) {
    const message = "must be the number of a version";
    throw new ServiceError("validation_failed", {
      errors: [{ pointer: `/schemas/${wrong}`, code: "version", message }],
    });
  }
  const last = versions.map(Number).toSorted((a, b) => b - a)[0];
  if (last === undefined) return { version: 0, text: "null" };
  return { version: last, text: scanned?.slice(["schemas", String(last)]) ?? "null" };
}

async function saveMore({ db }: SvixDeps, scope: Scope, { name, body, current }: Saving): Promise<void> {
  const flags = flagsOf(body);
  if (body.groupName === undefined && flags === undefined) return;
  await db.transaction(async (tx) => {
    await saveSvixType(tx, {
      bucket: scope.bucket,
      workspace_id: scope.workspaceId,
      name,
      group_name: body.groupName === undefined ? (current?.more?.group_name ?? null) : body.groupName,
      feature_flags: flags === undefined ? (current?.more?.feature_flags ?? null) : flags === null ? null : [...flags],
    });
  });
}
