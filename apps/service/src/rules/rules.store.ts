import { sql } from "../db/db.ts";
import type { HotReader, HotStatement, Query, Selectable, Tables, Tx } from "../db/db.ts";
import type { Question } from "../dispatch/dispatch.ts";
import type { Uuid } from "../kernel/kernel.ts";
import type { Scope } from "../workspaces/workspaces.ts";

export type RuleRow = Selectable<Tables["rule"]>;
export type Home = Pick<Scope, "bucket" | "workspaceId">;

/** A rule without its texts: they are read once a version. */
export type RuleHead = Omit<RuleRow, "condition" | "actions" | "events" | "enabled" | "updated_at">;

/** An event, as it is looked for. */
export interface Listening extends Home {
  readonly event: string;
  /** Whether `*` takes it. */
  readonly isOpen: boolean;
  readonly isSandbox: boolean;
}

/** Whether any rule listens: two look-ups a name, whatever the number of rules. */
export const WHO_LISTENS: Question = {
  name: "rules",
  text: `select a.tag, a.event, '' from asked a
    where exists (select from rule_listener l where l.bucket = a.bucket and l.workspace_id = a.workspace_id
        and l.event = a.event and (a.is_sandbox or not l.sandbox_only))
      or (a.is_open and exists (select from rule_listener l where l.bucket = a.bucket and l.workspace_id = a.workspace_id
        and l.event = '*' and (a.is_sandbox or not l.sandbox_only)))`,
};

/** Hot: for every event that a rule listens to. In the order in which they run. */
const HEADS: HotStatement = {
  name: "rules_heads",
  text: `select r.bucket, r.workspace_id, r.id, r.name, r.priority, r.max_runs_per_minute, r.version,
      r.author_kind, r.author_id, r.author_environment
    from rule r
    where r.bucket = $1 and r.workspace_id = $2 and r.enabled and r.id in (select l.rule_id from rule_listener l
      where l.bucket = $1 and l.workspace_id = $2 and l.event = any($3::text[]) and ($4::boolean or not l.sandbox_only))
    order by r.priority, r.id`,
};

/** The texts of these rules as they are now, with the version that they are of. */
const TEXTS: HotStatement = {
  name: "rules_texts",
  text: `select id, version, condition, actions from rule where bucket = $1 and workspace_id = $2 and id = any($3::uuid[])`,
};

export async function listeningRules(reader: HotReader, to: Listening): Promise<RuleHead[]> {
  const names = to.isOpen ? [to.event, "*"] : [to.event];
  return await reader.hot<RuleHead>(HEADS, [to.bucket, to.workspaceId, names, to.isSandbox]);
}

export type RuleTexts = Pick<RuleRow, "id" | "version" | "condition" | "actions">;

export async function ruleTexts(reader: HotReader, home: Home, ids: readonly Uuid[]): Promise<RuleTexts[]> {
  return await reader.hot<RuleTexts>(TEXTS, [home.bucket, home.workspaceId, ids]);
}

export type RuleInsert = Omit<RuleRow, "version" | "updated_at">;
export type RuleChange = Partial<Omit<RuleInsert, "bucket" | "workspace_id" | "id">>;

export async function insertRule(tx: Tx, rule: RuleInsert): Promise<RuleRow> {
  const row = await tx.query.insertInto("rule").values(rule).returningAll().executeTakeFirstOrThrow();
  await setListeners(tx, row);
  return row;
}

/** Makes the next version. */
export async function changeRule(tx: Tx, home: Home, id: Uuid, change: RuleChange): Promise<RuleRow> {
  const row = await tx.query
    .updateTable("rule")
    .set({ ...change, version: sql`version + 1`, updated_at: sql`now()` })
    .where("bucket", "=", home.bucket)
    .where("workspace_id", "=", home.workspaceId)
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();
  await setListeners(tx, row);
  return row;
}

export async function deleteRule(tx: Tx, home: Home, id: Uuid): Promise<void> {
  await dropListeners(tx, { bucket: home.bucket, workspace_id: home.workspaceId, id });
  await tx.query
    .deleteFrom("rule")
    .where("bucket", "=", home.bucket)
    .where("workspace_id", "=", home.workspaceId)
    .where("id", "=", id)
    .execute();
}

export async function findRule(query: Query, home: Home, id: Uuid): Promise<RuleRow | undefined> {
  return await own(query, home).where("id", "=", id).executeTakeFirst();
}

/** Held until the transaction ends. */
export async function holdRule(tx: Tx, home: Home, id: Uuid): Promise<RuleRow | undefined> {
  return await own(tx.query, home).where("id", "=", id).forUpdate().executeTakeFirst();
}

export async function listRules(query: Query, home: Home, before: Uuid | undefined, limit: number): Promise<RuleRow[]> {
  const rows = own(query, home).orderBy("id", "desc").limit(limit);
  return await (before === undefined ? rows : rows.where("id", "<", before)).execute();
}

function own(query: Query, home: Home) {
  return query
    .selectFrom("rule")
    .selectAll()
    .where("bucket", "=", home.bucket)
    .where("workspace_id", "=", home.workspaceId);
}

async function setListeners(tx: Tx, row: RuleRow): Promise<void> {
  await dropListeners(tx, row);
  if (!row.enabled) return;
  await tx.query
    .insertInto("rule_listener")
    .values(
      row.events.map((event) => ({
        bucket: row.bucket,
        workspace_id: row.workspace_id,
        event,
        rule_id: row.id,
        sandbox_only: row.author_environment === "sandbox",
      })),
    )
    .execute();
}

async function dropListeners(tx: Tx, row: Pick<RuleRow, "bucket" | "workspace_id" | "id">): Promise<void> {
  await tx.query
    .deleteFrom("rule_listener")
    .where("bucket", "=", row.bucket)
    .where("workspace_id", "=", row.workspace_id)
    .where("rule_id", "=", row.id)
    .execute();
}
