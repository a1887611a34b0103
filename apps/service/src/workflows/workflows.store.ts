import { columnOf } from "../db/db.ts";
import type { HotReader, HotStatement, Query, Selectable, Tables } from "../db/db.ts";
import type { Uuid } from "../kernel/kernel.ts";

type Table = Selectable<Tables["workflow"]>;

/** A workflow with its definition of now. */
export interface WorkflowRow extends Omit<Table, "deleted_at"> {
  readonly trigger: string;
  readonly steps: string;
  readonly author_environment: string;
  readonly author_kind: string;
  readonly author_id: Uuid;
}

export interface TriggeredRow extends Record<string, unknown> {
  readonly workspace_id: Uuid;
  readonly id: Uuid;
  readonly event: string;
  readonly trigger: string;
  readonly author_environment: string;
}

/** Hot: who of these workspaces listens to these events, for every batch of events. Never kept: the next event obeys a change. */
const TRIGGERED: HotStatement = {
  name: "workflow_triggered",
  text: `select w.workspace_id, w.id, w.event, v.trigger, v.author_environment from unnest($1::uuid[], $2::text[]) as e (workspace_id, event)
    join workflow w on w.workspace_id = e.workspace_id and w.event = e.event and w.enabled and w.deleted_at is null
    join workflow_version v on v.workspace_id = w.workspace_id and v.workflow_id = w.id and v.version = w.version
    order by w.id`,
};

export async function triggeredBy(
  reader: HotReader,
  pairs: readonly { readonly workspaceId: Uuid; readonly event: string }[],
): Promise<TriggeredRow[]> {
  return await reader.hot<TriggeredRow>(TRIGGERED, [
    columnOf.uuid(pairs, (pair) => pair.workspaceId),
    columnOf.text(pairs, (pair) => pair.event),
  ]);
}

const SECRETS: HotStatement = {
  name: "workflow_secrets",
  text: "select id, secret_sealed from workflow where workspace_id = $1 and deleted_at is null",
};

/** What the webhook steps of a workspace's workflows sign with. */
export async function workflowSecrets(
  reader: HotReader,
  workspaceId: Uuid,
): Promise<Pick<Table, "id" | "secret_sealed">[]> {
  return await reader.hot<Table>(SECRETS, [workspaceId]);
}

export type WorkflowInsert = Omit<Table, "created_at" | "updated_at" | "deleted_at">;

export async function insertWorkflow(query: Query, workflow: WorkflowInsert): Promise<void> {
  await query.insertInto("workflow").values(workflow).execute();
}

export async function insertVersion(
  query: Query,
  version: Pick<
    WorkflowRow,
    "workspace_id" | "version" | "trigger" | "steps" | "author_environment" | "author_kind" | "author_id"
  > & {
    readonly workflow_id: Uuid;
  },
): Promise<void> {
  await query.insertInto("workflow_version").values(version).execute();
}

const COLUMNS = [
  "workflow.workspace_id",
  "workflow.id",
  "workflow.name",
  "workflow.enabled",
  "workflow.version",
  "workflow.event",
  "workflow.secret_sealed",
  "workflow.created_at",
  "workflow.updated_at",
  "workflow_version.trigger",
  "workflow_version.steps",
  "workflow_version.author_environment",
  "workflow_version.author_kind",
  "workflow_version.author_id",
] as const;

/** The join that every read makes. */
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
    .select(COLUMNS);
}

export async function findWorkflow(query: Query, workspaceId: Uuid, id: Uuid): Promise<WorkflowRow | undefined> {
  return await current(query)
    .where("workflow.workspace_id", "=", workspaceId)
    .where("workflow.id", "=", id)
    .executeTakeFirst();
}

/** Held until the transaction ends, so that no two edits make one version. */
export async function holdWorkflow(query: Query, workspaceId: Uuid, id: Uuid): Promise<WorkflowRow | undefined> {
  const held = await query
    .selectFrom("workflow")
    .select("id")
    .where("workspace_id", "=", workspaceId)
    .where("id", "=", id)
    .where("deleted_at", "is", null)
    .forUpdate()
    .executeTakeFirst();
  return held === undefined ? undefined : await findWorkflow(query, workspaceId, id);
}

export async function listWorkflows(
  query: Query,
  workspaceId: Uuid,
  before: Uuid | undefined,
  limit: number,
): Promise<WorkflowRow[]> {
  const rows = current(query)
    .where("workflow.workspace_id", "=", workspaceId)
    .orderBy("workflow.id", "desc")
    .limit(limit);
  return await (before === undefined ? rows : rows.where("workflow.id", "<", before)).execute();
}

export async function changeWorkflow(
  query: Query,
  workspaceId: Uuid,
  id: Uuid,
  change: Partial<Pick<Table, "name" | "enabled" | "version" | "event">>,
): Promise<void> {
  await query
    .updateTable("workflow")
    .set((eb) => ({ ...change, updated_at: eb.fn<Date>("now") }))
    .where("workspace_id", "=", workspaceId)
    .where("id", "=", id)
    .execute();
}

/** Runs under way keep their definition. */
export async function deleteWorkflow(query: Query, workspaceId: Uuid, id: Uuid): Promise<boolean> {
  const result = await query
    .updateTable("workflow")
    .set((eb) => ({ deleted_at: eb.fn<Date>("now"), enabled: false }))
    .where("workspace_id", "=", workspaceId)
    .where("id", "=", id)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** What a run is bound to, and with what its deliveries are signed. */
export interface Pinned {
  readonly trigger: string;
  readonly steps: string;
  readonly author_environment: string;
  readonly author_kind: string;
  readonly author_id: Uuid;
  readonly name: string;
  readonly secret_sealed: Buffer;
}

export async function pinnedDefinition(
  query: Query,
  of: { readonly workspace_id: Uuid; readonly workflow_id: Uuid; readonly version: number },
): Promise<Pinned> {
  return await query
    .selectFrom("workflow_version as v")
    .innerJoin("workflow as w", (join) =>
      join.onRef("w.workspace_id", "=", "v.workspace_id").onRef("w.id", "=", "v.workflow_id"),
    )
    .select([
      "v.trigger",
      "v.steps",
      "v.author_environment",
      "v.author_kind",
      "v.author_id",
      "w.name",
      "w.secret_sealed",
    ])
    .where("v.workspace_id", "=", of.workspace_id)
    .where("v.workflow_id", "=", of.workflow_id)
    .where("v.version", "=", of.version)
    .executeTakeFirstOrThrow();
}
