import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { covers } from "../../../../requirements/covers.ts";
import { canonicalJson, sha256, tagOf } from "../lib/lib.ts";
import { allRows, readScope, record, RUN, verify } from "../testing/audit.ts";
import { otherWorkspace, scopeOf } from "../testing/keys.ts";
import { freePort, startProcess } from "../testing/process.ts";
import { MASTER_KEY, startService } from "../testing/service.ts";
import type { Scope } from "../accounts/accounts.ts";
import type { Parsed, TestService } from "../testing/test-service.ts";

let service: TestService;
let scope: Scope;
let sandbox: Scope;
beforeAll(async () => {
  service = await startService();
  scope = await readScope(service);
  sandbox = { ...scope, tag: tagOf(scope.tag, "sandbox"), environment: "sandbox" };
  await service.database.query("update api_key set role = 'owner' where tag = $1", [sandbox.tag]);
});
afterAll(async () => await service.close());

/** Checks the chain as the contract defines it, using only the responses. */
function expectUnbroken(rows: readonly Parsed[]): void {
  let previous = { seq: 0, hash: "0".repeat(64) };
  for (const row of rows) {
    const { hash, ...hashed } = row;
    expect([row.seq, row.prev_hash]).toEqual([previous.seq + 1, previous.hash]);
    expect([row.seq, hash]).toEqual([row.seq, sha256(`${previous.hash}\n${canonicalJson(hashed)}`).toString("hex")]);
    previous = row;
  }
}

async function committed(): Promise<number> {
  return (await service.database.query("select 1 from audit_row where action = 'billing.refund'")).length;
}

