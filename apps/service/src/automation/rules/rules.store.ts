import { columnOf, sql, pageRows } from "../../platform/db/db.ts";
import type { HotReader, HotStatement, Query, Selectable, Tables, Tx } from "../../platform/db/db.ts";
import { patternText } from "../../events/events.ts";
import type { SubscriberQuery } from "../../events/events.ts";
import type { Uuid } from "../../lib/lib.ts";
import type { DefinitionPage } from "../definitions/definition.ts";
import type { Scope } from "../../accounts/accounts.ts";

export type StoredRule = Selectable<Tables["rule"]>;
export interface RuleRow extends StoredRule {
  /** True if the sandbox has a rule of its own that replaces this one there. */
  readonly is_shadowed: boolean;
}
export type Home = Pick<Scope, "bucket" | "workspaceId">;

/** A rule without its texts, which are read once per version. */
export type RuleHead = Pick<
  RuleRow,
  | "bucket"
  | "workspace_id"
  | "id"
  | "name"
  | "priority"
  | "max_runs_per_minute"
  | "version"
  | "author_kind"
  | "author_id"
  | "author_environment"
>;

/** An event for which rules are searched. */
export interface Listening extends Home {
  readonly event: string;
  readonly isSandbox: boolean;
}

/** Checks whether any rule subscribes to an event. It needs one index lookup per pattern that selects the event, regardless of the number of rules. */
export const RULES_QUERY: SubscriberQuery = {
  name: "rules",
  text: `select a.tag, a.event, '' from asked a
    where exists (select from rule_listener l where l.bucket = a.bucket and l.workspace_id = a.workspace_id
        and l.event = any(a.patterns) and (a.is_sandbox or not l.sandbox_only))`,
};

/**
 * Reads the rules of events in the order in which they run. In the sandbox, a live rule that a sandbox rule replaces is
 * left out. Hot: used for every batch of events with rules.
 */
const HEADS: HotStatement = {
  name: "rules_heads",
  text: `select w.at::int, r.bucket, r.workspace_id, r.id, r.name, r.priority, r.max_runs_per_minute, r.version,
      r.author_kind, r.author_id, r.author_environment
    from unnest($1::smallint[], $2::uuid[], $3::text[], $4::boolean[])
      with ordinality as w (bucket, workspace_id, patterns, is_sandbox, at)
    cross join lateral (select * from rule where bucket = w.bucket and workspace_id = w.workspace_id and enabled and id in (
      select l.rule_id from rule_listener l where l.bucket = w.bucket and l.workspace_id = w.workspace_id
        and l.event = any(string_to_array(w.patterns, '|')) and (w.is_sandbox or not l.sandbox_only))) r
    where not w.is_sandbox or not exists (select from rule s
      where s.promotes_to = r.id and s.bucket = r.bucket and s.workspace_id = r.workspace_id)
    order by w.at, r.priority, r.id`,
};

/** Reads the current texts of rules, with their versions. */
const TEXTS: HotStatement = {
  name: "rules_texts",
  text: `select id, version, condition, actions, headers_sealed from rule where bucket = $1 and workspace_id = $2 and id = any($3::uuid[])`,
};

/** Returns the rules that subscribe to each event. */
export async function listeningRules(reader: HotReader, to: readonly Listening[]): Promise<RuleHead[][]> {
  const rows = await reader.hot<RuleHead & { readonly at: number }>(HEADS, [
    columnOf.smallint(to, (one) => one.bucket),
    columnOf.uuid(to, (one) => one.workspaceId),
    columnOf.text(to, (one) => patternText(one.event)),
    columnOf.boolean(to, (one) => one.isSandbox),
  ]);
  const byPlace = Map.groupBy(rows, (row) => row.at);
  return to.map((_one, place) => (byPlace.get(place + 1) ?? []).map(({ at: _at, ...head }) => head));
}

export type RuleTexts = Pick<RuleRow, "id" | "version" | "condition" | "actions" | "headers_sealed">;

export async function ruleTexts(reader: HotReader, home: Home, ids: readonly Uuid[]): Promise<RuleTexts[]> {
  return await reader.hot<RuleTexts>(TEXTS, [home.bucket, home.workspaceId, ids]);
}

const SEALED: HotStatement = {
  name: "rules_sealed",
  text: `select id, headers_sealed from rule where bucket = $1 and workspace_id = $2 and headers_sealed is not null`,
};

/** Returns the workspace's rules with sealed values of headers. */
export async function sealedRules(
  reader: HotReader,
  home: Home,
): Promise<{ readonly id: Uuid; readonly headers_sealed: Buffer }[]> {
  return await reader.hot(SEALED, [home.bucket, home.workspaceId]);
}

