import { afterAll, beforeAll, expect, test } from "vitest";
import { uuidOf } from "../testing/keys.ts";
import { startService } from "../testing/service.ts";
import { subscribe, UNLIMITED } from "../testing/subscription.ts";
import type { Parsed, TestService } from "../testing/test-service.ts";
import { uuidOfHex } from "../lib/lib.ts";
import type { Tag, Uuid } from "../lib/lib.ts";
import { report } from "./issues.ts";

const ENV = { ...UNLIMITED, JUNCTION_RETRY_LADDER: "20ms,20ms" };

let service: TestService;
beforeAll(async () => {
  service = await startService({ env: ENV });
});
afterAll(async () => await service.close());

const issuesOf = async (object: string): Promise<Parsed[]> =>
  (await service.api("GET", `/v1/issues?object_id=${object}`)).body["data"] as Parsed[];

async function judged(): Promise<void> {
  const waiting = async (): Promise<number> => (await service.database.query("select 1 from issue_report")).length;
  await expect.poll(waiting, { timeout: 30_000 }).toBe(0);
}

/** Returns a function that reports a failure of the endpoint, in a transaction of a node that commits it or not. */
async function reporterOf(
  endpoint: string,
): Promise<(n: number, node: TestService, commits?: boolean) => Promise<void>> {
  const [row] = await service.database.query<{ bucket: number; tag: Tag; workspace_id: Uuid }>(
    "select bucket, tag, workspace_id from endpoint where id = $1",
    [uuidOf(endpoint)],
  );
  if (row === undefined) throw new Error("no endpoint");
  const { bucket, tag, workspace_id: workspaceId } = row;
  const failure = { code: "500", detail: null };
  return async (n, node, commits = true) => {
    const id = uuidOfHex(`0196b2c100007000800000000${String(n).padStart(7, "0")}`);
    const done = node.service.db.transaction(async (tx) => {
      const scope = { bucket, tag, workspaceId };
      await report(tx, [{ scope, kind: "delivery", object: uuidOf(endpoint), id, tenant: null, failure }]);
      if (!commits) throw new Error("rolled back");
    });
    await done.catch((error: unknown) => expect(String(error)).toContain("rolled back"));
  };
}

test("failures that two nodes report at once are one issue with all of them", async () => {
  const other = await startService({ on: service, env: ENV });
  const { endpoint } = await subscribe(service);
  const failed = await reporterOf(endpoint.id);
  await Promise.all(Array.from({ length: 30 }, async (_, n) => await failed(n, n % 2 === 0 ? service : other)));
  await judged();
  const found = await issuesOf(endpoint.id);
  expect(found.map(({ state, count }) => [state, count])).toEqual([["open", 30]]);
  const fires = "select 1 from event where name = 'issue.opened' and data like '%' || $1 || '%'";
  await expect.poll(async () => (await service.database.query(fires, [endpoint.id])).length).toBe(1);
  await other.close();
});

test("a failure counts if it is committed, and not if it is rolled back", async () => {
  const { endpoint } = await subscribe(service);
  const failed = await reporterOf(endpoint.id);
  for (let n = 0; n < 5; n += 1) await failed(n, service, false);
  await judged();
  expect(await issuesOf(endpoint.id)).toEqual([]);
  for (let n = 5; n < 8; n += 1) await failed(n, service);
  await judged();
  expect((await issuesOf(endpoint.id)).map(({ count }) => count)).toEqual([3]);
});

test("an endpoint that is deleted while its attempts fail has no open issue", async () => {
  for (let n = 0; n < 5; n += 1) {
    const { endpoint, fire, path } = await subscribe(service, { status: 500 });
    await Promise.all([fire(), fire(), fire(), fire()]);
    expect((await service.api("DELETE", path)).status).toBe(204);
    await judged();
    const states = (await issuesOf(endpoint.id)).map(({ state }) => state);
    expect(["", "resolved"]).toContain(states.join(" "));
  }
  const left =
    "select 1 from issue i join endpoint e on e.id::text = i.object where e.deleted_at is not null and i.state not in ('resolved', 'watching')";
  await expect.poll(async () => await service.database.query(left)).toEqual([]);
});

test("two people who resolve an issue at once resolve it once", async () => {
  const { endpoint, fire } = await subscribe(service, { status: 500 });
  await fire();
  await expect.poll(async () => (await issuesOf(endpoint.id)).length, { timeout: 30_000 }).toBe(1);
  const [issue] = await issuesOf(endpoint.id);
  const answers = await Promise.all(
    Array.from(
      { length: 8 },
      async () => await service.api("PATCH", `/v1/issues/${issue?.["id"]}`, { state: "resolved" }),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  const fires = "select 1 from event where name = 'issue.resolved' and data like '%' || $1 || '%'";
  await expect.poll(async () => (await service.database.query(fires, [endpoint.id])).length).toBe(1);
});
