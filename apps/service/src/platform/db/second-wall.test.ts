import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { tagOf } from "../../lib/lib.ts";
import type { Tag, Uuid } from "../../lib/lib.ts";
import { otherWorkspace } from "../../testing/keys.ts";
import { startService } from "../../testing/service.ts";
import type { Tenant } from "./db.ts";
import type { TestService } from "../../testing/test-service.ts";

let service: TestService;
let own: Tenant;
let foreign: Tenant;

beforeAll(async () => {
  service = await startService();
  own = await newestTenant();
  const other = await otherWorkspace(service);
  foreign = await newestTenant();
  await service.fire("wall.own");
  await service.api("POST", "/v1/events/fire", { event: "wall.foreign", data: {} }, { key: other.key });
  await service.api("POST", "/v1/events/fire", { event: "wall.sandbox", data: {} }, { key: service.sandboxKey });
});
afterAll(async () => await service.close());

async function newestTenant(): Promise<Tenant> {
  const [row] = await service.database.query<{ id: Uuid; tag: Tag }>("select id, tag from workspace order by id desc");
  if (row === undefined) throw new Error("there is no workspace");
  return { workspaceId: row.id, tag: row.tag };
}

async function eventNames(tenant: Tenant): Promise<string[]> {
  const { db } = service.service;
  const rows = await db.within(tenant, async () => await db.query.selectFrom("event").select("name").execute());
  return rows.map((row) => row.name);
}

covers("workspace.isolation.no-global", "a query that forgets its workspace sees only its own rows", async () => {
  expect(await eventNames(own)).toEqual(["wall.own"]);
  expect(await eventNames(foreign)).toEqual(["wall.foreign"]);
});

covers("sandbox.data.apart", "a query that forgets the environment sees only its own environment's rows", async () => {
  expect(await eventNames({ ...own, tag: tagOf(own.tag, "sandbox") })).toEqual(["wall.sandbox"]);
});

describe("with row-level security", () => {
  test("rows of others cannot be changed, deleted or created", async () => {
    const { db } = service.service;
    const changed = await db.within(
      own,
      async () =>
        await db.query.updateTable("event").set({ name: "wall.stolen" }).where("tag", "=", foreign.tag).execute(),
    );
    const deleted = await db.within(
      own,
      async () =>
        await db.transaction(
          async (tx) => await tx.query.deleteFrom("event").where("name", "!=", "wall.own").executeTakeFirst(),
        ),
    );
    expect([Number(changed[0]?.numUpdatedRows), Number(deleted.numDeletedRows)]).toEqual([0, 0]);
    const inbox = { bucket: 1, tag: foreign.tag, token: "wall", workspace_id: foreign.workspaceId, behaviour: "{}" };
    const making = db.within(own, async () => await db.query.insertInto("inbox").values(inbox).execute());
    await expect(making).rejects.toThrow(/row-level security/);
    expect(await eventNames(foreign)).toEqual(["wall.foreign"]);
  });

  test("a reused connection sees only its tenant's rows, and later work has no tenant", async () => {
    const { db } = service.service;
    const both = [own, foreign, own, foreign, own, foreign];
    expect(await Promise.all(both.map(eventNames))).toEqual(
      both.map((tenant) => [tenant === own ? "wall.own" : "wall.foreign"]),
    );
    const seen = await db.within(
      own,
      async () =>
        await new Promise<number>((resolve, reject) => {
          db.transaction(async (tx) => {
            await tx.query.selectFrom("event").select("id").execute();
            tx.onCommit(() => {
              db.query
                .selectFrom("event")
                .select("id")
                .execute()
                .then((rows) => resolve(rows.length), reject);
            });
          }).catch(reject);
        }),
    );
    expect(seen).toBe(3);
  });

  test("a write's unit is limited to its tenant too", async () => {
    const { db } = service.service;
    const unit = db.unit();
    const rows = await db.within(
      own,
      async () =>
        await unit.run(
          async () => await db.transaction(async (tx) => await tx.query.selectFrom("event").select("name").execute()),
        ),
    );
    await unit.rollback();
    expect(rows).toEqual([{ name: "wall.own" }]);
  });

  test.each(["with", "without"])("the end of a unit %s writes is limited to the unit's tenant", async (writes) => {
    const { db } = service.service;
    const unit = db.unit();
    await db.within(
      own,
      async () =>
        await unit.run(async () => {
          if (writes === "with") await db.query.deleteFrom("event").where("name", "=", "wall.none").execute();
        }),
    );
    const seen: object[] = [];
    await unit.commit(async (tx) => void seen.push(...(await tx.query.selectFrom("event").select("name").execute())));
    expect(seen).toEqual([{ name: "wall.own" }]);
  });
});

describe("the database's roles", () => {
  async function as(role: string, statement: string): Promise<unknown[]> {
    const client = new pg.Client({ connectionString: service.database.url, options: `-c role=${role}` });
    await client.connect();
    try {
      return (await client.query(statement)).rows;
    } finally {
      await client.end();
    }
  }

  test("every table has row-level security, new ones included", async () => {
    const open = await service.database.query<{ relname: string }>(
      `select relname from pg_class c where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
        and relname <> 'schema_migration' and not (relrowsecurity and exists (select from pg_policy p where p.polrelid = c.oid and p.polname = 'service'))`,
    );
    expect(open).toEqual([]);
  });

  test("a session without a tenant sees no rows", async () => {
    expect(
      await as(
        "junction_tenant",
        "select 1 from event union all select 1 from workspace union all select 1 from api_key",
      ),
    ).toEqual([]);
  });

  test.each([
    ["junction_service", "create table own_table ()"],
    ["junction_service", "drop table event"],
    ["junction_service", "alter table event disable row level security"],
    ["junction_service", "select * from schema_migration"],
    ["junction_service", "delete from schema_migration"],
    ["junction_service", "create role helper"],
    ["junction_tenant", "select * from rate_window"],
    ["junction_tenant", "select * from person"],
    ["junction_tenant", "select * from session"],
    ["junction_tenant", "select drop_partitions('event', 0)"],
    ["junction_tenant", "truncate event"],
  ])("%s may not %s", async (role, statement) => {
    await expect(as(role, statement)).rejects.toThrow(/permission denied|must be owner/);
  });
});
