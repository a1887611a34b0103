import { expect, test } from "vitest";
import { readMigrations } from "./db.ts";

/**
 * During a rollout, nodes of the previous version run on this version's schema (docs/decisions/0161). Migrations up to
 * this one are older than that promise.
 */
const BEFORE_THE_PROMISE = "0029_news_by_transaction.sql";

/**
 * Lists migrations that remove something nevertheless, each with the reason why no node of the previous version needs
 * it.
 */
const REASONS: Readonly<Record<string, string>> = {
  "0151_client_subscriptions.sql":
    "the unique index of endpoints is over a column that is new, and that a node of the previous version leaves null",
  "0140_moving_in.sql":
    "the unique indexes of endpoints are over columns that are new, and that a node of the previous version leaves null",
  "0038_stages_by_day.sql":
    "a table of the same name and columns takes the place of the one that is renamed, and holds its rows",
  "0050_workflow_starts_apart.sql":
    "a unique index over the same columns takes the place of the constraint, and `on conflict` names columns",
  "0166_rate_versions.sql":
    "the primary key has one column more than the one it replaces, and only functions of the database insert rows",
  "0130_lanes.sql": "no node of the previous version writes the columns of the indexes",
  "0077_tenant_rows.sql":
    "a node of the previous version creates no endpoint of a tenant, and its change of such an endpoint's events has to fail: it would send the endpoint the events of all tenants",
};

/** Patterns of statements that could fail or mislead code that does not know of the change. */
const TAKES_AWAY: readonly (readonly [string, RegExp])[] = [
  ["drops what old code may use", /^drop (?!trigger|index|policy)/],
  ["drops a column", /^alter table\b.*\bdrop (column )?(?!constraint|not null|default|expression)\w/],
  ["renames", /^alter .*\brename\b/],
  ["changes a column's type", /^alter table\b.*\balter (column )?\S+ (set data )?type\b/],
  ["empties a table", /^truncate\b/],
];

/** Patterns of statements that the writes of old code could violate, on a table that exists already. */
const DEMANDS: readonly (readonly [string, RegExp])[] = [
  ["makes a column required", /\bset not null\b/],
  [
    "adds a column that is required and has no default",
    /\badd (column )?(?!constraint)[^,]*\bnot null\b(?![^,]*\b(default|generated)\b)(?<!\bdefault\b[^,]*)/,
  ],
  ["adds a constraint", /\badd (constraint|check|unique|primary key|foreign key|exclude)\b/],
  ["adds a unique index", /^create unique index\b/],
];

test("migrations only add, so that nodes of the previous version work on their schema", async () => {
  const migrations = await readMigrations(new URL("migrations/", import.meta.url));
  const faults = migrations
    .filter(({ name }) => name > BEFORE_THE_PROMISE && !(name in REASONS))
    .flatMap(({ name, text }) => faultsOf(text).map((fault) => `${name} ${fault}`));
  expect(faults).toEqual([]);
});

test.each([
  ["drop table news", "drops what old code may use"],
  ["drop function f()", "drops what old code may use"],
  ["alter table event drop column name", "drops a column"],
  ["alter table event drop name", "drops a column"],
  ["alter table event rename column name to title", "renames"],
  ["alter table event rename to happening", "renames"],
  ["alter table event alter column name type citext", "changes a column's type"],
  ["truncate news", "empties a table"],
  ["alter table event alter column name set not null", "makes a column required"],
  ["alter table event add column size int not null", "adds a column that is required and has no default"],
  ["alter table event add constraint sized check (size > 0)", "adds a constraint"],
  ["create unique index event_size on event (size)", "adds a unique index"],
])("%s is found", (text, fault) => {
  expect(faultsOf(`-- drop table x;\n${text};`)).toEqual([`${fault}: ${text}`]);
});

test.each([
  "alter table event add column traceparent text",
  "alter table event add column size int not null default 0",
  "alter table event add column size int default 0 not null",
  "create table a (id int primary key); alter table a add constraint c check (id > 0); create unique index a_id on a (id)",
  "create function f() returns trigger language plpgsql as $$ begin delete from news; drop table x; return null; end $$",
  "drop trigger t on event; create trigger t before delete on event for each row execute function f()",
  "drop index event_size; create index event_size on event (size)",
  "alter table event drop constraint sized",
])("%s is none", (text) => {
  expect(faultsOf(text)).toEqual([]);
});

function faultsOf(text: string): string[] {
  const statements = statementsOf(text);
  const made = new Set(
    statements.map((statement) => tableOf(/^create (?:unlogged )?table (?:if not exists )?(\S+)/, statement)),
  );
  return statements.flatMap((statement) => {
    const table = tableOf(/^(?:alter table (?:only )?|create unique index.*? on )(\S+)/, statement);
    const rules = table !== undefined && made.has(table) ? TAKES_AWAY : [...TAKES_AWAY, ...demandsOn(statement)];
    return rules.filter(([, form]) => form.test(statement)).map(([fault]) => `${fault}: ${statement}`);
  });
}

function demandsOn(statement: string): typeof DEMANDS {
  return /^(alter table|create unique index)\b/.test(statement) ? DEMANDS : [];
}

function tableOf(form: RegExp, statement: string): string | undefined {
  return form.exec(statement)?.[1]?.replace(/\(.*$/, "");
}

/**
 * Returns the statements in lower case, each on one line. The bodies of functions are left out, because they are not
 * part of the schema.
 */
function statementsOf(text: string): string[] {
  return text
    .replaceAll(/--.*$/gm, "")
    .replaceAll(/\$(\w*)\$[^]*?\$\1\$/g, "''")
    .split(";")
    .map((statement) => statement.replaceAll(/\s+/g, " ").trim().toLowerCase())
    .filter((statement) => statement !== "");
}
