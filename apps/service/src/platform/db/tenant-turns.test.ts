import { afterAll, beforeAll, expect, test } from "vitest";
import { newTag } from "../../lib/lib.ts";
import type { Uuid } from "../../lib/lib.ts";
import { cloneDatabase } from "../../testing/database.ts";
import type { TestDatabase } from "../../testing/database.ts";
import { createDb, sql } from "./db.ts";
import type { Tenant } from "./db.ts";
import type { Db } from "./types.ts";

let database: TestDatabase;
let db: Db;
beforeAll(async () => {
  database = await cloneDatabase();
  db = createDb({ url: database.url, poolSize: 4, log: { warn: () => undefined } });
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

const busy: Tenant = { workspaceId: "00000000-0000-7000-8000-00000000000a" as Uuid, tag: newTag() };
const other: Tenant = { workspaceId: "00000000-0000-7000-8000-00000000000b" as Uuid, tag: newTag() };

/** Reads for `seconds`. Returns "read", or the code of the refusal. */
async function read(tenant: Tenant, seconds: number): Promise<string> {
  const reading = db.within(tenant, async () => await sql`select pg_sleep(${seconds})`.execute(db.query));
  return await reading.then(
    () => "read",
    (error: unknown) => (error instanceof Error && "code" in error ? String(error.code) : String(error)),
  );
}

test("slow reads of one workspace leave connections for the reads of another", async () => {
  let underWay = 80;
  const slow = Array.from({ length: underWay }, async () => {
    const answer = await read(busy, 0.5);
    underWay -= 1;
    return answer;
  });
  const others: string[] = [];
  for (let at = 0; at < 20; at += 1) others.push(await read(other, 0));
  expect(new Set(others)).toEqual(new Set(["read"]));
  // No fast read waited for all of the slow ones, or for those that are given up.
  expect(underWay).toBeGreaterThan(40);
  const answers = await Promise.all(slow);
  // Two slow reads run at a time for ten seconds. The rest is refused and can be repeated.
  expect(new Set(answers)).toEqual(new Set(["read", "service_unavailable"]));
  expect(answers.filter((answer) => answer === "read").length).toBeGreaterThan(10);
});

test("slow reads of one tenant do not keep another tenant of the workspace waiting", async () => {
  const slow = Array.from({ length: 40 }, async () => await read({ ...busy, tenant: "acme" }, 0.5));
  const startedMs = performance.now();
  for (let at = 0; at < 3; at += 1) expect(await read({ ...busy, tenant: "globex" }, 0)).toBe("read");
  expect(await read(busy, 0)).toBe("read");
  expect(performance.now() - startedMs).toBeLessThan(5000);
  await Promise.all(slow);
});

test("a workspace that was refused is served again when its slow reads have ended", async () => {
  expect(await read(busy, 0)).toBe("read");
  expect(await Promise.all([read(busy, 0.1), read(busy, 0.1), read(busy, 0.1)])).not.toContain("service_unavailable");
});

test("reads inside of transactions do not wait for the connections that the transactions hold", async () => {
  const both = Array.from(
    { length: 2 },
    async () =>
      await db.within(
        busy,
        async () =>
          await db.transaction(async (tx) => {
            await sql`select pg_sleep(0.2)`.execute(tx.query);
            await sql`select 1`.execute(db.query);
            return "read";
          }),
      ),
  );
  expect(await Promise.all(both)).toEqual(["read", "read"]);
});
