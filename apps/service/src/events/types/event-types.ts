import type { Usage } from "../../insights/insights.ts";
import type { Audit } from "../../audit/audit.ts";
import type { Db, Tx } from "../../platform/db/db.ts";
import {
  decodeCursor,
  nextTurn,
  numberAsId,
  numberOfId,
  pageOf,
  pageOfWhole,
  pageText,
  parseJson,
  ServiceError,
  toDate,
  wireId,
  WorkBudget,
} from "../../lib/lib.ts";
import { t } from "../../lib/lib.ts";
import type { Clock, PageInput, Violation } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { eventTypes, findEventType, isEventName, isSystem } from "../catalogue/catalogue.ts";
import { lastOfName } from "../event/events.store.ts";
import type { SubscriberRef } from "../event/event.ts";
import { describedTypes } from "./described.ts";
import type { DescribedTypes } from "./described.ts";
import type { TypeListQuery } from "./event-types.schemas.ts";
import * as store from "./event-types.store.ts";
import type { StoredType, VersionRow } from "./event-types.store.ts";
import { incompatible, inputFaults, nextState, schemaDifferences } from "./type-state.ts";
import type { NextState, TypeInput } from "./type-state.ts";
import { firstExample, isPublic, nameOf, typeText, versionText } from "./type-view.ts";
import type { AnyType } from "./type-view.ts";

/** A type with its versions, oldest first. A canonical type has none of its own. */
export interface WholeType {
  readonly type: StoredType;
  readonly versions: readonly Pick<VersionRow, "version" | "schema" | "examples">[];
}

export interface EventTypesDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly usage: Pick<Usage, "eventTypes" | "firedNames">;
  readonly audit: Pick<Audit, "redactorOf">;
  /** Returns the subscribers that would react now to an event with this name and data as JSON text, in order. */
  whoReacts(scope: Scope, name: string, data: string): Promise<readonly SubscriberRef[]>;
}

/** The maximum number of types of a workspace, archived ones included, and the size of all their versions. */
const MAX_TYPES = 1000;
const MAX_BYTES = 4 * 1024 * 1024;
const VERSIONS_SHOWN = 20;

export type EventTypes = ReturnType<typeof createEventTypes>;

