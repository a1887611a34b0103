import { columnOf, sql, pageRows } from "../../platform/db/db.ts";
import type { HotReader, HotStatement, Query, Selectable, Tables } from "../../platform/db/db.ts";
import type { SubscriberQuery } from "../../events/events.ts";
import { parseNameless } from "../../lib/lib.ts";
import type { Uuid } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import type { DefinitionPage } from "../definitions/definition.ts";

type Table = Selectable<Tables["workflow"]>;
type Home = Pick<Scope, "workspaceId">;

type Version = Omit<Selectable<Tables["workflow_version"]>, "created_at">;

/** A workflow with its current definition. */
export interface WorkflowRow extends Table, Omit<Version, "workspace_id" | "workflow_id" | "version"> {
  /** True if the sandbox has a workflow of its own that replaces this one there. */
  readonly is_shadowed: boolean;
}

/** The part of a workflow that decides whether it accepts an event. */
export type Listener = Pick<WorkflowRow, "trigger" | "author_environment">;

/**
 * Selects the workflows that subscribe to an event, with the part that decides whether they accept it. In the sandbox, a
 * live workflow that a sandbox workflow replaces is left out.
 */
export const WORKFLOWS_QUERY: SubscriberQuery = {
  name: "workflows",
  text: `select a.tag, a.event, json_build_array(w.id, v.trigger, v.author_environment)::text from asked a
    join workflow w on w.workspace_id = a.workspace_id and w.event = any(a.patterns) and w.enabled and w.deleted_at is null
    join workflow_version v on v.workspace_id = w.workspace_id and v.workflow_id = w.id and v.version = w.version
    where not a.is_sandbox or not exists (select from workflow s
      where s.promotes_to = w.id and s.workspace_id = w.workspace_id and s.deleted_at is null)`,
};

export function listenerOf(found: string): Listener & Pick<WorkflowRow, "id"> {
  const [id, trigger, environment] = parseNameless(found) as [Uuid, string, string];
  return { id, trigger, author_environment: environment };
}

/** The `event` of workflows that a schedule starts. It is not a name of an event, so that no event looks them up. */
export const BY_SCHEDULE = "@schedule";

export type WorkflowInsert = Omit<Table, "created_at" | "updated_at" | "deleted_at">;

/** The maximum number of runs per minute of a workflow that does not set it, as of a rule. */
export const DEFAULT_RUNS_PER_MINUTE = 600;

export async function insertWorkflow(query: Query, workflow: WorkflowInsert): Promise<void> {
  await query.insertInto("workflow").values(workflow).execute();
}

export async function insertVersion(query: Query, version: Version): Promise<void> {
  await query.insertInto("workflow_version").values(version).execute();
}

const VERSION_COLUMNS = [
  "workflow_version.trigger",
  "workflow_version.steps",
  "workflow_version.headers_sealed",
  "workflow_version.author_environment",
  "workflow_version.author_kind",
  "workflow_version.author_id",
] as const;

/** Joins a workflow with its current version, for every read. */
function current(query: Query) {
  return query
    .selectFrom("workflow")
    .innerJoin("workflow_version", (join) =>
      join
        .onRef("workflow_version.workspace_id", "=", "workflow.workspace_id")
        .onRef("workflow_version.workflow_id", "=", "workflow.id")
        .onRef("workflow_version.version", "=", "workflow.version"),
    )
    .where("workflow.deleted_at", "is", null)
    .selectAll("workflow")
    .select(VERSION_COLUMNS)
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom("workflow as s")
          .select("s.version")
          .whereRef("s.promotes_to", "=", "workflow.id")
          .whereRef("s.workspace_id", "=", "workflow.workspace_id")
          .where("s.deleted_at", "is", null),
      )
        .$castTo<boolean>()
        .as("is_shadowed"),
    );
}

export async function findWorkflow(query: Query, { workspaceId }: Home, id: Uuid): Promise<WorkflowRow | undefined> {
  return await current(query)
    .where("workflow.workspace_id", "=", workspaceId)
    .where("workflow.id", "=", id)
    .executeTakeFirst();
}

/** Returns the newest live workflow with this name that no sandbox workflow replaces yet. */
export async function replaceableWorkflow(query: Query, { workspaceId }: Home, name: string): Promise<Uuid | null> {
  const rows = await current(query)
    .where("workflow.workspace_id", "=", workspaceId)
    .where("workflow.name", "=", name)
    .where("workflow_version.author_environment", "=", "live")
    .orderBy("workflow.id", "desc")
    .execute();
  return rows.find((row) => !row.is_shadowed)?.id ?? null;
}

/** Returns the sandbox workflow that replaces a live one in the sandbox. */
export async function replacementOf(query: Query, { workspaceId }: Home, live: Uuid): Promise<WorkflowRow | undefined> {
  return await current(query)
    .where("workflow.workspace_id", "=", workspaceId)
    .where("workflow.promotes_to", "=", live)
    .orderBy("workflow.id")
    .executeTakeFirst();
}

/** Returns workflows of any workspaces, without deleted ones. */
export async function findWorkflows(query: Query, ids: readonly Uuid[]): Promise<WorkflowRow[]> {
  return ids.length === 0 ? [] : await current(query).where("workflow.id", "in", ids).execute();
}

