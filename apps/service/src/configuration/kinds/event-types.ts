import { findEventType, isSystem } from "../../events/events.ts";
import type { EventTypes, TypeInput, WholeType } from "../../events/events.ts";
import { ServiceError } from "../../lib/lib.ts";
import type { Violation } from "../../lib/lib.ts";
import { exactJson, isSame, listOf, recordOf } from "./documents.ts";
import type { Document } from "./documents.ts";
import type { Kind } from "./kind.ts";

const DESCRIBED = ["title", "description", "enforcement", "visibility", "deprecated"] as const;

export function eventTypeKind(types: Pick<EventTypes, "whole" | "create" | "change" | "addVersion" | "archive">): Kind {
  return {
    section: "event_types",
    identity: "name",
    subject: "event",
    operations: {
      read: "event_types.list",
      create: "event_types.create",
      update: "event_types.update",
      delete: "event_types.archive",
    },
    isShared: true,
    required: ["name"],
    exact: ["versions"],
    base: [],
    stays: ({ name }) => (findEventType(String(name)) === undefined ? [] : ["visibility"]),
    resolve,
    trim,
    async read({ scope }) {
      const all = await types.whole(scope);
      return all
        .filter(({ type }) => type.archived_at === null && isChosen(type))
        .map((one) => ({ id: one.type.name, name: one.type.name, document: resolve(documentOf(one)) }));
    },
    async create({ scope }, document) {
      const name = String(document["name"]);
      if (findEventType(name) !== undefined) {
        await types.change(scope, name, descriptionOf(document));
        return;
      }
      const [first, ...later] = listOf(document["versions"]);
      const known = (await types.whole(scope)).some(({ type }) => type.name === name);
      if (known)
        throw refused(
          "/name",
          "archived",
          "is the name of an archived event type, whose versions continue: create the type again, and export it",
        );
      await at(0, async () => await types.create(scope, name, { ...descriptionOf(document), ...textsOf(first) }));
      await addVersions(types, scope, { name, later, from: 1 });
    },
    async change({ scope }, { held, document, changed }) {
      const name = held.id;
      const before = listOf(held.document["versions"]);
      const after = listOf(document["versions"]);
      assertVersionsKept(before, after);
      const last = before.length - 1;
      const described = descriptionOf(document);
      const input = Object.fromEntries(Object.entries(described).filter(([member]) => changed.has(member)));
      const current = last < 0 || isSame(before[last], after[last]) ? {} : textsOf(after[last]);
      if (Object.keys({ ...input, ...current }).length > 0)
        await at(Math.max(last, 0), async () => await types.change(scope, name, { ...input, ...current }));
      await addVersions(types, scope, { name, later: after.slice(before.length), from: before.length });
    },
    isRemovable: ({ name }) => findEventType(name) === undefined,
    remove: async ({ scope }, { id }) => await types.archive(scope, id),
  };
}

type Scope = Parameters<EventTypes["create"]>[0];

async function addVersions(
  types: Pick<EventTypes, "addVersion">,
  scope: Scope,
  { name, later, from }: { readonly name: string; readonly later: readonly unknown[]; readonly from: number },
): Promise<void> {
  for (const [index, version] of later.entries())
    await at(from + index, async () => await types.addVersion(scope, name, textsOf(version)));
}

/** Names the places of faults in the version that has them. */
async function at(index: number, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof ServiceError) || error.details.errors === undefined) throw error;
    const errors = error.details.errors.map((one): Violation =>
      /^\/(?:schema|examples)\b/.test(one.pointer) ? { ...one, pointer: `/versions/${index}${one.pointer}` } : one,
    );
    throw new ServiceError(error.code, { ...error.details, errors });
  }
}

/** Versions before the current one no longer change, and none is removed. */
function assertVersionsKept(before: readonly unknown[], after: readonly unknown[]): void {
  if (after.length < before.length)
    throw refused(
      "/versions",
      "version",
      `must contain all ${before.length} versions, because versions are not removed`,
    );
  const changed = before.slice(0, -1).findIndex((version, index) => !isSame(version, after[index]));
  if (changed !== -1)
    throw refused(`/versions/${changed}`, "version", "must stay as it is: only the current version can change");
}

function refused(pointer: string, code: string, message: string): ServiceError {
  return new ServiceError("validation_failed", { errors: [{ pointer, code, message }] });
}

function resolve(document: Document): Document {
  const { name = "", enforcement = "off", visibility } = document;
  if (findEventType(String(name)) !== undefined)
    return { ...document, name, enforcement, visibility: visibility ?? null };
  const { title = "", description = "", deprecated = false, versions = [{}] } = document;
  return {
    name,
    title,
    description,
    enforcement,
    visibility: visibility ?? "public",
    deprecated,
    versions: listOf(versions).map((one) => ({ schema: null, examples: [], ...recordOf(one) })),
  };
}

/** A version without a schema or examples does not show them. */
function trim(document: Document): Document {
  if (document["versions"] === undefined) return document;
  const versions = listOf(document["versions"]).map((one) => {
    const { schema = null, examples } = recordOf(one);
    return { ...(schema === null ? {} : { schema }), ...(listOf(examples).length === 0 ? {} : { examples }) };
  });
  return { ...document, versions };
}

/** Canonical types that the workspace did not change are not shown. */
function isChosen({ name, enforcement, visibility_chosen: hasVisibility }: WholeType["type"]): boolean {
  const catalogued = findEventType(name) !== undefined;
  return !catalogued || (!isSystem(name) && (enforcement !== "off" || hasVisibility));
}

function documentOf({ type, versions }: WholeType): Document {
  const { name, enforcement, visibility, visibility_chosen: hasVisibility } = type;
  if (findEventType(name) !== undefined) return { name, enforcement, visibility: hasVisibility ? visibility : null };
  const { title, description, deprecated_at: deprecatedAt } = type;
  return {
    name,
    title,
    description,
    enforcement,
    visibility,
    deprecated: deprecatedAt !== null,
    versions: versions.map(({ schema, examples }) => ({
      schema: schema === null ? null : exactJson(schema),
      examples: exactJson(examples),
    })),
  };
}

function descriptionOf(document: Document): TypeInput {
  const given = DESCRIBED.filter((name) => (document[name] ?? null) !== null);
  return Object.fromEntries(given.map((name) => [name, document[name]]));
}

function textsOf(version: unknown): Pick<TypeInput, "schema" | "examples"> {
  const { schema, examples } = recordOf(version);
  return { schema: JSON.stringify(schema ?? null), examples: JSON.stringify(examples ?? []) };
}