/** The event types of a workspace (contract, section 10). Results are JSON text, so that numbers in schemas lose no digits. */
export function createEventTypes(deps: EventTypesDeps) {
  const { db } = deps;
  return {
    list: async (scope: Scope, query: t.Static<typeof TypeListQuery>): Promise<string> =>
      await listText(deps, scope, query),
    async get(scope: Scope, name: string): Promise<string> {
      const type = await anyType(deps, scope, name);
      // Subscribers and the last data are the workspace's.
      if ((scope.tenant ?? null) !== null)
        return typeText(publicOnly(type), undefined, { reacts: "[]", sample: "null" });
      const usage = await deps.usage.eventTypes(scope);
      const last = await lastOfName(db.query, scope, name);
      const reacts = JSON.stringify(await deps.whoReacts(scope, name, exampleOf(type) ?? last?.data ?? "{}"));
      return typeText(type, usage.get(name), { reacts, sample: await sampleText(deps, scope, last) });
    },
    /** Throws 409 `conflict` if the name is taken. */
    async create(scope: Scope, name: string, input: TypeInput): Promise<string> {
      assertNewName(name);
      return await changed(deps, scope, name, async (tx) => {
        const current = await store.findType(tx.query, scope, name);
        if (current !== undefined && current.archived_at === null)
          throw new ServiceError("conflict", { detail: "There is an event type of this name: change it with PATCH." });
        await save(deps, tx, { scope, name, input, current, isNewVersion: false });
      });
    },
    /** Throws 409 `schema_incompatible`. */
    async change(scope: Scope, name: string, input: TypeInput): Promise<string> {
      return await changed(deps, scope, name, async (tx) => {
        const current = await changeable(tx, scope, name, input);
        await save(deps, tx, { scope, name, input, current, isNewVersion: false });
      });
    },
    async archive(scope: Scope, name: string): Promise<void> {
      assertOwn(name, "archived");
      await db.transaction(async (tx) => {
        await store.lockTypes(tx, scope);
        await changeable(tx, scope, name, {});
        await store.archiveType(tx, scope, name);
      });
    },
    /** Returns a type of any origin, an archived one too; undefined for none. */
    find: async (scope: Scope, name: string): Promise<AnyType | undefined> => await foundType(deps, scope, name),
    /** Returns every type, archived ones too, in the order of their names. */
    async every(scope: Scope): Promise<AnyType[]> {
      const archived = ownOf(await store.listTypes(db.query, scope, true));
      return [...(await everyType(deps, scope)), ...archived].toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
    },
    /** Returns the types that the workspace created or changed, archived ones too, in the order of their names, with all versions. */
    async whole(scope: Scope): Promise<WholeType[]> {
      const rows = [
        ...(await store.listTypes(db.query, scope, false)),
        ...(await store.listTypes(db.query, scope, true)),
      ];
      const versions = Map.groupBy(await store.everyVersion(db.query, scope), ({ name }) => name);
      return rows.map((type) => ({ type, versions: versions.get(type.name) ?? [] }));
    },
    /** Returns those of the names that are not of types that the workspace shows to its customers. */
    async hidden(scope: Scope, names: readonly string[]): Promise<string[]> {
      const types = new Map((await everyType(deps, scope)).map((type) => [nameOf(type), type]));
      return names.filter((name) => {
        const type = types.get(name);
        return type === undefined || !isPublic(type);
      });
    },
    /** Returns the types for documents about events. A tenant's key gets the public ones. */
    described: async (scope: Scope): Promise<DescribedTypes> => await described(deps, scope),
    versions: async (scope: Scope, name: string, query: PageInput): Promise<string> =>
      await versionsText(deps, scope, name, query),
    addVersion: async (scope: Scope, name: string, input: TypeInput): Promise<string> =>
      await addVersion(deps, scope, name, input),
  };
}

async function addVersion(deps: EventTypesDeps, scope: Scope, name: string, input: TypeInput): Promise<string> {
  const { db } = deps;
  assertOwn(name, "given another version");
  await db.transaction(async (tx) => {
    await store.lockTypes(tx, scope);
    const current = await changeable(tx, scope, name, input);
    await save(deps, tx, { scope, name, input, current, isNewVersion: true });
  });
  const [row] = await store.listVersions(db.query, scope, name, { before: undefined, limit: 1 });
  if (row === undefined) throw new ServiceError("not_found");
  return versionText(row, row.version);
}

async function described(deps: EventTypesDeps, scope: Scope): Promise<DescribedTypes> {
  const { db } = deps;
  const state = await store.typesState(db.query, scope);
  if ((scope.tenant ?? null) === null) {
    const read = async () => describedTypes(await store.listTypes(db.query, scope, false));
    return { state: `${scope.workspaceId} all ${state}`, read };
  }
  const shown = new Set((await everyType(deps, scope)).filter(isPublic).map(nameOf));
  return {
    state: `${scope.workspaceId} public ${state} ${[...shown].join(" ")}`,
    read: async () =>
      describedTypes(await store.listTypes(db.query, scope, false)).filter(({ name }) => shown.has(name)),
  };
}

async function changed(
  { db, usage }: EventTypesDeps,
  scope: Scope,
  name: string,
  write: (tx: Tx) => Promise<void>,
): Promise<string> {
  const row = await db.transaction(async (tx) => {
    await store.lockTypes(tx, scope);
    await write(tx);
    return await store.findType(tx.query, scope, name);
  });
  const isFired = (await usage.firedNames(scope)).has(name);
  return typeText({ catalogued: findEventType(name), row, isFired }, (await usage.eventTypes(scope)).get(name));
}