/** Locks the workflow until the transaction ends, so that two edits cannot create the same version. */
export async function holdWorkflow(query: Query, home: Home, id: Uuid): Promise<WorkflowRow | undefined> {
  const held = await query
    .selectFrom("workflow")
    .select("id")
    .where("workspace_id", "=", home.workspaceId)
    .where("id", "=", id)
    .where("deleted_at", "is", null)
    .forUpdate()
    .executeTakeFirst();
  return held === undefined ? undefined : await findWorkflow(query, home, id);
}

/** Returns the newest workflows first, of one environment or of both. */
export async function listWorkflows(
  query: Query,
  { workspaceId }: Home,
  { before, limit, environment }: DefinitionPage,
): Promise<WorkflowRow[]> {
  let rows = current(query).where("workflow.workspace_id", "=", workspaceId).orderBy("workflow.id", "desc");
  if (environment !== undefined) rows = rows.where("workflow_version.author_environment", "=", environment);
  const older = before === undefined ? rows : rows.where("workflow.id", "<", before);
  return await pageRows(query, older, { limit, large: ["trigger", "steps"] });
}

export async function changeWorkflow(
  query: Query,
  { workspaceId }: Home,
  id: Uuid,
  change: Partial<Omit<WorkflowInsert, "workspace_id" | "id">>,
): Promise<void> {
  await query
    .updateTable("workflow")
    .set((eb) => ({ ...change, updated_at: eb.fn<Date>("now") }))
    .where("workspace_id", "=", workspaceId)
    .where("id", "=", id)
    .execute();
}

/** Deletes the workflow. Current runs keep their definition, and no sandbox workflow replaces it any longer. Returns false if there is none. */
export async function deleteWorkflow(query: Query, { workspaceId }: Home, id: Uuid): Promise<boolean> {
  const result = await query
    .updateTable("workflow")
    .set((eb) => ({ deleted_at: eb.fn<Date>("now"), enabled: false }))
    .where("workspace_id", "=", workspaceId)
    .where("id", "=", id)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  if (result.numUpdatedRows === 0n) return false;
  await query
    .updateTable("workflow")
    .set({ promotes_to: null })
    .where("workspace_id", "=", workspaceId)
    .where("promotes_to", "=", id)
    .execute();
  return true;
}

/** The version that a run is bound to. */
export interface Pinned extends Version {
  readonly name: string;
  readonly is_deleted: boolean;
}

const PINNED: HotStatement = {
  name: "workflow_pinned",
  text: `select v.workspace_id, v.workflow_id, v.version, v.trigger, v.steps, v.headers_sealed, v.author_environment, v.author_kind, v.author_id, w.name,
      w.deleted_at is not null as is_deleted
    from unnest($1::uuid[], $2::uuid[], $3::int[]) as p (workspace_id, workflow_id, version)
    join workflow_version v on v.workspace_id = p.workspace_id and v.workflow_id = p.workflow_id and v.version = p.version
    join workflow w on w.workspace_id = p.workspace_id and w.id = p.workflow_id`,
};

/** Returns versions of any workspaces, unordered. */
export async function pinnedDefinitions(
  on: HotReader,
  of: readonly Pick<Pinned, "workspace_id" | "workflow_id" | "version">[],
): Promise<Pinned[]> {
  return await on.hot<Pinned & Record<string, unknown>>(PINNED, [
    columnOf.uuid(of, (one) => one.workspace_id),
    columnOf.uuid(of, (one) => one.workflow_id),
    columnOf.int(of, (one) => one.version),
  ]);
}

const SEALED: HotStatement = {
  name: "workflow_versions_sealed",
  text: `select workflow_id, version, headers_sealed from workflow_version where workspace_id = $1 and headers_sealed is not null`,
};

/** Returns the workspace's versions with sealed values of headers. */
export async function sealedVersions(
  reader: HotReader,
  { workspaceId }: Home,
): Promise<(Pick<Version, "workflow_id" | "version"> & { readonly headers_sealed: Buffer })[]> {
  return await reader.hot(SEALED, [workspaceId]);
}

export type VersionRow = Pick<Version, "workspace_id" | "workflow_id" | "version" | "steps" | "headers_sealed">;

/** Returns the versions after this one, in the order of their key, that may have unsealed headers. */
export async function plainVersions(query: Query, last: VersionRow | undefined, limit: number): Promise<VersionRow[]> {
  const from =
    last === undefined
      ? sql`true`
      : sql`(workspace_id, workflow_id, version) > (${last.workspace_id}, ${last.workflow_id}, ${last.version})`;
  const { rows } =
    await sql<VersionRow>`select workspace_id, workflow_id, version, steps, headers_sealed from workflow_version
    where ${from} and headers_sealed is null and (strpos(steps, 'headers') > 0 or strpos(steps, chr(92) || 'u') > 0)
    order by workspace_id, workflow_id, version limit ${limit}`.execute(query);
  return rows;
}

/** Returns false if another process has sealed the version first. A version never changes otherwise. */
export async function putSealedSteps(
  query: Query,
  row: VersionRow,
  fresh: Pick<VersionRow, "steps" | "headers_sealed">,
): Promise<boolean> {
  const { numUpdatedRows } = await query
    .updateTable("workflow_version")
    .set(fresh)
    .where("workspace_id", "=", row.workspace_id)
    .where("workflow_id", "=", row.workflow_id)
    .where("version", "=", row.version)
    .where("steps", "=", row.steps)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