covers(
  ["audit.row.fields", "audit.row.params-redacted"],
  "a row contains actor, prompt, redacted parameters and result, duration, status and deployment",
  async () => {
    const [id = ""] = await record(service, scope, RUN);
    const { status, body } = await service.api("GET", `/v1/audit/${id}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id,
      kind: "run",
      action: "billing.refund",
      contract_version: 3,
      actor: { type: "ai", id: "key_1", display: "Helper", key_id: "key_1", ip: "203.0.113.7" },
      approver: { type: "user", id: "mem_1", display: "Ann", key_id: null, ip: null },
      prompt: "Refund the order of Ada",
      params_redacted: { order: "10482", card: "[redacted]" },
      result_redacted: { refunded: true, token: "[redacted]" },
      status: "executed",
      error_code: null,
      duration_ms: 82,
      backend: { host: "api.example.com", status: 200 },
      deployment: { version: "0.0.0-test", git_sha: null, contract_sha256: "ab".repeat(32) },
      environment: "live",
    });
    expect(body.deployment.instance_id).toMatch(/^.+\/\w{8}$/);
  },
);

test("a row is committed together with its operation, or not at all", async () => {
  const { db, audit } = service.service;
  const before = await committed();
  const failing = db.transaction(async (tx) => {
    audit.record(tx, scope, RUN);
    await Promise.reject(new Error("no"));
  });
  await expect(failing).rejects.toThrow("no");
  expect(await committed()).toBe(before);
});

test("twenty concurrent writers in both environments create unbroken chains", async () => {
  const before = (await allRows(service)).length;
  await Promise.all(
    Array.from({ length: 20 }, async (_, writer) => {
      for (let round = 0; round < 5; round += 1)
        await record(service, writer % 2 === 0 ? scope : sandbox, RUN, ...(writer % 5 === 0 ? [RUN, RUN] : []));
    }),
  );
  const live = await allRows(service);
  expect(live.length).toBe(before + 10 * 5 + 2 * 5 * 2);
  expectUnbroken(live);
  expectUnbroken(await allRows(service, "", service.sandboxKey));
  expect(await verify(service)).toEqual({ ok: true, checked: live.length, first_bad_seq: null, reason: null });
});

test("concurrent transactions that write two chains in either order do not deadlock", async () => {
  const { db, audit } = service.service;
  const both = async (first: Scope, second: Scope): Promise<void> => {
    await db.transaction(async (tx) => {
      audit.record(tx, first, RUN);
      audit.record(tx, second, RUN);
      await Promise.resolve();
    });
  };
  await Promise.all(
    Array.from({ length: 40 }, async (_, at) => (at % 2 ? both(scope, sandbox) : both(sandbox, scope))),
  );
  expect((await verify(service)).ok).toBe(true);
});

test("all rows of a transaction need one insert and one update of the head", async () => {
  await service.database.query(`create table counted (what text);
    create function count_it() returns trigger language plpgsql security definer as $$ begin
      insert into counted values (tg_table_name); return null; end $$;
    create trigger counted after insert on audit_row for each statement execute function count_it();
    create trigger counted after update on audit_head for each statement execute function count_it()`);
  await record(service, scope, ...Array.from({ length: 100 }, () => RUN));
  expect(await service.database.query("select what from counted order by what")).toEqual([
    { what: "audit_head" },
    { what: "audit_row" },
  ]);
  await service.database.query("drop table counted; drop function count_it cascade");
});

test("every value is read from the database exactly as it was hashed", async () => {
  const odd = 'é 🎉 \u0000 \ud800 "\\ \u2028 \r\n';
  const value = { [odd]: [odd, -0, 1e-7, 1e21, 12345678901234567000, { "": null }, [], {}], b: true };
  await record(service, scope, { ...RUN, prompt: odd, parameters: value, result: [value, odd], errorCode: odd });
  await record(service, scope, { ...RUN, parameters: "x".repeat(100_000), result: null, prompt: "y".repeat(100_000) });
  const rows = await allRows(service);
  expectUnbroken(rows);
  for (const row of rows) expect(Buffer.byteLength(JSON.stringify(row))).toBeLessThan(64 * 1024);
});

describe("recorded rows cannot be changed", () => {
  const tables = ["audit_row", "audit_head", "audit_digest", "ai_history", "ai_history_result"];

  async function as(role: string | null, statement: string): Promise<unknown> {
    const options = role === null ? {} : { options: `-c role=${role}` };
    const client = new pg.Client({ connectionString: service.database.url, ...options });
    await client.connect();
    try {
      await client.query(`set junction.tag = '${scope.tag}'; set junction.workspace = '${scope.workspaceId}'`);
      return await client.query(statement);
    } finally {
      await client.end();
    }
  }

  beforeAll(async () => {
    await record(service, scope, RUN);
    await service.service.audit.digests.sign();
  });

  test.each(["junction_service", "junction_tenant"])("%s lacks the permission", async (role) => {
    for (const table of tables) {
      for (const change of [`update ${table} set workspace_id = null`, `delete from ${table}`, `truncate ${table}`])
        await expect(as(role, change)).rejects.toThrow(/permission denied/);
    }
    for (const change of ["update audit_signing_key set public_key = ''", "delete from audit_signing_key"])
      await expect(as(role, change)).rejects.toThrow(/permission denied/);
    for (const table of ["audit_row", "audit_head"])
      await expect(as(role, `insert into ${table} select * from ${table}`)).rejects.toThrow(/permission denied/);
    await expect(as(role, "alter table audit_row disable trigger all")).rejects.toThrow(/must be owner/);
  });

  test("the owner of the database is refused too", async () => {
    for (const table of ["audit_row", "audit_digest", "audit_signing_key"]) {
      await expect(as(null, `delete from ${table}`)).rejects.toThrow(/append-only/);
      await expect(as(null, `truncate ${table}`)).rejects.toThrow(/append-only/);
    }
    await expect(as(null, "update audit_row set status = 'ok'")).rejects.toThrow(/append-only/);
    await expect(as(null, "update audit_head set seq = seq - 1")).rejects.toThrow(/only moves forward/);
    await expect(as(null, "delete from audit_head")).rejects.toThrow(/append-only/);
    await expect(as(null, "truncate audit_head")).rejects.toThrow(/append-only/);
    await expect(as(null, "truncate ai_history, ai_history_result")).rejects.toThrow(/append-only/);
  });

  test("a tenant cannot write into the chain of another workspace", async () => {
    const { db } = service.service;
    const other = await scopeOf(service, (await otherWorkspace(service)).key);
    for (const foreign of [other, { ...scope, tag: other.tag }, { ...scope, workspaceId: other.workspaceId }])
      await expect(db.within(scope, async () => await record(service, foreign, RUN))).rejects.toThrow(
        /row-level security/,
      );
    await db.within(sandbox, async () => await record(service, scope, RUN));
    expect((await verify(service)).ok).toBe(true);
  });

  test("a workspace that is not closed cannot be erased by any role", async () => {
    const erase = `select erase_workspace('${scope.workspaceId}', ${scope.bucket}::smallint, array['${scope.tag}'])`;
    await expect(as("junction_service", erase)).rejects.toThrow(/not closed/);
    await expect(as("junction_tenant", erase)).rejects.toThrow(/permission denied/);
  });
});

test("kill -9 during a write leaves the chain unbroken", async () => {
  const doomed = startProcess(
    { DATABASE_URL: service.database.url, JUNCTION_MASTER_KEY: MASTER_KEY, JUNCTION_ROLES: "api" },
    await freePort(),
  );
  await doomed.ready();
  let running = true;
  let answered = 0;
  const writers = Array.from({ length: 20 }, async (_, writer) => {
    while (running) {
      const answer = await fetch(`${doomed.baseUrl}/v1/keys`, {
        method: "POST",
        headers: { Authorization: `Bearer ${service.key}`, "Content-Type": "application/json" },
        body: JSON.stringify({ name: `doomed ${writer}`, permission_mode: "read_only" }),
      }).catch(() => undefined);
      if (answer?.status === 201) answered += 1;
      else await new Promise((resolve) => setTimeout(resolve, 20));
    }
  });
  await expect.poll(() => answered).toBeGreaterThan(40);
  await doomed.kill();
  running = false;
  await Promise.all(writers);
  const rows = (await allRows(service)).filter((row) => row.action === "keys.create");
  const [made] = await service.database.query<{ n: number }>(
    "select count(*)::int as n from api_key where name like 'doomed %'",
  );
  expect(rows.length).toBe(made?.n);
  expect(rows.length).toBeGreaterThanOrEqual(answered);
  expect((await verify(service)).ok).toBe(true);
});