/** Returns the types in the order of the catalogue, and the workspace's own ones after them. */
export async function everyType({ db, usage }: Pick<EventTypesDeps, "db" | "usage">, scope: Scope): Promise<AnyType[]> {
  const rows = new Map((await store.listTypes(db.query, scope, false)).map((row) => [row.name, row]));
  const fired = await usage.firedNames(scope);
  const catalogued = eventTypes.map((type): AnyType => {
    const { name } = type;
    return { catalogued: type, row: rows.get(name), isFired: fired.has(name) };
  });
  return [...catalogued, ...ownOf([...rows.values()])];
}

function ownOf(rows: readonly StoredType[]): AnyType[] {
  const own = rows.filter(({ name }) => findEventType(name) === undefined);
  return own.map((row) => ({ catalogued: undefined, row, isFired: false }));
}

async function listText(deps: EventTypesDeps, scope: Scope, query: t.Static<typeof TypeListQuery>): Promise<string> {
  const { archived = false, ...page } = query;
  const every = archived ? ownOf(await store.listTypes(deps.db.query, scope, true)) : await everyType(deps, scope);
  const isTenants = (scope.tenant ?? null) !== null;
  const all = isTenants ? every.filter(isPublic) : every;
  const shown = pageOfWhole(all, page, { binding: [scope.tag, "event types", archived], nameOf });
  // Usage counts the events of all tenants.
  const used = isTenants ? NO_USAGE : await deps.usage.eventTypes(scope);
  return pageText({ ...shown, data: shown.data.map((type) => typeText(type, used.get(nameOf(type)))) });
}

const NO_USAGE: Awaited<ReturnType<Usage["eventTypes"]>> = new Map();

async function anyType(deps: EventTypesDeps, scope: Scope, name: string): Promise<AnyType> {
  const type = await foundType(deps, scope, name);
  if (type !== undefined) return type;
  throw new ServiceError("not_found", { detail: "No event type has this name. POST /v1/event-types creates one." });
}

async function foundType(
  { db, usage }: Pick<EventTypesDeps, "db" | "usage">,
  scope: Scope,
  name: string,
): Promise<AnyType | undefined> {
  const catalogued = findEventType(name);
  const row = isEventName(name) ? await store.findType(db.query, scope, name) : undefined;
  if (catalogued === undefined && row === undefined) return undefined;
  return { catalogued, row, isFired: catalogued !== undefined && (await usage.firedNames(scope)).has(name) };
}

/** Returns the type. Throws 404 for one that tenants must not see. */
function publicOnly(type: AnyType): AnyType {
  if (!isPublic(type)) throw new ServiceError("not_found");
  return type;
}

/** Returns a type that can be changed; undefined for one of the catalogue that was not changed before. */
async function changeable(tx: Tx, scope: Scope, name: string, input: TypeInput): Promise<StoredType | undefined> {
  const row = isEventName(name) ? await store.findType(tx.query, scope, name) : undefined;
  if (findEventType(name) !== undefined) {
    assertCanonicalChange(name, input);
    return row;
  }
  if (row === undefined || row.archived_at !== null) throw new ServiceError("not_found");
  return row;
}

function assertNewName(name: string): void {
  if (findEventType(name) === undefined) return;
  const message = isSystem(name)
    ? "is a system event, which only the service fires: choose another name"
    : "is a canonical event: change its enforcement and visibility with PATCH";
  throw new ServiceError("validation_failed", { errors: [{ pointer: "/name", code: "event_reserved", message }] });
}

function assertOwn(name: string, what: string): void {
  if (findEventType(name) !== undefined)
    throw new ServiceError("conflict", { detail: `${name} is an event of the service. It cannot be ${what}.` });
}

/** Throws unless the change is one that the workspace may make to a canonical type. */
export function assertCanonicalChange(name: string, input: TypeInput): void {
  if (isSystem(name))
    throw new ServiceError("conflict", { detail: `${name} is a system event. Its type cannot be changed.` });
  const fixed = (["title", "description", "schema", "examples", "deprecated"] as const).filter(
    (member) => input[member] !== undefined,
  );
  if (fixed.length === 0) return;
  const message = "is that of the catalog: only enforcement and visibility of a canonical type can be changed";
  const errors = fixed.map((member) => ({ pointer: `/${member}`, code: "canonical", message }));
  throw new ServiceError("validation_failed", { errors });
}