export type RuleInsert = Omit<StoredRule, "version" | "updated_at">;
export type RuleChange = Partial<Omit<RuleInsert, "bucket" | "workspace_id" | "id">>;

export async function insertRule(tx: Tx, rule: RuleInsert): Promise<RuleRow> {
  const row = await tx.query.insertInto("rule").values(rule).returningAll().executeTakeFirstOrThrow();
  await setListeners(tx, row);
  return { ...row, is_shadowed: false };
}

/** Returns the newest live rule with this name that no sandbox rule replaces yet. */
export async function replaceableRule(tx: Tx, home: Home, name: string): Promise<Uuid | null> {
  const rows = await own(tx.query, home).where("name", "=", name).where("author_environment", "=", "live").execute();
  const free = rows.filter((row) => !row.is_shadowed).toSorted((a, b) => (a.id < b.id ? 1 : -1));
  return free[0]?.id ?? null;
}

/** Makes a live rule the one that a sandbox rule replaces and changes by a promotion. */
export async function linkRule(tx: Tx, home: Home, id: Uuid, live: Uuid): Promise<void> {
  await tx.query
    .updateTable("rule")
    .set({ promotes_to: live })
    .where("bucket", "=", home.bucket)
    .where("workspace_id", "=", home.workspaceId)
    .where("id", "=", id)
    .execute();
}

/** Saves the next version. */
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
  return await own(tx.query, home).where("id", "=", id).executeTakeFirstOrThrow();
}

export async function deleteRule(tx: Tx, home: Home, id: Uuid): Promise<void> {
  await tx.query
    .updateTable("rule")
    .set({ promotes_to: null })
    .where("bucket", "=", home.bucket)
    .where("workspace_id", "=", home.workspaceId)
    .where("promotes_to", "=", id)
    .execute();
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
export async function holdRule(query: Query, home: Home, id: Uuid): Promise<RuleRow | undefined> {
  return await own(query, home).where("id", "=", id).forUpdate("rule").executeTakeFirst();
}

/** Returns the newest rules first, of one environment or of both. */
export async function listRules(
  query: Query,
  home: Home,
  { before, limit, environment }: DefinitionPage,
): Promise<RuleRow[]> {
  let rows = own(query, home).orderBy("id", "desc");
  if (environment !== undefined) rows = rows.where("author_environment", "=", environment);
  const older = before === undefined ? rows : rows.where("id", "<", before);
  return await pageRows(query, older, { limit, large: ["condition", "actions"] });
}

function own(query: Query, home: Home) {
  return query
    .selectFrom("rule")
    .selectAll("rule")
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom("rule as s")
          .select("s.version")
          .whereRef("s.promotes_to", "=", "rule.id")
          .whereRef("s.bucket", "=", "rule.bucket")
          .whereRef("s.workspace_id", "=", "rule.workspace_id"),
      )
        .$castTo<boolean>()
        .as("is_shadowed"),
    )
    .where("bucket", "=", home.bucket)
    .where("workspace_id", "=", home.workspaceId);
}

async function setListeners(tx: Tx, row: StoredRule): Promise<void> {
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

async function dropListeners(tx: Tx, row: Pick<StoredRule, "bucket" | "workspace_id" | "id">): Promise<void> {
  await tx.query
    .deleteFrom("rule_listener")
    .where("bucket", "=", row.bucket)
    .where("workspace_id", "=", row.workspace_id)
    .where("rule_id", "=", row.id)
    .execute();
}

/** Returns the rules after this one, in the order of their key, that may have unsealed headers. */
export async function plainRules(query: Query, last: StoredRule | undefined, limit: number): Promise<StoredRule[]> {
  const from =
    last === undefined
      ? sql`true`
      : sql`(bucket, workspace_id, id) > (${last.bucket}, ${last.workspace_id}, ${last.id})`;
  const { rows } =
    await sql<StoredRule>`select * from rule where ${from} and (strpos(actions, 'headers') > 0 or strpos(actions, chr(92) || 'u') > 0)
    order by bucket, workspace_id, id limit ${limit}`.execute(query);
  return rows;
}

/** Returns false if the rule was changed since it was read. The meaning of the rule stays the same, so its version does too. */
export async function putSealedActions(
  query: Query,
  row: StoredRule,
  fresh: Pick<StoredRule, "actions" | "headers_sealed">,
): Promise<boolean> {
  const { numUpdatedRows } = await query
    .updateTable("rule")
    .set(fresh)
    .where("bucket", "=", row.bucket)
    .where("workspace_id", "=", row.workspace_id)
    .where("id", "=", row.id)
    .where("actions", "=", row.actions)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
