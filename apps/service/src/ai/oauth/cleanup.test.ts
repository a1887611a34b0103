import { afterAll, beforeAll, expect, test } from "vitest";
import { instant } from "../../lib/lib.ts";
import { uuidOf } from "../../testing/keys.ts";
import { send } from "../../testing/mcp.ts";
import { codeForm, connected, consent, refresh, registerApp, token } from "../../testing/oauth.ts";
import { joined } from "../../testing/people.ts";
import type { TestPerson } from "../../testing/people.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { TestService } from "../../testing/test-service.ts";
import { createCleanup } from "./cleanup.worker.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

let service: TestService;
let second: TestService;
let person: TestPerson;

beforeAll(async () => {
  // Without workers, only the test cleans up.
  const env = { ...UNLIMITED, JUNCTION_ROLES: "api" };
  service = await startService({ env });
  second = await startService({ env, on: service });
  person = await joined(service, "developer");
});
afterAll(async () => {
  await second.close();
  await service.close();
});

/** Cleans up on both nodes at once, as at a later time. */
async function cleanUp(laterMs: number): Promise<void> {
  const clock = { now: () => instant(Date.now() + laterMs), monotonicMs: () => performance.now() };
  const log = { warn: () => undefined };
  const nodes = [service, second].map((node) => createCleanup({ db: node.service.db, clock, log }));
  await Promise.all(nodes.map(async (cleanup) => await cleanup.sweep()));
}

async function idsOf(table: string, column: string): Promise<string[]> {
  const rows = await service.database.query<Record<string, string>>(`select ${column}::text as id from ${table}`);
  return rows.map(({ id = "" }) => id);
}

test("an unused consent is deleted with its key a day after its code", async () => {
  const unused = await consent(service, person);
  const used = await connected(service, person);
  await cleanUp(23 * HOUR_MS);
  expect(await idsOf("oauth_grant", "key_id")).toContain(uuidOf(unused.keyId));
  await cleanUp(DAY_MS + 2 * MINUTE_MS);
  for (const [table, column] of [
    ["oauth_grant", "key_id"],
    ["api_key", "id"],
  ] as const) {
    expect(await idsOf(table, column)).not.toContain(uuidOf(unused.keyId));
    expect(await idsOf(table, column)).toContain(uuidOf(used.keyId));
  }
  expect((await token(service, codeForm(unused))).body).toMatchObject({ error: "invalid_grant" });
  expect((await refresh(service, used)).status).toBe(200);
});

test("access tokens are deleted at their end, and the connection stays", async () => {
  const tokens = await connected(service, person);
  const kinds = async (): Promise<string[]> =>
    await idsOf(`oauth_token where key_id = '${uuidOf(tokens.keyId)}' order by kind`, "kind");
  await cleanUp(HOUR_MS - MINUTE_MS);
  expect(await kinds()).toEqual(["access", "refresh"]);
  await cleanUp(HOUR_MS + MINUTE_MS);
  expect(await kinds()).toEqual(["refresh"]);
  const next = await refresh(service, tokens);
  expect(next.status).toBe(200);
  // The used token stays known, so that its second use ends the connection.
  await cleanUp(HOUR_MS - MINUTE_MS);
  expect((await refresh(service, tokens)).body).toMatchObject({ error: "invalid_grant" });
  const listed = await send(service, "tools/list", {}, { key: next.body["access_token"] });
  expect([listed.status, listed.body["code"]]).toEqual([401, "key_revoked"]);
  await cleanUp(30 * DAY_MS);
  expect(await kinds()).toEqual([]);
  expect(await idsOf("api_key", "id")).toContain(uuidOf(tokens.keyId));
});

test("the tokens of an ended connection are deleted after a day", async () => {
  const tokens = await connected(service, person);
  expect((await service.api("DELETE", `/v1/connected-apps/${tokens.keyId}`)).status).toBe(204);
  await cleanUp(23 * HOUR_MS);
  expect(await idsOf("oauth_token", "key_id")).toContain(uuidOf(tokens.keyId));
  await cleanUp(DAY_MS + MINUTE_MS);
  expect(await idsOf("oauth_token", "key_id")).not.toContain(uuidOf(tokens.keyId));
});

test("a registration is deleted a day after it, or 90 days after its last consent", async () => {
  const [unused, used] = [await registerApp(service), await registerApp(service)];
  await consent(service, person, { client_id: used });
  await cleanUp(23 * HOUR_MS);
  expect(await idsOf("oauth_client", "id")).toEqual(expect.arrayContaining([unused, used]));
  await cleanUp(DAY_MS + MINUTE_MS);
  expect(await idsOf("oauth_client", "id")).not.toContain(unused);
  expect(await idsOf("oauth_client", "id")).toContain(used);
  await cleanUp(90 * DAY_MS + MINUTE_MS);
  expect(await idsOf("oauth_client", "id")).not.toContain(used);
});

test("a failing round is reported, and the next one follows", async () => {
  const warnings: object[] = [];
  const db = { query: { deleteFrom: () => raise() } } as unknown as TestService["service"]["db"];
  const clock = { now: () => instant(Date.now()), monotonicMs: () => performance.now() };
  const worker = createCleanup({ db, clock, log: { warn: (fields) => void warnings.push(fields) } });
  worker.start();
  await expect.poll(() => warnings.length).toBe(1);
  await worker.stop();
  expect(warnings).toEqual([{ err: new Error("no database") }]);
});

function raise(): never {
  throw new Error("no database");
}