export interface Saving {
  readonly scope: Scope;
  readonly name: string;
  readonly input: TypeInput;
  readonly current: StoredType | undefined;
  readonly isNewVersion: boolean;
}

/** Writes a type. The caller holds the lock. Throws 422 for its faults and 409 for an incompatible schema. */
async function save(deps: Pick<EventTypesDeps, "clock">, tx: Tx, saving: Saving): Promise<void> {
  const { scope, current, isNewVersion } = saving;
  const faults = inputFaults(saving.input, current, new WorkBudget());
  if (faults.length > 0) throw new ServiceError("validation_failed", { errors: faults });
  const next = nextState(saving.input, current, { isNewVersion, now: toDate(deps.clock.now()) });
  await nextTurn();
  const differences = differencesOf(saving, next, new WorkBudget());
  if (differences.length > 0) throw incompatible(differences);
  await writeType(tx, saving, next);
  await assertFits(tx, scope);
}

/** Returns the differences that the change must not make within a version. */
export function differencesOf({ current, name }: Saving, next: NextState, budget: WorkBudget): Violation[] {
  if (current === undefined || current.version !== next.type.version || findEventType(name) !== undefined) return [];
  return schemaDifferences(current.schema, next.version.schema, budget);
}

export async function writeType(tx: Tx, { scope, name }: Saving, { type, version }: NextState): Promise<void> {
  const place = { bucket: scope.bucket, workspace_id: scope.workspaceId, name };
  await store.saveType(tx, { ...place, ...type });
  if (findEventType(name) === undefined) await store.saveVersion(tx, { ...place, ...version });
}

/** Throws 422 if the workspace has too many types, because a list reads all of them. */
export async function assertFits(tx: Tx, scope: Scope): Promise<void> {
  const { types, bytes } = await store.sizeOfTypes(tx.query, scope);
  if (types <= MAX_TYPES && bytes <= MAX_BYTES) return;
  throw new ServiceError("validation_failed", {
    detail: `A workspace can have ${MAX_TYPES} event types, archived ones included, whose schemas and examples have ${MAX_BYTES} bytes together in all versions.`,
  });
}

async function versionsText(deps: EventTypesDeps, scope: Scope, name: string, query: PageInput): Promise<string> {
  const { catalogued, row: type } = await anyType(deps, scope, name);
  if (catalogued !== undefined || type === undefined)
    return pageText(pageOfWhole([], query, { binding: name, nameOf: String }));
  const { limit = VERSIONS_SHOWN } = query;
  const binding = [scope.tag, "event type versions", name];
  const before = decodeCursor(query.cursor, binding);
  const rows = await store.listVersions(deps.db.query, scope, name, {
    before: before === undefined ? undefined : numberOfId(before),
    limit: limit + 1,
  });
  const numbered = rows.map((row) => ({ id: numberAsId(row.version), row }));
  return pageText(pageOf(numbered, limit, binding, ({ row }) => versionText(row, type.version)));
}

/** Returns the first example of a type, as it was written. */
function exampleOf({ catalogued, row }: AnyType): string | undefined {
  return catalogued === undefined ? firstExample(row?.examples ?? "[]") : JSON.stringify(catalogued.example);
}

/** Returns the last event of a type among the newest ones, without its secrets, as JSON text. */
async function sampleText(
  { audit }: EventTypesDeps,
  scope: Scope,
  last: Awaited<ReturnType<typeof lastOfName>>,
): Promise<string> {
  if (last === undefined) return "null";
  const redactor = await audit.redactorOf(scope);
  return JSON.stringify({ event_id: wireId("evt", scope.tag, last.id), data: redactor.value(parseJson(last.data)) });
}
